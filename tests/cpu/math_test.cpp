// Float functions of the math library (vector code) against the host's double functions: within CUDA's
// documented bounds, for arguments of all magnitudes and special values, with several vector widths and one
// lane.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/cpu_device.hpp"
#include "lang/compile.hpp"

namespace quern::cpu {
namespace {

constexpr size_t kCount = 1 << 16;

double units(float got, double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : HUGE_VAL;
  const auto near = static_cast<float>(want);
  if (std::isinf(near) || std::isinf(got)) return near == got ? 0 : HUGE_VAL;
  if (want == 0 && (got != 0 || std::signbit(got) != std::signbit(near))) return HUGE_VAL;
  int e = 0;
  std::frexp(want, &e);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(e, -125) - 24);
}

std::vector<float> launch(driver::Device& device, const std::string& source, const std::vector<float>& x,
                          const std::vector<float>& y, driver::Math math = driver::Math::exact) {
  lang::Compilation compiled = lang::compile("test.cu", source);
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  driver::Code code;
  code.math = math;
  code.module = std::make_shared<ir::Module>(std::move(compiled.module));
  const auto program = std::move(*device.load(code));
  const auto kernel = std::move(*device.kernel(*program, "k"));
  const auto stream = std::move(*device.create_stream({}));
  std::vector<std::unique_ptr<driver::Buffer>> buffers;
  std::vector<driver::Argument> arguments;
  for (const std::vector<float>& from : {x, y, x}) {
    buffers.push_back(std::move(*device.allocate(from.size() * 4, driver::MemoryKind::device)));
    std::memcpy(buffers.back()->host, from.data(), from.size() * 4);
    arguments.push_back({{buffers.back().get(), 0}, nullptr, 0});
  }
  const auto blocks = static_cast<uint32_t>(x.size() / 256);
  EXPECT_TRUE(device.launch(*stream, *kernel, {{blocks, 1, 1}, {256, 1, 1}, 0, arguments, false}).ok());
  EXPECT_TRUE(device.synchronize(*stream).ok());
  std::vector<float> out(x.size());
  std::memcpy(out.data(), buffers[2]->host, out.size() * 4);
  return out;
}

std::string kernel_of(const std::string& expression) {
  return "__global__ void k(const float* x, const float* y, float* z) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x; float a = x[i], b = y[i]; z[i] = " +
         expression + "; }";
}

constexpr float kSpecial[] = {0.0f,
                              -0.0f,
                              1.0f,
                              -1.0f,
                              INFINITY,
                              -INFINITY,
                              NAN,
                              0x1p-149f,
                              -0x1p-149f,
                              0x1p-126f,
                              -0x1p-126f,
                              0x1.fffffep127f,
                              -0x1.fffffep127f,
                              0.5f,
                              -0.5f,
                              2.0f,
                              -2.0f,
                              3.0f,
                              -3.0f,
                              1.5f,
                              -1.5f,
                              0x1.fffffep-1f,
                              0x1.000002p0f,
                              16777216.0f,
                              8388607.5f,
                              48000.0f,
                              1e30f};

// All exponents and signs, and special values.
std::vector<float> all_sizes() {
  std::vector<float> x;
  for (uint32_t i = 0; i < kCount; ++i) x.push_back(std::bit_cast<float>(i << 16 | (i * 40503u & 0xffffu)));
  std::copy(std::begin(kSpecial), std::end(kSpecial), x.begin());
  return x;
}

std::vector<float> range(double low, double high) {
  std::vector<float> x;
  for (size_t i = 0; i < kCount; ++i)
    x.push_back(static_cast<float>(low + (high - low) * static_cast<double>(i) / kCount));
  return x;
}

struct Function {
  const char* call;
  double (*host)(double);
  double bound;      // CUDA's: relative to the rounded result, so half a unit more is allowed relative to the
                     // exact one
  double low, high;  // range in which many more arguments are tried
};

// pi x reduced modulo 2.
double sinpi(double x) {
  const double a = std::fmod(std::fabs(x), 2.0), quarters = std::rint(2 * a), r = M_PI * (a - quarters / 2);
  const int q = static_cast<int>(quarters) & 3;
  const double s = (q == 0 ? std::sin(r) : q == 1 ? std::cos(r) : q == 2 ? -std::sin(r) : -std::cos(r)) + 0.0;
  return std::signbit(x) ? -s : s;
}
double cospi(double x) { return sinpi(std::fmod(std::fabs(x), 2.0) + 0.5) + 0.0; }
double erfcx(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  const double z = 1 / (x * x);
  return 1 / (x * std::sqrt(M_PI)) * (1 - z / 2 + 0.75 * z * z - 1.875 * z * z * z);
}

#define HOST(f) [](double x) -> double { return f; }
constexpr Function kFunctions[] = {
    {"expf(a)", HOST(std::exp(x)), 1, -104, 89},
    {"exp2f(a)", HOST(std::exp2(x)), 2, -150, 128},
    {"exp10f(a)", HOST(::exp10(x)), 2, -45, 39},
    {"expm1f(a)", HOST(std::expm1(x)), 1, -3, 3},
    {"logf(a)", HOST(std::log(x)), 1, 0.5, 2},
    {"log2f(a)", HOST(std::log2(x)), 1, 0.5, 2},
    {"log10f(a)", HOST(std::log10(x)), 2, 0.5, 2},
    {"log1pf(a)", HOST(std::log1p(x)), 1, -1, 2},
    {"sinf(a)", HOST(std::sin(x)), 2, -10, 10},
    {"cosf(a)", HOST(std::cos(x)), 2, -10, 10},
    {"tanf(a)", HOST(std::tan(x)), 4, -10, 10},
    {"sinpif(a)", sinpi, 1, -3, 3},
    {"cospif(a)", cospi, 1, -3, 3},
    {"asinf(a)", HOST(std::asin(x)), 2, -1, 1},
    {"acosf(a)", HOST(std::acos(x)), 2, -1, 1},
    {"atanf(a)", HOST(std::atan(x)), 2, -3, 3},
    {"sinhf(a)", HOST(std::sinh(x)), 3, -3, 3},
    {"coshf(a)", HOST(std::cosh(x)), 2, -89, 89},
    {"tanhf(a)", HOST(std::tanh(x)), 2, -2, 2},
    {"asinhf(a)", HOST(std::asinh(x)), 3, -3, 3},
    {"acoshf(a)", HOST(std::acosh(x)), 4, 1, 3},
    {"atanhf(a)", HOST(std::atanh(x)), 3, -1, 1},
    {"rsqrtf(a)", HOST(1 / std::sqrt(x)), 2, 0, 4},
    {"cbrtf(a)", HOST(std::cbrt(x)), 1, -8, 8},
    {"rcbrtf(a)", HOST(1 / std::cbrt(x)), 1, -8, 8},
    {"erff(a)", HOST(std::erf(x)), 2, -4, 4},
    {"erfcf(a)", HOST(std::erfc(x)), 4, -4, 10.1},
    {"erfcxf(a)", erfcx, 4, -9, 10},
    {"normcdff(a)", HOST(std::erfc(-x* M_SQRT1_2) / 2), 5, -14.5, 6},
    {"tgammaf(a)", HOST(std::tgamma(x)), 5, -40, 35},
    {"lgammaf(a)", HOST(std::lgamma(x)), 6, -2.26, 10},
    {"cyl_bessel_i0f(a)",
     HOST(std::isnan(x) ? x : std::cyl_bessel_i(0.0, std::fabs(std::clamp(x, -99.0, 99.0)))), 6, -20, 20},
    {"cyl_bessel_i1f(a)",
     HOST(std::isnan(x) ? x
                        : std::copysign(std::cyl_bessel_i(1.0, std::fabs(std::clamp(x, -99.0, 99.0))), x)),
     6, -20, 20},
    {"logbf(a)", HOST(std::logb(x)), 0, 0, 4},
    {"frexpf(a, &e)", HOST(std::frexp(x, std::make_unique<int>().get())), 0, -3, 3},
    {"norm3df(a, 0.0f, a)", HOST(std::sqrt(2.0) * std::fabs(x)), 3, -3, 3},
    {"rnorm3df(a, 0.0f, a)", HOST(1 / (std::sqrt(2.0) * std::fabs(x))), 2, -3, 3},
    {"norm4df(a, a, a, a)", HOST(2 * std::fabs(x)), 3, -3, 3},
};

class MathTest : public testing::TestWithParam<uint32_t> {};

// lgamma has zeros between -10.001 and -2.264, around which CUDA gives no bound.
bool is_bounded(const Function& f, float x) {
  return std::string(f.call) != "lgammaf(a)" || !(x > -10.001f && x < -2.264f);
}

TEST_P(MathTest, FunctionsKeepCudasBounds) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  for (const Function& f : kFunctions) {
    const std::string source = "__device__ int e;\n" + kernel_of(f.call);
    for (const std::vector<float>& x : {all_sizes(), range(f.low, f.high)}) {
      const std::vector<float> got = launch(*device, source, x, x);
      double worst = 0;
      float at = 0, result = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double off = is_bounded(f, x[i]) ? units(got[i], f.host(x[i])) : 0;
        if (off > worst) worst = off, at = x[i], result = got[i];
      }
      EXPECT_LE(worst, f.bound + 0.5) << f.call << " of " << at << " is " << result;
    }
  }
}

