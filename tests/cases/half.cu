// half, bfloat16 and their pairs: conversions, intrinsics, operators.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

//! run half_arithmetic(1.5, 0.25, f16[5])
//! out = 1.75 1.25 0.375 6 1.625
__global__ void half_arithmetic(__half a, __half b, __half* out) {
  out[0] = __hadd(a, b);
  out[1] = __hsub(a, b);
  out[2] = __hmul(a, b);
  out[3] = __hdiv(a, b);
  out[4] = __hfma(a, b, __float2half(1.25f));
}

//! run half_operators(1.5, 0.25, f16[7])
//! out = 1.75 1.25 0.375 6 -1.5 1.75 0.4375
__global__ void half_operators(half a, half b, half* out) {
  out[0] = a + b;
  out[1] = a - b;
  out[2] = a * b;
  out[3] = a / b;
  out[4] = -a;
  half c = a;
  c += b;
  out[5] = c;
  c *= b;
  out[6] = c;
}

//! run half_saturating(0.75, f16[4])
//! out = 1 0 0.5625 1
__global__ void half_saturating(__half a, __half* out) {
  out[0] = __hadd_sat(a, a);
  out[1] = __hsub_sat(a, __hadd(a, a));
  out[2] = __hmul_sat(a, a);
  out[3] = __hfma_sat(a, a, a);
}

//! run half_fma_rounds_once(f16[2])
//! out = 9.536743e-07 0
__global__ void half_fma_rounds_once(__half* out) {
  __half a = __ushort_as_half(0x3C01);  // 1 + 2^-10
  __half square = __hmul(a, a);
  out[0] = __hfma(a, a, __hneg(square));
  out[1] = __hsub(__hmul(a, a), square);
}

//! run half_comparisons(1, 2, i32[7])
//! out = 0 1 1 1 0 0 1
__global__ void half_comparisons(__half a, __half b, int* out) {
  out[0] = __heq(a, b);
  out[1] = __hne(a, b);
  out[2] = __hlt(a, b);
  out[3] = __hle(a, b);
  out[4] = __hgt(a, b);
  out[5] = __hge(a, b);
  out[6] = a < b && a != b && !(a == b);
}

//! run half_comparisons_with_nan(i32[6])
//! out = 0 0 1 1 1 1
__global__ void half_comparisons_with_nan(int* out) {
  __half nan = __ushort_as_half(0x7E00), one = __float2half(1.0f);
  out[0] = __heq(nan, one);
  out[1] = __hlt(nan, one);
  out[2] = __hequ(nan, one);
  out[3] = __hltu(nan, one);
  out[4] = __hisnan(nan);
  out[5] = __hisinf(__ushort_as_half(0x7C00));
}

//! run half_conversions_rounded(u16[4])
//! out = 11878 11878 11879 11878
__global__ void half_conversions_rounded(unsigned short* out) {
  float tenth = 0.1f + threadIdx.x;  // between 0x2E66 and 0x2E67
  out[0] = __half_as_ushort(__float2half_rn(tenth));
  out[1] = __half_as_ushort(__float2half_rz(tenth));
  out[2] = __half_as_ushort(__float2half_ru(tenth));
  out[3] = __half_as_ushort(__float2half_rd(tenth));
}

//! run half_to_integers(-2.5, i32[6])
//! out = -2 -2 -2 -3 0 65504
__global__ void half_to_integers(__half x, int* out) {
  out[0] = __half2int_rn(x);
  out[1] = __half2int_rz(x);
  out[2] = __half2int_ru(x);
  out[3] = __half2int_rd(x);
  out[4] = __half2uint_rz(x);
  out[5] = __half2int_rn(__ushort_as_half(0x7BFF));
}

//! run integers_to_half(2049, f16[5])
//! out = 2048 2048 2050 2048 -7
__global__ void integers_to_half(int x, __half* out) {
  out[0] = __int2half_rn(x);
  out[1] = __int2half_rz(x);
  out[2] = __int2half_ru(x);
  out[3] = __int2half_rd(x);
  out[4] = __short2half_rn(-7);
}

