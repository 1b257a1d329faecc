// Functions on floats for targets without double, and fused products from integers, on the simulator:
// compared with the C library in double, in units in the last place, and with the hardware's fma.
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "run_expression.hpp"

namespace quern::expand::test {
namespace {

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

double units(float got, double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : HUGE_VAL;
  const auto near = static_cast<float>(want);
  if (std::isinf(near) || std::isinf(got)) return near == got ? 0 : HUGE_VAL;
  int e = 0;
  std::frexp(want, &e);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(e, -125) - 24);
}

struct Function {
  const char* name;
  double (*exact)(double);
  double from, to;
  double most;  // CUDA's documented bound, with half a unit for the rounding
};
double exact_rsqrt(double x) { return 1 / std::sqrt(x); }
double exact_exp10(double x) { return std::pow(10.0, x); }
double exact_rcbrt(double x) { return 1 / std::cbrt(x); }
double exact_sinpi(double x) { return std::sin(M_PI * x); }
double exact_cospi(double x) { return std::cos(M_PI * x); }
double exact_normcdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double exact_erfcx(double x) { return std::exp(x * x) * std::erfc(x); }

constexpr Function kFunctions[] = {
    {"expf(a)", std::exp, -104, 89, 1.5},
    {"exp2f(a)", std::exp2, -150, 128, 2.5},
    {"exp10f(a)", exact_exp10, -45, 38.5, 2.5},
    {"expm1f(a)", std::expm1, -5, 89, 1.5},
    {"logf(a)", std::log, 1e-38, 1e3, 1.5},
    {"logf(a)", std::log, 0.9, 1.1, 1.5},
    {"log2f(a)", std::log2, 1e-3, 1e3, 1.5},
    {"log10f(a)", std::log10, 1e-3, 1e3, 2.5},
    {"log1pf(a)", std::log1p, -0.9, 3, 1.5},
    {"sinf(a)", std::sin, -10, 10, 2.5},
    {"cosf(a)", std::cos, -1e5, 1e5, 2.5},
    {"sinf(a)", std::sin, 1e5, 3e38, 2.5},
    {"tanf(a)", std::tan, -10, 10, 4.5},
    {"sinpif(a)", exact_sinpi, -3, 3, 1.5},
    {"cospif(a)", exact_cospi, -3, 3, 1.5},
    {"asinf(a)", std::asin, -1, 1, 2.5},
    {"acosf(a)", std::acos, -1, 1, 2.5},
    {"atanf(a)", std::atan, -20, 20, 2.5},
    {"sinhf(a)", std::sinh, -89, 89, 3.5},
    {"coshf(a)", std::cosh, -89, 89, 2.5},
    {"tanhf(a)", std::tanh, -3, 3, 2.5},
    {"asinhf(a)", std::asinh, -20, 20, 3.5},
    {"acoshf(a)", std::acosh, 1, 20, 4.5},
    {"atanhf(a)", std::atanh, -1, 1, 3.5},
    {"cbrtf(a)", std::cbrt, -1e9, 1e9, 1.5},
    {"rcbrtf(a)", exact_rcbrt, 1e-9, 1e9, 1.5},
    {"rsqrtf(a)", exact_rsqrt, 1e-38, 1e9, 2.5},
    {"erff(a)", std::erf, -5, 5, 2.5},
    {"erfcf(a)", std::erfc, -4, 10, 4.5},
    {"erfcxf(a)", exact_erfcx, -8, 20, 4.5},
    {"normcdff(a)", exact_normcdf, -14, 5, 5.5},
    {"tgammaf(a)", std::tgamma, 1e-9, 35, 5.5},
    {"tgammaf(a)", std::tgamma, -41, 0, 5.5},
    {"lgammaf(a)", std::lgamma, 1e-9, 50, 6.5},
    {"lgammaf(a)", std::lgamma, -2.2, 3, 6.5},
    {"lgammaf(a)", std::lgamma, 50, 1e9, 6.5},
    {"j0f(a)", ::j0, -8, 8, 9.5},
    {"j1f(a)", ::j1, -8, 8, 9.5},
    {"y0f(a)", ::y0, 0, 8, 9.5},
    {"y1f(a)", ::y1, 0, 8, 9.5},
};

TEST(Single, FunctionsKeepTheirBounds) {
  std::mt19937 random(5);
  for (const Function& f : kFunctions) {
    std::uniform_real_distribution<double> any(f.from, f.to);
    std::vector<float> in(2000);
    for (float& x : in) x = static_cast<float>(any(random));
    for (size_t i = 0; i < in.size() / 4 && f.from < 0; ++i) in[i] *= 1e-3F;  // near zero
    for (size_t i = 0; i < in.size() / 8 && f.from < 0; ++i) in[i] *= 1e-6F;
    const std::vector<float> out = run(f.name, in);
    ASSERT_EQ(out.size(), in.size());
    double worst = 0, at = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const double off = units(out[i], f.exact(in[i]));
      if (off > worst) worst = off, at = in[i];
    }
    EXPECT_LE(worst, f.most) << f.name << " at " << at;
  }
}

