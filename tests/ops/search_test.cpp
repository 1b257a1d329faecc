#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsSearch : public OpsCase {
 protected:
  // Other devices run a part of the cases with many kernels.
  bool compiles_fast() const { return is_simulator() || std::string(GetParam()) == "cpu"; }
  template <typename T>
  static bool is_less(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b;
    } else {
      const auto x = static_cast<double>(a), y = static_cast<double>(b);
      return x < y || (std::isnan(y) && !std::isnan(x));
    }
  }
  template <typename T>
  void check(std::vector<T> sorted, const std::vector<T>& queries) {
    std::sort(sorted.begin(), sorted.end(), is_less<T>);
    const auto n = static_cast<std::int64_t>(sorted.size()), q = static_cast<std::int64_t>(queries.size());
    const Tensor<T> x = tensor(sorted, {n}), y = tensor(queries, {q});
    const Tensor<std::uint32_t> lower(gpu, {q});
    const Tensor<std::int64_t> upper(gpu, {q});
    lower_bound(gpu, x, y, lower);
    upper_bound(gpu, x, y, upper);
    const auto low = lower.download();
    const auto high = upper.download();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto range = std::equal_range(sorted.begin(), sorted.end(), queries[i], is_less<T>);
      ASSERT_EQ(low[i], range.first - sorted.begin()) << i << " of " << sizeof(T) << " bytes";
      ASSERT_EQ(high[i], range.second - sorted.begin()) << i << " of " << sizeof(T) << " bytes";
    }
  }
  template <typename T>
  void check_integers() {
    std::vector<T> sorted = numbers<T>(301, 0, 100), queries = numbers<T>(100, 0, 110);
    sorted[0] = queries[0] = std::numeric_limits<T>::max();
    sorted[1] = queries[1] = std::numeric_limits<T>::lowest();
    check(sorted, queries);
  }
  template <typename T>
  void check_reals() {
    std::vector<T> sorted = numbers<T>(301, -20, 20), queries = numbers<T>(100, -25, 25);
    const float special[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(), -0.0f, 0.5f};
    for (std::size_t i = 0; i < 5; ++i) sorted[i] = queries[i] = T(special[i]);
    check(sorted, queries);
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsSearch, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsSearch, FindsBoundsOfEveryType) {
  check_integers<std::int64_t>();
  check_reals<half>();
  if (!compiles_fast()) return;
  check_integers<std::int8_t>();
  check_integers<std::uint8_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint32_t>();
  check_integers<std::uint64_t>();
  check_reals<bfloat16>();
  check_reals<float>();
  check_reals<double>();
}

TEST_P(OpsSearch, TakesViewsAndEmptyOperands) {
  const Tensor<int> x = tensor<int>({9, 0, 7, 0, 7, 0, 1, 0}, {8}), q = tensor<int>({7, 0, 9, 10}, {2, 2}),
                    out(gpu, {2, 2});
  const Receipt receipt = lower_bound(gpu, x.slice(0, 6, 4, -2), q.transpose(), out);
  EXPECT_EQ(out.download(), (std::vector<int>{1, 3, 0, 4}));
  EXPECT_NE(receipt.kernel().find("search"), std::string::npos) << receipt.kernel();
  upper_bound(gpu, Tensor<int>(gpu, {0}), q, out);
  EXPECT_EQ(out.download(), std::vector<int>(4, 0));
  EXPECT_EQ(upper_bound(gpu, x, Tensor<int>(gpu, {0}), Tensor<int>(gpu, {0})).kernel(), "");
}

TEST_P(OpsSearch, CountsElementsBetweenEdges) {
  std::vector<float> a = numbers<float>(5000);
  a[0] = std::numeric_limits<float>::quiet_NaN();
  a[1] = std::numeric_limits<float>::infinity();
  const std::vector<float> few{-6, -5.5f, -1, -1, 3, 7.5f};
  const Tensor<std::uint32_t> counts(gpu, {5});
  histogram(gpu, tensor(a, {50, 100}).transpose(), tensor(few, {6}), counts);
  std::vector<std::uint32_t> want(5);
  for (const float v : a) {
    if (v >= few[0] && v < few[5])
      ++want[static_cast<std::size_t>(std::upper_bound(few.begin(), few.end(), v) - few.begin() - 1)];
  }
  EXPECT_EQ(counts.download(), want);
  const auto b = numbers<std::int16_t>(4001, -300, 4000);
  std::vector<std::int16_t> many(3001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int16_t>(i);
  const Tensor<std::int32_t> bins(gpu, {3000});
  histogram(gpu, tensor(b, {4001}), tensor(many, {3001}), bins);
  std::vector<std::int32_t> expected(3000);
  for (const std::int16_t v : b) {
    if (v >= 0 && v < 3000) ++expected[static_cast<std::size_t>(v)];
  }
  EXPECT_EQ(bins.download(), expected);
}

TEST_P(OpsSearch, WrongOperandsAreReported) {
  const Tensor<int> x(gpu, {3, 4}), y(gpu, {5}), z(gpu, {4});
  const Tensor<float> f(gpu, {5});
  EXPECT_MESSAGE("ops::lower_bound failed: a tensor of shape 3×4 does not have one axis",
                 lower_bound(gpu, x, y, y));
  EXPECT_MESSAGE("ops::upper_bound failed: the operand 'out' has shape 4", upper_bound(gpu, y, y, z));
  EXPECT_MESSAGE("the operand 'queries' has elements of type float", lower_bound(gpu, y, f, y));
  EXPECT_MESSAGE("the operand 'out' has elements of type float", lower_bound(gpu, y, y, f));
  EXPECT_MESSAGE(
      "ops::histogram failed: 4 bins of elements of type int cannot have edges of shape 4 and type int",
      histogram(gpu, x, z, z));
}

}  // namespace
}  // namespace quern::ops
