#include <gtest/gtest.h>

#include "quern/quern.hpp"
#include "quern/ring.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Counter, (long total), (int add), long, {
  total += add;
  return total;
})

TEST(First, InlineActorCountsOnTheProcessor) {
  const Device device = open("cpu");
  auto counter = device.spawn(Counter{});
  EXPECT_EQ(counter.engine(), Engine::persistent);
  counter.send(2);
  EXPECT_EQ(counter.call(5).get(), 7);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(counter.call(1).get(), 8 + i);
  EXPECT_EQ(counter.state().total, 1007);
  EXPECT_TRUE(counter.stop());
  EXPECT_EQ(counter.phase(), Phase::terminated);
}

}  // namespace
}  // namespace quern::ring
