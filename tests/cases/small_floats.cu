// <cuda_fp4.h> and <cuda_fp6.h>. The expected numbers are those of NVIDIA's headers. Where many numbers are
// converted, sums of their codes with weights are compared.
#include <cuda_fp4.h>
#include <cuda_fp6.h>

__device__ unsigned weight(unsigned i) { return (i * 2654435761u) ^ 0x9e3779b9u; }
__device__ float float_of(unsigned bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

//! run every_code(f32[16], f32[64], f32[64]) block 64
//! e2m1 = 0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5 -2 -3 -4 -6
//! e2m3 = 0 0.125 0.25 0.375 0.5 0.625 0.75 0.875 1 1.125 1.25 1.375 1.5 1.625 1.75 1.875 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4 4.5 5 5.5 6 6.5 7 7.5 -0 -0.125 -0.25 -0.375 -0.5 -0.625 -0.75 -0.875 -1 -1.125 -1.25 -1.375 -1.5 -1.625 -1.75 -1.875 -2 -2.25 -2.5 -2.75 -3 -3.25 -3.5 -3.75 -4 -4.5 -5 -5.5 -6 -6.5 -7 -7.5
//! e3m2 = 0 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.625 0.75 0.875 1 1.25 1.5 1.75 2 2.5 3 3.5 4 5 6 7 8 10 12 14 16 20 24 28 -0 -0.0625 -0.125 -0.1875 -0.25 -0.3125 -0.375 -0.4375 -0.5 -0.625 -0.75 -0.875 -1 -1.25 -1.5 -1.75 -2 -2.5 -3 -3.5 -4 -5 -6 -7 -8 -10 -12 -14 -16 -20 -24 -28
__global__ void every_code(float* e2m1, float* e2m3, float* e3m2) {
  const int i = threadIdx.x;
  if (i < 16) {
    __nv_fp4_e2m1 v;
    v.__x = i;
    e2m1[i] = float(v);
  }
  __nv_fp6_e2m3 a;
  __nv_fp6_e3m2 b;
  a.__x = i;
  b.__x = i;
  e2m3[i] = float(a);
  e3m2[i] = float(b);
}

// Halves spread over all exponents, and all codes that they can become.
//! run from_half(u32[6]=0) block 256
//! sums = 2866264155 4120200084 1883946741 2563511932 4038885932 3506139646
__global__ void from_half(unsigned* sums) {
  unsigned sum[6] = {0, 0, 0, 0, 0, 0};
  for (unsigned i = threadIdx.x; i < 65536; i += 256 * 13) {
    __half_raw x;
    x.x = (unsigned short)(i * 25117u);
    sum[0] += weight(i) * __nv_cvt_halfraw_to_fp4(x, __NV_E2M1, cudaRoundNearest);
    sum[1] += weight(i) * __nv_cvt_halfraw_to_fp4(x, __NV_E2M1, cudaRoundZero);
    sum[2] += weight(i) * __nv_cvt_halfraw_to_fp6(x, __NV_E2M3, cudaRoundNearest);
    sum[3] += weight(i) * __nv_cvt_halfraw_to_fp6(x, __NV_E2M3, cudaRoundZero);
    sum[4] += weight(i) * __nv_cvt_halfraw_to_fp6(x, __NV_E3M2, cudaRoundNearest);
    sum[5] += weight(i) * __nv_cvt_halfraw_to_fp6(x, __NV_E3M2, cudaRoundZero);
  }
  for (int k = 0; k < 6; ++k) atomicAdd(sums + k, sum[k]);
}

// Multiples of 1/32 and their neighbors: all ties.
//! run from_float(u32[6]=0) block 128
//! sums = 1397094522 2815627406 2238726482 3037871190 2756857594 2561794462
__global__ void from_float(unsigned* sums) {
  unsigned sum[6] = {0, 0, 0, 0, 0, 0};
  for (unsigned i = threadIdx.x; i < 1024; i += 128) {
    for (int step = -1; step <= 1; ++step) {
      float x = float(i) / 32;
      unsigned bits;
      memcpy(&bits, &x, sizeof x);
      x = float_of(bits + (i == 0 ? 0 : step));
      if (i % 3 == 0) x = -x;
      const unsigned w = weight(3 * i + step);
      sum[0] += w * __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
      sum[1] += w * __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundZero);
      sum[2] += w * __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest);
      sum[3] += w * __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundZero);
      sum[4] += w * __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest);
      sum[5] += w * __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundZero);
    }
  }
  for (int k = 0; k < 6; ++k) atomicAdd(sums + k, sum[k]);
}

//! run special_floats(u32[24]) block 8
//! out = 0 8 7 15 7 7 0 15 0 32 31 63 31 31 0 63 0 32 31 63 31 31 0 63
__global__ void special_floats(unsigned* out) {
  const unsigned bits[8] = {0,           0x80000000u, 0x7f800000u, 0xff800000u,
                            0x7fc00000u, 0xffc00000u, 1,           0xff7fffffu};
  const float x = float_of(bits[threadIdx.x]);
  out[threadIdx.x] = __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  out[8 + threadIdx.x] = __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  out[16 + threadIdx.x] = __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundZero);
}

