// The math library in double precision.

__device__ double sqrt(double x) { return __quern_sqrt(x); }
__device__ double rsqrt(double x) { return __quern_rsqrt(x); }
__device__ double cbrt(double x) { return __quern_cbrt(x); }
__device__ double rcbrt(double x) { return __quern_rcbrt(x); }
__device__ double exp(double x) { return __quern_exp(x); }
__device__ double exp2(double x) { return __quern_exp2(x); }
__device__ double exp10(double x) { return __quern_exp10(x); }
__device__ double expm1(double x) { return __quern_expm1(x); }
__device__ double log(double x) { return __quern_log(x); }
__device__ double log2(double x) { return __quern_log2(x); }
__device__ double log10(double x) { return __quern_log10(x); }
__device__ double log1p(double x) { return __quern_log1p(x); }
__device__ double logb(double x) { return __quern_logb(x); }
__device__ double sin(double x) { return __quern_sin(x); }
__device__ double cos(double x) { return __quern_cos(x); }
__device__ double tan(double x) { return __quern_tan(x); }
__device__ double sinpi(double x) { return __quern_sinpi(x); }
__device__ double cospi(double x) { return __quern_cospi(x); }
__device__ double asin(double x) { return __quern_asin(x); }
__device__ double acos(double x) { return __quern_acos(x); }
__device__ double atan(double x) { return __quern_atan(x); }
__device__ double sinh(double x) { return __quern_sinh(x); }
__device__ double cosh(double x) { return __quern_cosh(x); }
__device__ double tanh(double x) { return __quern_tanh(x); }
__device__ double asinh(double x) { return __quern_asinh(x); }
__device__ double acosh(double x) { return __quern_acosh(x); }
__device__ double atanh(double x) { return __quern_atanh(x); }
__device__ double erf(double x) { return __quern_erf(x); }
__device__ double erfc(double x) { return __quern_erfc(x); }
__device__ double erfinv(double x) { return __quern_erfinv(x); }
__device__ double erfcinv(double x) { return __quern_erfcinv(x); }
__device__ double erfcx(double x) { return __quern_erfcx(x); }
__device__ double normcdf(double x) { return __quern_normcdf(x); }
__device__ double normcdfinv(double x) { return __quern_normcdfinv(x); }
__device__ double tgamma(double x) { return __quern_tgamma(x); }
__device__ double lgamma(double x) { return __quern_lgamma(x); }
__device__ double j0(double x) { return __quern_j0(x); }
__device__ double j1(double x) { return __quern_j1(x); }
__device__ double y0(double x) { return __quern_y0(x); }
__device__ double y1(double x) { return __quern_y1(x); }
__device__ double floor(double x) { return __quern_floor(x); }
__device__ double ceil(double x) { return __quern_ceil(x); }
__device__ double trunc(double x) { return __quern_trunc(x); }
__device__ double round(double x) { return __quern_round(x); }
__device__ double rint(double x) { return __quern_rint(x); }
__device__ double nearbyint(double x) { return __quern_rint(x); }
__device__ double fabs(double x) { return __quern_abs(x); }

__device__ double hypot(double x, double y) { return __quern_hypot(x, y); }
__device__ double rhypot(double x, double y) { return __quern_rhypot(x, y); }
__device__ double pow(double x, double y) { return __quern_pow(x, y); }
__device__ double atan2(double x, double y) { return __quern_atan2(x, y); }
__device__ double remainder(double x, double y) { return __quern_remainder(x, y); }
__device__ double copysign(double x, double y) { return __quern_copysign(x, y); }
__device__ double nextafter(double x, double y) { return __quern_nextafter(x, y); }
__device__ double fdim(double x, double y) { return __quern_fdim(x, y); }
__device__ double fmod(double x, double y) { return __quern_rem(x, y); }
__device__ double fmin(double x, double y) { return __quern_min(x, y); }
__device__ double fmax(double x, double y) { return __quern_max(x, y); }
__device__ double fdivide(double x, double y) { return x / y; }
__device__ double fma(double x, double y, double z) { return __quern_fma(x, y, z); }
__device__ double ldexp(double x, int e) { return __quern_ldexp(x, e); }
__device__ double scalbn(double x, int e) { return __quern_ldexp(x, e); }
__device__ double scalbln(double x, long e) { return __quern_ldexp(x, __lib_clamp_exponent(e)); }
__device__ int ilogb(double x) { return __quern_ilogb(x); }
__device__ long lrint(double x) { return __double2ll_rz(__quern_rint(x)); }
__device__ long long llrint(double x) { return __double2ll_rz(__quern_rint(x)); }
__device__ long lround(double x) { return __double2ll_rz(__quern_round(x)); }
__device__ long long llround(double x) { return __double2ll_rz(__quern_round(x)); }
__device__ double nan(const char*) { return __quern_bitcast<double>(0x7ff8000000000000ull); }

__device__ void sincos(double x, double* s, double* c) {
  *s = __quern_sin(x);
  *c = __quern_cos(x);
}
__device__ void sincospi(double x, double* s, double* c) {
  *s = __quern_sinpi(x);
  *c = __quern_cospi(x);
}
__device__ double modf(double x, double* whole) {
  *whole = __quern_trunc(x);
  return __quern_copysign(__quern_isinf(x) ? double(0) : x - *whole, x);
}
__device__ double frexp(double x, int* e) { return __lib_frexp(x, e); }
__device__ double remquo(double x, double y, int* q) { return __lib_remquo(x, y, q); }
__device__ double jn(int n, double x) { return __lib_jn(n, x); }
__device__ double yn(int n, double x) { return __lib_yn(n, x); }
__device__ double cyl_bessel_i0(double x) { return __lib_bessel_i(0, x); }
__device__ double cyl_bessel_i1(double x) { return __lib_bessel_i(1, x); }

__device__ double norm3d(double a, double b, double c) { return __lib_norm4(a, b, c, double(0)); }
__device__ double norm4d(double a, double b, double c, double d) { return __lib_norm4(a, b, c, d); }
__device__ double rnorm3d(double a, double b, double c) { return __lib_rnorm4(a, b, c, double(0)); }
__device__ double rnorm4d(double a, double b, double c, double d) { return __lib_rnorm4(a, b, c, d); }
__device__ double norm(int n, const double* v) { return __lib_norm(n, v); }
__device__ double rnorm(int n, const double* v) { return 1 / __lib_norm(n, v); }
