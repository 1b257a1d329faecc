// Functions that are built into CUDA's compiler: rounding, conversions, bits.

// Fast and less accurate.
__device__ float __expf(float x) { return __quern_fast_exp(x); }
__device__ float __exp10f(float x) { return __quern_fast_exp10(x); }
__device__ float __logf(float x) { return __quern_fast_log(x); }
__device__ float __log2f(float x) { return __quern_fast_log2(x); }
__device__ float __log10f(float x) { return __quern_fast_log10(x); }
__device__ float __sinf(float x) { return __quern_fast_sin(x); }
__device__ float __cosf(float x) { return __quern_fast_cos(x); }
__device__ float __tanf(float x) { return __quern_fast_tan(x); }
__device__ float __tanhf(float x) { return __quern_fast_tanh(x); }
__device__ float __powf(float x, float y) { return __quern_fast_pow(x, y); }
__device__ float __fdividef(float x, float y) { return __quern_fast_div(x, y); }
__device__ void __sincosf(float x, float* s, float* c) {
  *s = __quern_fast_sin(x);
  *c = __quern_fast_cos(x);
}
__device__ float __saturatef(float x) { return __quern_min(__quern_max(x, 0.0f), 1.0f); }
__device__ float saturate(float x) { return __saturatef(x); }

