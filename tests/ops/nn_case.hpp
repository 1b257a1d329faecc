// Tests of operations for neural networks: values of any type as double, and comparison with a tolerance.
#pragma once

#include <cmath>
#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The relative precision of results.
template <typename T>
constexpr double tolerance_of() {
  if constexpr (std::is_same_v<T, double>) return 1e-12;
  if constexpr (std::is_same_v<T, float>) return 2e-5;
  if constexpr (std::is_same_v<T, half>) return 2e-3;
  return 1.6e-2;  // bfloat16
}

class NnCase : public OpsCase {
 protected:
  // Numbers between -4 and 4 that every type represents exactly.
  template <typename T>
  std::vector<T> reals(std::int64_t count) {
    std::vector<T> out = numbers<T>(count, -32, 32);
    for (T& v : out) v = T(static_cast<float>(v) / 8);
    return out;
  }
  template <typename T>
  static std::vector<double> wide(const std::vector<T>& v) {
    std::vector<double> out;
    for (const T& x : v) out.push_back(static_cast<double>(x));
    return out;
  }
  template <typename T>
  static std::vector<T> narrow(const std::vector<double>& v) {
    std::vector<T> out;
    for (const double x : v) out.push_back(T(x));
    return out;
  }
  // Compares with a tolerance relative to the larger of the value and `scale`. NaN equals NaN.
  template <typename T>
  static void expect_near(const std::vector<T>& got, const std::vector<double>& want, double scale = 1,
                          double tolerance = tolerance_of<T>()) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto value = static_cast<double>(got[i]);
      const bool is_same = std::isnan(want[i]) ? std::isnan(value)
                           : std::isinf(want[i])
                               ? value == want[i]
                               : std::abs(value - want[i]) <= tolerance * std::max(std::abs(want[i]), scale);
      ASSERT_TRUE(is_same) << "element " << i << " of " << got.size() << ": " << value << " instead of "
                           << want[i];
    }
  }
};

#define QUERN_NN_CASE(name)                                                                      \
  class name : public NnCase {};                                                                 \
  INSTANTIATE_TEST_SUITE_P(All, name, testing::ValuesIn(::quern::test::each_driver({"native"})), \
                           ::quern::test::device_name)

}  // namespace quern::ops
