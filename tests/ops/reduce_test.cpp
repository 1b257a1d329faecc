#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/choice.hpp"
#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsReduce);

TEST_P(OpsReduce, ReducesAllElements) {
  for (const std::int64_t n : {1, 31, 257, 2049, 20000}) {
    const auto a = numbers<float>(n);
    const auto b = numbers<int>(n);
    const Tensor<float> x = tensor(a, {n});
    const Tensor<int> y = tensor(b, {n});
    EXPECT_EQ(sum(gpu, x), std::accumulate(a.begin(), a.end(), 0.0f)) << n;
    EXPECT_EQ(sum(gpu, y), std::accumulate(b.begin(), b.end(), 0)) << n;
    EXPECT_EQ(min(gpu, x), *std::min_element(a.begin(), a.end())) << n;
    EXPECT_EQ(max(gpu, y), *std::max_element(b.begin(), b.end())) << n;
    EXPECT_EQ(argmin(gpu, x), std::min_element(a.begin(), a.end()) - a.begin()) << n;
    EXPECT_EQ(argmax(gpu, y), std::max_element(b.begin(), b.end()) - b.begin()) << n;
  }
  EXPECT_EQ(sum(gpu, Tensor<float>(gpu, {0})), 0.0f);
  EXPECT_EQ(max(gpu, Tensor<float>(gpu, {3, 0})), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(min(gpu, Tensor<int>(gpu, {0})), std::numeric_limits<int>::max());
  EXPECT_MESSAGE("ops::argmin failed: a tensor of shape 3×0 has no element",
                 argmin(gpu, Tensor<float>(gpu, {3, 0})));
}

TEST_P(OpsReduce, SumsOfSmallTypesAreWide) {
  const std::vector<std::uint8_t> bytes(3000, 255);
  const std::vector<std::int32_t> words(3000, std::numeric_limits<std::int32_t>::max());
  const std::vector<half> halves(3000, half(100.0f));
  EXPECT_EQ(sum(gpu, tensor(bytes, {3000})), 765000u);
  EXPECT_EQ(sum(gpu, tensor(words, {3000})), 3000ll * std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(sum(gpu, tensor(halves, {3000})), 300000.0f);
  EXPECT_EQ(max(gpu, tensor(bytes, {3000})), 255);
  EXPECT_EQ(sum(gpu, tensor(numbers<double>(3000, 1, 1), {3000})), 3000.0);
  EXPECT_EQ(min(gpu, tensor(numbers<bfloat16>(3000, 4, 4), {3000})), bfloat16(4.0f));
}

TEST_P(OpsReduce, IgnoresNaNInMinimaAndMaxima) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> v = numbers<float>(5000);
  v[0] = v[17] = v[4999] = kNaN;
  v[300] = kInfinity;
  v[301] = -kInfinity;
  const Tensor<float> x = tensor(v, {5000});
  EXPECT_EQ(min(gpu, x), -kInfinity);
  EXPECT_EQ(max(gpu, x), kInfinity);
  EXPECT_EQ(argmin(gpu, x), 301);
  EXPECT_EQ(argmax(gpu, x), 300);
  EXPECT_TRUE(std::isnan(sum(gpu, x)));
  EXPECT_EQ(argmax(gpu, tensor<float>({kNaN, kNaN}, {2})), 0);
  EXPECT_EQ(sum(gpu, tensor<float>({kInfinity, 1, 2}, {3})), kInfinity);
}

TEST_P(OpsReduce, ReducesAlongAxes) {
  const auto a = numbers<int>(4 * 60 * 5);
  const Tensor<int> x = tensor(a, {4, 60, 5});
  const auto at = [&](std::size_t i, std::size_t j, std::size_t k) { return a[(i * 60 + j) * 5 + k]; };
  const Tensor<int> middle(gpu, {4, 1, 5}), outer(gpu, {1, 60, 1}), where(gpu, {4, 1, 5});
  reduce(gpu, Combine::sum, x, middle);
  reduce(gpu, Combine::max, x, outer);
  argmax(gpu, x, where);
  const std::vector<int> sums = middle.download(), largest = outer.download(), positions = where.download();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      int total = 0, best = 0;
      for (std::size_t j = 0; j < 60; ++j) {
        total += at(i, j, k);
        if (at(i, j, k) > at(i, static_cast<std::size_t>(best), k)) best = static_cast<int>(j);
      }
      EXPECT_EQ(sums[i * 5 + k], total);
      EXPECT_EQ(positions[i * 5 + k], best);
    }
  }
  for (std::size_t j = 0; j < 60; ++j) {
    int most = -100;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 5; ++k) most = std::max(most, at(i, j, k));
    }
    EXPECT_EQ(largest[j], most);
  }
}

