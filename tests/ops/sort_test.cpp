#include "quern/ops/sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "ops/choice.hpp"
#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsSort : public OpsCase {
 protected:
  // Other devices run a part of the cases with many kernels.
  bool compiles_fast() const { return is_simulator() || std::string(GetParam()) == "cpu"; }
  // Sorts keys with their positions as values, and compares with std::stable_sort.
  template <typename T, typename Less>
  void check(const std::vector<T>& keys, const Less& less) {
    const auto n = static_cast<std::int64_t>(keys.size());
    for (const bool descending : {false, true}) {
      std::vector<std::uint32_t> order(keys.size());
      std::iota(order.begin(), order.end(), 0u);
      const Tensor<T> k = tensor(keys, {n});
      const Tensor<std::uint32_t> v = tensor(order, {n});
      sort(gpu, k, v, {.descending = descending});
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return descending ? less(keys[b], keys[a]) : less(keys[a], keys[b]);
      });
      ASSERT_EQ(v.download(), order) << n << " keys of " << sizeof(T) << " bytes, descending: " << descending;
      const std::vector<T> got = k.download();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(std::memcmp(&got[i], &keys[order[i]], sizeof(T)), 0) << i << " of " << n;
    }
  }
  template <typename T>
  void check_integers(std::int64_t n) {
    std::vector<T> keys(static_cast<std::size_t>(n));
    for (T& v : keys) v = static_cast<T>(random());
    if (n > 2) {
      keys[0] = std::numeric_limits<T>::max();
      keys[1] = std::numeric_limits<T>::lowest();
    }
    check(keys, std::less<T>());
  }
  // NaN after infinity; -0 equals +0.
  template <typename T>
  void check_reals(std::int64_t n) {
    std::vector<T> keys = numbers<T>(n);
    const float special[] = {std::numeric_limits<float>::quiet_NaN(),
                             -0.0f,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::quiet_NaN(),
                             0.0f,
                             1e-30f,
                             -65504.0f};
    for (std::size_t i = 0; i < std::min<std::size_t>(keys.size() / 2, 8); ++i)
      keys[2 * i] = static_cast<T>(special[i]);
    check(keys, [](T a, T b) {
      const auto x = static_cast<double>(static_cast<float>(a)),
                 y = static_cast<double>(static_cast<float>(b));
      return std::isnan(y) ? !std::isnan(x) : x < y;
    });
  }

 private:
  std::uint64_t random() { return (state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 7; }
  std::uint64_t state_ = 5;
};
INSTANTIATE_TEST_SUITE_P(All, OpsSort, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsSort, SortsEveryType) {
  check_integers<std::int8_t>(500);
  check_integers<std::uint8_t>(500);
  check_integers<std::int16_t>(500);
  check_integers<std::uint16_t>(500);
  check_integers<std::int32_t>(500);
  check_integers<std::uint32_t>(500);
  check_integers<std::int64_t>(500);
  check_integers<std::uint64_t>(500);
  check_reals<half>(500);
  check_reals<bfloat16>(500);
  check_reals<float>(500);
  check_reals<double>(500);
}

TEST_P(OpsSort, SortsOddSizes) {
  for (const std::int64_t n : {0, 1, 2, 255, 2048, 2049, 9000}) check_integers<std::int16_t>(n);
}

TEST_P(OpsSort, SortsViewsWithoutValues) {
  const auto a = numbers<int>(3 * 700);
  const Tensor<int> x = tensor(a, {700, 3});
  const Receipt receipt = sort(gpu, x.select(1, 1).slice(0, 699, 700, -1));
  const bool is_sweep = gpu.info().driver == "cuda" || gpu.info().driver == "hip";
  EXPECT_NE(receipt.kernel().find(is_sweep ? "sort_sweep" : "sort_move"), std::string::npos)
      << receipt.kernel();
  std::vector<int> column, want = a;
  for (std::size_t i = 0; i < 700; ++i) column.push_back(a[i * 3 + 1]);
  std::sort(column.begin(), column.end(), std::greater<>());
  for (std::size_t i = 0; i < 700; ++i) want[i * 3 + 1] = column[i];
  EXPECT_EQ(x.download(), want);
}