// With a rounding mode: to nearest even, to zero, up, down.
__device__ float __fadd_rn(float x, float y) { return __quern_add_r(x, y, 0); }
__device__ float __fadd_rz(float x, float y) { return __quern_add_r(x, y, 1); }
__device__ float __fadd_ru(float x, float y) { return __quern_add_r(x, y, 2); }
__device__ float __fadd_rd(float x, float y) { return __quern_add_r(x, y, 3); }
__device__ float __fsub_rn(float x, float y) { return __quern_add_r(x, -y, 0); }
__device__ float __fsub_rz(float x, float y) { return __quern_add_r(x, -y, 1); }
__device__ float __fsub_ru(float x, float y) { return __quern_add_r(x, -y, 2); }
__device__ float __fsub_rd(float x, float y) { return __quern_add_r(x, -y, 3); }
__device__ float __fmul_rn(float x, float y) { return __quern_mul_r(x, y, 0); }
__device__ float __fmul_rz(float x, float y) { return __quern_mul_r(x, y, 1); }
__device__ float __fmul_ru(float x, float y) { return __quern_mul_r(x, y, 2); }
__device__ float __fmul_rd(float x, float y) { return __quern_mul_r(x, y, 3); }
__device__ float __fdiv_rn(float x, float y) { return __quern_div_r(x, y, 0); }
__device__ float __fdiv_rz(float x, float y) { return __quern_div_r(x, y, 1); }
__device__ float __fdiv_ru(float x, float y) { return __quern_div_r(x, y, 2); }
__device__ float __fdiv_rd(float x, float y) { return __quern_div_r(x, y, 3); }
__device__ float __frcp_rn(float x) { return __quern_div_r(float(1), x, 0); }
__device__ float __frcp_rz(float x) { return __quern_div_r(float(1), x, 1); }
__device__ float __frcp_ru(float x) { return __quern_div_r(float(1), x, 2); }
__device__ float __frcp_rd(float x) { return __quern_div_r(float(1), x, 3); }
__device__ float __fsqrt_rn(float x) { return __quern_sqrt_r(x, 0); }
__device__ float __fsqrt_rz(float x) { return __quern_sqrt_r(x, 1); }
__device__ float __fsqrt_ru(float x) { return __quern_sqrt_r(x, 2); }
__device__ float __fsqrt_rd(float x) { return __quern_sqrt_r(x, 3); }
__device__ float __fmaf_rn(float x, float y, float z) { return __quern_fma_r(x, y, z, 0); }
__device__ float __fmaf_rz(float x, float y, float z) { return __quern_fma_r(x, y, z, 1); }
__device__ float __fmaf_ru(float x, float y, float z) { return __quern_fma_r(x, y, z, 2); }
__device__ float __fmaf_rd(float x, float y, float z) { return __quern_fma_r(x, y, z, 3); }
__device__ double __dadd_rn(double x, double y) { return __quern_add_r(x, y, 0); }
__device__ double __dadd_rz(double x, double y) { return __quern_add_r(x, y, 1); }
__device__ double __dadd_ru(double x, double y) { return __quern_add_r(x, y, 2); }
__device__ double __dadd_rd(double x, double y) { return __quern_add_r(x, y, 3); }
__device__ double __dsub_rn(double x, double y) { return __quern_add_r(x, -y, 0); }
__device__ double __dsub_rz(double x, double y) { return __quern_add_r(x, -y, 1); }
__device__ double __dsub_ru(double x, double y) { return __quern_add_r(x, -y, 2); }
__device__ double __dsub_rd(double x, double y) { return __quern_add_r(x, -y, 3); }
__device__ double __dmul_rn(double x, double y) { return __quern_mul_r(x, y, 0); }
__device__ double __dmul_rz(double x, double y) { return __quern_mul_r(x, y, 1); }
__device__ double __dmul_ru(double x, double y) { return __quern_mul_r(x, y, 2); }
__device__ double __dmul_rd(double x, double y) { return __quern_mul_r(x, y, 3); }
__device__ double __ddiv_rn(double x, double y) { return __quern_div_r(x, y, 0); }
__device__ double __ddiv_rz(double x, double y) { return __quern_div_r(x, y, 1); }
__device__ double __ddiv_ru(double x, double y) { return __quern_div_r(x, y, 2); }
__device__ double __ddiv_rd(double x, double y) { return __quern_div_r(x, y, 3); }
__device__ double __drcp_rn(double x) { return __quern_div_r(double(1), x, 0); }
__device__ double __drcp_rz(double x) { return __quern_div_r(double(1), x, 1); }
__device__ double __drcp_ru(double x) { return __quern_div_r(double(1), x, 2); }
__device__ double __drcp_rd(double x) { return __quern_div_r(double(1), x, 3); }
__device__ double __dsqrt_rn(double x) { return __quern_sqrt_r(x, 0); }
__device__ double __dsqrt_rz(double x) { return __quern_sqrt_r(x, 1); }
__device__ double __dsqrt_ru(double x) { return __quern_sqrt_r(x, 2); }
__device__ double __dsqrt_rd(double x) { return __quern_sqrt_r(x, 3); }
__device__ double __fma_rn(double x, double y, double z) { return __quern_fma_r(x, y, z, 0); }
__device__ double __fma_rz(double x, double y, double z) { return __quern_fma_r(x, y, z, 1); }
__device__ double __fma_ru(double x, double y, double z) { return __quern_fma_r(x, y, z, 2); }
__device__ double __fma_rd(double x, double y, double z) { return __quern_fma_r(x, y, z, 3); }
__device__ float __fmaf_ieee_rn(float x, float y, float z) { return __quern_fma_r(x, y, z, 0); }
__device__ float __fmaf_ieee_rz(float x, float y, float z) { return __quern_fma_r(x, y, z, 1); }
__device__ float __fmaf_ieee_ru(float x, float y, float z) { return __quern_fma_r(x, y, z, 2); }
__device__ float __fmaf_ieee_rd(float x, float y, float z) { return __quern_fma_r(x, y, z, 3); }

// One Newton step with an exact remainder corrects the last bit.
__device__ float __frsqrt_rn(float x) {
  float y = __quern_rsqrt(x);
  if (!(x > 0.0f) || __quern_isinf(x)) return y;
  float square = x * y;
  float rest = __quern_fma(-square, y, 1.0f) - __quern_fma(x, y, -square) * y;
  return __quern_fma(0.5f * y, rest, y);
}