// Beyond 8 and -10 the bounds are absolute.
TEST(Single, BesselFunctionsFarOut) {
  struct Far {
    const char* name;
    double (*exact)(double);
  };
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(3, 100);
  std::vector<float> in(500);
  for (float& x : in) x = static_cast<float>(std::exp2(exponent(random)));
  for (size_t i = 0; i < in.size() / 2; ++i) in[i] = 8 + static_cast<float>(i) / 7;
  for (const Far& f : {Far{"j0f(a)", ::j0}, Far{"j1f(a)", ::j1}, Far{"y0f(a)", ::y0}, Far{"y1f(a)", ::y1}}) {
    const std::vector<float> out = run(f.name, in);
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_NEAR(out[i], f.exact(in[i]), 2.2e-6) << f.name << " of " << in[i];
  }
}

// Compared with the inverse function: its values at both neighbors enclose the argument.
TEST(Single, InverseErrorFunctions) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> any(-1, 1), exponent(-149, 1);
  std::vector<float> near(2000), all(2000);
  for (float& x : near) x = static_cast<float>(any(random));
  for (float& x : all) x = static_cast<float>(std::exp2(exponent(random)));
  for (size_t i = 0; i < 20; ++i) near[i] = 1 - std::ldexp(1.0F, -5 - static_cast<int>(i));
  const auto check = [](const char* name, const std::vector<float>& in, double bound,
                        const std::function<double(double)>& wrong) {
    const std::vector<float> out = run(name, in);
    for (size_t i = 0; i < in.size(); ++i) {
      if (!std::isfinite(out[i])) continue;
      int e = 0;
      std::frexp(out[i], &e);
      const double off = bound * std::ldexp(1.0, e - 24);
      const double low = wrong(out[i] - off) - in[i], high = wrong(out[i] + off) - in[i];
      ASSERT_LE(low * high, 0) << name << " of " << in[i] << " is not " << out[i];
    }
  };
  check("erfinvf(a)", near, 2.5, [](double x) { return std::erf(x); });
  check("erfcinvf(a)", all, 4.5, [](double x) { return std::erfc(x); });
  check("normcdfinvf(a)", all, 5.5, exact_normcdf);
}

TEST(Single, FunctionsOfTwo) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> exponent(-40, 40);
  std::vector<float> in(4000);
  for (float& x : in) x = static_cast<float>(std::exp2(exponent(random)) * ((random() & 1) != 0 ? 1 : -1));
  const std::vector<float> angle = run("atan2f(a, b)", in), length = run("hypotf(a, b)", in);
  const std::vector<float> power = run("powf(fabsf(a), b * 0.05f)", in);
  for (size_t i = 0; i + 2 < in.size(); ++i) {
    EXPECT_LE(units(angle[i], std::atan2(double{in[i]}, double{in[i + 1]})), 3.5)
        << in[i] << " " << in[i + 1];
    EXPECT_LE(units(length[i], std::hypot(double{in[i]}, double{in[i + 1]})), 3.5);
    const double y = in[i + 1] * 0.05F;
    EXPECT_LE(units(power[i], std::pow(std::fabs(double{in[i]}), y)), 4.5) << in[i] << " to the " << y;
  }
}

// Numbers of all magnitudes, also such that cancel and such that barely fit.
TEST(Single, FusedProductsRoundOnce) {
  std::mt19937 random(8);
  std::vector<float> in;
  for (int i = 0; i < 6000; ++i) {
    const uint32_t bits = random();
    in.push_back(from_bits(bits));
    in.push_back(from_bits((bits & 0x80ffffffU) | 0x3f000000U));
    in.push_back(i > 0 ? -in[in.size() - 2] * in[in.size() - 3] : 1.0F);
  }
  for (const uint32_t special :
       {0U, 0x80000000U, 0x7f800000U, 0xff800000U, 0x7fc00000U, 1U, 0x007fffffU, 0x7f7fffffU}) {
    in.push_back(from_bits(special));
  }
  const std::vector<float> out = run("fmaf(a, b, c)", in);
  in.push_back(0.5F);
  in.push_back(0.5F);
  for (size_t i = 0; i < out.size(); ++i) {
    const float want = std::fma(in[i], in[i + 1], in[i + 2]);
    const bool same = std::isnan(want) ? std::isnan(out[i])
                                       : std::bit_cast<uint32_t>(want) == std::bit_cast<uint32_t>(out[i]);
    ASSERT_TRUE(same) << in[i] << " * " << in[i + 1] << " + " << in[i + 2] << ": " << out[i] << ", not "
                      << want;
  }
}

}  // namespace
}  // namespace quern::expand::test