// Within 9 units below 8, absolute error beyond.
TEST_P(MathTest, BesselFunctionsKeepCudasBounds) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  constexpr Function kBessel[] = {{"j0f(a)", ::j0, 9, 0.01, 8},
                                  {"j1f(a)", ::j1, 9, 0.01, 8},
                                  {"y0f(a)", ::y0, 9, 0.01, 8},
                                  {"y1f(a)", ::y1, 9, 0.01, 8}};
  for (const Function& f : kBessel) {
    const std::vector<float> near = range(f.low, f.high), far = range(8.0, 3e6);
    const std::vector<float> got = launch(*device, kernel_of(f.call), near, near);
    for (size_t i = 0; i < near.size(); ++i)
      ASSERT_LE(units(got[i], f.host(near[i])), f.bound + 0.5) << f.call << " of " << near[i];
    const std::vector<float> outer = launch(*device, kernel_of(f.call), far, far);
    for (size_t i = 0; i < far.size(); ++i)
      ASSERT_NEAR(outer[i], f.host(far[i]), 2.2e-6) << f.call << " of " << far[i];
  }
}

// Against the inverse function: one step of Newton's method gives the error.
TEST_P(MathTest, InverseErrorFunctionsKeepCudasBounds) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  struct Inverse {
    const char* call;
    double bound, low, high;
    double (*inverted)(double);
    double (*slope)(double);
  };
  constexpr Inverse kInverses[] = {
      {"erfinvf(a)", 2, -1, 1, HOST(std::erf(x)), HOST(M_2_SQRTPI * std::exp(-x * x))},
      {"erfcinvf(a)", 4, 0, 2, HOST(std::erfc(x)), HOST(-M_2_SQRTPI * std::exp(-x * x))},
      {"normcdfinvf(a)", 5, 0, 1, HOST(std::erfc(-x * M_SQRT1_2) / 2),
       HOST(std::exp(-x * x / 2) * M_2_SQRTPI * M_SQRT1_2 / 2)},
  };
  for (const Inverse& f : kInverses) {
    std::vector<float> x = range(f.low, f.high);
    for (size_t i = 0; i < 4096; ++i)
      x[i] = std::ldexp(1.0f + static_cast<float>(i % 29) / 29, -static_cast<int>(i % 120));
    const std::vector<float> got = launch(*device, kernel_of(f.call), x, x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] <= f.low || x[i] >= f.high || std::fabs(got[i]) < 1e-30) continue;
      const double off = (f.inverted(got[i]) - x[i]) / f.slope(got[i]);
      int e = 0;
      std::frexp(got[i], &e);
      ASSERT_LE(std::fabs(off) / std::ldexp(1.0, e - 24), f.bound + 0.6)
          << f.call << " of " << x[i] << " is " << got[i];
    }
    for (const float outside : {-1.5f, 2.5f, NAN}) {
      const std::vector<float> y(256, outside);
      EXPECT_TRUE(std::isnan(launch(*device, kernel_of(f.call), y, y)[0])) << f.call << " of " << outside;
    }
  }
}