// Numbers to integers. NaN becomes 0 from float to 32 bits and the sign bit elsewhere, as on NVIDIA devices;
// everything else saturates.
__device__ int __float2int_rn(float x) { return __quern_convert_r<int>(x, 0); }
__device__ int __float2int_rz(float x) { return __quern_convert_r<int>(x, 1); }
__device__ int __float2int_ru(float x) { return __quern_convert_r<int>(x, 2); }
__device__ int __float2int_rd(float x) { return __quern_convert_r<int>(x, 3); }
__device__ unsigned __float2uint_rn(float x) { return __quern_convert_r<unsigned>(x, 0); }
__device__ unsigned __float2uint_rz(float x) { return __quern_convert_r<unsigned>(x, 1); }
__device__ unsigned __float2uint_ru(float x) { return __quern_convert_r<unsigned>(x, 2); }
__device__ unsigned __float2uint_rd(float x) { return __quern_convert_r<unsigned>(x, 3); }
__device__ long long __float2ll_rn(float x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 0);
}
__device__ long long __float2ll_rz(float x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 1);
}
__device__ long long __float2ll_ru(float x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 2);
}
__device__ long long __float2ll_rd(float x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 3);
}
__device__ unsigned long long __float2ull_rn(float x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 0);
}
__device__ unsigned long long __float2ull_rz(float x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 1);
}
__device__ unsigned long long __float2ull_ru(float x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 2);
}
__device__ unsigned long long __float2ull_rd(float x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 3);
}
__device__ int __double2int_rn(double x) { return x != x ? int(0x80000000u) : __quern_convert_r<int>(x, 0); }
__device__ int __double2int_rz(double x) { return x != x ? int(0x80000000u) : __quern_convert_r<int>(x, 1); }
__device__ int __double2int_ru(double x) { return x != x ? int(0x80000000u) : __quern_convert_r<int>(x, 2); }
__device__ int __double2int_rd(double x) { return x != x ? int(0x80000000u) : __quern_convert_r<int>(x, 3); }
__device__ unsigned __double2uint_rn(double x) {
  return x != x ? 0x80000000u : __quern_convert_r<unsigned>(x, 0);
}
__device__ unsigned __double2uint_rz(double x) {
  return x != x ? 0x80000000u : __quern_convert_r<unsigned>(x, 1);
}
__device__ unsigned __double2uint_ru(double x) {
  return x != x ? 0x80000000u : __quern_convert_r<unsigned>(x, 2);
}
__device__ unsigned __double2uint_rd(double x) {
  return x != x ? 0x80000000u : __quern_convert_r<unsigned>(x, 3);
}
__device__ long long __double2ll_rn(double x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 0);
}
__device__ long long __double2ll_rz(double x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 1);
}
__device__ long long __double2ll_ru(double x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 2);
}
__device__ long long __double2ll_rd(double x) {
  return x != x ? (long long)0x8000000000000000ull : __quern_convert_r<long long>(x, 3);
}
__device__ unsigned long long __double2ull_rn(double x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 0);
}
__device__ unsigned long long __double2ull_rz(double x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 1);
}
__device__ unsigned long long __double2ull_ru(double x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 2);
}
__device__ unsigned long long __double2ull_rd(double x) {
  return x != x ? 0x8000000000000000ull : __quern_convert_r<unsigned long long>(x, 3);
}

