#include <algorithm>
#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsSelect);

TEST_P(OpsSelect, SelectsPartitionsAndRemovesRepetitions) {
  const Function is_odd = "[](int v) { return (v & 1) != 0; }";
  const auto odd = [](int v) { return (v & 1) != 0; };
  for (const std::int64_t n : {0, 1, 300, 2048, 5001}) {
    const auto a = numbers<int>(n, 0, 3);
    const Tensor<int> x = tensor(a, {n}), out(gpu, {n});
    std::vector<int> want;
    std::copy_if(a.begin(), a.end(), std::back_inserter(want), odd);
    const auto count = static_cast<std::int64_t>(want.size());
    ASSERT_EQ(select(gpu, is_odd, x, out), count) << n;
    EXPECT_EQ(out.slice(0, 0, count).download(), want) << n;
    want = a;
    std::stable_partition(want.begin(), want.end(), odd);
    ASSERT_EQ(partition(gpu, is_odd, x, out), count) << n;
    EXPECT_EQ(out.download(), want) << n;
    want = a;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    const auto runs = static_cast<std::int64_t>(want.size());
    ASSERT_EQ(unique(gpu, x, out), runs) << n;
    EXPECT_EQ(out.slice(0, 0, runs).download(), want) << n;
  }
}

TEST_P(OpsSelect, TakesViewsAndStoresTheCountInAGraph) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  const Tensor<float> x = tensor<float>({1, -1, kNaN, 2, kInfinity, -3, 4, -kInfinity}, {8});
  const Tensor<float> out(gpu, {8});
  const Tensor<std::int64_t> count(gpu, {1});
  fill(gpu, out, 0.0f);
  const Graph graph = gpu.record([&](const Stream& stream) {
    select(stream, "[](float v) { return v > 0; }", x.slice(0, 7, 8, -1), out, count);
  });
  gpu.stream().run(graph);
  EXPECT_EQ(count.download()[0], 4);
  EXPECT_EQ(out.download(), (std::vector<float>{4, kInfinity, 2, 1, 0, 0, 0, 0}));
}

TEST_P(OpsSelect, WrongOperandsAreReported) {
  const Tensor<int> x(gpu, {3, 4}), y(gpu, {5}), z(gpu, {4});
  EXPECT_MESSAGE("ops::unique failed: a tensor of shape 3×4 does not have one axis", unique(gpu, x, x));
  EXPECT_MESSAGE("ops::unique failed: the input has shape 5 and the result 4", unique(gpu, y, z));
  EXPECT_MESSAGE("elements of type int, the result float", unique(gpu, y, Tensor<float>(gpu, {5})));
  EXPECT_MESSAGE("the count has type int and shape 4", unique(gpu, y, Tensor<int>(gpu, {5}), z));
}

}  // namespace
}  // namespace quern::ops
