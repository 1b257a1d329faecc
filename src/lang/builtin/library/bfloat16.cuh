// The pair of bfloat16 numbers, and conversions. __nv_bfloat16 itself is a built-in type.

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __device__ constexpr __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
using nv_bfloat162 = __nv_bfloat162;

// To and from 32 bits, for shuffles.
__device__ constexpr unsigned __lib_pack(__nv_bfloat16 v) { return __quern_bitcast<unsigned short>(v); }
__device__ constexpr unsigned __lib_pack(__nv_bfloat162 v) {
  return __lib_pack(v.x) | (__lib_pack(v.y) << 16);
}
__device__ constexpr __nv_bfloat16 __lib_unpack_bfloat16(unsigned v) {
  return __quern_bitcast<__nv_bfloat16>((unsigned short)v);
}
__device__ constexpr __nv_bfloat162 __lib_unpack_bfloat162(unsigned v) {
  return __nv_bfloat162(__lib_unpack_bfloat16(v), __lib_unpack_bfloat16(v >> 16));
}

// Floating point.
__device__ __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
__device__ __nv_bfloat16 __float2bfloat16_rn(float x) { return __quern_convert_r<__nv_bfloat16>(x, 0); }
__device__ __nv_bfloat16 __float2bfloat16_rz(float x) { return __quern_convert_r<__nv_bfloat16>(x, 1); }
__device__ __nv_bfloat16 __float2bfloat16_ru(float x) { return __quern_convert_r<__nv_bfloat16>(x, 2); }
__device__ __nv_bfloat16 __float2bfloat16_rd(float x) { return __quern_convert_r<__nv_bfloat16>(x, 3); }
__device__ __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
__device__ float __bfloat162float(__nv_bfloat16 x) { return float(x); }
__device__ __nv_bfloat162 __float2bfloat162_rn(float x) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x));
}
__device__ __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
__device__ __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y));
}
__device__ float2 __bfloat1622float2(__nv_bfloat162 v) { return float2{float(v.x), float(v.y)}; }
__device__ float __low2float(__nv_bfloat162 v) { return float(v.x); }
__device__ float __high2float(__nv_bfloat162 v) { return float(v.y); }

