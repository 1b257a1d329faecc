// The math library in single precision: the functions whose names end in f.

__device__ float sqrtf(float x) { return __quern_sqrt(x); }
__device__ float rsqrtf(float x) { return __quern_rsqrt(x); }
__device__ float cbrtf(float x) { return __quern_cbrt(x); }
__device__ float rcbrtf(float x) { return __quern_rcbrt(x); }
__device__ float expf(float x) { return __quern_exp(x); }
__device__ float exp2f(float x) { return __quern_exp2(x); }
__device__ float exp10f(float x) { return __quern_exp10(x); }
__device__ float expm1f(float x) { return __quern_expm1(x); }
__device__ float logf(float x) { return __quern_log(x); }
__device__ float log2f(float x) { return __quern_log2(x); }
__device__ float log10f(float x) { return __quern_log10(x); }
__device__ float log1pf(float x) { return __quern_log1p(x); }
__device__ float logbf(float x) { return __quern_logb(x); }
__device__ float sinf(float x) { return __quern_sin(x); }
__device__ float cosf(float x) { return __quern_cos(x); }
__device__ float tanf(float x) { return __quern_tan(x); }
__device__ float sinpif(float x) { return __quern_sinpi(x); }
__device__ float cospif(float x) { return __quern_cospi(x); }
__device__ float asinf(float x) { return __quern_asin(x); }
__device__ float acosf(float x) { return __quern_acos(x); }
__device__ float atanf(float x) { return __quern_atan(x); }
__device__ float sinhf(float x) { return __quern_sinh(x); }
__device__ float coshf(float x) { return __quern_cosh(x); }
__device__ float tanhf(float x) { return __quern_tanh(x); }
__device__ float asinhf(float x) { return __quern_asinh(x); }
__device__ float acoshf(float x) { return __quern_acosh(x); }
__device__ float atanhf(float x) { return __quern_atanh(x); }
__device__ float erff(float x) { return __quern_erf(x); }
__device__ float erfcf(float x) { return __quern_erfc(x); }
__device__ float erfinvf(float x) { return __quern_erfinv(x); }
__device__ float erfcinvf(float x) { return __quern_erfcinv(x); }
__device__ float erfcxf(float x) { return __quern_erfcx(x); }
__device__ float normcdff(float x) { return __quern_normcdf(x); }
__device__ float normcdfinvf(float x) { return __quern_normcdfinv(x); }
__device__ float tgammaf(float x) { return __quern_tgamma(x); }
__device__ float lgammaf(float x) { return __quern_lgamma(x); }
__device__ float j0f(float x) { return __quern_j0(x); }
__device__ float j1f(float x) { return __quern_j1(x); }
__device__ float y0f(float x) { return __quern_y0(x); }
__device__ float y1f(float x) { return __quern_y1(x); }
__device__ float floorf(float x) { return __quern_floor(x); }
__device__ float ceilf(float x) { return __quern_ceil(x); }
__device__ float truncf(float x) { return __quern_trunc(x); }
__device__ float roundf(float x) { return __quern_round(x); }
__device__ float rintf(float x) { return __quern_rint(x); }
__device__ float nearbyintf(float x) { return __quern_rint(x); }
__device__ float fabsf(float x) { return __quern_abs(x); }

__device__ float hypotf(float x, float y) { return __quern_hypot(x, y); }
__device__ float rhypotf(float x, float y) { return __quern_rhypot(x, y); }
__device__ float powf(float x, float y) { return __quern_pow(x, y); }
__device__ float atan2f(float x, float y) { return __quern_atan2(x, y); }
__device__ float remainderf(float x, float y) { return __quern_remainder(x, y); }
__device__ float copysignf(float x, float y) { return __quern_copysign(x, y); }
__device__ float nextafterf(float x, float y) { return __quern_nextafter(x, y); }
__device__ float fdimf(float x, float y) { return __quern_fdim(x, y); }
__device__ float fmodf(float x, float y) { return __quern_rem(x, y); }
__device__ float fminf(float x, float y) { return __quern_min(x, y); }
__device__ float fmaxf(float x, float y) { return __quern_max(x, y); }
__device__ float fdividef(float x, float y) { return x / y; }
__device__ float fmaf(float x, float y, float z) { return __quern_fma(x, y, z); }
__device__ float ldexpf(float x, int e) { return __quern_ldexp(x, e); }
__device__ float scalbnf(float x, int e) { return __quern_ldexp(x, e); }
__device__ float scalblnf(float x, long e) { return __quern_ldexp(x, __lib_clamp_exponent(e)); }
__device__ int ilogbf(float x) { return __quern_ilogb(x); }
__device__ long lrintf(float x) { return __float2ll_rz(__quern_rint(x)); }
__device__ long long llrintf(float x) { return __float2ll_rz(__quern_rint(x)); }
__device__ long lroundf(float x) { return __float2ll_rz(__quern_round(x)); }
__device__ long long llroundf(float x) { return __float2ll_rz(__quern_round(x)); }
__device__ float nanf(const char*) { return __quern_bitcast<float>(0x7fc00000u); }

__device__ void sincosf(float x, float* s, float* c) {
  *s = __quern_sin(x);
  *c = __quern_cos(x);
}
__device__ void sincospif(float x, float* s, float* c) {
  *s = __quern_sinpi(x);
  *c = __quern_cospi(x);
}
__device__ float modff(float x, float* whole) {
  *whole = __quern_trunc(x);
  return __quern_copysign(__quern_isinf(x) ? float(0) : x - *whole, x);
}
__device__ float frexpf(float x, int* e) { return __lib_frexp(x, e); }
__device__ float remquof(float x, float y, int* q) { return __lib_remquo(x, y, q); }
__device__ float jnf(int n, float x) { return __lib_jn(n, x); }
__device__ float ynf(int n, float x) { return __lib_yn(n, x); }
__device__ float cyl_bessel_i0f(float x) { return __lib_bessel_i(0, x); }
__device__ float cyl_bessel_i1f(float x) { return __lib_bessel_i(1, x); }

__device__ float norm3df(float a, float b, float c) { return __lib_norm4(a, b, c, float(0)); }
__device__ float norm4df(float a, float b, float c, float d) { return __lib_norm4(a, b, c, d); }
__device__ float rnorm3df(float a, float b, float c) { return __lib_rnorm4(a, b, c, float(0)); }
__device__ float rnorm4df(float a, float b, float c, float d) { return __lib_rnorm4(a, b, c, d); }
__device__ float normf(int n, const float* v) { return __lib_norm(n, v); }
__device__ float rnormf(int n, const float* v) { return 1 / __lib_norm(n, v); }
