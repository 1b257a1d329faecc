// C++ overloads of the math functions: plain names on float, and on integers (which count as double).

// On float.
__device__ float sqrt(float x) { return __quern_sqrt(x); }
__device__ float rsqrt(float x) { return __quern_rsqrt(x); }
__device__ float cbrt(float x) { return __quern_cbrt(x); }
__device__ float rcbrt(float x) { return __quern_rcbrt(x); }
__device__ float exp(float x) { return __quern_exp(x); }
__device__ float exp2(float x) { return __quern_exp2(x); }
__device__ float exp10(float x) { return __quern_exp10(x); }
__device__ float expm1(float x) { return __quern_expm1(x); }
__device__ float log(float x) { return __quern_log(x); }
__device__ float log2(float x) { return __quern_log2(x); }
__device__ float log10(float x) { return __quern_log10(x); }
__device__ float log1p(float x) { return __quern_log1p(x); }
__device__ float logb(float x) { return __quern_logb(x); }
__device__ float sin(float x) { return __quern_sin(x); }
__device__ float cos(float x) { return __quern_cos(x); }
__device__ float tan(float x) { return __quern_tan(x); }
__device__ float sinpi(float x) { return __quern_sinpi(x); }
__device__ float cospi(float x) { return __quern_cospi(x); }
__device__ float asin(float x) { return __quern_asin(x); }
__device__ float acos(float x) { return __quern_acos(x); }
__device__ float atan(float x) { return __quern_atan(x); }
__device__ float sinh(float x) { return __quern_sinh(x); }
__device__ float cosh(float x) { return __quern_cosh(x); }
__device__ float tanh(float x) { return __quern_tanh(x); }
__device__ float asinh(float x) { return __quern_asinh(x); }
__device__ float acosh(float x) { return __quern_acosh(x); }
__device__ float atanh(float x) { return __quern_atanh(x); }
__device__ float erf(float x) { return __quern_erf(x); }
__device__ float erfc(float x) { return __quern_erfc(x); }
__device__ float erfinv(float x) { return __quern_erfinv(x); }
__device__ float erfcinv(float x) { return __quern_erfcinv(x); }
__device__ float erfcx(float x) { return __quern_erfcx(x); }
__device__ float normcdf(float x) { return __quern_normcdf(x); }
__device__ float normcdfinv(float x) { return __quern_normcdfinv(x); }
__device__ float tgamma(float x) { return __quern_tgamma(x); }
__device__ float lgamma(float x) { return __quern_lgamma(x); }
__device__ float j0(float x) { return __quern_j0(x); }
__device__ float j1(float x) { return __quern_j1(x); }
__device__ float y0(float x) { return __quern_y0(x); }
__device__ float y1(float x) { return __quern_y1(x); }
__device__ float floor(float x) { return __quern_floor(x); }
__device__ float ceil(float x) { return __quern_ceil(x); }
__device__ float trunc(float x) { return __quern_trunc(x); }
__device__ float round(float x) { return __quern_round(x); }
__device__ float rint(float x) { return __quern_rint(x); }
__device__ float nearbyint(float x) { return __quern_rint(x); }
__device__ float fabs(float x) { return __quern_abs(x); }
__device__ float hypot(float x, float y) { return __quern_hypot(x, y); }
__device__ float pow(float x, float y) { return __quern_pow(x, y); }
__device__ float atan2(float x, float y) { return __quern_atan2(x, y); }
__device__ float remainder(float x, float y) { return __quern_remainder(x, y); }
__device__ float copysign(float x, float y) { return __quern_copysign(x, y); }
__device__ float nextafter(float x, float y) { return __quern_nextafter(x, y); }
__device__ float fdim(float x, float y) { return __quern_fdim(x, y); }
__device__ float fmod(float x, float y) { return __quern_rem(x, y); }
__device__ float fmin(float x, float y) { return __quern_min(x, y); }
__device__ float fmax(float x, float y) { return __quern_max(x, y); }
__device__ float fma(float x, float y, float z) { return __quern_fma(x, y, z); }
__device__ float ldexp(float x, int e) { return __quern_ldexp(x, e); }
__device__ float scalbn(float x, int e) { return __quern_ldexp(x, e); }
__device__ float scalbln(float x, long e) { return __quern_ldexp(x, __lib_clamp_exponent(e)); }
__device__ int ilogb(float x) { return __quern_ilogb(x); }
__device__ long lrint(float x) { return __float2ll_rz(__quern_rint(x)); }
__device__ long long llrint(float x) { return __float2ll_rz(__quern_rint(x)); }
__device__ long lround(float x) { return __float2ll_rz(__quern_round(x)); }
__device__ long long llround(float x) { return __float2ll_rz(__quern_round(x)); }
__device__ void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
__device__ void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
__device__ float modf(float x, float* whole) { return modff(x, whole); }
__device__ float frexp(float x, int* e) { return __lib_frexp(x, e); }
__device__ float remquo(float x, float y, int* q) { return __lib_remquo(x, y, q); }
__device__ float jn(int n, float x) { return __lib_jn(n, x); }
__device__ float yn(int n, float x) { return __lib_yn(n, x); }
__device__ float cyl_bessel_i0(float x) { return __lib_bessel_i(0, x); }
__device__ float cyl_bessel_i1(float x) { return __lib_bessel_i(1, x); }

