// <cuda_fp8.h>: every number from its code, and rounding compared with a search for the nearest number.
#include <cuda_fp8.h>

// The number that a code stands for, by its definition: sign, (1 +) fraction, times 2 as often as it says. The
// codes of infinity and NaN are not asked for.
__device__ float number(int code, int fraction, int bias) {
  int size = code & 0x7f, exponent = size >> fraction, steps = 1 << fraction;
  float v = float(size % steps) / steps;
  if (exponent > 0) v += 1;
  int power = exponent > 0 ? exponent - bias : 1 - bias;
  for (; power > 0; --power) v *= 2;
  for (; power < 0; ++power) v /= 2;
  return code & 0x80 ? -v : v;
}
struct E4M3 {
  static constexpr __nv_fp8_interpretation_t kKind = __NV_E4M3;
  static constexpr int kMost = 0x7e;
  static constexpr float kBeyond = 480;  // the position of the next number
  __device__ static float of(int code) { return number(code, 3, 7); }
};
struct E5M2 {
  static constexpr __nv_fp8_interpretation_t kKind = __NV_E5M2;
  static constexpr int kMost = 0x7b;
  static constexpr float kBeyond = 65536;
  __device__ static float of(int code) { return number(code, 2, 15); }
};

// The nearest code; of two that are as near, the even one. kMost + 1 stands for what is too large.
template <class Format>
__device__ int nearest(float x) {
  float size = fabsf(x);
  int best = 0;
  float distance = size;
  for (int code = 1; code <= Format::kMost + 1; ++code) {
    float d = fabsf(size - (code > Format::kMost ? Format::kBeyond : Format::of(code)));
    if (d < distance || (d == distance && code % 2 == 0)) {
      best = code;
      distance = d;
    }
  }
  return best | (signbit(x) ? 0x80 : 0);
}
template <class Format>
__device__ bool is_wrong(float x) {
  if (fabsf(x) > 1e6f) x = x > 0 ? 1e6f : -1e6f;
  int right = nearest<Format>(x);
  int free = __nv_cvt_float_to_fp8(x, __NV_NOSAT, Format::kKind);
  int bounded = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, Format::kKind);
  bool is_over = (right & 0x7f) > Format::kMost;
  return free != right || bounded != (is_over ? right - 1 : right);
}
template <class Format>
__device__ int count_wrong(int code) {
  int wrong = 0;
  int size = code & 0x7f;
  if (size <= Format::kMost) {
    float x = Format::of(code);
    float back = __half(__nv_cvt_fp8_to_halfraw((unsigned char)code, Format::kKind));
    wrong += back != x || signbit(back) != signbit(x);
    wrong += __nv_cvt_float_to_fp8(x, __NV_NOSAT, Format::kKind) != code;
    float next = size == Format::kMost ? Format::kBeyond : fabsf(Format::of(size + 1));
    float middle = (x + (code & 0x80 ? -next : next)) / 2;
    wrong += is_wrong<Format>(middle);
    wrong += is_wrong<Format>(__uint_as_float(__float_as_uint(middle) + 1));
    wrong += is_wrong<Format>(__uint_as_float(__float_as_uint(middle) - 1));
  }
  unsigned state = code * 2654435761u + 12345;
  for (int i = 0; i < 20; ++i) {
    state = state * 1664525u + 1013904223u;
    // Exponents around those of the format.
    unsigned bits = (state & 0x807fffffu) | ((127 - 20 + (state >> 9) % 40) << 23);
    wrong += is_wrong<Format>(__uint_as_float(bits));
  }
  return wrong;
}
//! run all_numbers_of_e4m3(i32[256]) block 256
//! wrong = 0*256
__global__ void all_numbers_of_e4m3(int* wrong) { wrong[threadIdx.x] = count_wrong<E4M3>(threadIdx.x); }
//! run all_numbers_of_e5m2(i32[256]) block 256
//! wrong = 0*256
__global__ void all_numbers_of_e5m2(int* wrong) { wrong[threadIdx.x] = count_wrong<E5M2>(threadIdx.x); }

