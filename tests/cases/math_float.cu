// The math library in single precision.

//! run roots(2, f32[4])
//! out ~2e-7 = 1.41421356237 0.707106781187 1.25992104989 0.793700525984
__global__ void roots(float x, float* out) {
  out[0] = sqrtf(x);
  out[1] = rsqrtf(x);
  out[2] = cbrtf(x);
  out[3] = rcbrtf(x);
}

//! run exact_roots(f32[6])
//! out = 1.5 0.25 -3 0.5 inf 0
__global__ void exact_roots(float* out) {
  out[0] = sqrtf(2.25f);
  out[1] = rsqrtf(16.0f);
  out[2] = cbrtf(-27.0f);
  out[3] = rcbrtf(8.0f);
  out[4] = rsqrtf(0.0f);
  out[5] = sqrtf(0.0f);
}

//! run exponentials(0.75, f32[4])
//! out ~3e-7 = 2.11700001661 1.68179283051 5.6234132519 1.11700001661
__global__ void exponentials(float x, float* out) {
  out[0] = expf(x);
  out[1] = exp2f(x);
  out[2] = exp10f(x);
  out[3] = expm1f(x);
}

//! run small_arguments(0.00006103515625, f32[2])
//! out ~2e-7 = 6.1037018933e-05 6.10332936806e-05
__global__ void small_arguments(float x, float* out) {
  out[0] = expm1f(x);
  out[1] = log1pf(x);
}

//! run logarithms(5, f32[4])
//! out ~2e-7 = 1.60943791243 2.32192809489 0.698970004336 1.79175946923
__global__ void logarithms(float x, float* out) {
  out[0] = logf(x);
  out[1] = log2f(x);
  out[2] = log10f(x);
  out[3] = log1pf(x);
}

//! run logarithm_ends(f32[5])
//! out = -inf 0 10 inf -3
__global__ void logarithm_ends(float* out) {
  out[0] = logf(0.0f);
  out[1] = logf(1.0f);
  out[2] = log2f(1024.0f);
  out[3] = expf(1000.0f);
  out[4] = log10f(0.001f);
}

//! run trigonometry(1.25, f32[3])
//! out ~3e-7 = 0.948984619356 0.315322362395 3.00956967386
__global__ void trigonometry(float x, float* out) {
  out[0] = sinf(x);
  out[1] = cosf(x);
  out[2] = tanf(x);
}

//! run large_angles(100000, f32[2])
//! out ~3e-7 = 0.035748797972 -0.999360807438
__global__ void large_angles(float x, float* out) {
  out[0] = sinf(x);
  out[1] = cosf(x);
}

//! run inverse_trigonometry(0.375, f32[3])
//! out ~3e-7 = 0.384396774496 1.1863995523 0.358770670271
__global__ void inverse_trigonometry(float x, float* out) {
  out[0] = asinf(x);
  out[1] = acosf(x);
  out[2] = atanf(x);
}

//! run arc_tangent_of_two(f32[5])
//! out ~3e-7 = 0.785398163397 2.35619449019 -2.35619449019 3.14159265359 -1.57079632679
__global__ void arc_tangent_of_two(float* out) {
  out[0] = atan2f(2.0f, 2.0f);
  out[1] = atan2f(1.0f, -1.0f);
  out[2] = atan2f(-1.0f, -1.0f);
  out[3] = atan2f(0.0f, -1.0f);
  out[4] = atan2f(-5.0f, 0.0f);
}

//! run half_turns(f32[6])
//! out = 1 0 -1 0 0 1
__global__ void half_turns(float* out) {
  out[0] = sinpif(0.5f);
  out[1] = cospif(0.5f);
  out[2] = cospif(1.0f);
  float s, c;
  sincospif(2.0f, &s, &c);
  out[3] = sinpif(0.0f);
  out[4] = s;
  out[5] = c;
}

//! run sine_and_cosine(0.625, f32[2])
//! out ~3e-7 = 0.58509727294 0.810963119505
__global__ void sine_and_cosine(float x, float* out) {
  float s, c;
  sincosf(x, &s, &c);
  out[0] = s;
  out[1] = c;
}

//! run sine_and_cosine_into_memory(2.5, f32[2])
//! out ~3e-7 = 0.598472144104 -0.801143615547
__global__ void sine_and_cosine_into_memory(float x, float* out) { sincosf(x, &out[0], out + 1); }

//! run hyperbolic(1.5, f32[6])
//! out ~3e-7 = 2.12927945509 2.35240961524 0.905148253645 1.19476321729 0.962423650119 0.549306144334
__global__ void hyperbolic(float x, float* out) {
  out[0] = sinhf(x);
  out[1] = coshf(x);
  out[2] = tanhf(x);
  out[3] = asinhf(x);
  out[4] = acoshf(x);
  out[5] = atanhf(x - 1);
}