TEST_P(MathTest, FunctionsOfTwoKeepCudasBounds) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  struct Two {
    const char* call;
    double bound;
    std::function<double(float, float)> host;
  };
  const Two functions[] = {
      {"powf(a, b)", 4, [](double a, double b) { return std::pow(a, b); }},
      {"atan2f(a, b)", 3, [](double a, double b) { return std::atan2(a, b); }},
      {"hypotf(a, b)", 3, [](double a, double b) { return std::hypot(a, b); }},
      {"rhypotf(a, b)", 2, [](double a, double b) { return 1 / std::hypot(a, b); }},
      {"fmodf(a, b)", -0.5, [](double a, double b) { return std::fmod(a, b); }},
      {"remainderf(a, b)", -0.5, [](double a, double b) { return std::remainder(a, b); }},
      {"fdimf(a, b)", 0,
       [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN
                                       : a > b                        ? a - b
                                                                      : 0.0; }},
      {"nextafterf(a, b)", -0.5, [](float a, float b) -> double { return std::nextafter(a, b); }},
      {"ldexpf(a, (int)b)", 0,
       [](float a, float b) -> double {
         return std::isnan(b) ? a
                              : std::ldexp(double{a}, b > 3000    ? 3000
                                                      : b < -3000 ? -3000
                                                                  : static_cast<int>(b));
       }},
  };
  std::vector<float> x = all_sizes(), y(kCount);
  const std::vector<float> sizes = all_sizes();
  for (size_t i = 0; i < kCount; ++i) {
    y[i] = sizes[(i * 48271) % kCount];
    if (i % 3 == 1) x[i] = static_cast<float>(i % 4001) / 64 - 31, y[i] = static_cast<float>(i % 61) / 4 - 7;
    if (i % 3 == 2) y[i] = static_cast<float>(i % 17) - 8;
  }
  constexpr size_t kEach = std::size(kSpecial);
  for (size_t i = 0; i < kEach * kEach; ++i) x[i] = kSpecial[i / kEach], y[i] = kSpecial[i % kEach];
  for (const Two& f : functions) {
    const std::vector<float> got = launch(*device, kernel_of(f.call), x, y);
    double worst = -1;
    size_t at = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const double off = units(got[i], f.host(x[i], y[i]));
      if (off > worst) worst = off, at = i;
    }
    EXPECT_LE(worst, f.bound + 0.5) << f.call << " of " << x[at] << ", " << y[at] << " is " << got[at]
                                    << ", not " << f.host(x[at], y[at]);
  }
}

