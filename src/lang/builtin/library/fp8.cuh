// <cuda_fp8.h>: 8-bit floats, implemented in integer arithmetic. E4M3 has 3 bits of fraction, bias 7, no
// infinity, and NaN only if all bits are set; E5M2 has 2 bits of fraction, bias 15, and infinities and NaN as
// in IEEE 754. Conversions round to nearest even.

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// The bits of half and bfloat16 as numbers.
struct __half_raw {
  unsigned short x;
  __half_raw() = default;
  __device__ constexpr __half_raw(__half v) : x(__quern_bitcast<unsigned short>(v)) {}
  __device__ constexpr operator __half() const { return __quern_bitcast<__half>(x); }
};
struct __half2_raw {
  unsigned short x, y;
  __half2_raw() = default;
  __device__ constexpr __half2_raw(__half2 v)
      : x(__quern_bitcast<unsigned short>(v.x)), y(__quern_bitcast<unsigned short>(v.y)) {}
  __device__ constexpr operator __half2() const {
    return __half2(__quern_bitcast<__half>(x), __quern_bitcast<__half>(y));
  }
};
struct __nv_bfloat16_raw {
  unsigned short x;
  __nv_bfloat16_raw() = default;
  __device__ constexpr __nv_bfloat16_raw(__nv_bfloat16 v) : x(__quern_bitcast<unsigned short>(v)) {}
  __device__ constexpr operator __nv_bfloat16() const { return __quern_bitcast<__nv_bfloat16>(x); }
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
  __nv_bfloat162_raw() = default;
  __device__ constexpr __nv_bfloat162_raw(__nv_bfloat162 v)
      : x(__quern_bitcast<unsigned short>(v.x)), y(__quern_bitcast<unsigned short>(v.y)) {}
  __device__ constexpr operator __nv_bfloat162() const {
    return __nv_bfloat162(__quern_bitcast<__nv_bfloat16>(x), __quern_bitcast<__nv_bfloat16>(y));
  }
};

// From float. A carry out of the fraction increments the exponent.
__device__ constexpr __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const int fraction = is_e4m3 ? 3 : 2;
  const int lowest = is_e4m3 ? -6 : -14;
  const unsigned most = is_e4m3 ? 0x7e : 0x7b;
  const unsigned bits = __quern_bitcast<unsigned>(x);
  const unsigned sign = bits >> 24 & 0x80;
  const unsigned size = bits & 0x7fffffff;
  if (size > 0x7f800000) return 0x7f;
  int exponent = int(size >> 23) - 127;
  const unsigned digits = (size & 0x7fffff) | 0x800000;
  int shift = 23 - fraction;
  if (exponent < lowest) {
    shift += lowest - exponent;
    exponent = lowest;
  }
  if (shift > 25) return (unsigned char)sign;
  unsigned kept = digits >> shift;
  const unsigned rest = digits & ((1u << shift) - 1);
  const unsigned half = 1u << (shift - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  unsigned result = (unsigned(exponent - lowest) << fraction) + kept;
  if (result > most) result = saturate == __NV_SATFINITE ? most : most + 1;
  return (unsigned char)(result | sign);
}
// From double: first to float towards zero with its last bit set if something is lost, which keeps the second
// rounding correct.
__device__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  float near = __quern_convert_r<float>(x, 1);
  if (x == x && double(near) != x) near = __quern_bitcast<float>(__quern_bitcast<unsigned>(near) | 1);
  return __nv_cvt_float_to_fp8(near, saturate, kind);
}
__device__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(float(__half(x)), saturate, kind);
}
__device__ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(float(__nv_bfloat16(x)), saturate, kind);
}
__device__ constexpr __nv_fp8x2_storage_t __lib_fp8_pair(unsigned low, unsigned high) {
  return (unsigned short)(low | high << 8);
}
__device__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return __lib_fp8_pair(__nv_cvt_float_to_fp8(v.x, saturate, kind),
                        __nv_cvt_float_to_fp8(v.y, saturate, kind));
}
__device__ __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __lib_fp8_pair(__nv_cvt_double_to_fp8(v.x, saturate, kind),
                        __nv_cvt_double_to_fp8(v.y, saturate, kind));
}
__device__ __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  __half2 pair = v;
  return __nv_cvt_float2_to_fp8x2(float2{float(pair.x), float(pair.y)}, saturate, kind);
}
__device__ __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                                                               __nv_saturation_t saturate,
                                                               __nv_fp8_interpretation_t kind) {
  __nv_bfloat162 pair = v;
  return __nv_cvt_float2_to_fp8x2(float2{float(pair.x), float(pair.y)}, saturate, kind);
}

// To float: exact.
__device__ constexpr float __lib_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const int fraction = is_e4m3 ? 3 : 2;
  const unsigned sign = (x & 0x80u) << 24;
  const unsigned size = x & 0x7fu;
  if (is_e4m3 ? size == 0x7f : size > 0x7c) return __quern_bitcast<float>(0x7fffffffu);
  if (!is_e4m3 && size == 0x7c) return __quern_bitcast<float>(sign | 0x7f800000u);
  if (size >> fraction == 0) {
    const float value = float(size) * (is_e4m3 ? 1.0f / 512 : 1.0f / 65536);
    return __quern_bitcast<float>(sign | __quern_bitcast<unsigned>(value));
  }
  return __quern_bitcast<float>(sign | ((size << (23 - fraction)) + (unsigned(is_e4m3 ? 120 : 112) << 23)));
}
__device__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half_raw(__half(__lib_fp8_to_float(x, kind)));
}
__device__ __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half2_raw(__half2(__half(__lib_fp8_to_float((unsigned char)x, kind)),
                             __half(__lib_fp8_to_float((unsigned char)(x >> 8), kind))));
}