//! run half_limits(f32[5])
//! out = 65504 inf 5.9604645e-08 6.1035156e-05 0
__global__ void half_limits(float* out) {
  out[0] = __half2float(__float2half(65519.0f));
  out[1] = __half2float(__float2half(65520.0f));
  out[2] = __half2float(__ushort_as_half(1));
  out[3] = __half2float(__ushort_as_half(0x0400));
  out[4] = __half2float(__float2half(2e-8f));
}

//! run half_functions(4, f16[8])
//! out = 2 0.5 0.25 2 16 3 4 3
__global__ void half_functions(__half x, __half* out) {
  out[0] = hsqrt(x);
  out[1] = hrsqrt(x);
  out[2] = hrcp(x);
  out[3] = hlog2(x);
  out[4] = hexp2(x);
  out[5] = hfloor(__float2half(3.75f));
  out[6] = hceil(__float2half(3.25f));
  out[7] = htrunc(__float2half(3.75f));
}

//! run half_transcendental(0.5, f32[4])
//! out ~1e-3 = 1.6487212707 -0.69314718056 0.479425538604 0.87758256189
__global__ void half_transcendental(__half x, float* out) {
  out[0] = __half2float(hexp(x));
  out[1] = __half2float(hlog(x));
  out[2] = __half2float(hsin(x));
  out[3] = __half2float(hcos(x));
}

//! run half_sign_functions(-3, f16[4])
//! out = 3 3 -3 2
__global__ void half_sign_functions(__half x, __half* out) {
  __half two = __float2half(2.0f);
  out[0] = __hneg(x);
  out[1] = __habs(x);
  out[2] = __hmin(x, two);
  out[3] = __hmax(x, two);
}

//! run half_mixes_with_float(0.5, f32[2])
//! out = 2.5 1
__global__ void half_mixes_with_float(__half x, float* out) {
  out[0] = __half2float(x) + 2.0f;
  float f = x;
  out[1] = f * 2;
}

//! run pair_arithmetic(f32[8])
//! out = 5 8 -3 -4 4 12 0.25 3
__global__ void pair_arithmetic(float* out) {
  half2 a = __floats2half2_rn(1, 2), b = make_half2(__float2half(4), __float2half(6));
  half2 sum = __hadd2(a, b), difference = __hsub2(a, b), product = __hmul2(a, b), quotient = __h2div(a, b);
  out[0] = __low2float(sum);
  out[1] = __high2float(sum);
  out[2] = __low2float(difference);
  out[3] = __high2float(difference);
  out[4] = __low2float(product);
  out[5] = __high2float(product);
  out[6] = __low2float(quotient);
  out[7] = __high2float(__hfma2(a, quotient, __float2half2_rn(7.0f / 3))) > 2.9f ? 3 : 0;
}

//! run pair_operators(f16x2[1]=1.5, f16x2[3])
//! out = {2, 3.5} {0.75, 3} {-1.5, -1.5}
__global__ void pair_operators(const half2* in, half2* out) {
  half2 a = in[0];
  half2 b = __floats2half2_rn(0.5f, 2.0f);
  out[0] = a + b;
  out[1] = a * b;
  out[2] = -a;
}

//! run pair_shuffling(f32[8])
//! out = 2 1 1 1 2 2 1 3
__global__ void pair_shuffling(float* out) {
  half2 a = __floats2half2_rn(1, 2), b = __floats2half2_rn(3, 4);
  float2 swapped = __half22float2(__lowhigh2highlow(a));
  float2 lows = __half22float2(__low2half2(a)), highs = __half22float2(__high2half2(a));
  float2 both = __half22float2(__lows2half2(a, b));
  out[0] = swapped.x;
  out[1] = swapped.y;
  out[2] = lows.x;
  out[3] = lows.y;
  out[4] = highs.x;
  out[5] = highs.y;
  out[6] = both.x;
  out[7] = both.y;
}