// Kernels with fast math: CUDA's bounds for functions with a leading `__`.
TEST_P(MathTest, FastFunctionsStayNear) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  struct Fast {
    Function f;
    double absolute;  // absolute error that is always allowed
  };
  constexpr Fast kFast[] = {
      {{"expf(a)", HOST(std::exp(x)), 110, -86, 88}, 0},
      {{"exp2f(a)", HOST(std::exp2(x)), 4, -125, 127}, 0},
      {{"logf(a)", HOST(std::log(x)), 6, 2, 1e6}, 0},
      {{"logf(a)", HOST(std::log(x)), 0, 0.5, 2}, 0x1p-21},
      {{"log2f(a)", HOST(std::log2(x)), 6, 2, 1e6}, 0},
      {{"log10f(a)", HOST(std::log10(x)), 6, 2, 1e6}, 0},
      {{"sinf(a)", HOST(std::sin(x)), 0, -3.15, 3.15}, 0x1p-21},
      {{"cosf(a)", HOST(std::cos(x)), 0, -3.15, 3.15}, 0x1p-21},
      {{"tanf(a)", HOST(std::tan(x)), 16, -1.5, 1.5}, 0},
      {{"atanf(a)", HOST(std::atan(x)), 8, -9, 9}, 0},
      {{"tanhf(a)", HOST(std::tanh(x)), 40, -3, 3}, 0},
      {{"sinhf(a)", HOST(std::sinh(x)), 60, -20, 20}, 0},
      {{"coshf(a)", HOST(std::cosh(x)), 60, -20, 20}, 0},
      {{"erff(a)", HOST(std::erf(x)), 2, -3, 3}, 0},
  };
  for (const Fast& fast : kFast) {
    const std::vector<float> x = range(fast.f.low, fast.f.high);
    const std::vector<float> got = launch(*device, kernel_of(fast.f.call), x, x, driver::Math::fast);
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = fast.f.host(x[i]);
      ASSERT_TRUE(std::fabs(got[i] - want) <= fast.absolute || units(got[i], want) <= fast.f.bound + 0.5)
          << fast.f.call << " of " << x[i] << " is " << got[i] << ", not " << want;
    }
  }
}

// A value that is uniform over all lanes is computed by other code, and must be the same.
TEST_P(MathTest, ScalarsAreComputedAlike) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  std::vector<float> x;
  for (int i = 0; i < 4096; ++i) x.push_back(static_cast<float>(i - 2048) * 0.037f);
  const char* source =
      "__global__ void k(const float* x, const float* y, float* z) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; float a = x[blockIdx.x * 7], b = x[blockIdx.x * 7 + "
      "i * 0 + (i & 0)];\n"
      "  z[i] = (sinf(a) - sinf(b)) + (expf(a) - expf(b)) + (logf(a * a + 1) - logf(b * b + 1)) +\n"
      "         (powf(a, 3.0f) - powf(b, 3.0f)) + (sinf(a * 1e30f) - sinf(b * 1e30f)); }";
  for (const float v : launch(*device, source, x, x)) ASSERT_EQ(v, 0.0f);
}

// A function that is used often becomes a function of the module; one that is used once is inlined.
TEST_P(MathTest, ManyUsesGiveTheSameAsOne) {
  driver::Device* device = device_of_width(GetParam());
  QUERN_NEED_CPU(device);
  const std::vector<float> x = range(-4, 4);
  const std::vector<float> once = launch(*device, kernel_of("expf(a)"), x, x);
  const std::vector<float> often = launch(
      *device,
      kernel_of("a > 9 ? expf(a * 2) + expf(a * 3) + expf(a * 4) + expf(a * 5) + expf(a * 6) : expf(a)"), x,
      x);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(once[i], often[i]) << x[i];
}

INSTANTIATE_TEST_SUITE_P(Widths, MathTest, testing::Values(1u, 4u, 16u, 64u));

}  // namespace
}  // namespace quern::cpu
