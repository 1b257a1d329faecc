// The pair of half numbers, and conversions. __half itself is a built-in type.

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __device__ constexpr __half2(__half a, __half b) : x(a), y(b) {}
};
using half2 = __half2;

// To and from 32 bits, for shuffles.
__device__ constexpr unsigned __lib_pack(__half v) { return __quern_bitcast<unsigned short>(v); }
__device__ constexpr unsigned __lib_pack(__half2 v) { return __lib_pack(v.x) | (__lib_pack(v.y) << 16); }
__device__ constexpr __half __lib_unpack_half(unsigned v) {
  return __quern_bitcast<__half>((unsigned short)v);
}
__device__ constexpr __half2 __lib_unpack_half2(unsigned v) {
  return __half2(__lib_unpack_half(v), __lib_unpack_half(v >> 16));
}

// Floating point.
__device__ __half __float2half(float x) { return __half(x); }
__device__ __half __float2half_rn(float x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __float2half_rz(float x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __float2half_ru(float x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __float2half_rd(float x) { return __quern_convert_r<__half>(x, 3); }
__device__ __half __double2half(double x) { return __half(x); }
__device__ float __half2float(__half x) { return float(x); }
__device__ __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
__device__ __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
__device__ __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
__device__ float2 __half22float2(__half2 v) { return float2{float(v.x), float(v.y)}; }
__device__ float __low2float(__half2 v) { return float(v.x); }
__device__ float __high2float(__half2 v) { return float(v.y); }

// Integers. NaN becomes 0, in 64 bits the sign bit.
__device__ signed char __half2char_rz(__half x) { return __quern_convert_r<signed char>(x, 1); }
__device__ unsigned char __half2uchar_rz(__half x) { return __quern_convert_r<unsigned char>(x, 1); }
__device__ short __half2short_rn(__half x) { return __quern_convert_r<short>(x, 0); }
__device__ short __half2short_rz(__half x) { return __quern_convert_r<short>(x, 1); }
__device__ short __half2short_ru(__half x) { return __quern_convert_r<short>(x, 2); }
__device__ short __half2short_rd(__half x) { return __quern_convert_r<short>(x, 3); }
__device__ __half __short2half_rn(short x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __short2half_rz(short x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __short2half_ru(short x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __short2half_rd(short x) { return __quern_convert_r<__half>(x, 3); }
__device__ unsigned short __half2ushort_rn(__half x) { return __quern_convert_r<unsigned short>(x, 0); }
__device__ unsigned short __half2ushort_rz(__half x) { return __quern_convert_r<unsigned short>(x, 1); }
__device__ unsigned short __half2ushort_ru(__half x) { return __quern_convert_r<unsigned short>(x, 2); }
__device__ unsigned short __half2ushort_rd(__half x) { return __quern_convert_r<unsigned short>(x, 3); }
__device__ __half __ushort2half_rn(unsigned short x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __ushort2half_rz(unsigned short x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __ushort2half_ru(unsigned short x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __ushort2half_rd(unsigned short x) { return __quern_convert_r<__half>(x, 3); }
__device__ int __half2int_rn(__half x) { return __quern_convert_r<int>(x, 0); }
__device__ int __half2int_rz(__half x) { return __quern_convert_r<int>(x, 1); }
__device__ int __half2int_ru(__half x) { return __quern_convert_r<int>(x, 2); }
__device__ int __half2int_rd(__half x) { return __quern_convert_r<int>(x, 3); }
__device__ __half __int2half_rn(int x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __int2half_rz(int x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __int2half_ru(int x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __int2half_rd(int x) { return __quern_convert_r<__half>(x, 3); }
__device__ unsigned __half2uint_rn(__half x) { return __quern_convert_r<unsigned>(x, 0); }
__device__ unsigned __half2uint_rz(__half x) { return __quern_convert_r<unsigned>(x, 1); }
__device__ unsigned __half2uint_ru(__half x) { return __quern_convert_r<unsigned>(x, 2); }
__device__ unsigned __half2uint_rd(__half x) { return __quern_convert_r<unsigned>(x, 3); }
__device__ __half __uint2half_rn(unsigned x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __uint2half_rz(unsigned x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __uint2half_ru(unsigned x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __uint2half_rd(unsigned x) { return __quern_convert_r<__half>(x, 3); }
__device__ long long __half2ll_rn(__half x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 0);
}
__device__ long long __half2ll_rz(__half x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 1);
}
__device__ long long __half2ll_ru(__half x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 2);
}
__device__ long long __half2ll_rd(__half x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 3);
}
__device__ __half __ll2half_rn(long long x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __ll2half_rz(long long x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __ll2half_ru(long long x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __ll2half_rd(long long x) { return __quern_convert_r<__half>(x, 3); }
__device__ unsigned long long __half2ull_rn(__half x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 0);
}
__device__ unsigned long long __half2ull_rz(__half x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 1);
}
__device__ unsigned long long __half2ull_ru(__half x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 2);
}
__device__ unsigned long long __half2ull_rd(__half x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 3);
}
__device__ __half __ull2half_rn(unsigned long long x) { return __quern_convert_r<__half>(x, 0); }
__device__ __half __ull2half_rz(unsigned long long x) { return __quern_convert_r<__half>(x, 1); }
__device__ __half __ull2half_ru(unsigned long long x) { return __quern_convert_r<__half>(x, 2); }
__device__ __half __ull2half_rd(unsigned long long x) { return __quern_convert_r<__half>(x, 3); }

// Bits.
__device__ constexpr short __half_as_short(__half x) { return __quern_bitcast<short>(x); }
__device__ constexpr unsigned short __half_as_ushort(__half x) { return __quern_bitcast<unsigned short>(x); }
__device__ constexpr __half __short_as_half(short x) { return __quern_bitcast<__half>(x); }
__device__ constexpr __half __ushort_as_half(unsigned short x) { return __quern_bitcast<__half>(x); }

// Pairs.
__device__ constexpr __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__device__ constexpr __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__device__ constexpr __half2 __half2half2(__half x) { return __half2(x, x); }
__device__ constexpr __half __low2half(__half2 v) { return v.x; }
__device__ constexpr __half __high2half(__half2 v) { return v.y; }
__device__ constexpr __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
__device__ constexpr __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
__device__ constexpr __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__device__ constexpr __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__device__ constexpr __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