// On integers, and on operands of different types.
template <class T> __device__ double sqrt(T x) { return __quern_sqrt(double(x)); }
template <class T> __device__ double cbrt(T x) { return __quern_cbrt(double(x)); }
template <class T> __device__ double exp(T x) { return __quern_exp(double(x)); }
template <class T> __device__ double exp2(T x) { return __quern_exp2(double(x)); }
template <class T> __device__ double expm1(T x) { return __quern_expm1(double(x)); }
template <class T> __device__ double log(T x) { return __quern_log(double(x)); }
template <class T> __device__ double log2(T x) { return __quern_log2(double(x)); }
template <class T> __device__ double log10(T x) { return __quern_log10(double(x)); }
template <class T> __device__ double log1p(T x) { return __quern_log1p(double(x)); }
template <class T> __device__ double logb(T x) { return __quern_logb(double(x)); }
template <class T> __device__ double sin(T x) { return __quern_sin(double(x)); }
template <class T> __device__ double cos(T x) { return __quern_cos(double(x)); }
template <class T> __device__ double tan(T x) { return __quern_tan(double(x)); }
template <class T> __device__ double asin(T x) { return __quern_asin(double(x)); }
template <class T> __device__ double acos(T x) { return __quern_acos(double(x)); }
template <class T> __device__ double atan(T x) { return __quern_atan(double(x)); }
template <class T> __device__ double sinh(T x) { return __quern_sinh(double(x)); }
template <class T> __device__ double cosh(T x) { return __quern_cosh(double(x)); }
template <class T> __device__ double tanh(T x) { return __quern_tanh(double(x)); }
template <class T> __device__ double asinh(T x) { return __quern_asinh(double(x)); }
template <class T> __device__ double acosh(T x) { return __quern_acosh(double(x)); }
template <class T> __device__ double atanh(T x) { return __quern_atanh(double(x)); }
template <class T> __device__ double erf(T x) { return __quern_erf(double(x)); }
template <class T> __device__ double erfc(T x) { return __quern_erfc(double(x)); }
template <class T> __device__ double tgamma(T x) { return __quern_tgamma(double(x)); }
template <class T> __device__ double lgamma(T x) { return __quern_lgamma(double(x)); }
template <class T> __device__ double floor(T x) { return __quern_floor(double(x)); }
template <class T> __device__ double ceil(T x) { return __quern_ceil(double(x)); }
template <class T> __device__ double trunc(T x) { return __quern_trunc(double(x)); }
template <class T> __device__ double round(T x) { return __quern_round(double(x)); }
template <class T> __device__ double rint(T x) { return __quern_rint(double(x)); }
template <class T> __device__ double nearbyint(T x) { return __quern_rint(double(x)); }
template <class T> __device__ double fabs(T x) { return __quern_abs(double(x)); }
template <class T> __device__ double ldexp(T x, int e) { return __quern_ldexp(double(x), e); }
template <class T> __device__ double scalbn(T x, int e) { return __quern_ldexp(double(x), e); }
template <class T> __device__ int ilogb(T x) { return __quern_ilogb(double(x)); }
template <class A, class B> __device__ double hypot(A x, B y) { return __quern_hypot(double(x), double(y)); }
template <class A, class B> __device__ double pow(A x, B y) { return __quern_pow(double(x), double(y)); }
template <class A, class B> __device__ double atan2(A x, B y) { return __quern_atan2(double(x), double(y)); }
template <class A, class B> __device__ double remainder(A x, B y) {
  return __quern_remainder(double(x), double(y));
}
template <class A, class B> __device__ double copysign(A x, B y) {
  return __quern_copysign(double(x), double(y));
}
template <class A, class B> __device__ double fdim(A x, B y) { return __quern_fdim(double(x), double(y)); }
template <class A, class B> __device__ double fmod(A x, B y) { return __quern_rem(double(x), double(y)); }
template <class A, class B> __device__ double fmin(A x, B y) { return __quern_min(double(x), double(y)); }
template <class A, class B> __device__ double fmax(A x, B y) { return __quern_max(double(x), double(y)); }
template <class A, class B, class C>
__device__ double fma(A x, B y, C z) { return __quern_fma(double(x), double(y), double(z)); }