// To floating point.
__device__ float __double2float_rn(double x) { return __quern_convert_r<float>(x, 0); }
__device__ float __double2float_rz(double x) { return __quern_convert_r<float>(x, 1); }
__device__ float __double2float_ru(double x) { return __quern_convert_r<float>(x, 2); }
__device__ float __double2float_rd(double x) { return __quern_convert_r<float>(x, 3); }
__device__ float __int2float_rn(int x) { return __quern_convert_r<float>(x, 0); }
__device__ float __int2float_rz(int x) { return __quern_convert_r<float>(x, 1); }
__device__ float __int2float_ru(int x) { return __quern_convert_r<float>(x, 2); }
__device__ float __int2float_rd(int x) { return __quern_convert_r<float>(x, 3); }
__device__ float __uint2float_rn(unsigned x) { return __quern_convert_r<float>(x, 0); }
__device__ float __uint2float_rz(unsigned x) { return __quern_convert_r<float>(x, 1); }
__device__ float __uint2float_ru(unsigned x) { return __quern_convert_r<float>(x, 2); }
__device__ float __uint2float_rd(unsigned x) { return __quern_convert_r<float>(x, 3); }
__device__ float __ll2float_rn(long long x) { return __quern_convert_r<float>(x, 0); }
__device__ float __ll2float_rz(long long x) { return __quern_convert_r<float>(x, 1); }
__device__ float __ll2float_ru(long long x) { return __quern_convert_r<float>(x, 2); }
__device__ float __ll2float_rd(long long x) { return __quern_convert_r<float>(x, 3); }
__device__ float __ull2float_rn(unsigned long long x) { return __quern_convert_r<float>(x, 0); }
__device__ float __ull2float_rz(unsigned long long x) { return __quern_convert_r<float>(x, 1); }
__device__ float __ull2float_ru(unsigned long long x) { return __quern_convert_r<float>(x, 2); }
__device__ float __ull2float_rd(unsigned long long x) { return __quern_convert_r<float>(x, 3); }
__device__ double __int2double_rn(int x) { return double(x); }
__device__ double __uint2double_rn(unsigned x) { return double(x); }
__device__ double __ll2double_rn(long long x) { return __quern_convert_r<double>(x, 0); }
__device__ double __ll2double_rz(long long x) { return __quern_convert_r<double>(x, 1); }
__device__ double __ll2double_ru(long long x) { return __quern_convert_r<double>(x, 2); }
__device__ double __ll2double_rd(long long x) { return __quern_convert_r<double>(x, 3); }
__device__ double __ull2double_rn(unsigned long long x) { return __quern_convert_r<double>(x, 0); }
__device__ double __ull2double_rz(unsigned long long x) { return __quern_convert_r<double>(x, 1); }
__device__ double __ull2double_ru(unsigned long long x) { return __quern_convert_r<double>(x, 2); }
__device__ double __ull2double_rd(unsigned long long x) { return __quern_convert_r<double>(x, 3); }

// Bits reinterpreted as another type.
__device__ constexpr float __int_as_float(int x) { return __quern_bitcast<float>(x); }
__device__ constexpr float __uint_as_float(unsigned x) { return __quern_bitcast<float>(x); }
__device__ constexpr int __float_as_int(float x) { return __quern_bitcast<int>(x); }
__device__ constexpr unsigned __float_as_uint(float x) { return __quern_bitcast<unsigned>(x); }
__device__ constexpr double __longlong_as_double(long long x) { return __quern_bitcast<double>(x); }
__device__ constexpr long long __double_as_longlong(double x) { return __quern_bitcast<long long>(x); }
__device__ constexpr float int_as_float(int x) { return __quern_bitcast<float>(x); }
__device__ constexpr float uint_as_float(unsigned x) { return __quern_bitcast<float>(x); }
__device__ constexpr int float_as_int(float x) { return __quern_bitcast<int>(x); }
__device__ constexpr unsigned float_as_uint(float x) { return __quern_bitcast<unsigned>(x); }
__device__ constexpr double __hiloint2double(int hi, int lo) {
  return __quern_bitcast<double>(((unsigned long long)(unsigned)hi << 32) | (unsigned)lo);
}
__device__ constexpr int __double2hiint(double x) { return int(__quern_bitcast<long long>(x) >> 32); }
__device__ constexpr int __double2loint(double x) { return int(__quern_bitcast<long long>(x)); }

