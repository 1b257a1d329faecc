// Functions on floats for targets without double, and fused products from integers, on the simulator: against
// the C library in double, in units of the last place, and against the hardware's fma.
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"

namespace quern::expand {
namespace {

bool is_basic(const ir::Inst& i) {
  using enum ir::Op;
  switch (i.op) {
    case kAdd:
    case kSub:
    case kMul:
    case kDiv:
    case kNeg:
    case kAbs:
    case kSqrt:
    case kFloor:
    case kTrunc:
    case kRint:
    case kIsNan:
    case kIsInf:
    case kSignBit:
    case kConvert: return true;
    default: return !i.operand(0)->type->is_float();
  }
}

// y[i] = expression of a = x[i], b = x[i + 1], c = x[i + 2].
std::vector<float> run(const std::string& expression, std::vector<float> x) {
  lang::Compilation compiled =
      lang::compile("test.cu",
                    "__global__ void k(const float* x, float* y) {\n  int i = blockIdx.x;\n  float a = "
                    "x[i], b = x[i + 1], c = x[i + 2];\n  y[i] = " +
                        expression + ";\n}\n");
  EXPECT_TRUE(compiled.ok) << compiled.rendered;
  const auto module = std::make_shared<ir::Module>(std::move(compiled.module));
  Library library(*module);
  for (const Unlowered& u : lower_operations(*module, library, is_basic, false)) ADD_FAILURE() << u.reason;
  EXPECT_EQ(library.link(), "");
  EXPECT_TRUE(lower_wide_integers(*module).ok());
  EXPECT_EQ(pass::inline_calls(*module), "");
  EXPECT_EQ(ir::verify(*module), "");
  sim::Device device;
  auto program = device.load(module);
  EXPECT_TRUE(program.ok());
  const auto count = static_cast<uint32_t>(x.size());
  for (int k = 0; k < 2; ++k) x.push_back(0.5F);
  const sim::Address from = *device.upload_new(std::span<const float>(x), "x");
  const sim::Address to = *device.upload_new(std::span<const float>(std::vector<float>(count)), "y");
  sim::LaunchConfig config;
  config.grid = {count, 1, 1};
  config.block = {1, 1, 1};
  config.args = {sim::Arg(from), sim::Arg(to)};
  auto launched = device.launch(**program, "k", config);
  EXPECT_TRUE(launched.ok()) << launched.error().to_string();
  if (!launched.ok()) return {};
  for (const sim::Report& report : launched->reports) ADD_FAILURE() << sim::render(report, *module);
  return *device.download_as<float>(to, count);
}

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
    {"expf(a)", std::exp, -104, 89, 1.5},        {"exp2f(a)", std::exp2, -150, 128, 2.5},
    {"exp10f(a)", exact_exp10, -45, 38.5, 2.5},  {"expm1f(a)", std::expm1, -5, 89, 1.5},
    {"logf(a)", std::log, 1e-38, 1e3, 1.5},      {"logf(a)", std::log, 0.9, 1.1, 1.5},
    {"log2f(a)", std::log2, 1e-3, 1e3, 1.5},     {"log10f(a)", std::log10, 1e-3, 1e3, 2.5},
    {"log1pf(a)", std::log1p, -0.9, 3, 1.5},     {"sinf(a)", std::sin, -10, 10, 2.5},
    {"cosf(a)", std::cos, -1e5, 1e5, 2.5},       {"sinf(a)", std::sin, 1e5, 3e38, 2.5},
    {"tanf(a)", std::tan, -10, 10, 4.5},         {"sinpif(a)", exact_sinpi, -3, 3, 1.5},
    {"cospif(a)", exact_cospi, -3, 3, 1.5},      {"asinf(a)", std::asin, -1, 1, 2.5},
    {"acosf(a)", std::acos, -1, 1, 2.5},         {"atanf(a)", std::atan, -20, 20, 2.5},
    {"sinhf(a)", std::sinh, -89, 89, 3.5},       {"coshf(a)", std::cosh, -89, 89, 2.5},
    {"tanhf(a)", std::tanh, -3, 3, 2.5},         {"asinhf(a)", std::asinh, -20, 20, 3.5},
    {"acoshf(a)", std::acosh, 1, 20, 4.5},       {"atanhf(a)", std::atanh, -1, 1, 3.5},
    {"cbrtf(a)", std::cbrt, -1e9, 1e9, 1.5},     {"rcbrtf(a)", exact_rcbrt, 1e-9, 1e9, 1.5},
    {"rsqrtf(a)", exact_rsqrt, 1e-38, 1e9, 2.5}, {"erff(a)", std::erf, -5, 5, 2.5},
    {"erfcf(a)", std::erfc, -4, 10, 4.5},        {"erfcxf(a)", exact_erfcx, -8, 20, 4.5},
    {"normcdff(a)", exact_normcdf, -14, 5, 5.5},
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

// Numbers of all sizes, also such that cancel and such that barely fit.
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
}  // namespace quern::expand
