// <cuda_fp4.h>, <cuda_fp6.h>: floats of 4 and 6 bits, implemented in integer arithmetic. E2M1 and E2M3 have
// bias 1, E3M2 has bias 3; none has infinities or NaN. Conversions saturate; NaN becomes the largest number.

using __nv_fp4_storage_t = unsigned char;
using __nv_fp4x2_storage_t = unsigned char;
using __nv_fp4x4_storage_t = unsigned short;
using __nv_fp6_storage_t = unsigned char;
using __nv_fp6x2_storage_t = unsigned short;
using __nv_fp6x4_storage_t = unsigned;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

// `fraction` bits after the point, `lowest`: the exponent of the smallest normal number, `width` bits in
// total.
__device__ constexpr unsigned __lib_small_round(float x, int fraction, int lowest, int width,
                                                bool is_nearest) {
  const unsigned bits = __quern_bitcast<unsigned>(x);
  const unsigned sign = bits >> 31 << (width - 1);
  const unsigned size = bits & 0x7fffffff;
  const unsigned most = (1u << (width - 1)) - 1;
  if (size > 0x7f800000) return most;
  int exponent = int(size >> 23) - 127;
  const unsigned digits = (size & 0x7fffff) | 0x800000;
  int shift = 23 - fraction;
  if (exponent < lowest) {
    shift += lowest - exponent;
    exponent = lowest;
  }
  if (shift > 25) return sign;
  unsigned kept = digits >> shift;
  const unsigned rest = digits & ((1u << shift) - 1);
  const unsigned half = 1u << (shift - 1);
  if (is_nearest && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
  const unsigned result = (unsigned(exponent - lowest) << fraction) + kept;
  return (result > most ? most : result) | sign;
}
__device__ constexpr float __lib_small_to_float(unsigned x, int fraction, int lowest, int width) {
  const unsigned sign = x >> (width - 1) << 31;
  const unsigned size = x & ((1u << (width - 1)) - 1);
  if (size >> fraction != 0) {
    return __quern_bitcast<float>(sign | ((size << (23 - fraction)) + (unsigned(lowest + 126) << 23)));
  }
  const float value = float(size) * __quern_bitcast<float>(unsigned(lowest - fraction + 127) << 23);
  return __quern_bitcast<float>(sign | __quern_bitcast<unsigned>(value));
}
// To float towards zero, with its last bit set if something is lost, which keeps the second rounding correct.
__device__ float __lib_small_from_double(double x) {
  const float near = __quern_convert_r<float>(x, 1);
  if (x == x && double(near) != x) return __quern_bitcast<float>(__quern_bitcast<unsigned>(near) | 1);
  return near;
}

__device__ __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode round) {
  return (unsigned char)__lib_small_round(x, 1, 0, 4, round == cudaRoundNearest);
}
__device__ __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t kind,
                                                     cudaRoundMode round) {
  return __nv_cvt_float_to_fp4(__lib_small_from_double(x), kind, round);
}
__device__ __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t kind,
                                                      cudaRoundMode round) {
  return __nv_cvt_float_to_fp4(float(__half(x)), kind, round);
}
__device__ __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t kind,
                                                          cudaRoundMode round) {
  return __nv_cvt_float_to_fp4(float(__nv_bfloat16(x)), kind, round);
}
__device__ __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 v, __nv_fp4_interpretation_t kind,
                                                         cudaRoundMode round) {
  return (unsigned char)(__nv_cvt_float_to_fp4(v.x, kind, round) | __nv_cvt_float_to_fp4(v.y, kind, round)
                                                                       << 4);
}
__device__ __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 v, __nv_fp4_interpretation_t kind,
                                                          cudaRoundMode round) {
  return __nv_cvt_float2_to_fp4x2(float2{__lib_small_from_double(v.x), __lib_small_from_double(v.y)}, kind,
                                  round);
}
__device__ __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw v, __nv_fp4_interpretation_t kind,
                                                           cudaRoundMode round) {
  __half2 pair = v;
  return __nv_cvt_float2_to_fp4x2(float2{float(pair.x), float(pair.y)}, kind, round);
}
__device__ __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw v,
                                                               __nv_fp4_interpretation_t kind,
                                                               cudaRoundMode round) {
  __nv_bfloat162 pair = v;
  return __nv_cvt_float2_to_fp4x2(float2{float(pair.x), float(pair.y)}, kind, round);
}
__device__ constexpr float __lib_fp4_to_float(unsigned x) { return __lib_small_to_float(x & 15, 1, 0, 4); }
__device__ __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t) {
  return __half_raw(__half(__lib_fp4_to_float(x)));
}
__device__ __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t) {
  return __half2_raw(__half2(__half(__lib_fp4_to_float(x)), __half(__lib_fp4_to_float(x >> 4))));
}

