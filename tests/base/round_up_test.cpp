#include "base/round_up.hpp"

#include <gtest/gtest.h>

namespace quern::base {
namespace {

static_assert(round_up(0, 16) == 0);
static_assert(round_up(1, 16) == 16);
static_assert(round_up(16, 16) == 16);

TEST(RoundUp, TakesAnyMultiple) {
  EXPECT_EQ(round_up(17, 12), 24u);
  EXPECT_EQ(round_up(uint64_t{1} << 40, 3), (uint64_t{1} << 40) + 2);
  EXPECT_EQ(round_up(7, 1), 7u);
  EXPECT_EQ(round_up(7, 0), 7u) << "no alignment";
}

}  // namespace
}  // namespace quern::base