// Classification.
__device__ constexpr bool isnan(float x) { return __quern_isnan(x); }
__device__ constexpr bool isinf(float x) { return __quern_isinf(x); }
__device__ constexpr bool isfinite(float x) { return !__quern_isnan(x) && !__quern_isinf(x); }
__device__ constexpr bool signbit(float x) { return __quern_signbit(x); }
__device__ constexpr bool isnan(double x) { return __quern_isnan(x); }
__device__ constexpr bool isinf(double x) { return __quern_isinf(x); }
__device__ constexpr bool isfinite(double x) { return !__quern_isnan(x) && !__quern_isinf(x); }
__device__ constexpr bool signbit(double x) { return __quern_signbit(x); }
__device__ constexpr bool isnormal(float x) { return __quern_abs(x) >= 1.17549435e-38f && !__quern_isinf(x); }
__device__ constexpr bool isnormal(double x) {
  return __quern_abs(x) >= 2.2250738585072014e-308 && !__quern_isinf(x);
}
template <class T> __device__ constexpr bool isnan(T x) { return __quern_isnan(double(x)); }
template <class T> __device__ constexpr bool isinf(T x) { return __quern_isinf(double(x)); }
template <class T> __device__ constexpr bool isfinite(T x) { return isfinite(double(x)); }
template <class T> __device__ constexpr bool signbit(T x) { return __quern_signbit(double(x)); }
template <class T> __device__ constexpr bool isnormal(T x) { return isnormal(double(x)); }
template <class T> __device__ constexpr int fpclassify(T x) {
  return isnan(x) ? 0 : isinf(x) ? 1 : x == T(0) ? 2 : isnormal(x) ? 4 : 3;
}
template <class T> __device__ constexpr bool isunordered(T x, T y) { return isnan(x) || isnan(y); }
template <class T> __device__ constexpr bool isgreater(T x, T y) { return x > y; }
template <class T> __device__ constexpr bool isgreaterequal(T x, T y) { return x >= y; }
template <class T> __device__ constexpr bool isless(T x, T y) { return x < y; }
template <class T> __device__ constexpr bool islessequal(T x, T y) { return x <= y; }
template <class T> __device__ constexpr bool islessgreater(T x, T y) { return x < y || x > y; }
__device__ int __isnanf(float x) { return __quern_isnan(x); }
__device__ int __isinff(float x) { return __quern_isinf(x); }
__device__ int __finitef(float x) { return isfinite(x); }
__device__ int __signbitf(float x) { return __quern_signbit(x); }
__device__ int __isnan(double x) { return __quern_isnan(x); }
__device__ int __isinf(double x) { return __quern_isinf(x); }
__device__ int __finite(double x) { return isfinite(x); }
__device__ int __signbit(double x) { return __quern_signbit(x); }
__device__ int __signbitd(double x) { return __quern_signbit(x); }
__device__ int isnanf(float x) { return __quern_isnan(x); }
__device__ int isinff(float x) { return __quern_isinf(x); }
__device__ int finitef(float x) { return isfinite(x); }
__device__ int finite(double x) { return isfinite(x); }