//! run error_functions(0.8125, f32[5])
//! out ~1e-6 = 0.749464025586 0.250535974414 0.931974443161 0.167727220018 0.484810828562
__global__ void error_functions(float x, float* out) {
  out[0] = erff(x);
  out[1] = erfcf(x);
  out[2] = erfinvf(x);
  out[3] = erfcinvf(x);
  out[4] = erfcxf(x);
}

//! run normal_distribution(0.75, f32[3])
//! out ~1e-6 = 0.773372647623 0.226627352377 0.674489750196
__global__ void normal_distribution(float x, float* out) {
  out[0] = normcdff(x);
  out[1] = normcdff(-x);
  out[2] = normcdfinvf(x);
}

//! run gamma_functions(4.5, f32[4])
//! out ~1e-6 = 11.6317283966 2.45373657084 24 1.79175946923
__global__ void gamma_functions(float x, float* out) {
  out[0] = tgammaf(x);
  out[1] = lgammaf(x);
  out[2] = tgammaf(5.0f);
  out[3] = lgammaf(4.0f);
}

//! run bessel_functions(2.5, f32[8])
//! out[0:4] ~2e-6 = -0.0483837764682 0.497094102464 0.498070359615 0.145918137967
//! out[4:8] ~4e-6 = 0.216600391039 -0.756055496754 3.28983914405 2.51671624529
__global__ void bessel_functions(float x, float* out) {
  out[0] = j0f(x);
  out[1] = j1f(x);
  out[2] = y0f(x);
  out[3] = y1f(x);
  out[4] = jnf(3, x);
  out[5] = ynf(3, x);
  out[6] = cyl_bessel_i0f(x);
  out[7] = cyl_bessel_i1f(x);
}

//! run rounding(2.5, f32[12])
//! out = 2 3 2 3 2 2 -3 -2 -2 -3 -2 -2
__global__ void rounding(float x, float* out) {
  out[0] = floorf(x);
  out[1] = ceilf(x);
  out[2] = truncf(x);
  out[3] = roundf(x);
  out[4] = rintf(x);
  out[5] = nearbyintf(x);
  out[6] = floorf(-x);
  out[7] = ceilf(-x);
  out[8] = truncf(-x);
  out[9] = roundf(-x);
  out[10] = rintf(-x);
  out[11] = nearbyintf(-x);
}

//! run rounding_to_integers(i64[6])
//! out = 2 4 -3 8388609 4 -2
__global__ void rounding_to_integers(long long* out) {
  out[0] = lrintf(2.5f);
  out[1] = llrintf(3.5f);
  out[2] = lroundf(-2.5f);
  out[3] = llroundf(8388609.0f);
  out[4] = lroundf(3.5f);
  out[5] = lrintf(-1.5f);
}

//! run largest_half_below_one(f32[2])
//! out = 0 1
__global__ void largest_half_below_one(float* out) {
  out[0] = roundf(0x1.fffffep-2f);
  out[1] = roundf(0.5f);
}

//! run powers(f32[8])
//! out = 1024 0.25 -8 1 1 inf nan 3
__global__ void powers(float* out) {
  out[0] = powf(2.0f, 10.0f);
  out[1] = powf(0.5f, 2.0f);
  out[2] = powf(-2.0f, 3.0f);
  out[3] = powf(7.0f, 0.0f);
  out[4] = powf(nanf(""), 0.0f);
  out[5] = powf(0.0f, -1.0f);
  out[6] = powf(-2.0f, 0.5f);
  out[7] = powf(9.0f, 0.5f);
}

//! run hypotenuse(f32[5])
//! out = 5 0.2 13 10 0.5
__global__ void hypotenuse(float* out) {
  out[0] = hypotf(3.0f, 4.0f);
  out[1] = rhypotf(3.0f, 4.0f);
  out[2] = norm3df(3.0f, 4.0f, 12.0f);
  out[3] = norm4df(1.0f, 3.0f, 3.0f, 9.0f);
  out[4] = rnorm4df(1.0f, 1.0f, 1.0f, 1.0f);
}

//! run norms_do_not_overflow(f32[3])
//! out ~3e-7 = 5e30 1.41421356237e+30 1.3e31
__global__ void norms_do_not_overflow(float* out) {
  out[0] = hypotf(3e30f, 4e30f);
  float v[2] = {1e30f, 1e30f};
  out[1] = normf(2, v);
  out[2] = norm3df(3e30f, 4e30f, 1.2e31f);
}

//! run remainders(f32[6])
//! out = 1.5 -1.5 -0.5 1 -1 0.25
__global__ void remainders(float* out) {
  out[0] = fmodf(5.5f, 2.0f);
  out[1] = fmodf(-5.5f, 2.0f);
  out[2] = remainderf(5.5f, 2.0f);
  out[3] = remainderf(5.0f, 2.0f);
  out[4] = remainderf(7.0f, 2.0f);
  out[5] = fmodf(1e6f + 0.25f, 1.0f);
}

