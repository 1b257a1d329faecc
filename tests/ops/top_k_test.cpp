#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsTopK : public OpsCase {
 protected:
  // Other devices run a part of the cases with many kernels.
  bool compiles_fast() const { return is_simulator() || std::string(GetParam()) == "cpu"; }
  // Whether a precedes b among the smallest elements: NaN is last.
  template <typename T>
  static bool is_less(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b;
    } else {
      const auto x = static_cast<double>(a), y = static_cast<double>(b);
      return x < y || (std::isnan(y) && !std::isnan(x));
    }
  }
  // Rows of a matrix.
  template <typename T>
  void check(const std::vector<T>& a, std::int64_t rows, std::int64_t k) {
    const std::int64_t length = static_cast<std::int64_t>(a.size()) / rows;
    const Tensor<T> x = tensor(a, {rows, length}), values(gpu, {rows, k});
    const Tensor<std::int64_t> indices(gpu, {rows, k});
    for (const bool largest : {true, false}) {
      top_k(gpu, x, values, indices, {.largest = largest});
      const std::vector<T> got = values.download();
      const std::vector<std::int64_t> positions = indices.download();
      for (std::int64_t r = 0; r < rows; ++r) {
        const T* const row = a.data() + r * length;
        std::vector<std::int32_t> order(static_cast<std::size_t>(length));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
          return largest ? is_less(row[j], row[i]) : is_less(row[i], row[j]);
        });
        for (std::int64_t i = 0; i < k; ++i) {
          const auto at = static_cast<std::size_t>(r * k + i);
          ASSERT_EQ(positions[at], order[static_cast<std::size_t>(i)])
              << i << " of " << k << " in row " << r << " of " << length << ", largest: " << largest;
          ASSERT_EQ(std::memcmp(&got[at], &row[order[static_cast<std::size_t>(i)]], sizeof(T)), 0) << i;
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsTopK, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsTopK, FindsTheLargestAndSmallest) {
  check(numbers<float>(7 * 5, -1000, 1000), 5, 7);
  check(numbers<float>(3 * 1024, -1000, 1000), 3, 1);
  check(numbers<float>(3 * 1025, -1000, 1000), 3, 100);
  check(numbers<float>(2 * 5000, -8, 8), 2, 1024);  // many equal elements
  check(numbers<float>(2 * 5000, -100000, 100000), 2, 9);
}

TEST_P(OpsTopK, TakesEveryType) {
  if (!compiles_fast()) return;
  check(numbers<std::int64_t>(2 * 1100, -100000, 100000), 2, 5);
  std::vector<double> a = numbers<double>(2 * 1100, -100000, 100000);
  std::vector<half> b = numbers<half>(2 * 1100, -1000, 1000);
  const double special[] = {
      std::numeric_limits<double>::quiet_NaN(),  -0.0,
      std::numeric_limits<double>::infinity(),   0.0,
      -std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < 6; ++i) {
    a[3 * i] = special[i];
    b[3 * i] = half(static_cast<float>(special[i]));
  }
  check(b, 2, 5);
  check(a, 2, 5);
  check(numbers<std::int8_t>(2 * 1100, -100, 100), 2, 5);
  check(numbers<std::uint16_t>(2 * 1100, 0, 60000), 2, 5);
}

TEST_P(OpsTopK, CutsLongRows) { check(numbers<float>(2 * 33000, -1000, 1000), 2, 30); }

TEST_P(OpsTopK, SortsRowsForManyElements) {
  if (compiles_fast()) check(numbers<std::int16_t>(2 * 1500, -100, 100), 2, 1100);
}

TEST_P(OpsTopK, TakesViewsInAGraph) {
  const Tensor<int> x = tensor<int>({1, 7, 3, 9, 5, 9, 8, 2, 6, 4, 0, 3}, {3, 2, 2}), values(gpu, {2, 2, 2});
  const Tensor<std::int32_t> indices(gpu, {2, 2, 2});
  const Graph graph = gpu.record([&](const Stream& stream) {
    top_k(stream, x.transpose(0, 2).slice(2, 2, 3, -1), values.transpose(0, 1), indices);
  });
  gpu.stream().run(graph);
  // Rows (a, b): x[2][b][a], x[1][b][a], x[0][b][a].
  EXPECT_EQ(values.transpose(0, 1).download(), (std::vector<int>{6, 5, 8, 3, 9, 7, 9, 3}));
  EXPECT_EQ(indices.download(), (std::vector<std::int32_t>{0, 1, 1, 2, 1, 2, 2, 0}));
}

TEST_P(OpsTopK, WrongOperandsAreReported) {
  const Tensor<int> x(gpu, {3, 4}), y(gpu, {3, 5}), z(gpu, {3, 2});
  EXPECT_MESSAGE(
      "ops::top_k failed: rows of shape 3×4 cannot have values of shape 3×5 and indices of shape 3×5",
      top_k(gpu, x, y, y));
  EXPECT_MESSAGE("values of shape 3×2 and indices of shape 3×4", top_k(gpu, x, z, x));
  EXPECT_MESSAGE("the input has elements of type int, the result float",
                 top_k(gpu, x, Tensor<float>(gpu, {3, 2}), z));
  EXPECT_MESSAGE("the operand 'indices' has elements of type float",
                 top_k(gpu, x, z, Tensor<float>(gpu, {3, 2})));
  EXPECT_EQ(top_k(gpu, x, Tensor<int>(gpu, {3, 0}), Tensor<int>(gpu, {3, 0})).kernel(), "");
}

}  // namespace
}  // namespace quern::ops