__device__ __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind,
                                                    cudaRoundMode round) {
  const bool is_nearest = round == cudaRoundNearest;
  return (unsigned char)(kind == __NV_E2M3 ? __lib_small_round(x, 3, 0, 6, is_nearest)
                                           : __lib_small_round(x, 2, -2, 6, is_nearest));
}
__device__ __nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t kind,
                                                     cudaRoundMode round) {
  return __nv_cvt_float_to_fp6(__lib_small_from_double(x), kind, round);
}
__device__ __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw x, __nv_fp6_interpretation_t kind,
                                                      cudaRoundMode round) {
  return __nv_cvt_float_to_fp6(float(__half(x)), kind, round);
}
__device__ __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw x, __nv_fp6_interpretation_t kind,
                                                          cudaRoundMode round) {
  return __nv_cvt_float_to_fp6(float(__nv_bfloat16(x)), kind, round);
}
__device__ __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 v, __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode round) {
  return (unsigned short)(__nv_cvt_float_to_fp6(v.x, kind, round) | __nv_cvt_float_to_fp6(v.y, kind, round)
                                                                        << 8);
}
__device__ __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 v, __nv_fp6_interpretation_t kind,
                                                          cudaRoundMode round) {
  return __nv_cvt_float2_to_fp6x2(float2{__lib_small_from_double(v.x), __lib_small_from_double(v.y)}, kind,
                                  round);
}
__device__ __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw v, __nv_fp6_interpretation_t kind,
                                                           cudaRoundMode round) {
  __half2 pair = v;
  return __nv_cvt_float2_to_fp6x2(float2{float(pair.x), float(pair.y)}, kind, round);
}
__device__ __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw v,
                                                               __nv_fp6_interpretation_t kind,
                                                               cudaRoundMode round) {
  __nv_bfloat162 pair = v;
  return __nv_cvt_float2_to_fp6x2(float2{float(pair.x), float(pair.y)}, kind, round);
}
__device__ constexpr float __lib_fp6_to_float(unsigned x, __nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? __lib_small_to_float(x & 63, 3, 0, 6) : __lib_small_to_float(x & 63, 2, -2, 6);
}
__device__ __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) {
  return __half_raw(__half(__lib_fp6_to_float(x, kind)));
}
__device__ __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x, __nv_fp6_interpretation_t kind) {
  return __half2_raw(__half2(__half(__lib_fp6_to_float(x, kind)), __half(__lib_fp6_to_float(x >> 8, kind))));
}