// Integers. NaN becomes 0, in 64 bits the sign bit.
__device__ signed char __bfloat162char_rz(__nv_bfloat16 x) { return __quern_convert_r<signed char>(x, 1); }
__device__ unsigned char __bfloat162uchar_rz(__nv_bfloat16 x) {
  return __quern_convert_r<unsigned char>(x, 1);
}
__device__ short __bfloat162short_rn(__nv_bfloat16 x) { return __quern_convert_r<short>(x, 0); }
__device__ short __bfloat162short_rz(__nv_bfloat16 x) { return __quern_convert_r<short>(x, 1); }
__device__ short __bfloat162short_ru(__nv_bfloat16 x) { return __quern_convert_r<short>(x, 2); }
__device__ short __bfloat162short_rd(__nv_bfloat16 x) { return __quern_convert_r<short>(x, 3); }
__device__ __nv_bfloat16 __short2bfloat16_rn(short x) { return __quern_convert_r<__nv_bfloat16>(x, 0); }
__device__ __nv_bfloat16 __short2bfloat16_rz(short x) { return __quern_convert_r<__nv_bfloat16>(x, 1); }
__device__ __nv_bfloat16 __short2bfloat16_ru(short x) { return __quern_convert_r<__nv_bfloat16>(x, 2); }
__device__ __nv_bfloat16 __short2bfloat16_rd(short x) { return __quern_convert_r<__nv_bfloat16>(x, 3); }
__device__ unsigned short __bfloat162ushort_rn(__nv_bfloat16 x) {
  return __quern_convert_r<unsigned short>(x, 0);
}
__device__ unsigned short __bfloat162ushort_rz(__nv_bfloat16 x) {
  return __quern_convert_r<unsigned short>(x, 1);
}
__device__ unsigned short __bfloat162ushort_ru(__nv_bfloat16 x) {
  return __quern_convert_r<unsigned short>(x, 2);
}
__device__ unsigned short __bfloat162ushort_rd(__nv_bfloat16 x) {
  return __quern_convert_r<unsigned short>(x, 3);
}
__device__ __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x) {
  return __quern_convert_r<__nv_bfloat16>(x, 0);
}
__device__ __nv_bfloat16 __ushort2bfloat16_rz(unsigned short x) {
  return __quern_convert_r<__nv_bfloat16>(x, 1);
}
__device__ __nv_bfloat16 __ushort2bfloat16_ru(unsigned short x) {
  return __quern_convert_r<__nv_bfloat16>(x, 2);
}
__device__ __nv_bfloat16 __ushort2bfloat16_rd(unsigned short x) {
  return __quern_convert_r<__nv_bfloat16>(x, 3);
}
__device__ int __bfloat162int_rn(__nv_bfloat16 x) { return __quern_convert_r<int>(x, 0); }
__device__ int __bfloat162int_rz(__nv_bfloat16 x) { return __quern_convert_r<int>(x, 1); }
__device__ int __bfloat162int_ru(__nv_bfloat16 x) { return __quern_convert_r<int>(x, 2); }
__device__ int __bfloat162int_rd(__nv_bfloat16 x) { return __quern_convert_r<int>(x, 3); }
__device__ __nv_bfloat16 __int2bfloat16_rn(int x) { return __quern_convert_r<__nv_bfloat16>(x, 0); }
__device__ __nv_bfloat16 __int2bfloat16_rz(int x) { return __quern_convert_r<__nv_bfloat16>(x, 1); }
__device__ __nv_bfloat16 __int2bfloat16_ru(int x) { return __quern_convert_r<__nv_bfloat16>(x, 2); }
__device__ __nv_bfloat16 __int2bfloat16_rd(int x) { return __quern_convert_r<__nv_bfloat16>(x, 3); }
__device__ unsigned __bfloat162uint_rn(__nv_bfloat16 x) { return __quern_convert_r<unsigned>(x, 0); }
__device__ unsigned __bfloat162uint_rz(__nv_bfloat16 x) { return __quern_convert_r<unsigned>(x, 1); }
__device__ unsigned __bfloat162uint_ru(__nv_bfloat16 x) { return __quern_convert_r<unsigned>(x, 2); }
__device__ unsigned __bfloat162uint_rd(__nv_bfloat16 x) { return __quern_convert_r<unsigned>(x, 3); }
__device__ __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __quern_convert_r<__nv_bfloat16>(x, 0); }
__device__ __nv_bfloat16 __uint2bfloat16_rz(unsigned x) { return __quern_convert_r<__nv_bfloat16>(x, 1); }
__device__ __nv_bfloat16 __uint2bfloat16_ru(unsigned x) { return __quern_convert_r<__nv_bfloat16>(x, 2); }
__device__ __nv_bfloat16 __uint2bfloat16_rd(unsigned x) { return __quern_convert_r<__nv_bfloat16>(x, 3); }
__device__ long long __bfloat162ll_rn(__nv_bfloat16 x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 0);
}
__device__ long long __bfloat162ll_rz(__nv_bfloat16 x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 1);
}
__device__ long long __bfloat162ll_ru(__nv_bfloat16 x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 2);
}
__device__ long long __bfloat162ll_rd(__nv_bfloat16 x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 3);
}
__device__ __nv_bfloat16 __ll2bfloat16_rn(long long x) { return __quern_convert_r<__nv_bfloat16>(x, 0); }
__device__ __nv_bfloat16 __ll2bfloat16_rz(long long x) { return __quern_convert_r<__nv_bfloat16>(x, 1); }
__device__ __nv_bfloat16 __ll2bfloat16_ru(long long x) { return __quern_convert_r<__nv_bfloat16>(x, 2); }
__device__ __nv_bfloat16 __ll2bfloat16_rd(long long x) { return __quern_convert_r<__nv_bfloat16>(x, 3); }
__device__ unsigned long long __bfloat162ull_rn(__nv_bfloat16 x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 0);
}
__device__ unsigned long long __bfloat162ull_rz(__nv_bfloat16 x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 1);
}
__device__ unsigned long long __bfloat162ull_ru(__nv_bfloat16 x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 2);
}
__device__ unsigned long long __bfloat162ull_rd(__nv_bfloat16 x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 3);
}
__device__ __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x) {
  return __quern_convert_r<__nv_bfloat16>(x, 0);
}
__device__ __nv_bfloat16 __ull2bfloat16_rz(unsigned long long x) {
  return __quern_convert_r<__nv_bfloat16>(x, 1);
}
__device__ __nv_bfloat16 __ull2bfloat16_ru(unsigned long long x) {
  return __quern_convert_r<__nv_bfloat16>(x, 2);
}
__device__ __nv_bfloat16 __ull2bfloat16_rd(unsigned long long x) {
  return __quern_convert_r<__nv_bfloat16>(x, 3);
}

// Bits.
__device__ constexpr short __bfloat16_as_short(__nv_bfloat16 x) { return __quern_bitcast<short>(x); }
__device__ constexpr unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return __quern_bitcast<unsigned short>(x);
}
__device__ constexpr __nv_bfloat16 __short_as_bfloat16(short x) { return __quern_bitcast<__nv_bfloat16>(x); }
__device__ constexpr __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __quern_bitcast<__nv_bfloat16>(x);
}

// Pairs.
__device__ constexpr __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
__device__ constexpr __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
__device__ constexpr __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
__device__ constexpr __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__device__ constexpr __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__device__ constexpr __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
__device__ constexpr __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
__device__ constexpr __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
__device__ constexpr __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}
__device__ constexpr __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
