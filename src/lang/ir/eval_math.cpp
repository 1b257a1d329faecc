// The math functions in double. Uses libm where it has the function; the others are accurate to a few units
// in the last place of double, so narrower types nearly always get the correctly rounded result.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <math.h>  // NOLINT(modernize-deprecated-headers): j0, lgamma_r and friends are POSIX's, not C++'s

#include "lang/ir/eval.hpp"

namespace quern::ir {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// x reduced to [-1/4, 1/4] and the quadrant (in units of pi/2) it lies in. Exact.
double reduce_pi(double x, int& quadrant) {
  const double r = std::fmod(x, 2.0);
  const double nearest = std::rint(r * 2.0);
  quadrant = static_cast<int>(nearest) & 3;
  return r - nearest * 0.5;
}

double sinpi(double x) {
  if (!std::isfinite(x)) return kNan;
  int quadrant = 0;
  const double r = reduce_pi(x, quadrant);
  const double angle = r * std::numbers::pi;
  if (r == 0 && quadrant % 2 == 0) return std::copysign(0.0, x);  // whole numbers
  switch (quadrant) {
    case 0: return std::sin(angle);
    case 1: return std::cos(angle);
    case 2: return -std::sin(angle);
    default: return -std::cos(angle);
  }
}

double cospi(double x) {
  if (!std::isfinite(x)) return kNan;
  int quadrant = 0;
  const double r = reduce_pi(x, quadrant);
  const double angle = r * std::numbers::pi;
  if (r == 0 && quadrant % 2 != 0) return 0.0;  // odd halves
  switch (quadrant) {
    case 0: return std::cos(angle);
    case 1: return -std::sin(angle);
    case 2: return -std::cos(angle);
    default: return std::sin(angle);
  }
}

template <size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// Quantile of the normal distribution by Wichura's rational approximations (algorithm AS 241, PPND16):
// `centre` is p - 1/2 and `log_tail` the logarithm of min(p, 1 - p), given apart so that neither loses
// digits.
double normal_quantile(double centre, double log_tail) {
  static constexpr std::array<double, 8> kA = {
      3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr std::array<double, 8> kB = {1.0,
                                               4.2313330701600911252e1,
                                               6.8718700749205790830e2,
                                               5.3941960214247511077e3,
                                               2.1213794301586595867e4,
                                               3.9307895800092710610e4,
                                               2.8729085735721942674e4,
                                               5.2264952788528545610e3};
  static constexpr std::array<double, 8> kC = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                               5.76949722146069140550e0,  3.64784832476320460504e0,
                                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr std::array<double, 8> kD = {1.0,
                                               2.05319162663775882187e0,
                                               1.67638483018380384940e0,
                                               6.89767334985100004550e-1,
                                               1.48103976427480074590e-1,
                                               1.51986665636164571966e-2,
                                               5.47593808499534494600e-4,
                                               1.05075007164441684324e-9};
  static constexpr std::array<double, 8> kE = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                               1.78482653991729133580e0,  2.96560571828504891230e-1,
                                               2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr std::array<double, 8> kF = {1.0,
                                               5.99832206555887937690e-1,
                                               1.36929880922735805310e-1,
                                               1.48753612908506148525e-2,
                                               7.86869131145613259100e-4,
                                               1.84631831751005468180e-5,
                                               1.42151175831644588870e-7,
                                               2.04426310338993978564e-15};
  if (std::fabs(centre) <= 0.425) {
    const double r = 0.180625 - centre * centre;
    return centre * polynomial(kA, r) / polynomial(kB, r);
  }
  const double r = std::sqrt(-log_tail);
  const double z = r <= 5 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                          : polynomial(kE, r - 5) / polynomial(kF, r - 5);
  return std::copysign(z, centre);
}

// exp(x * x / divisor), including the digits that squaring loses.
double exp_of_square(double x, double divisor) {
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  return std::exp(square / divisor) * (1 + rest / divisor);
}

// exp(x*x) * erfc(x), without the overflow of one and the underflow of the other.
double erfcx(double x) {
  if (std::isnan(x)) return kNan;
  if (x < -26.7) return kInf;
  if (x < 10) return exp_of_square(x, 1) * std::erfc(x);
  // Asymptotic series; its terms are below an ulp long before they grow again.
  const double step = -0.5 / x / x;
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 40 && std::fabs(term) > 1e-17; ++k) {
    term *= (2 * k - 1) * step;
    sum += term;
  }
  return sum * std::numbers::inv_sqrtpi / x;
}

// One Newton step on erf (near 0) or erfc (in the tail) removes the error of the approximation.
double erfinv(double x) {
  const double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInf, x) : kNan;
  if (a < 1e-10) return x * (std::sqrt(std::numbers::pi) / 2);
  const double guess = normal_quantile(a / 2, std::log((1 - a) / 2)) / std::numbers::sqrt2;
  const double slope = 2 / std::sqrt(std::numbers::pi) * std::exp(-guess * guess);
  const double miss = a < 0.5 ? std::erf(guess) - a : (1 - a) - std::erfc(guess);
  return std::copysign(guess - miss / slope, x);
}