// The types. A kind says how many bits apart the numbers of a vector are, and converts one.
struct __lib_e2m1 {
  using pair = unsigned char;
  using four = unsigned short;
  static constexpr int bits = 4, magnitude = 7;
  __device__ static unsigned of(float v) { return __lib_small_round(v, 1, 0, 4, true); }
  __device__ static float value(unsigned x) { return __lib_fp4_to_float(x); }
};
struct __lib_e2m3 {
  using pair = unsigned short;
  using four = unsigned;
  static constexpr int bits = 8, magnitude = 31;
  __device__ static unsigned of(float v) { return __lib_small_round(v, 3, 0, 6, true); }
  __device__ static float value(unsigned x) { return __lib_fp6_to_float(x, __NV_E2M3); }
};
struct __lib_e3m2 {
  using pair = unsigned short;
  using four = unsigned;
  static constexpr int bits = 8, magnitude = 31;
  __device__ static unsigned of(float v) { return __lib_small_round(v, 2, -2, 6, true); }
  __device__ static float value(unsigned x) { return __lib_fp6_to_float(x, __NV_E3M2); }
};
template <class Kind>
struct __lib_small {
  unsigned char __x;
  __lib_small() = default;
  __device__ explicit __lib_small(float v) : __x((unsigned char)Kind::of(v)) {}
  __device__ explicit __lib_small(double v) : __lib_small(__lib_small_from_double(v)) {}
  __device__ explicit __lib_small(__half v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(__nv_bfloat16 v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(short v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(unsigned short v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(int v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(unsigned v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(long v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(unsigned long v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(long long v) : __lib_small(float(v)) {}
  __device__ explicit __lib_small(unsigned long long v) : __lib_small(float(v)) {}
  __device__ explicit operator float() const { return Kind::value(__x); }
  __device__ explicit operator double() const { return double(float(*this)); }
  __device__ explicit operator __half() const { return __half(float(*this)); }
  __device__ explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }
  __device__ explicit operator bool() const { return (__x & Kind::magnitude) != 0; }
  __device__ explicit operator char() const { return char(float(*this)); }
  __device__ explicit operator signed char() const { return (signed char)(float(*this)); }
  __device__ explicit operator unsigned char() const { return (unsigned char)(float(*this)); }
  __device__ explicit operator short() const { return short(float(*this)); }
  __device__ explicit operator unsigned short() const { return (unsigned short)(float(*this)); }
  __device__ explicit operator int() const { return int(float(*this)); }
  __device__ explicit operator unsigned() const { return unsigned(float(*this)); }
  __device__ explicit operator long() const { return long(float(*this)); }
  __device__ explicit operator unsigned long() const { return (unsigned long)(float(*this)); }
  __device__ explicit operator long long() const { return (long long)(float(*this)); }
  __device__ explicit operator unsigned long long() const { return (unsigned long long)(float(*this)); }
};
template <class Kind>
struct __lib_small_pair {
  typename Kind::pair __x;
  __lib_small_pair() = default;
  __device__ explicit __lib_small_pair(float2 v)
      : __x((typename Kind::pair)(Kind::of(v.x) | Kind::of(v.y) << Kind::bits)) {}
  __device__ explicit __lib_small_pair(double2 v)
      : __lib_small_pair(float2{__lib_small_from_double(v.x), __lib_small_from_double(v.y)}) {}
  __device__ explicit __lib_small_pair(__half2 v) : __lib_small_pair(float2{float(v.x), float(v.y)}) {}
  __device__ explicit __lib_small_pair(__nv_bfloat162 v) : __lib_small_pair(float2{float(v.x), float(v.y)}) {}
  __device__ explicit operator float2() const {
    return float2{Kind::value(unsigned(__x)), Kind::value(unsigned(__x) >> Kind::bits)};
  }
  __device__ explicit operator __half2() const {
    float2 v = float2(*this);
    return __half2(__half(v.x), __half(v.y));
  }
};
template <class Kind>
struct __lib_small_four {
  typename Kind::four __x;
  __lib_small_four() = default;
  __device__ __lib_small_four(__lib_small_pair<Kind> low, __lib_small_pair<Kind> high)
      : __x((typename Kind::four)(low.__x | unsigned(high.__x) << 2 * Kind::bits)) {}
  __device__ explicit __lib_small_four(float4 v)
      : __lib_small_four(__lib_small_pair<Kind>(float2{v.x, v.y}), __lib_small_pair<Kind>(float2{v.z, v.w})) {
  }
  __device__ explicit __lib_small_four(double4 v)
      : __lib_small_four(__lib_small_pair<Kind>(double2{v.x, v.y}),
                         __lib_small_pair<Kind>(double2{v.z, v.w})) {}
  __device__ explicit __lib_small_four(__half2 low, __half2 high)
      : __lib_small_four(__lib_small_pair<Kind>(low), __lib_small_pair<Kind>(high)) {}
  __device__ explicit __lib_small_four(__nv_bfloat162 low, __nv_bfloat162 high)
      : __lib_small_four(__lib_small_pair<Kind>(low), __lib_small_pair<Kind>(high)) {}
  __device__ explicit operator float4() const {
    const unsigned x = __x;
    return float4{Kind::value(x), Kind::value(x >> Kind::bits), Kind::value(x >> 2 * Kind::bits),
                  Kind::value(x >> 3 * Kind::bits)};
  }
};
struct __nv_fp4_e2m1 : __lib_small<__lib_e2m1> {
  __nv_fp4_e2m1() = default;
  using __lib_small<__lib_e2m1>::__lib_small;
};
struct __nv_fp4x2_e2m1 : __lib_small_pair<__lib_e2m1> {
  __nv_fp4x2_e2m1() = default;
  using __lib_small_pair<__lib_e2m1>::__lib_small_pair;
};
struct __nv_fp4x4_e2m1 : __lib_small_four<__lib_e2m1> {
  __nv_fp4x4_e2m1() = default;
  using __lib_small_four<__lib_e2m1>::__lib_small_four;
};
struct __nv_fp6_e2m3 : __lib_small<__lib_e2m3> {
  __nv_fp6_e2m3() = default;
  using __lib_small<__lib_e2m3>::__lib_small;
};
struct __nv_fp6x2_e2m3 : __lib_small_pair<__lib_e2m3> {
  __nv_fp6x2_e2m3() = default;
  using __lib_small_pair<__lib_e2m3>::__lib_small_pair;
};
struct __nv_fp6x4_e2m3 : __lib_small_four<__lib_e2m3> {
  __nv_fp6x4_e2m3() = default;
  using __lib_small_four<__lib_e2m3>::__lib_small_four;
};
struct __nv_fp6_e3m2 : __lib_small<__lib_e3m2> {
  __nv_fp6_e3m2() = default;
  using __lib_small<__lib_e3m2>::__lib_small;
};
struct __nv_fp6x2_e3m2 : __lib_small_pair<__lib_e3m2> {
  __nv_fp6x2_e3m2() = default;
  using __lib_small_pair<__lib_e3m2>::__lib_small_pair;
};
struct __nv_fp6x4_e3m2 : __lib_small_four<__lib_e3m2> {
  __nv_fp6x4_e3m2() = default;
  using __lib_small_four<__lib_e3m2>::__lib_small_four;
};
