// Defects that random kernels found on some device.

//! run order_of_extended_numbers(-7, i32[12])
//! out = 1 1 0 0 1 0 -7 3 7 -7 -78 -2
__global__ void order_of_extended_numbers(int x, int* out) {
  long long wide = x;
  out[0] = wide < 2;
  out[1] = wide <= 2;
  out[2] = wide > 2;
  out[3] = -9 > wide;
  out[4] = wide < 0;
  out[5] = wide >= -6;
  out[6] = (int)min(wide, 3ll);
  out[7] = (int)max(3ll, wide);
  out[8] = (int)llabs(wide);
  out[9] = (int)min(229ll, (long long)(short)x);
  out[10] = (int)(552ll / wide);
  out[11] = (int)(wide / 3ll);
}

//! run order_of_extended_numbers_in_a_loop(-2, i32[4])
//! out = 2 2 -2 -1
__global__ void order_of_extended_numbers_in_a_loop(int x, int* out) {
  long long wide = x;
  int below = 0, not_above = 0;
  long long least = 5, rest = 0;
  for (int k = -3; k < 1; ++k) {
    long long number = k;
    below += wide < number;
    not_above += (long long)(x + 1) < (long long)(k + 1);
    least = min(least, wide);
    rest = number % 2;
    if (k == -1) break;
  }
  out[0] = below + 1;
  out[1] = not_above + 1;
  out[2] = (int)least;
  out[3] = (int)rest;
}

//! run count_of_bits_in_all_bits(5, u32[5])
//! out = 4294967293 30 4294967294 65538 524290
__global__ void count_of_bits_in_all_bits(unsigned x, unsigned* out) {
  out[0] = ~(unsigned)__popc(x);
  out[1] = __popc(~(unsigned)__popc(x + 2)) + __popc(x) - 2;
  out[2] = (unsigned)(~__popc(4 * x - 4));
  out[3] = 0x10000u | (unsigned)__popc(x);
  out[4] = ((unsigned)(__popc(x) * 4) << 16) + (unsigned)__popc(x);
}

//! run bit_positions_in_all_bits(5, u32[3])
//! out = 4294967266 4294967294 65537
__global__ void bit_positions_in_all_bits(unsigned x, unsigned* out) {
  out[0] = ~(unsigned)__clz(x);
  out[1] = ~(unsigned)__ffs(x);
  out[2] = 0x10000u + (unsigned)__ffs(x);
}

//! run infinity_times_zero(1e30, i32[9])
//! out = 1 1 1 1 1 1 1 1 0
__global__ void infinity_times_zero(float x, int* out) {
  float large = x * x;
  out[0] = isnan(large * 0.0f);
  out[1] = isnan(fabsf(large * -0.0f));
  out[2] = isnan(large + fabsf(large * 0.0f));
  out[3] = isnan(fmaf(large, 0.0f, large));
  out[4] = isnan(0.0f * -large * 3.0f);
  float sum = 0.0f, product = 0.0f;
  for (int k = 0; k < 2; ++k) {
    sum += fmaf((float)k, large, 1.0f);
    product += (float)k * large;
  }
  out[5] = isnan(sum);
  out[6] = isnan(product);
  float first = 0.0f;
  first *= large;
  out[7] = isnan(first);
  out[8] = isnan((float)threadIdx.x * x);
}

//! run infinity_times_zero_in_double(1e300, i32[4])
//! out = 1 1 1 0
__global__ void infinity_times_zero_in_double(double x, int* out) {
  double large = x * x, product = 0.0;
  for (int k = 0; k < 2; ++k) product += (double)k * large;
  out[0] = isnan(product);
  out[1] = isnan(large * 0.0);
  out[2] = isnan((double)threadIdx.x * large);
  out[3] = isnan(fma((double)threadIdx.x, x, 1.0));
}

//! run nan_is_not_above_itself(1e30, i32[4])
//! out = 0 0 1 1
__global__ void nan_is_not_above_itself(float x, int* out) {
  float number = x * x - x * x;
  out[0] = number > number;
  out[1] = number < number;
  out[2] = !(number > number);
  out[3] = number != number;
}

//! run unsigned_division_of_negative_shorts(i32[8]=iota, u32[8], u32[8]) block 8
//! quotients = 4294967258 4294967241 2147483612 1431655735 1073741797 858993434 715827859 613566734
//! rests = 0 0 0 2 2 3 2 1
__global__ void unsigned_division_of_negative_shorts(const int* in, unsigned* quotients, unsigned* rests) {
  unsigned i = threadIdx.x, by = i == 0 ? 1 : i;
  short narrow = (short)(in[i] * -17 - 38);
  quotients[i] = (unsigned)narrow / by;
  rests[i] = (unsigned)narrow % by;
}

