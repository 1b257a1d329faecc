#include "quern/session.hpp"

#include <numeric>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "quern/ops.hpp"

namespace quern::ops {
namespace {

TEST(OpsSession, OperationsContinueAfterALoss) {
  ::setenv("QUERN_FAULTS", "launch:4=lost", 1);
  const Session session({.device = "sim"});
  ::unsetenv("QUERN_FAULTS");
  const Device& gpu = session.device();
  const Tensor<int> x(gpu, {5000}), y(gpu, {5000});
  fill(gpu, x, 1);
  for (int i = 0; i < 2; ++i) {
    inclusive_scan(gpu, Combine::sum, x, y);
    transform(gpu, "[](int v) { return v + 1; }", x, x);
  }
  EXPECT_EQ(sum(gpu, y), 2ll * 5000 * 5001 / 2);
  EXPECT_EQ(session.losses(), 1u);
}

TEST(OpsSession, TemporaryMemorySurvivesALoss) {
  ::setenv("QUERN_FAULTS", "launch:6=lost", 1);
  const Session session({.device = "sim"});
  ::unsetenv("QUERN_FAULTS");
  const Device& gpu = session.device();
  const Tensor<int> x(gpu, {5000}), values(gpu, {5000}), lengths(gpu, {5000});
  const Tensor<std::int64_t> count(gpu, {1});
  fill(gpu, lengths, 0);
  random_integers(gpu, x, {.seed = 1, .low = 0, .high = 99});
  sort(gpu, x, "[](int a, int b) { return a < b; }");
  run_length_encode(gpu, x, values, lengths, count);
  EXPECT_EQ(count.download()[0], 100);
  EXPECT_EQ(sum(gpu, lengths), 5000);
  EXPECT_EQ(session.losses(), 1u);
}

}  // namespace
}  // namespace quern::ops