// Rounded once: the distance from a tie is too small for float.
//! run from_double(u32[24]) block 8
//! out = 2 5 0 6 9 12 8 14 6 18 1 25 38 50 33 56 10 17 3 20 42 49 34 52
__global__ void from_double(unsigned* out) {
  const double ties[4] = {0.75, 2.5, 0.15625, 4.25};
  const double tie = ties[threadIdx.x % 4];
  const double x = threadIdx.x < 4 ? tie + 1e-13 : -tie + 1e-13;
  out[threadIdx.x] = __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  out[8 + threadIdx.x] = __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  out[16 + threadIdx.x] = __nv_cvt_double_to_fp6(x, __NV_E3M2, cudaRoundNearest);
}

//! run from_bfloat(u32[32]) block 8
//! out = 1 9 1 9 1 9 1 10 145 25 145 25 145 25 145 42 8706 546 8963 803 9220 1317 9734 1831 9220 1317 9477 1574 9991 2088 10505 2602
__global__ void from_bfloat(unsigned* out) {
  __nv_bfloat16_raw x;
  x.x = (unsigned short)(0x3e81u + 0x1fu * threadIdx.x + (threadIdx.x % 2 << 15));
  __nv_bfloat162_raw both;
  both.x = x.x;
  both.y = (unsigned short)(x.x ^ 0x8000u);
  out[threadIdx.x] = __nv_cvt_bfloat16raw_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  out[8 + threadIdx.x] = __nv_cvt_bfloat16raw2_to_fp4x2(both, __NV_E2M1, cudaRoundNearest);
  out[16 + threadIdx.x] = __nv_cvt_bfloat16raw2_to_fp6x2(both, __NV_E2M3, cudaRoundNearest);
  out[24 + threadIdx.x] = __nv_cvt_bfloat16raw2_to_fp6x2(both, __NV_E3M2, cudaRoundZero);
}

//! run pairs(u32[12], f32[6]) block 1
//! out = 211 96 89 12810 5380 5669 211 5669 5381 58529 940582916 321458985
//! back = 1.5 -3 0.3125 5 -1 -4
__global__ void pairs(unsigned* out, float* back) {
  const float2 v = {1.3f, -2.6f};
  const double2 w = {0.3, 5.1};
  const __half2 h = __floats2half2_rn(-0.6f, 3.4f);
  const __half2_raw raw = h;
  out[0] = __nv_cvt_float2_to_fp4x2(v, __NV_E2M1, cudaRoundNearest);
  out[1] = __nv_cvt_double2_to_fp4x2(w, __NV_E2M1, cudaRoundZero);
  out[2] = __nv_cvt_halfraw2_to_fp4x2(raw, __NV_E2M1, cudaRoundNearest);
  out[3] = __nv_cvt_float2_to_fp6x2(v, __NV_E2M3, cudaRoundNearest);
  out[4] = __nv_cvt_double2_to_fp6x2(w, __NV_E3M2, cudaRoundZero);
  out[5] = __nv_cvt_halfraw2_to_fp6x2(raw, __NV_E2M3, cudaRoundNearest);
  out[6] = __nv_fp4x2_e2m1(v).__x;
  out[7] = __nv_fp6x2_e2m3(h).__x;
  out[8] = __nv_fp6x2_e3m2(w).__x;
  out[9] = __nv_fp4x4_e2m1(float4{0.5f, -1, 2, -4}).__x;
  out[10] = __nv_fp6x4_e2m3(float4{0.5f, -1, 2, -4}).__x;
  out[11] = __nv_fp6x4_e3m2(h, h).__x;
  const float2 a = float2(__nv_fp4x2_e2m1(v)), b = float2(__nv_fp6x2_e3m2(w));
  const float4 c = float4(__nv_fp6x4_e2m3(float4{0.5f, -1, 2, -4}));
  back[0] = a.x;
  back[1] = a.y;
  back[2] = b.x;
  back[3] = b.y;
  back[4] = c.y;
  back[5] = c.w;
}

//! run classes(i32[14], u64[9]) block 1
//! out = 5 15 0 53 31 31 53 3 -6 0 -3 7 28 -50
//! sizes = 1 1 2 1 2 4 1 2 4
__global__ void classes(int* out, unsigned long long* sizes) {
  __nv_fp4_e2m1 a(2.9f), b(-7), c(0.1);
  __nv_fp6_e2m3 d(__float2half(-3.3f)), e(100u);
  __nv_fp6_e3m2 f(27.0), g(static_cast<short>(-5));
  out[0] = a.__x;
  out[1] = b.__x;
  out[2] = c.__x;
  out[3] = d.__x;
  out[4] = e.__x;
  out[5] = f.__x;
  out[6] = g.__x;
  out[7] = int(a);
  out[8] = int(b);
  out[9] = bool(c);
  out[10] = int(d);
  out[11] = (int)(unsigned)e;
  out[12] = short(f);
  out[13] = int(__half2float(__half(g)) * 10);
  sizes[0] = sizeof(__nv_fp4_e2m1);
  sizes[1] = sizeof(__nv_fp4x2_e2m1);
  sizes[2] = sizeof(__nv_fp4x4_e2m1);
  sizes[3] = sizeof(__nv_fp6_e2m3);
  sizes[4] = sizeof(__nv_fp6x2_e2m3);
  sizes[5] = sizeof(__nv_fp6x4_e2m3);
  sizes[6] = sizeof(__nv_fp6_e3m2);
  sizes[7] = sizeof(__nv_fp6x2_e3m2);
  sizes[8] = sizeof(__nv_fp6x4_e3m2);
}