//! run special_numbers(u32[16]) block 1
//! out = 126 126 127 126 127 128 0 1 123 123 124 123 124 252 127 252
__global__ void special_numbers(unsigned* out) {
  float infinity = __uint_as_float(0x7f800000u), nan = __uint_as_float(0x7fc00000u);
  out[0] = __nv_cvt_float_to_fp8(448, __NV_NOSAT, __NV_E4M3);
  out[1] = __nv_cvt_float_to_fp8(464, __NV_NOSAT, __NV_E4M3);  // half way: to even
  out[2] = __nv_cvt_float_to_fp8(464.1f, __NV_NOSAT, __NV_E4M3);
  out[3] = __nv_cvt_float_to_fp8(infinity, __NV_SATFINITE, __NV_E4M3);
  out[4] = __nv_cvt_float_to_fp8(nan, __NV_SATFINITE, __NV_E4M3);
  out[5] = __nv_cvt_float_to_fp8(-0.0f, __NV_SATFINITE, __NV_E4M3);
  out[6] = __nv_cvt_float_to_fp8(1.0f / 1024, __NV_SATFINITE, __NV_E4M3);
  out[7] = __nv_cvt_float_to_fp8(1.0f / 512, __NV_SATFINITE, __NV_E4M3);
  out[8] = __nv_cvt_float_to_fp8(57344, __NV_NOSAT, __NV_E5M2);
  out[9] = __nv_cvt_float_to_fp8(61439, __NV_NOSAT, __NV_E5M2);
  out[10] = __nv_cvt_float_to_fp8(61440, __NV_NOSAT, __NV_E5M2);  // half way: to even, which is infinity
  out[11] = __nv_cvt_float_to_fp8(61440, __NV_SATFINITE, __NV_E5M2);
  out[12] = __nv_cvt_float_to_fp8(infinity, __NV_NOSAT, __NV_E5M2);
  out[13] = __nv_cvt_float_to_fp8(-infinity, __NV_NOSAT, __NV_E5M2);
  out[14] = __nv_cvt_float_to_fp8(nan, __NV_NOSAT, __NV_E5M2);
  __half back = __nv_cvt_fp8_to_halfraw(0xfc, __NV_E5M2);  // -infinity
  out[15] = __half_as_ushort(back) >> 8 & 0xfc;
}

//! run one_rounding_from_double(u32[4]) block 1
//! out = 56 57 57 126
__global__ void one_rounding_from_double(unsigned* out) {
  out[0] = __nv_cvt_double_to_fp8(1.0625, __NV_SATFINITE, __NV_E4M3);
  out[1] = __nv_cvt_double_to_fp8(1.0625 + 1e-12, __NV_SATFINITE, __NV_E4M3);
  out[2] = __nv_fp8_e4m3(1.0625 + 1e-12).__x;
  out[3] = __nv_cvt_double_to_fp8(1e300, __NV_SATFINITE, __NV_E4M3);
}

//! run types(f32[8], i32[6], u32[4]) block 1
//! values = 1.75 -448 0.25 3 -2 0.5 57344 1.5
//! integers = -3 255 0 1 0 2
//! bits = 15416 48144 1006648376 3088
__global__ void types(float* values, int* integers, unsigned* bits) {
  values[0] = float(__nv_fp8_e4m3(1.8f));
  values[1] = float(__nv_fp8_e4m3(-1000));
  values[2] = float(__nv_fp8_e5m2(__half(0.26f)));
  float2 pair = float2(__nv_fp8x2_e4m3(float2{3.0f, -2.0f}));
  values[3] = pair.x;
  values[4] = pair.y;
  float4 four = float4(__nv_fp8x4_e5m2(float4{0.5f, 1e9f, 1.5f, 0.0f}));
  values[5] = four.x;
  values[6] = four.y;
  values[7] = four.z;
  __nv_fp8_e5m2 x(-3.5f), large(1e4f), zero(0.0f);
  integers[0] = int(x);
  integers[1] = (unsigned char)large;
  integers[2] = unsigned(x);
  integers[3] = bool(x);
  integers[4] = bool(zero);
  integers[5] = sizeof(__nv_fp8_e4m3) + sizeof(__nv_fp8x2_e4m3) - sizeof(__nv_fp8x4_e4m3) / 4;
  bits[0] = __nv_fp8x2_e5m2(__half2(0.5f, 1.0f)).__x;
  bits[1] = __nv_cvt_float2_to_fp8x2(float2{0.03125f, -1.5f}, __NV_SATFINITE, __NV_E4M3);
  bits[2] = __nv_fp8x4_e5m2(__half2(0.5f, 1.0f), __half2(0.0f, 1.0f)).__x;
  __half2 back = __nv_cvt_fp8x2_to_halfraw2(0x0c10, __NV_E4M3);
  bits[3] = __nv_cvt_halfraw2_to_fp8x2(back, __NV_SATFINITE, __NV_E4M3);
}