//! run unsigned_division_of_small_negative_numbers(i32[4]=iota, u32[4], u32[4]) block 4
//! quotients = 4294967293 2147483642 1431655758 1073741816
//! rests = 0 0 1 0
__global__ void unsigned_division_of_small_negative_numbers(const int* in, unsigned* quotients, unsigned* rests) {
  unsigned i = threadIdx.x, by = i + 1;
  int some = in[i] * -150 - 38;
  quotients[i] = (unsigned)(some >> 4) / by;
  rests[i] = (unsigned)(some % 64) % by;
}

//! run fma_of_a_number_and_its_negative(i32[4]=iota, f32[4]=iota, f32[4]) block 4
//! out = -8281 -8648.5 -9024 -9407.5
__global__ void fma_of_a_number_and_its_negative(const int* in_i, const float* in_f, float* out) {
  int i = threadIdx.x;
  float a = (float)(in_i[i] * 3 + 91), b = in_f[i] * 1.0f;
  out[i] = fmaf(a - b, b - a, b * 0.5f);
}

//! run upper_half_of_a_square(i32[4]=iota, u32[4]) block 4
//! out = 33124 56169 36672 17490
__global__ void upper_half_of_a_square(const int* in, unsigned* out) {
  unsigned i = threadIdx.x, x = (unsigned)(in[i] * 146 + 91);
  while (x < 0x800000u) x <<= 1;
  out[i] = __umulhi(x, x);
}

// Each value is used three times: an analysis that visits it again for each use does not terminate.
//! run division_after_many_steps(u32[4]=iota, u32[4], 1000) block 4
//! out = 9 844 180 985
__global__ void division_after_many_steps(const unsigned* in, unsigned* out, unsigned n) {
  unsigned x = in[threadIdx.x];
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  x = (x ^ (x >> 3)) + (x | 5u);
  out[threadIdx.x] = x % n;
}

// Mesa's GLSL compiler crashed: it merges the constants of such nested functions, and does not handle 64 bits.
//! run long_limits_in_each_other(i32[4]=iota, i64[8], u64[4])
//! y = 215 215 900 900 -2000 -1000 215 215
//! z = 7 7 30 40
__global__ void long_limits_in_each_other(const int* x, long long* y, unsigned long long* z) {
  for (int i = 0; i < 4; ++i) {
    const long long v = 3000ll * x[i] - 4000ll;
    y[i] = min(max(-662ll, max(v, 215ll)), 900ll);
    y[4 + i] = min(215ll, min(max(v, -2000ll), 4000ll));
    z[i] = min(max((unsigned long long)(10 + 10 * i) / (i < 2 ? 4ull : 1ull), 7ull), min(40ull, 1ull << 40));
  }
}

// NVIDIA's ptxas moved the negation of a 64-bit number's low word out of the shift: 0 for -1 (random kernel 1520106).
//! run shifted_negation<9>(i64[4]=iota, i32[4]=iota) block 4
//! out = 0 0 1 2
//! run shifted_negation<1>(i64[4]=iota, i32[4]=iota) block 4
//! out = 0 0 1 1
//! run shifted_negation<31>(i64[4]=iota, i32[4]=iota) block 4
//! out = 0 0 1 2
template <int By>
__global__ void shifted_negation(const long long* in, int* out) {
  const long long at = in[threadIdx.x];
  const int i = (int)at;
  out[at] = (-i >> By) + out[at];
}

// The negation appears when the loop is unrolled.
//! run shifted_difference(i64[4]=iota, i32[8]=iota) block 4
//! out = 0 0 1 2  4 5 5 6
__global__ void shifted_difference(const long long* in, int* out) {
  const long long at = in[threadIdx.x];
  const int i = (int)at;
  for (int k = 0; k < 2; ++k) out[at + 4 * k] += (k - i) >> 9;
}

// NVIDIA's Vulkan under WebGPU: the remainder of a division by a negative constant had another sign.
//! run remainder_of_negative_constant(i32[4]=iota, i32[8]) block 4
//! out = 0 1 0 1  0 -1 0 -1
__global__ void remainder_of_negative_constant(const int* in, int* out) {
  const int x = in[threadIdx.x];
  out[x] = x % -2;
  out[4 + x] = -x % -2;
}