//! run pair_comparisons(i32[4], f32[2])
//! out = 0 1 1 0
//! masks = 1 0
__global__ void pair_comparisons(int* out, float* masks) {
  half2 a = __floats2half2_rn(1, 5), b = __floats2half2_rn(2, 4);
  out[0] = __hblt2(a, b);
  out[1] = __hbne2(a, b);
  out[2] = __hbeq2(a, a);
  out[3] = __hbge2(a, b);
  half2 less = __hlt2(a, b);
  masks[0] = __low2float(less);
  masks[1] = __high2float(less);
}

//! run pair_of_memory(f16[8]=iota, f32[1])
//! out = 28
__global__ void pair_of_memory(const __half* in, float* out) {
  const half2* pairs = reinterpret_cast<const half2*>(in);
  half2 sum = __float2half2_rn(0.0f);
  for (int i = 0; i < 4; ++i) sum = __hadd2(sum, pairs[i]);
  out[0] = __half2float(__hadd(__low2half(sum), __high2half(sum)));
}

//! run pair_functions(f32[4])
//! out = 2 3 4 8
__global__ void pair_functions(float* out) {
  float2 roots = __half22float2(h2sqrt(__floats2half2_rn(4, 9)));
  float2 powers = __half22float2(h2exp2(__floats2half2_rn(2, 3)));
  out[0] = roots.x;
  out[1] = roots.y;
  out[2] = powers.x;
  out[3] = powers.y;
}

//! run bfloat_arithmetic(3, 0.5, bf16[5])
//! out = 3.5 2.5 1.5 6 1.75
__global__ void bfloat_arithmetic(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16* out) {
  out[0] = __hadd(a, b);
  out[1] = __hsub(a, b);
  out[2] = __hmul(a, b);
  out[3] = __hdiv(a, b);
  out[4] = __hfma(a, b, __float2bfloat16(0.25f));
}

//! run bfloat_rounding(u16[4])
//! out = 15821 15820 15821 15820
__global__ void bfloat_rounding(unsigned short* out) {
  float tenth = 0.1f + threadIdx.x;  // 0x3DCCCCCD
  out[0] = __bfloat16_as_ushort(__float2bfloat16_rn(tenth));
  out[1] = __bfloat16_as_ushort(__float2bfloat16_rz(tenth));
  out[2] = __bfloat16_as_ushort(__float2bfloat16_ru(tenth));
  out[3] = __bfloat16_as_ushort(__float2bfloat16_rd(tenth));
}

//! run bfloat_ties_to_even(f32[3])
//! out = 256 260 1e+38
__global__ void bfloat_ties_to_even(float* out) {
  out[0] = __bfloat162float(__float2bfloat16(257.0f));
  out[1] = __bfloat162float(__float2bfloat16(259.0f));
  out[2] = __bfloat162float(__float2bfloat16(1e38f)) > 9.9e37f ? 1e38f : 0;
}

//! run bfloat_pairs(f32[4])
//! out = 4 6 3 8
__global__ void bfloat_pairs(float* out) {
  __nv_bfloat162 a = __floats2bfloat162_rn(1, 2), b = __floats2bfloat162_rn(3, 4);
  __nv_bfloat162 sum = __hadd2(a, b), product = __hmul2(a, b);
  out[0] = __low2float(sum);
  out[1] = __high2float(sum);
  out[2] = __bfloat162float(product.x);
  out[3] = __bfloat162float(product.y);
}

//! run bfloat_operators(bf16[4]=2, f32[1])
//! out = 12
__global__ void bfloat_operators(const nv_bfloat16* in, float* out) {
  nv_bfloat16 sum = in[0];
  for (int i = 1; i < 4; ++i) sum = sum + in[i];
  nv_bfloat16 half_of_it = sum / in[0];
  out[0] = float(sum + half_of_it);
}

//! run half_reduction_in_float(f16[100]=1, f32[1])
//! out = 100
__global__ void half_reduction_in_float(const __half* in, float* out) {
  float sum = 0;
  for (int i = 0; i < 100; ++i) sum += __half2float(in[i]);
  out[0] = sum;
}