// The types. Construction saturates.
template <__nv_fp8_interpretation_t Kind>
struct __lib_fp8 {
  __nv_fp8_storage_t __x;
  __lib_fp8() = default;
  __device__ explicit __lib_fp8(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, Kind)) {}
  __device__ explicit __lib_fp8(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, Kind)) {}
  __device__ explicit __lib_fp8(__half v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(__nv_bfloat16 v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(short v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(unsigned short v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(int v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(unsigned v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(long v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(unsigned long v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(long long v) : __lib_fp8(float(v)) {}
  __device__ explicit __lib_fp8(unsigned long long v) : __lib_fp8(float(v)) {}
  __device__ explicit operator float() const { return __lib_fp8_to_float(__x, Kind); }
  __device__ explicit operator double() const { return double(float(*this)); }
  __device__ explicit operator __half() const { return __half(float(*this)); }
  __device__ explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }
  __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }
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
template <__nv_fp8_interpretation_t Kind>
struct __lib_fp8x2 {
  __nv_fp8x2_storage_t __x;
  __lib_fp8x2() = default;
  __device__ explicit __lib_fp8x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, Kind)) {}
  __device__ explicit __lib_fp8x2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, Kind)) {}
  __device__ explicit __lib_fp8x2(__half2 v) : __lib_fp8x2(float2{float(v.x), float(v.y)}) {}
  __device__ explicit __lib_fp8x2(__nv_bfloat162 v) : __lib_fp8x2(float2{float(v.x), float(v.y)}) {}
  __device__ explicit operator float2() const {
    return float2{__lib_fp8_to_float((unsigned char)__x, Kind),
                  __lib_fp8_to_float((unsigned char)(__x >> 8), Kind)};
  }
  __device__ explicit operator __half2() const {
    float2 v = float2(*this);
    return __half2(__half(v.x), __half(v.y));
  }
};
template <__nv_fp8_interpretation_t Kind>
struct __lib_fp8x4 {
  __nv_fp8x4_storage_t __x;
  __lib_fp8x4() = default;
  __device__ __lib_fp8x4(__lib_fp8x2<Kind> low, __lib_fp8x2<Kind> high)
      : __x(low.__x | unsigned(high.__x) << 16) {}
  __device__ explicit __lib_fp8x4(float4 v)
      : __lib_fp8x4(__lib_fp8x2<Kind>(float2{v.x, v.y}), __lib_fp8x2<Kind>(float2{v.z, v.w})) {}
  __device__ explicit __lib_fp8x4(double4 v)
      : __lib_fp8x4(__lib_fp8x2<Kind>(double2{v.x, v.y}), __lib_fp8x2<Kind>(double2{v.z, v.w})) {}
  __device__ explicit __lib_fp8x4(__half2 low, __half2 high)
      : __lib_fp8x4(__lib_fp8x2<Kind>(low), __lib_fp8x2<Kind>(high)) {}
  __device__ explicit __lib_fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : __lib_fp8x4(__lib_fp8x2<Kind>(low), __lib_fp8x2<Kind>(high)) {}
  __device__ explicit operator float4() const {
    return float4{__lib_fp8_to_float((unsigned char)__x, Kind),
                  __lib_fp8_to_float((unsigned char)(__x >> 8), Kind),
                  __lib_fp8_to_float((unsigned char)(__x >> 16), Kind),
                  __lib_fp8_to_float((unsigned char)(__x >> 24), Kind)};
  }
};
struct __nv_fp8_e4m3 : __lib_fp8<__NV_E4M3> {
  __nv_fp8_e4m3() = default;
  using __lib_fp8<__NV_E4M3>::__lib_fp8;
};
struct __nv_fp8_e5m2 : __lib_fp8<__NV_E5M2> {
  __nv_fp8_e5m2() = default;
  using __lib_fp8<__NV_E5M2>::__lib_fp8;
};
struct __nv_fp8x2_e4m3 : __lib_fp8x2<__NV_E4M3> {
  __nv_fp8x2_e4m3() = default;
  using __lib_fp8x2<__NV_E4M3>::__lib_fp8x2;
};
struct __nv_fp8x2_e5m2 : __lib_fp8x2<__NV_E5M2> {
  __nv_fp8x2_e5m2() = default;
  using __lib_fp8x2<__NV_E5M2>::__lib_fp8x2;
};
struct __nv_fp8x4_e4m3 : __lib_fp8x4<__NV_E4M3> {
  __nv_fp8x4_e4m3() = default;
  using __lib_fp8x4<__NV_E4M3>::__lib_fp8x4;
};
struct __nv_fp8x4_e5m2 : __lib_fp8x4<__NV_E5M2> {
  __nv_fp8x4_e5m2() = default;
  using __lib_fp8x4<__NV_E5M2>::__lib_fp8x4;
};