double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return kNan;
  if (y == 0) return kInf;
  if (y == 2) return -kInf;
  if (y > 0.5) return erfinv(1 - y);  // 1 - y is exact there
  const double log_y = std::log(y);
  const double guess = -normal_quantile(y / 2 - 0.5, log_y - std::numbers::ln2) / std::numbers::sqrt2;
  // Newton on the logarithm, which is far from the ends of its range for every y.
  const double scaled = erfcx(guess);
  const double miss = std::log(scaled) - guess * guess - log_y;
  return guess + miss * scaled / (2 * std::numbers::inv_sqrtpi);
}

double normcdfinv(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  return -std::numbers::sqrt2 * erfcinv(2 * p);
}

// Far below 0 the rounding of x / sqrt(2) would be magnified by the exponential, which takes x itself.
double normcdf(double x) {
  const double scaled = -x / std::numbers::sqrt2;
  if (!(x < -1)) return 0.5 * std::erfc(scaled);
  if (x < -40) return 0;
  return exp_of_square(x, -2) * (0.5 * erfcx(scaled));
}

double lgamma_here(double x) {
  int sign = 0;  // std::lgamma would write a global
  return ::lgamma_r(x, &sign);
}

double rhypot(double a, double b) { return 1 / std::hypot(a, b); }

}  // namespace

bool evaluate_math(Op op, double a, double b, double& out) {
  switch (op) {
    case Op::kRsqrt: out = 1 / std::sqrt(a); break;
    case Op::kCbrt: out = std::cbrt(a); break;
    case Op::kRcbrt: out = 1 / std::cbrt(a); break;
    case Op::kHypot: out = std::hypot(a, b); break;
    case Op::kRhypot: out = rhypot(a, b); break;
    case Op::kExp: out = std::exp(a); break;
    case Op::kExp2: out = std::exp2(a); break;
    case Op::kExp10: out = std::pow(10.0, a); break;
    case Op::kExpm1: out = std::expm1(a); break;
    case Op::kLog: out = std::log(a); break;
    case Op::kLog2: out = std::log2(a); break;
    case Op::kLog10: out = std::log10(a); break;
    case Op::kLog1p: out = std::log1p(a); break;
    case Op::kPow: out = std::pow(a, b); break;
    case Op::kSin: out = std::sin(a); break;
    case Op::kCos: out = std::cos(a); break;
    case Op::kTan: out = std::tan(a); break;
    case Op::kSinpi: out = sinpi(a); break;
    case Op::kCospi: out = cospi(a); break;
    case Op::kAsin: out = std::asin(a); break;
    case Op::kAcos: out = std::acos(a); break;
    case Op::kAtan: out = std::atan(a); break;
    case Op::kAtan2: out = std::atan2(a, b); break;
    case Op::kSinh: out = std::sinh(a); break;
    case Op::kCosh: out = std::cosh(a); break;
    case Op::kTanh: out = std::tanh(a); break;
    case Op::kAsinh: out = std::asinh(a); break;
    case Op::kAcosh: out = std::acosh(a); break;
    case Op::kAtanh: out = std::atanh(a); break;
    case Op::kErf: out = std::erf(a); break;
    case Op::kErfc: out = std::erfc(a); break;
    case Op::kErfinv: out = erfinv(a); break;
    case Op::kErfcinv: out = erfcinv(a); break;
    case Op::kErfcx: out = erfcx(a); break;
    case Op::kNormcdf: out = normcdf(a); break;
    case Op::kNormcdfinv: out = normcdfinv(a); break;
    case Op::kTgamma: out = std::tgamma(a); break;
    case Op::kLgamma: out = lgamma_here(a); break;
    case Op::kJ0: out = ::j0(a); break;
    case Op::kJ1: out = ::j1(a); break;
    case Op::kY0: out = ::y0(a); break;
    case Op::kY1: out = ::y1(a); break;
    case Op::kRemainder: out = std::remainder(a, b); break;
    default: return false;
  }
  return true;
}

}  // namespace quern::ir
