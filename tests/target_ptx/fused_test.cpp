// The functions on floats with fma (lang/expand/library/math_fused.cuh), compiled as C++ for the host: their
// text is C++, and fma rounds the same everywhere. Errors in units in the last place, compared with double.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace {

// The parts of the library that the text uses.
#define __device__ [[maybe_unused]] static
float __quern_fma(float a, float b, float c) { return std::fma(a, b, c); }
float __quern_rint(float x) { return std::rint(x); }
float __quern_abs(float x) { return std::fabs(x); }
bool __quern_isinf(float x) { return std::isinf(x); }
unsigned bits_of(float x) { return std::bit_cast<unsigned>(x); }
float real_of(unsigned bits) { return std::bit_cast<float>(bits); }
struct Duo {
  float hi, lo;
};
struct Turned {
  Duo rest;
  int quadrant;
};
bool has_no_angle(float x) { return !std::isfinite(x); }
float nan_single() { return std::numeric_limits<float>::quiet_NaN(); }
Turned turned(float) { return {}; }  // large angles have separate tests
#include "lang/expand/library/math_fused.cuh"
#undef __device__

double units(float got, double want) {
  const auto rounded = static_cast<float>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  const double size = std::max(std::fabs(want), 0x1p-126);
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, std::ilogb(size) - 23);
}

double worst(float (*ours)(float), double (*exact)(double), float most = INFINITY) {
  double found = 0;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {
    const float x = real_of(static_cast<unsigned>(bits));
    if (std::fabs(x) < most || std::isnan(x))
      found = std::max(found, units(ours(x), exact(static_cast<double>(x))));
  }
  return found;
}

TEST(FusedMath, StaysWithinTheBounds) {
  EXPECT_LE(worst(exp_fused, std::exp), 1.0);
  EXPECT_LE(worst(exp2_fused, std::exp2), 1.0);
  EXPECT_LE(worst(log_fused, std::log), 1.0);
  EXPECT_LE(worst(sin_fused, std::sin, 48039.0F), 1.5);
  EXPECT_LE(worst(cos_fused, std::cos, 48039.0F), 1.5);
  EXPECT_LE(worst(tanh_fused, std::tanh), 2.0);
  EXPECT_LE(worst(erf_fused, std::erf), 2.0);
}

TEST(FusedMath, KeepsTheSignOfZero) {
  for (float (*f)(float) : {sin_fused, tanh_fused, erf_fused}) {
    EXPECT_TRUE(std::signbit(f(-0.0F)));
    EXPECT_FALSE(std::signbit(f(0.0F)));
  }
}

}  // namespace