TEST_P(OpsSort, RunsInAGraph) {
  const auto a = numbers<int>(3000);
  Buffer<int> keys = gpu.allocate<int>(3000);
  const Graph graph = gpu.record([&](const Stream& stream) { sort(stream, keys, {.descending = true}); });
  std::vector<int> want = a;
  std::sort(want.begin(), want.end(), std::greater<>());
  for (int i = 0; i < 2; ++i) {
    keys.upload(a);
    gpu.stream().run(graph);
    EXPECT_EQ(keys.download(), want);
  }
}

TEST_P(OpsSort, SortsWithAFunction) {
  for (const std::int64_t n : {2, 3, 1024, 1025, 2050, 7001}) {
    const std::vector<int> a = numbers<int>(n, 0, n == 7001 ? 10000 : 100);
    std::vector<double> order(a.size());
    std::iota(order.begin(), order.end(), 0.0);
    const Tensor<int> keys = tensor(a, {n});
    const Tensor<double> values = tensor(order, {n});
    sort(gpu, keys, values, "[](int a, int b) { return a / 4 > b / 4; }");
    std::stable_sort(order.begin(), order.end(), [&](double x, double y) {
      return a[static_cast<std::size_t>(x)] / 4 > a[static_cast<std::size_t>(y)] / 4;
    });
    ASSERT_EQ(values.download(), order) << n;
    const std::vector<int> got = keys.download();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], a[static_cast<std::size_t>(order[i])]) << i;
  }
}

