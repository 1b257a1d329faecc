#include "quern/ops/scan.hpp"

#include <limits>

#include "ops/choice.hpp"
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

// One kernel for all tiles, with look-back: also on devices that do not use it by default.
class OpsChainedScan : public OpsCase {
 protected:
  void SetUp() override {
    OpsCase::SetUp();
    if (IsSkipped()) return;
    const std::string driver = gpu.info().driver;
    if (driver != "cpu" && driver != "sim" && driver != "cuda" && driver != "hip")
      GTEST_SKIP() << "progress of blocks is not guaranteed";
  }
  // Integers: inclusive and exclusive, compared with the host.
  template <typename T, typename R>
  void check(const Tensor<T>& x, const std::vector<T>& a, const Tensor<R>& out, std::int64_t rows) {
    inclusive_scan(gpu, Combine::sum, x, out);
    const std::vector<R> with = out.download();
    const Receipt receipt = exclusive_scan(gpu, Combine::sum, x, out);
    EXPECT_NE(receipt.kernel().find("scan_chained"), std::string::npos) << receipt.kernel();
    const std::vector<R> without = out.download();
    const std::size_t n = a.size() / static_cast<std::size_t>(rows);
    R total{};
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i % n == 0) total = 0;
      ASSERT_EQ(without[i], total) << i << " of " << n;
      ASSERT_EQ(with[i], total = static_cast<R>(total + static_cast<R>(a[i]))) << i << " of " << n;
    }
  }

  Variant small{{"threads", 64}, {"items", 8}, {"chained", 1}};  // tiles of 512 elements
  VariantScope scope{"scan", small};
};
INSTANTIATE_TEST_SUITE_P(All, OpsChainedScan, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsChainedScan, ScansManyTiles) {
  for (const std::int64_t n : {513, 1024, 16 * 1024 + 1, 32 * 512, 33 * 512, 70000}) {
    const auto a = numbers<int>(n);
    check(tensor(a, {n}), a, Tensor<int>(gpu, {n}), 1);
  }
}

TEST_P(OpsChainedScan, ScansRowsAlignedOrNot) {
  for (const std::int64_t n : {20000, 20002}) {
    const auto a = numbers<int>(3 * n);
    check(tensor(a, {3, n}), a, Tensor<int>(gpu, {3, n}), 3);
  }
}

TEST_P(OpsChainedScan, ScansShortRows) {
  for (const std::int64_t n : {1, 40, 256, 300, 512}) {
    const auto a = numbers<int>(50 * n);
    check(tensor(a, {50, n}), a, Tensor<int>(gpu, {50, n}), 50);
  }
}

TEST_P(OpsChainedScan, ScansValuesOfEverySize) {
  const auto bytes = numbers<std::uint8_t>(20001, 0, 200);
  check(tensor(bytes, {20001}), bytes, Tensor<std::uint64_t>(gpu, {20001}), 1);
  const auto words = numbers<std::int16_t>(20001);
  check(tensor(words, {20001}), words, Tensor<std::int16_t>(gpu, {20001}), 1);
  const auto large = numbers<std::int64_t>(20001);
  check(tensor(large, {20001}), large, Tensor<std::int64_t>(gpu, {20001}), 1);
}

TEST_P(OpsChainedScan, ScansViews) {
  const auto a = numbers<int>(2 * 5000);
  std::vector<int> column;
  for (std::size_t i = 0; i < 5000; ++i) column.push_back(a[2 * i + 1]);
  check(tensor(a, {5000, 2}).select(1, 1), column, Tensor<int>(gpu, {5000}).slice(0, 4999, 5000, -1), 1);
}

TEST_P(OpsChainedScan, CombinesInOrder) {
  const Function join =
      "[](long long a, long long b) { return a == 0 ? b : b == 0 ? a : a / 100000 * 100000 + b % 100000; }";
  std::vector<std::int64_t> a(40000);  // first and last of a range
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>((i + 1) * 100000 + (i + 1));
  const Tensor<std::int64_t> x = tensor(a, {40000});
  inclusive_scan(gpu, join, x, x, 0);
  const std::vector<std::int64_t> got = x.download();
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], static_cast<std::int64_t>(100000 + i + 1)) << i;
  const Function last = "[](half a, half b) { return (float)b != 0.0f ? b : a; }";
  const auto b = numbers<half>(20000, -1, 1);
  const Tensor<half> y = tensor(b, {20000});
  inclusive_scan(gpu, last, y, y, half(0.0f));
  const std::vector<half> lasts = y.download();
  float want = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (static_cast<float>(b[i]) != 0) want = static_cast<float>(b[i]);
    ASSERT_EQ(static_cast<float>(lasts[i]), want) << i;
  }
}

// The order of additions does not depend on which blocks run first.
TEST_P(OpsChainedScan, FloatsAreDeterministic) {
  std::vector<float> a(70000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.0f / static_cast<float>(i % 97 + 1);
  const Tensor<float> x = tensor(a, {70000}), out(gpu, {70000});
  inclusive_scan(gpu, Combine::sum, x, out);
  const std::vector<float> first = out.download();
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += static_cast<double>(a[i]);
    ASSERT_NEAR(first[i], total, 1e-5 * total + 1e-6) << i;
  }
  for (int round = 0; round < 5; ++round) {
    inclusive_scan(gpu, Combine::sum, x, out);
    ASSERT_EQ(out.download(), first);
  }
}

}  // namespace
}  // namespace quern::ops
