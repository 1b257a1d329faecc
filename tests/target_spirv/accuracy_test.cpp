// The math library for targets without one (lang/expand/library), run on the simulator through SPIR-V,
// compared with the C library in long double, in units in the last place.
#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::test {
namespace {

struct Function {
  const char* name;  // in a kernel
  long double (*exact)(long double);
  double from, to;
  double most;  // units: CUDA's documented bound, with half a unit for the reference
};

long double exact_rsqrt(long double x) { return 1 / std::sqrt(x); }
long double exact_exp10(long double x) { return std::pow(10.0L, x); }
long double exact_rcbrt(long double x) { return 1 / std::cbrt(x); }
long double exact_normcdf(long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }

constexpr Function kFunctions[] = {
    {"exp", std::exp, -700, 700, 1.5},       {"exp2", std::exp2, -1000, 1000, 1.5},
    {"exp10", exact_exp10, -300, 300, 1.5},  {"expm1", std::expm1, -5, 50, 1.5},
    {"log", std::log, 1e-300, 1e3, 1.5},     {"log2", std::log2, 1e-3, 1e3, 1.5},
    {"log10", std::log10, 1e-3, 1e3, 1.5},   {"log1p", std::log1p, -0.9, 3, 1.5},
    {"sin", std::sin, -10, 10, 2},           {"cos", std::cos, -1e5, 1e5, 2},
    {"sin", std::sin, 1e5, 1e22, 2},         {"tan", std::tan, -10, 10, 2.5},
    {"asin", std::asin, -1, 1, 2.5},         {"acos", std::acos, -1, 1, 2.5},
    {"atan", std::atan, -20, 20, 2.5},       {"sinh", std::sinh, -10, 10, 2.5},
    {"cosh", std::cosh, -10, 10, 1.5},       {"tanh", std::tanh, -3, 3, 2},
    {"asinh", std::asinh, -20, 20, 3},       {"acosh", std::acosh, 1, 20, 3},
    {"atanh", std::atanh, -1, 1, 2.5},       {"cbrt", std::cbrt, -1e9, 1e9, 1.5},
    {"rcbrt", exact_rcbrt, 1e-9, 1e9, 1.5},  {"rsqrt", exact_rsqrt, 1e-300, 1e9, 1.5},
    {"erf", std::erf, -5, 5, 2.5},           {"erfc", std::erfc, -5, 26, 5.5},
    {"normcdf", exact_normcdf, -30, 5, 5.5}, {"tgamma", std::tgamma, -20, 150, 10.5},
    {"lgamma", std::lgamma, 0.01, 500, 4.5}, {"sqrt", std::sqrt, 0, 1e300, 0.501},
};

double units(double got, long double want) {
  if (std::isnan(got)) return std::isnan(want) ? 0 : HUGE_VAL;
  const auto near = static_cast<double>(want);
  if (std::isinf(near) || std::isinf(got)) return near == got ? 0 : HUGE_VAL;
  int e = 0;
  std::frexp(near, &e);
  const long double unit = std::ldexp(1.0L, std::max(e, DBL_MIN_EXP) - DBL_MANT_DIG);
  return static_cast<double>(std::fabs(got - want) / unit);
}

TEST(SpirvAccuracy, DoubleFunctionsKeepTheirBounds) {
  const Device device = open("std.gpu");
  std::mt19937_64 random(5);
  constexpr int kCount = 512;
  for (const Function& f : kFunctions) {
    std::uniform_real_distribution<double> any(f.from, f.to);
    std::vector<double> in(kCount);
    for (double& x : in) x = any(random);
    for (int i = 0; i < kCount / 4 && f.from < 0; ++i) in[i] *= 1e-3;  // near zero
    const Kernel kernel =
        device
            .compile(
                "__global__ void k(int n, const double* x, double* y) { int i = blockIdx.x * "
                "blockDim.x + threadIdx.x; if (i < n) y[i] = " +
                std::string(f.name) + "(x[i]); }")
            .kernel("k");
    auto x = device.upload(in), y = device.allocate<double>(kCount);
    device.launch(kernel, threads(kCount), kCount, x, y);
    const std::vector<double> out = y.download();
    double worst = 0, at = 0;
    for (int i = 0; i < kCount; ++i) {
      const double off = units(out[i], f.exact(in[i]));
      if (off > worst) worst = off, at = in[i];
    }
    EXPECT_LE(worst, f.most) << f.name << "(" << at << ")";
    std::printf("%-8s on [%g, %g]: %.2f units\n", f.name, f.from, f.to, worst);
  }
}

// Compared with the host's arithmetic, which rounds correctly.
TEST(SpirvAccuracy, DivisionRootAndFmaAreExact) {
  const Device device = open("std.gpu");
  const Module module = device.compile(R"(
    __global__ void f(int n, const float* a, const float* b, float* q, float* r, float* s) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { q[i] = a[i] / b[i]; r[i] = sqrtf(fabsf(a[i])); s[i] = fmaf(a[i], b[i], q[i]); }
    }
    __global__ void d(int n, const double* a, const double* b, double* q, double* r, double* s) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { q[i] = a[i] / b[i]; r[i] = sqrt(fabs(a[i])); s[i] = fma(a[i], b[i], q[i]); }
    })");
  std::mt19937_64 random(7);
  constexpr int kCount = 2048;
  const auto check = [&](auto zero, const char* name) {
    using T = decltype(zero);
    std::vector<T> a(kCount), b(kCount);
    for (int i = 0; i < kCount; ++i) {
      // Any bits: subnormals, infinities and NaN too.
      const uint64_t x = random(), y = random();
      std::memcpy(&a[i], &x, sizeof(T));
      std::memcpy(&b[i], &y, sizeof(T));
      if (i % 3 == 0)
        b[i] = std::ldexp(T(1) + std::fabs(std::ldexp(T(y >> 40), -24)), static_cast<int>(x & 31));
    }
    auto da = device.upload(a), db = device.upload(b), q = device.allocate<T>(kCount),
         r = device.allocate<T>(kCount), s = device.allocate<T>(kCount);
    device.launch(module.kernel(name), threads(kCount), kCount, da, db, q, r, s);
    const std::vector<T> hq = q.download(), hr = r.download(), hs = s.download();
    const auto same = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    for (int i = 0; i < kCount; ++i) {
      EXPECT_TRUE(same(hq[i], a[i] / b[i])) << a[i] << " / " << b[i] << " is " << hq[i];
      EXPECT_TRUE(same(hr[i], std::sqrt(std::fabs(a[i])))) << "sqrt " << a[i] << " is " << hr[i];
      EXPECT_TRUE(same(hs[i], std::fma(a[i], b[i], a[i] / b[i]))) << a[i] << " * " << b[i] << " is " << hs[i];
      if (testing::Test::HasFailure()) return;
    }
  };
  check(0.0F, "f");
  check(0.0, "d");
}

}  // namespace
}  // namespace quern::test
