// Functions of probability that only CUDA has, in double. The same methods as in lang/ir/eval_math.cpp, so
// that results agree.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    // Wichura's rational approximations of the normal quantile (AS 241); `centre` is p - 1/2, `tail` min(p, 1
    // - p).
    {"normal_quantile", R"(@fn @f64 quern_normal_quantile(@f64 centre, @f64 tail) {
  if (fabs(centre) <= 0.425@d) {
    @f64 r = 0.180625@d - centre * centre;
    @f64 a = ((((((2509.0809287301226727@d * r + 33430.575583588128105@d) * r + 67265.770927008700853@d) * r +
                 45921.953931549871457@d) * r + 13731.693765509461125@d) * r + 1971.5909503065514427@d) * r +
              133.14166789178437745@d) * r + 3.3871328727963666080@d;
    @f64 b = ((((((5226.4952788528545610@d * r + 28729.085735721942674@d) * r + 39307.895800092710610@d) * r +
                 21213.794301586595867@d) * r + 5394.1960214247511077@d) * r + 687.18700749205790830@d) * r +
              42.313330701600911252@d) * r + 1.0@d;
    return centre * a / b;
  }
  @f64 r = sqrt(-log(tail));
  @f64 z;
  if (r <= 5.0@d) {
    r = r - 1.6@d;
    @f64 c = ((((((7.74545014278341407640e-4@d * r + 2.27238449892691845833e-2@d) * r + 2.41780725177450611770e-1@d) * r +
                 1.27045825245236838258@d) * r + 3.64784832476320460504@d) * r + 5.76949722146069140550@d) * r +
              4.63033784615654529590@d) * r + 1.42343711074968357734@d;
    @f64 e = ((((((1.05075007164441684324e-9@d * r + 5.47593808499534494600e-4@d) * r + 1.51986665636164571966e-2@d) * r +
                 1.48103976427480074590e-1@d) * r + 6.89767334985100004550e-1@d) * r + 1.67638483018380384940@d) * r +
              2.05319162663775882187@d) * r + 1.0@d;
    z = c / e;
  } else {
    r = r - 5.0@d;
    @f64 c = ((((((2.01033439929228813265e-7@d * r + 2.71155556874348757815e-5@d) * r + 1.24266094738807843860e-3@d) * r +
                 2.65321895265761230930e-2@d) * r + 2.96560571828504891230e-1@d) * r + 1.78482653991729133580@d) * r +
              5.46378491116411436990@d) * r + 6.65790464350110377720@d;
    @f64 e = ((((((2.04426310338993978564e-15@d * r + 1.42151175831644588870e-7@d) * r + 1.84631831751005468180e-5@d) * r +
                 7.86869131145613259100e-4@d) * r + 1.48753612908506148525e-2@d) * r + 1.36929880922735805310e-1@d) * r +
              5.99832206555887937690e-1@d) * r + 1.0@d;
    z = c / e;
  }
  return copysign(z, centre);
}
)"},
    // One Newton step takes off what the approximation leaves.
    {"erfinv", R"(@fn @f64 quern_erfinv(@f64 x) {
  @f64 a = fabs(x);
  if (!(a < 1.0@d)) return a == 1.0@d ? copysign(1.0@d / 0.0@d, x) : 0.0@d / 0.0@d;
  if (a < 1e-10@d) return x * 0.88622692545275801365@d;
  @f64 guess = quern_normal_quantile(a / 2.0@d, (1.0@d - a) / 2.0@d) / 1.41421356237309504880@d;
  @f64 slope = 1.12837916709551257390@d * exp(-guess * guess);
  @f64 miss = a < 0.5@d ? erf(guess) - a : (1.0@d - a) - erfc(guess);
  return copysign(guess - miss / slope, x);
}
)"},
    {"erfcinv", R"(@fn @f64 quern_erfcinv(@f64 y) {
  if (!(y >= 0.0@d && y <= 2.0@d)) return 0.0@d / 0.0@d;
  if (y == 0.0@d) return 1.0@d / 0.0@d;
  if (y == 2.0@d) return -1.0@d / 0.0@d;
  if (y > 0.5@d) return quern_erfinv(1.0@d - y);
  @f64 guess = -quern_normal_quantile(y / 2.0@d - 0.5@d, y / 2.0@d) / 1.41421356237309504880@d;
  if (y < 1e-290@d) return guess;
  @f64 slope = 1.12837916709551257390@d * exp(-guess * guess);
  return guess + (erfc(guess) - y) / slope;
}
)"},
    {"normcdfinv", R"(@fn @f64 quern_normcdfinv(@f64 p) {
  if (!(p >= 0.0@d && p <= 1.0@d)) return 0.0@d / 0.0@d;
  return -1.41421356237309504880@d * quern_erfcinv(2.0@d * p);
}
)"},
    {"normcdf", R"(@fn @f64 quern_normcdf(@f64 x) { return 0.5@d * erfc(-x / 1.41421356237309504880@d); }
)"},
    // exp(x*x) * erfc(x) without the overflow of one and the underflow of the other.
    {"erfcx", R"(@fn @f64 quern_erfcx(@f64 x) {
  if (x != x) return x;
  if (x < -26.7@d) return 1.0@d / 0.0@d;
  if (x < 10.0@d) {
    @f64 square = x * x;
    @f64 rest = fma(x, x, -square);
    return exp(square) * (1.0@d + rest) * erfc(x);
  }
  @f64 step = -0.5@d / (x * x);
  @f64 term = 1.0@d;
  @f64 sum = 1.0@d;
  for (@i32 k = 1; k < 40 && fabs(term) > 1e-17@d; k = k + 1) {
    term = term * (@(f64)(2 * k - 1) * step);
    sum = sum + term;
  }
  return sum / (x * 1.77245385090551602730@d);
}
)"},
};

}  // namespace

std::span<const HelperText> special_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