//! run remainder_and_quotient(f32[2], i32[2])
//! out = -0.5 1
//! quotients = 3 -3
__global__ void remainder_and_quotient(float* out, int* quotients) {
  out[0] = remquof(5.5f, 2.0f, &quotients[0]);
  int q;
  out[1] = remquof(-8.0f, 3.0f, &q);
  quotients[1] = q;
}

//! run extremes_and_nan(f32[6])
//! out = 1 2 7 7 nan 0
__global__ void extremes_and_nan(float* out) {
  float nan = nanf("");
  out[0] = fminf(1.0f, 2.0f);
  out[1] = fmaxf(1.0f, 2.0f);
  out[2] = fminf(nan, 7.0f);
  out[3] = fmaxf(7.0f, nan);
  out[4] = fmaxf(nan, nan);
  out[5] = fdimf(3.0f, 8.0f);
}

//! run fused(f32[2])
//! out = 5.9604645e-08 11
__global__ void fused(float* out) {
  float a = 1.0f + 0x1p-12f;
  out[0] = fmaf(a, a, -(1.0f + 0x1p-11f));
  out[1] = fmaf(2.0f, 3.0f, 5.0f);
}

//! run parts(f32[4], i32[2])
//! out = 0.75 0.25 -3 -0.5
//! exponents = 4 -2
__global__ void parts(float* out, int* exponents) {
  out[0] = frexpf(12.0f, &exponents[0]);
  float whole;
  float rest = modff(-3.5f, &whole);
  out[1] = frexpf(1.0f, exponents + 1) / 2;
  exponents[1] = ilogbf(0.25f);
  out[2] = whole;
  out[3] = rest;
}

//! run scaling(f32[5])
//! out = 24 0.375 3 12 -2
__global__ void scaling(float* out) {
  out[0] = ldexpf(3.0f, 3);
  out[1] = scalbnf(3.0f, -3);
  out[2] = logbf(8.5f);
  out[3] = scalblnf(1.5f, 3L);
  out[4] = logbf(0.25f);
}

//! run neighbours(u32[4])
//! out = 1065353217 1065353215 1 2147483649
__global__ void neighbours(unsigned* out) {
  out[0] = __float_as_uint(nextafterf(1.0f, 2.0f));
  out[1] = __float_as_uint(nextafterf(1.0f, 0.0f));
  out[2] = __float_as_uint(nextafterf(0.0f, 1.0f));
  out[3] = __float_as_uint(nextafterf(0.0f, -1.0f));
}

//! run signs(f32[5])
//! out = 3.5 -3.5 3.5 2 -0
__global__ void signs(float* out) {
  out[0] = fabsf(-3.5f);
  out[1] = copysignf(3.5f, -0.0f);
  out[2] = copysignf(-3.5f, 1.0f);
  out[3] = abs(-2.0f);
  out[4] = copysignf(0.0f, -1.0f);
}

//! run kinds(0, i32[9])
//! out = 1 0 1 0 1 0 1 0 1
__global__ void kinds(float zero, int* out) {
  float nan = zero / zero, infinite = 1 / zero;
  out[0] = isnan(nan) != 0;
  out[1] = isnan(1.0f) != 0;
  out[2] = isinf(-infinite) != 0;
  out[3] = isinf(nan) != 0;
  out[4] = isfinite(1.0f) != 0;
  out[5] = isfinite(infinite) != 0;
  out[6] = signbit(-0.0f) != 0;
  out[7] = signbit(zero) != 0;
  out[8] = isnormal(1.0f) && !isnormal(1e-40f);
}

//! run plain_names_on_float(0.5, f32[8])
//! out ~3e-7 = 0.707106781187 1.6487212707 0.479425538604 -0.69314718056 0.707106781187 0.5 1 0.46211715726
__global__ void plain_names_on_float(float x, float* out) {
  static_assert(sizeof(sqrt(x)) == 4, "float in, float out");
  static_assert(sizeof(pow(x, x)) == 4, "float in, float out");
  out[0] = sqrt(x);
  out[1] = exp(x);
  out[2] = sin(x);
  out[3] = log(x);
  out[4] = pow(x, x);
  out[5] = fabs(-x);
  out[6] = ceil(x);
  out[7] = tanh(x);
}

//! run subnormal_results(f32[2])
//! out = 1e-40 1e-45
__global__ void subnormal_results(float* out) {
  out[0] = 1e-38f / 100.0f;
  out[1] = ldexpf(1.0f, -149);
}

// Infinity times zero is NaN, even if the zero is known at compile time.
//! run infinity_times_zero(inf, 2, f32[5])
//! out = nan nan nan 1 -0
__global__ void infinity_times_zero(float x, float y, float* out) {
  out[0] = x * 0.0f;
  out[1] = fabsf(0.0f * x);
  out[2] = fmaf(x, 0.0f, x);
  out[3] = fmaf(0.0f, y, 1.0f);
  out[4] = y * -0.0f;
}
