#include "quern/ops/float8.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace quern::ops {
namespace {

template <typename T>
T of_bits(unsigned bits) {
  const auto byte = static_cast<std::uint8_t>(bits);
  T out;
  std::memcpy(&out, &byte, 1);
  return out;
}
template <typename T>
unsigned bits_of_number(T v) {
  std::uint8_t byte = 0;
  std::memcpy(&byte, &v, 1);
  return byte;
}

template <typename T>
void check_all(unsigned largest) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = of_bits<T>(bits);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(bits_of_number(T(value)), bits);
  }
  for (unsigned bits = 0; bits < largest; ++bits) {  // halfway: to even
    const double low = static_cast<double>(of_bits<T>(bits)),
                 high = static_cast<double>(of_bits<T>(bits + 1));
    EXPECT_EQ(bits_of_number(T((low + high) / 2)), bits + bits % 2);
    EXPECT_EQ(bits_of_number(T(-std::nextafter((low + high) / 2, high))), 0x80 + bits + 1);
  }
  EXPECT_EQ(bits_of_number(T(1e9)), largest);
  EXPECT_EQ(bits_of_number(T(-std::numeric_limits<float>::infinity())), 0x80 + largest);
  EXPECT_TRUE(std::isnan(static_cast<float>(T(std::nan("")))));
}

TEST(OpsFloat8, RoundsAndSaturates) {
  check_all<float8_e4m3>(0x7e);
  check_all<float8_e5m2>(0x7b);
  EXPECT_EQ(static_cast<float>(of_bits<float8_e4m3>(0x7e)), 448);
  EXPECT_EQ(static_cast<float>(of_bits<float8_e4m3>(1)), 0x1p-9f);
  EXPECT_EQ(static_cast<float>(of_bits<float8_e5m2>(0x7b)), 57344);
  EXPECT_TRUE(std::isinf(static_cast<float>(of_bits<float8_e5m2>(0x7c))));
}

}  // namespace
}  // namespace quern::ops
