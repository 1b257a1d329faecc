#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsScan);

TEST_P(OpsScan, ScansRows) {
  for (const std::int64_t n : {1, 7, 2048, 2049, 10000}) {
    const auto a = numbers<int>(3 * n);
    const Tensor<int> x = tensor(a, {3, n}), inclusive(gpu, {3, n}), exclusive(gpu, {3, n});
    inclusive_scan(gpu, Combine::sum, x, inclusive);
    exclusive_scan(gpu, Combine::sum, x, exclusive);
    const std::vector<int> with = inclusive.download(), without = exclusive.download();
    for (std::size_t r = 0; r < 3; ++r) {
      int total = 0;
      for (std::size_t i = r * static_cast<std::size_t>(n); i < (r + 1) * static_cast<std::size_t>(n); ++i) {
        ASSERT_EQ(without[i], total) << i << " of " << n;
        ASSERT_EQ(with[i], total += a[i]) << i << " of " << n;
      }
    }
  }
}

TEST_P(OpsScan, ScansOtherAxesAndViewsInPlace) {
  const auto a = numbers<int>(4 * 50 * 3);
  const Tensor<int> x = tensor(a, {4, 50, 3});
  inclusive_scan(gpu, Combine::sum, x.transpose(), x.transpose());  // along the middle axis
  const std::vector<int> got = x.download();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      int total = 0;
      for (std::size_t j = 0; j < 50; ++j) {
        total += a[(i * 50 + j) * 3 + k];
        ASSERT_EQ(got[(i * 50 + j) * 3 + k], total);
      }
    }
  }
  EXPECT_EQ(inclusive_scan(gpu, Combine::sum, Tensor<int>(gpu, {4, 0}), Tensor<int>(gpu, {4, 0})).kernel(),
            "");
}

TEST_P(OpsScan, ScansBackwardsAndIntoWiderTypes) {
  const std::vector<std::uint8_t> a(3000, 200);
  const Tensor<std::uint64_t> out(gpu, {3000});
  inclusive_scan(gpu, Combine::sum, tensor(a, {3000}), out.slice(0, 2999, 3000, -1));
  const std::vector<std::uint64_t> got = out.download();
  for (std::size_t i = 0; i < 3000; ++i) ASSERT_EQ(got[i], 200 * (3000 - i)) << i;
}

// The last of two values that is not 0: associative, not commutative.
TEST_P(OpsScan, CombinesWithAFunctionThatIsNotCommutative) {
  std::vector<int> a = numbers<int>(5000, -30, 8);
  for (int& v : a) v = std::max(v, 0);
  const Tensor<int> x = tensor(a, {5000}), out(gpu, {5000});
  const Function last = "[](int u, int v) { return v != 0 ? v : u; }";
  inclusive_scan(gpu, last, x, out, 0);
  const std::vector<int> with = out.download();
  exclusive_scan(gpu, last, x, out, 0);
  const std::vector<int> without = out.download();
  int before = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(without[i], before) << i;
    if (a[i] != 0) before = a[i];
    ASSERT_EQ(with[i], before) << i;
  }
}

TEST_P(OpsScan, KeepsInfinityAndIgnoresNaNInMaxima) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  const Tensor<float> x = tensor<float>({-kInfinity, 1, kNaN, 3, kInfinity, 2}, {6});
  inclusive_scan(gpu, Combine::max, x, x);
  EXPECT_EQ(x.download(), (std::vector<float>{-kInfinity, 1, 1, 3, kInfinity, kInfinity}));
}

}  // namespace
}  // namespace quern::ops
