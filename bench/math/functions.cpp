#include "math/functions.hpp"

#include <cmath>

namespace quern::bench {

namespace {

double norm_cdf(double x) { return std::erfc(-x * M_SQRT1_2) / 2; }

#define ONE(f) [](double x, double) -> double { return f; }
#define TWO(f) [](double x, double y) -> double { return f; }
#define HOST(f) [](float x, float) -> float { return f; }
#define HOST2(f) [](float x, float y) -> float { return f; }

constexpr MathFunction kFunctions[] = {
    {"sqrtf", "sqrtf(x)", 0, 1e6, ONE(std::sqrt(x)), 0.5, "sqrtf", HOST(std::sqrt(x))},
    {"rsqrtf", "rsqrtf(x)", 1e-3, 1e6, ONE(1 / std::sqrt(x)), 2, nullptr, HOST(1 / std::sqrt(x))},
    {"cbrtf", "cbrtf(x)", -1e6, 1e6, ONE(std::cbrt(x)), 1, "cbrtf", HOST(std::cbrt(x))},
    {"rcbrtf", "rcbrtf(x)", 1e-3, 1e6, ONE(1 / std::cbrt(x)), 1, nullptr, HOST(1 / std::cbrt(x))},
    {"hypotf", "hypotf(x, y)", -100, 100, TWO(std::hypot(x, y)), 3, "hypotf", HOST2(std::hypot(x, y))},
    {"rhypotf", "rhypotf(x, y)", -100, 100, TWO(1 / std::hypot(x, y)), 2, nullptr,
     HOST2(1 / std::hypot(x, y))},
    {"norm3df", "norm3df(x, y, x)", -100, 100, TWO(std::sqrt(2 * x * x + y * y)), 3, nullptr,
     HOST2(std::hypot(x, y, x))},
    {"rnorm3df", "rnorm3df(x, y, x)", -100, 100, TWO(1 / std::sqrt(2 * x * x + y * y)), 2, nullptr,
     HOST2(1 / std::hypot(x, y, x))},
    {"norm4df", "norm4df(x, y, x, y)", -100, 100, TWO(std::sqrt(2 * x * x + 2 * y * y)), 3, nullptr, nullptr},
    {"rnorm4df", "rnorm4df(x, y, x, y)", -100, 100, TWO(1 / std::sqrt(2 * x * x + 2 * y * y)), 2, nullptr,
     nullptr},
    {"expf", "expf(x)", -80, 80, ONE(std::exp(x)), 1, "expf", HOST(std::exp(x))},
    {"exp2f", "exp2f(x)", -120, 120, ONE(std::exp2(x)), 2, "exp2f", HOST(std::exp2(x))},
    {"exp10f", "exp10f(x)", -35, 35, ONE(std::pow(10.0, x)), 2, "exp10f", HOST(std::pow(10.0f, x))},
    {"expm1f", "expm1f(x)", -10, 80, ONE(std::expm1(x)), 1, "expm1f", HOST(std::expm1(x))},
    {"logf", "logf(x)", 1e-3, 1e6, ONE(std::log(x)), 1, "logf", HOST(std::log(x))},
    {"log2f", "log2f(x)", 1e-3, 1e6, ONE(std::log2(x)), 1, "log2f", HOST(std::log2(x))},
    {"log10f", "log10f(x)", 1e-3, 1e6, ONE(std::log10(x)), 2, "log10f", HOST(std::log10(x))},
    {"log1pf", "log1pf(x)", -0.9, 1e3, ONE(std::log1p(x)), 1, "log1pf", HOST(std::log1p(x))},
    {"sinf", "sinf(x)", -100, 100, ONE(std::sin(x)), 2, "sinf", HOST(std::sin(x))},
    {"cosf", "cosf(x)", -100, 100, ONE(std::cos(x)), 2, "cosf", HOST(std::cos(x))},
    {"tanf", "tanf(x)", -100, 100, ONE(std::tan(x)), 4, "tanf", HOST(std::tan(x))},
    {"sinpif", "sinpif(x)", -3, 3, ONE(std::sin(M_PI* x)), 0, "sinpif", nullptr},
    {"cospif", "cospif(x)", -3, 3, ONE(std::cos(M_PI* x)), 0, "cospif", nullptr},
    {"asinf", "asinf(x)", -1, 1, ONE(std::asin(x)), 2, "asinf", HOST(std::asin(x))},
    {"acosf", "acosf(x)", -1, 1, ONE(std::acos(x)), 2, "acosf", HOST(std::acos(x))},
    {"atanf", "atanf(x)", -20, 20, ONE(std::atan(x)), 2, "atanf", HOST(std::atan(x))},
    {"atan2f", "atan2f(x, y)", -20, 20, TWO(std::atan2(x, y)), 3, "atan2f", HOST2(std::atan2(x, y))},
    {"sinhf", "sinhf(x)", -80, 80, ONE(std::sinh(x)), 3, "sinhf", HOST(std::sinh(x))},
    {"coshf", "coshf(x)", -80, 80, ONE(std::cosh(x)), 2, "coshf", HOST(std::cosh(x))},
    {"tanhf", "tanhf(x)", -5, 5, ONE(std::tanh(x)), 2, "tanhf", HOST(std::tanh(x))},
    {"asinhf", "asinhf(x)", -100, 100, ONE(std::asinh(x)), 3, "asinhf", HOST(std::asinh(x))},
    {"acoshf", "acoshf(x)", 1, 100, ONE(std::acosh(x)), 4, "acoshf", HOST(std::acosh(x))},
    {"atanhf", "atanhf(x)", -1, 1, ONE(std::atanh(x)), 3, "atanhf", HOST(std::atanh(x))},
    {"powf", "powf(x, y)", 0.1, 8, TWO(std::pow(x, y)), 4, "powf", HOST2(std::pow(x, y))},
    {"erff", "erff(x)", -4, 4, ONE(std::erf(x)), 2, "erff", HOST(std::erf(x))},
    {"erfcf", "erfcf(x)", -4, 9, ONE(std::erfc(x)), 4, "erfcf", HOST(std::erfc(x))},
    {"erfinvf", "erfinvf(x)", -1, 1, nullptr, 0, nullptr, nullptr},
    {"erfcinvf", "erfcinvf(x)", 0, 2, nullptr, 0, nullptr, nullptr},
    {"erfcxf", "erfcxf(x)", -3, 20, ONE(std::exp(x* x) * std::erfc(x)), 4, nullptr, nullptr},
    {"normcdff", "normcdff(x)", -10, 5, ONE(norm_cdf(x)), 5, nullptr, nullptr},
    {"normcdfinvf", "normcdfinvf(x)", 0, 1, nullptr, 0, nullptr, nullptr},
    {"tgammaf", "tgammaf(x)", 0.1, 30, ONE(std::tgamma(x)), 5, "tgammaf", HOST(std::tgamma(x))},
    {"lgammaf", "lgammaf(x)", 0.1, 100, ONE(std::lgamma(x)), 6, "lgammaf", HOST(std::lgamma(x))},
    {"j0f", "j0f(x)", -8, 8, ONE(::j0(x)), 9, nullptr, HOST(static_cast<float>(::j0(x)))},
    {"j1f", "j1f(x)", -8, 8, ONE(::j1(x)), 9, nullptr, HOST(static_cast<float>(::j1(x)))},
    {"y0f", "y0f(x)", 0.01, 8, ONE(::y0(x)), 9, nullptr, HOST(static_cast<float>(::y0(x)))},
    {"y1f", "y1f(x)", 0.01, 8, ONE(::y1(x)), 9, nullptr, HOST(static_cast<float>(::y1(x)))},
    {"jnf", "jnf(3, x)", 0.1, 20, nullptr, 0, nullptr, HOST(static_cast<float>(::jn(3, x)))},
    {"ynf", "ynf(3, x)", 0.1, 20, nullptr, 0, nullptr, HOST(static_cast<float>(::yn(3, x)))},
    {"cyl_bessel_i0f", "cyl_bessel_i0f(x)", -20, 20, nullptr, 0, nullptr, nullptr},
    {"cyl_bessel_i1f", "cyl_bessel_i1f(x)", -20, 20, nullptr, 0, nullptr, nullptr},
    {"fmodf", "fmodf(x, y)", -100, 100, TWO(std::fmod(x, y)), 0.5, "fmodf", HOST2(std::fmod(x, y))},
    {"remainderf", "remainderf(x, y)", -100, 100, TWO(std::remainder(x, y)), 0.5, "remainderf",
     HOST2(std::remainder(x, y))},
    {"fdimf", "fdimf(x, y)", -100, 100, TWO(x > y ? x - y : 0), 0.5, "fdimf", HOST2(std::fdim(x, y))},
    {"nextafterf", "nextafterf(x, y)", -100, 100, nullptr, 0, "nextafterf", HOST2(std::nextafter(x, y))},
    {"ldexpf", "ldexpf(x, (int)y)", -100, 100, nullptr, 0, nullptr,
     HOST2(std::ldexp(x, static_cast<int>(y)))},
    {"ilogbf", "(float)ilogbf(x)", -100, 100, ONE(std::ilogb(x)), 0.5, nullptr,
     HOST(static_cast<float>(std::ilogb(x)))},
    {"logbf", "logbf(x)", -100, 100, ONE(std::logb(x)), 0.5, nullptr, HOST(std::logb(x))},
    {"sincosf", "two(sincosf, x)", -100, 100, nullptr, 0, nullptr, HOST(std::sin(x) + std::cos(x))},
    {"sincospif", "two(sincospif, x)", -3, 3, nullptr, 0, nullptr, nullptr},
    {"frexpf", "frexpf(x, &k)", -100, 100, nullptr, 0, nullptr, nullptr},
    {"modff", "modff(x, &s)", -100, 100, nullptr, 0, nullptr, nullptr},
    {"remquof", "remquof(x, y, &k)", -100, 100, nullptr, 0, nullptr, nullptr},
    {"floorf", "floorf(x)", -100, 100, ONE(std::floor(x)), 0.5, "floorf", HOST(std::floor(x))},
    {"rintf", "rintf(x)", -100, 100, ONE(std::rint(x)), 0.5, "rintf", HOST(std::rint(x))},
    {"roundf", "roundf(x)", -100, 100, ONE(std::round(x)), 0.5, "roundf", HOST(std::round(x))},
    {"fmaf", "fmaf(x, y, x)", -100, 100, nullptr, 0, "fmaf", nullptr},
    {"fmaxf", "fmaxf(x, y)", -100, 100, nullptr, 0, "fmaxf", nullptr},
};

}  // namespace

std::span<const MathFunction> float_functions() { return kFunctions; }

}  // namespace quern::bench