// Integer arithmetic.
__device__ constexpr int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
__device__ constexpr unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
__device__ constexpr int mul24(int x, int y) { return __mul24(x, y); }
__device__ constexpr unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
__device__ constexpr int __mulhi(int x, int y) { return __quern_mulhi(x, y); }
__device__ constexpr unsigned __umulhi(unsigned x, unsigned y) { return __quern_mulhi(x, y); }
__device__ constexpr long long __mul64hi(long long x, long long y) { return __quern_mulhi(x, y); }
__device__ constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __quern_mulhi(x, y);
}
__device__ constexpr int mulhi(int x, int y) { return __quern_mulhi(x, y); }
__device__ constexpr unsigned mulhi(unsigned x, unsigned y) { return __quern_mulhi(x, y); }
__device__ constexpr unsigned mulhi(int x, unsigned y) { return __quern_mulhi((unsigned)x, y); }
__device__ constexpr unsigned mulhi(unsigned x, int y) { return __quern_mulhi(x, (unsigned)y); }
__device__ constexpr long long mul64hi(long long x, long long y) { return __quern_mulhi(x, y); }
__device__ constexpr unsigned long long mul64hi(unsigned long long x, unsigned long long y) {
  return __quern_mulhi(x, y);
}
__device__ constexpr unsigned __sad(int x, int y, unsigned z) {
  return (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + z;
}
__device__ constexpr unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x < y ? y - x : x - y) + z;
}
__device__ constexpr int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__device__ constexpr int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__device__ constexpr unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
__device__ constexpr unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }

// Bits.
__device__ constexpr int __popc(unsigned x) { return __quern_popc(x); }
__device__ constexpr int __popcll(unsigned long long x) { return __quern_popc(x); }
__device__ constexpr int __clz(int x) { return __quern_clz(x); }
__device__ constexpr int __clzll(long long x) { return __quern_clz(x); }
__device__ constexpr int __ffs(int x) { return x == 0 ? 0 : __quern_ctz(x) + 1; }
__device__ constexpr int __ffsll(long long x) { return x == 0 ? 0 : __quern_ctz(x) + 1; }
__device__ constexpr unsigned __brev(unsigned x) { return __quern_brev(x); }
__device__ constexpr unsigned long long __brevll(unsigned long long x) { return __quern_brev(x); }
__device__ constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  return __quern_byte_perm(x, y, selector);
}
__device__ constexpr unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return __quern_funnel(lo, hi, shift);
}
__device__ constexpr unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return (shift & 31) == 0 ? lo : __quern_funnel(lo, hi, 32 - (shift & 31));
}
__device__ constexpr unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __quern_funnel(lo, hi, shift);
}
__device__ constexpr unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}
// The position of the n-th set bit of the mask from `base` on, upwards or (n < 0) downwards; -1: there is
// none.
__device__ unsigned __fns(unsigned mask, unsigned base, int n) {
  int step = n < 0 ? -1 : 1;
  int left = n == 0 ? 1 : n * step;
  for (int i = int(base); i >= 0 && i < 32; i += step) {
    if ((mask >> i & 1) != 0 && --left == 0) return unsigned(i);
    if (n == 0) break;
  }
  return 0xffffffffu;
}

// Dot products of bytes.
__device__ int __dp4a(int a, int b, int c) { return __quern_dot4(a, b, c); }
__device__ unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return __quern_dot4(a, b, c); }
__device__ int __dp4a(char4 a, char4 b, int c) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c; }
__device__ unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
}
__device__ int __dp2a_lo(int a, int b, int c) {
  return short(a) * (signed char)b + (a >> 16) * (signed char)(b >> 8) + c;
}
__device__ int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
__device__ unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu) + c;
}
__device__ unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
__device__ int __dp2a_lo(short2 a, char4 b, int c) { return a.x * b.x + a.y * b.y + c; }
__device__ int __dp2a_hi(short2 a, char4 b, int c) { return a.x * b.z + a.y * b.w + c; }
__device__ unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return a.x * b.x + a.y * b.y + c; }
__device__ unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return a.x * b.z + a.y * b.w + c; }