TEST_P(OpsReduce, ReducesViewsAndEmptyAxes) {
  const auto a = numbers<int>(70 * 9);
  const Tensor<int> x = tensor(a, {70, 9});
  int total = 0;
  for (std::size_t i = 0; i < 70; i += 2) total += a[i * 9 + 4];
  EXPECT_EQ(sum(gpu, x.select(1, 4).slice(0, 0, 35, 2)), total);
  const Tensor<int> none(gpu, {3, 0}), out(gpu, {3, 1});
  fill(gpu, out, 9);
  reduce(gpu, Combine::product, none, out);
  EXPECT_EQ(out.download(), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(reduce(gpu, Combine::sum, Tensor<int>(gpu, {0, 4}), Tensor<int>(gpu, {0, 1})).kernel(), "");
}

TEST_P(OpsReduce, CombinesWithAFunction) {
  const auto a = numbers<unsigned>(5001, 0, 8);
  const Tensor<unsigned> x = tensor(a, {5001}), out(gpu, {1});
  const Receipt receipt = reduce(gpu, "[](unsigned u, unsigned v) { return u ^ v; }", x, out, 0u);
  unsigned want = 0;
  for (const unsigned v : a) want ^= v;
  EXPECT_EQ(out.download()[0], want);
  EXPECT_NE(receipt.kernel().find("reduce_parts"), std::string::npos) << receipt.kernel();
  const Tensor<half> h = tensor(std::vector<half>{half(1.0f), half(5.0f), half(2.0f)}, {3}), most(gpu, {1});
  reduce(gpu, "[](half u, half v) { return u > v ? u : v; }", h, most, half(0.0f));
  EXPECT_EQ(static_cast<float>(most.download()[0]), 5.0f);
}

TEST_P(OpsReduce, AllocatesNoDriverMemoryAfterTheFirstCall) {
  const Tensor<float> x = tensor(numbers<float>(50000), {50000}), y(gpu, {50000}), total(gpu, {1});
  const auto step = [&] {
    transform(gpu, "[](float v) { return v; }", x, y);
    reduce(gpu, Combine::sum, y, total);
    inclusive_scan(gpu, Combine::sum, y, y);
    gpu.synchronize();
  };
  step();
  const std::uint64_t reserved = gpu.memory().reserved, in_use = gpu.memory().in_use;
  for (int i = 0; i < 3; ++i) {
    step();
    EXPECT_EQ(gpu.memory().reserved, reserved);
    EXPECT_EQ(gpu.memory().in_use, in_use);
  }
}

// Whether 16 bytes are loaded at a time does not matter.
TEST_P(OpsReduce, TheOrderDoesNotDependOnTheAlignment) {
  std::vector<float> a(50000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.0f / static_cast<float>(i % 97 + 1);
  const Tensor<float> x = tensor(a, {50000}), shifted(gpu, {50001});
  copy(gpu, x, shifted.slice(0, 1, 50000));
  EXPECT_EQ(sum(gpu, x), sum(gpu, shifted.slice(0, 1, 50000)));
  const Variant variant{{"threads", 128}, {"items", 16}};
  const VariantScope scope("reduce", variant);
  EXPECT_EQ(sum(gpu, x), sum(gpu, shifted.slice(0, 1, 50000)));
}

}  // namespace
}  // namespace quern::ops