TEST_P(OpsSort, SortsViewsOfAnyTypeWithAFunction) {
  const Function less = "[](auto a, auto b) { return a < b; }";
  const auto a = numbers<half>(3 * 1500);
  const auto b = numbers<std::uint8_t>(1500, 0, 200);
  const Tensor<half> x = tensor(a, {1500, 3});
  const Tensor<std::uint8_t> y = tensor(b, {1500});
  const Receipt receipt = sort(gpu, x.select(1, 1).slice(0, 1499, 1500, -1), y, less);
  EXPECT_NE(receipt.kernel().find("merge_sort_runs"), std::string::npos) << receipt.kernel();
  std::vector<std::size_t> order(1500);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return static_cast<float>(a[(1499 - i) * 3 + 1]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  const std::vector<half> got = x.download();
  const std::vector<std::uint8_t> moved = y.download();
  for (std::size_t i = 0; i < 1500; ++i) {
    ASSERT_EQ(static_cast<float>(got[(1499 - i) * 3 + 1]), key(order[i])) << i;
    ASSERT_EQ(static_cast<float>(got[i * 3]), static_cast<float>(a[i * 3])) << i;
    ASSERT_EQ(moved[i], b[order[i]]) << i;
  }
}

TEST_P(OpsSort, SortsWithAFunctionInAGraph) {
  const auto a = numbers<std::int64_t>(3000, 0, 1000);
  Buffer<std::int64_t> keys = gpu.allocate<std::int64_t>(3000);
  const Graph graph = gpu.record([&](const Stream& stream) {
    sort(stream, keys, "[](long long a, long long b) { return a % 100 < b % 100; }");
  });
  std::vector<std::int64_t> want = a;
  std::stable_sort(want.begin(), want.end(), [](auto x, auto y) { return x % 100 < y % 100; });
  for (int i = 0; i < 2; ++i) {
    keys.upload(a);
    gpu.stream().run(graph);
    EXPECT_EQ(keys.download(), want);
  }
  if (!compiles_fast()) return;
  keys.upload(a);  // not an order: the call returns, and the simulator finds no access out of bounds
  sort(gpu, keys, "[](long long, long long) { return true; }");
  gpu.synchronize();
}

// One kernel for each digit of 8 bits, with look-back: also on devices that do not use it by default.
class OpsSweepSort : public OpsSort {
 protected:
  void SetUp() override {
    OpsSort::SetUp();
    if (IsSkipped()) return;
    const std::string driver = gpu.info().driver;
    if (driver != "cpu" && driver != "sim" && driver != "cuda" && driver != "hip")
      GTEST_SKIP() << "progress of blocks is not guaranteed";
  }

  Variant small{{"threads", 256}, {"items", 3}, {"sweep", 1}, {"resident", 1}};  // tiles of 768 elements
  VariantScope scope{"sort", small};
};
INSTANTIATE_TEST_SUITE_P(All, OpsSweepSort, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsSweepSort, SortsEveryType) {
  check_integers<std::int8_t>(2000);
  check_integers<std::uint16_t>(2000);
  check_integers<std::int32_t>(2000);
  check_integers<std::uint64_t>(2000);
  check_reals<half>(2000);
  check_reals<float>(2000);
  check_reals<double>(2000);
}

TEST_P(OpsSweepSort, SortsAcrossTiles) {
  for (const std::int64_t n : {2, 767, 768, 769, 7680, 30001}) check_integers<std::uint16_t>(n);
  check(std::vector<std::uint32_t>(5000, 7), std::less<>());  // one digit, in the order of the values
}

TEST_P(OpsSweepSort, SortsViewsAndWideValues) {
  const auto a = numbers<int>(3 * 5000, -1000, 1000);
  const auto b = numbers<std::int64_t>(5000, 0, 1000);
  const Tensor<int> x = tensor(a, {5000, 3});
  const Tensor<std::int64_t> y = tensor(b, {5000});
  const Receipt receipt = sort(gpu, x.select(1, 1).slice(0, 4999, 5000, -1), y);
  EXPECT_NE(receipt.kernel().find("sort_sweep"), std::string::npos) << receipt.kernel();
  std::vector<std::size_t> order(5000);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return a[(4999 - i) * 3 + 1]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  const std::vector<int> got = x.download();
  const std::vector<std::int64_t> moved = y.download();
  for (std::size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(got[(4999 - i) * 3 + 1], key(order[i])) << i;
    ASSERT_EQ(got[i * 3], a[i * 3]) << i;
    ASSERT_EQ(moved[i], b[order[i]]) << i;
  }
}

TEST_P(OpsSweepSort, RunsInAGraph) {
  const auto a = numbers<std::uint8_t>(3000, 0, 255);
  Buffer<std::uint8_t> keys = gpu.allocate<std::uint8_t>(3001);
  const Slice<std::uint8_t> unaligned = Slice<std::uint8_t>(keys).slice(1);
  const Graph graph =
      gpu.record([&](const Stream& stream) { sort(stream, unaligned, {.descending = true}); });
  std::vector<std::uint8_t> want = a;
  std::sort(want.begin(), want.end(), std::greater<>());
  for (int i = 0; i < 2; ++i) {
    unaligned.upload(a);
    gpu.stream().run(graph);
    EXPECT_EQ(unaligned.download(), want);
  }
}

// Counts no longer fit into 30 bits.
TEST_P(OpsSort, SortsMoreThan2To30Keys) {
  constexpr std::int64_t kCount = (std::int64_t{1} << 30) + 100;
  if (gpu.info().kind != DeviceKind::discrete || gpu.info().memory_bytes < std::uint64_t{16} << 30)
    GTEST_SKIP() << "only on devices with at least 16 GiB";
  const Tensor<std::uint8_t> keys(gpu, {kCount});
  random_integers(gpu, keys, {.seed = 3});
  std::vector<std::int64_t> counts(256);
  for (const std::uint8_t v : keys.download()) ++counts[v];
  sort(gpu, keys);
  const std::vector<std::uint8_t> got = keys.download();
  std::size_t at = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    for (std::int64_t i = 0; i < counts[v]; ++i) ASSERT_EQ(got[at++], v);
  }
}

TEST_P(OpsSort, WrongShapesAreReported) {
  const Tensor<int> x(gpu, {3, 4}), y(gpu, {5});
  EXPECT_MESSAGE("ops::sort failed: a tensor of shape 3×4 does not have one axis", sort(gpu, x));
  EXPECT_MESSAGE("the keys have shape 5 and the values 12", sort(gpu, y, x.reshape({12})));
  EXPECT_MESSAGE("read-only", sort(gpu, Tensor<const int>(y)));
  const Function less = "[](int a, int b) { return a < b; }";
  EXPECT_MESSAGE("ops::sort failed: a tensor of shape 3×4 does not have one axis", sort(gpu, x, less));
  EXPECT_MESSAGE("the keys have shape 5 and the values 12", sort(gpu, y, x.reshape({12}), less));
  EXPECT_MESSAGE("read-only", sort(gpu, Tensor<const int>(y), less));
}

}  // namespace
}  // namespace quern::ops
