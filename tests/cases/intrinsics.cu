// Rounding modes, conversions, bits as other types, fast forms.

//! run additions_rounded(1, u32[8])
//! out = 1065353216 1065353216 1065353217 1065353216 3212836864 3212836864 3212836864 3212836865
__global__ void additions_rounded(float one, unsigned* out) {
  float tiny = 0x1p-30f;
  out[0] = __float_as_uint(__fadd_rn(one, tiny));
  out[1] = __float_as_uint(__fadd_rz(one, tiny));
  out[2] = __float_as_uint(__fadd_ru(one, tiny));
  out[3] = __float_as_uint(__fadd_rd(one, tiny));
  out[4] = __float_as_uint(__fadd_rn(-one, -tiny));
  out[5] = __float_as_uint(__fadd_rz(-one, -tiny));
  out[6] = __float_as_uint(__fadd_ru(-one, -tiny));
  out[7] = __float_as_uint(__fadd_rd(-one, -tiny));
}

//! run subtractions_rounded(1, u32[4])
//! out = 1065353216 1065353215 1065353216 1065353215
__global__ void subtractions_rounded(float one, unsigned* out) {
  float tiny = 0x1p-30f;
  out[0] = __float_as_uint(__fsub_rn(one, tiny));
  out[1] = __float_as_uint(__fsub_rz(one, tiny));
  out[2] = __float_as_uint(__fsub_ru(one, tiny));
  out[3] = __float_as_uint(__fsub_rd(one, tiny));
}

//! run products_rounded(u32[4])
//! out = 1065353218 1065353218 1065353219 1065353218
__global__ void products_rounded(unsigned* out) {
  float a = __uint_as_float(0x3F800001u + threadIdx.x);  // 1 + 2^-23; its square is 1 + 2^-22 + 2^-46
  out[0] = __float_as_uint(__fmul_rn(a, a));
  out[1] = __float_as_uint(__fmul_rz(a, a));
  out[2] = __float_as_uint(__fmul_ru(a, a));
  out[3] = __float_as_uint(__fmul_rd(a, a));
}

//! run quotients_rounded(1, 3, u32[4])
//! out = 1051372203 1051372202 1051372203 1051372202
__global__ void quotients_rounded(float a, float b, unsigned* out) {
  out[0] = __float_as_uint(__fdiv_rn(a, b));
  out[1] = __float_as_uint(__fdiv_rz(a, b));
  out[2] = __float_as_uint(__fdiv_ru(a, b));
  out[3] = __float_as_uint(__fdiv_rd(a, b));
}

//! run reciprocals_rounded(-3, u32[4])
//! out = 3198855851 3198855850 3198855850 3198855851
__global__ void reciprocals_rounded(float x, unsigned* out) {
  out[0] = __float_as_uint(__frcp_rn(x));
  out[1] = __float_as_uint(__frcp_rz(x));
  out[2] = __float_as_uint(__frcp_ru(x));
  out[3] = __float_as_uint(__frcp_rd(x));
}

//! run roots_rounded(2, u32[4])
//! out = 1068827891 1068827891 1068827892 1068827891
__global__ void roots_rounded(float x, unsigned* out) {
  out[0] = __float_as_uint(__fsqrt_rn(x));
  out[1] = __float_as_uint(__fsqrt_rz(x));
  out[2] = __float_as_uint(__fsqrt_ru(x));
  out[3] = __float_as_uint(__fsqrt_rd(x));
}

//! run fused_rounded(1, u32[4])
//! out = 1073741824 1073741823 1073741824 1073741823
__global__ void fused_rounded(float one, unsigned* out) {
  float below = -0x1p-40f;
  out[0] = __float_as_uint(__fmaf_rn(one, 2.0f, below));
  out[1] = __float_as_uint(__fmaf_rz(one, 2.0f, below));
  out[2] = __float_as_uint(__fmaf_ru(one, 2.0f, below));
  out[3] = __float_as_uint(__fmaf_rd(one, 2.0f, below));
}

//! run reciprocal_root_rounded(4, f32[2])
//! out = 0.5 0.70710677
__global__ void reciprocal_root_rounded(float x, float* out) {
  out[0] = __frsqrt_rn(x);
  out[1] = __frsqrt_rn(x / 2);
}

//! run doubles_rounded(1, i64[6])
//! out = 0 0 1 0 -1 1
__global__ void doubles_rounded(double one, long long* out) {
  const long long bits = 0x3FF0000000000000ll;
  double tiny = 0x1p-80;
  out[0] = __double_as_longlong(__dadd_rn(one, tiny)) - bits;
  out[1] = __double_as_longlong(__dadd_rz(one, tiny)) - bits;
  out[2] = __double_as_longlong(__dadd_ru(one, tiny)) - bits;
  out[3] = __double_as_longlong(__dsub_ru(one, tiny)) - bits;
  out[4] = __double_as_longlong(__dsub_rd(one, tiny)) - bits;
  out[5] = __double_as_longlong(__fma_ru(one, one, tiny)) - bits;
}

//! run double_quotients_rounded(1, 3, i64[4])
//! out = 0 0 1 1
__global__ void double_quotients_rounded(double a, double b, long long* out) {
  long long down = __double_as_longlong(__ddiv_rd(a, b));
  out[0] = __double_as_longlong(__ddiv_rn(a, b)) - down;
  out[1] = __double_as_longlong(__ddiv_rz(a, b)) - down;
  out[2] = __double_as_longlong(__ddiv_ru(a, b)) - down;
  out[3] = __double_as_longlong(__drcp_ru(b)) - down;
}

//! run double_products_and_roots(2, i64[4])
//! out = 1 1 0 1
__global__ void double_products_and_roots(double two, long long* out) {
  double a = 1.0 + 0x1p-52;
  out[0] = __double_as_longlong(__dmul_ru(a, a)) - __double_as_longlong(__dmul_rd(a, a));
  out[1] = __double_as_longlong(__dsqrt_ru(two)) - __double_as_longlong(__dsqrt_rd(two));
  out[2] = __double_as_longlong(__dmul_ru(two, two)) - __double_as_longlong(__dmul_rd(two, two));
  out[3] = __double_as_longlong(__dsqrt_rn(two)) - __double_as_longlong(__dsqrt_rz(two));
}

//! run float_to_int(2.5, i32[8])
//! out = 2 2 3 2 -2 -2 -2 -3
__global__ void float_to_int(float x, int* out) {
  out[0] = __float2int_rn(x);
  out[1] = __float2int_rz(x);
  out[2] = __float2int_ru(x);
  out[3] = __float2int_rd(x);
  out[4] = __float2int_rn(-x);
  out[5] = __float2int_rz(-x);
  out[6] = __float2int_ru(-x);
  out[7] = __float2int_rd(-x);
}

//! run float_to_int_saturates(3e9, i32[3], u32[3])
//! out = 2147483647 -2147483648 0
//! unsigned_out = 3000000000 0 4294967295
__global__ void float_to_int_saturates(float x, int* out, unsigned* unsigned_out) {
  out[0] = __float2int_rn(x);
  out[1] = __float2int_rz(-x);
  out[2] = __float2int_rn(nanf(""));
  unsigned_out[0] = __float2uint_rn(x);
  unsigned_out[1] = __float2uint_rd(-x);
  unsigned_out[2] = __float2uint_ru(x * 2);
}

//! run float_to_long(-1.5, i64[4], u64[2])
//! out = -2 -1 -1 -2
//! unsigned_out = 18446744073709551615 1099511627776
__global__ void float_to_long(float x, long long* out, unsigned long long* unsigned_out) {
  out[0] = __float2ll_rn(x);
  out[1] = __float2ll_rz(x);
  out[2] = __float2ll_ru(x);
  out[3] = __float2ll_rd(x);
  unsigned_out[0] = __float2ull_rn(1e30f);
  unsigned_out[1] = __float2ull_rz(1099511627776.0f);
}

//! run double_to_integers(-3.5, i32[4], i64[2])
//! out = -4 -3 -3 -4
//! long_out = 9007199254740993 -4
__global__ void double_to_integers(double x, int* out, long long* long_out) {
  out[0] = __double2int_rn(x);
  out[1] = __double2int_rz(x);
  out[2] = __double2int_ru(x);
  out[3] = __double2int_rd(x);
  long_out[0] = __double2ll_rn(9007199254740992.0) + 1;
  long_out[1] = __double2ll_rd(x);
}

//! run int_to_float_rounded(16777217, f32[8])
//! out = 16777216 16777216 16777218 16777216 -16777216 -16777216 -16777216 -16777218
__global__ void int_to_float_rounded(int x, float* out) {
  out[0] = __int2float_rn(x);
  out[1] = __int2float_rz(x);
  out[2] = __int2float_ru(x);
  out[3] = __int2float_rd(x);
  out[4] = __int2float_rn(-x);
  out[5] = __int2float_rz(-x);
  out[6] = __int2float_ru(-x);
  out[7] = __int2float_rd(-x);
}

//! run long_to_floating(9007199254740993, f32[1], f64[4])
//! out = 9.007199e+15
//! wide = 9007199254740992 9007199254740992 9007199254740994 9007199254740992
__global__ void long_to_floating(long long x, float* out, double* wide) {
  out[0] = __ll2float_rn(x);
  wide[0] = __ll2double_rn(x);
  wide[1] = __ll2double_rz(x);
  wide[2] = __ll2double_ru(x);
  wide[3] = __ull2double_rd(x);
}

//! run unsigned_to_float(4294967295, f32[3])
//! out = 4294967296 4294967040 4294967040
__global__ void unsigned_to_float(unsigned x, float* out) {
  out[0] = __uint2float_rn(x);
  out[1] = __uint2float_rz(x);
  out[2] = __ull2float_rd(x);
}

//! run double_to_float_rounded(u32[4])
//! out = 1036831949 1036831948 1036831949 1036831948
__global__ void double_to_float_rounded(unsigned* out) {
  double tenth = 0.1 + threadIdx.x;  // between 0x3DCCCCCC and 0x3DCCCCCD
  out[0] = __float_as_uint(__double2float_rn(tenth));
  out[1] = __float_as_uint(__double2float_rz(tenth));
  out[2] = __float_as_uint(__double2float_ru(tenth));
  out[3] = __float_as_uint(__double2float_rd(tenth));
}

//! run exact_to_double(-7, f64[3])
//! out = -7 4294967289 -7
__global__ void exact_to_double(int x, double* out) {
  out[0] = __int2double_rn(x);
  out[1] = __uint2double_rn(x);
  out[2] = __ll2double_rn(x);
}

//! run float_bits(-1.5, i32[1], f32[3])
//! out = -1077936128
//! back = -1.5 1 -0
__global__ void float_bits(float x, int* out, float* back) {
  out[0] = __float_as_int(x);
  back[0] = __int_as_float(out[0]);
  back[1] = __uint_as_float(0x3F800000u);
  back[2] = __int_as_float(0x80000000);
}

//! run double_bits(1.5, i64[1], i32[2], f64[2])
//! out = 4609434218613702656
//! halves = 1073217536 0
//! back = 1.5 2
__global__ void double_bits(double x, long long* out, int* halves, double* back) {
  out[0] = __double_as_longlong(x);
  halves[0] = __double2hiint(x);
  halves[1] = __double2loint(x);
  back[0] = __hiloint2double(halves[0], halves[1]);
  back[1] = __longlong_as_double(0x4000000000000000ll);
}

//! run saturation(1.75, f32[4])
//! out = 1 0 0.25 0
__global__ void saturation(float x, float* out) {
  out[0] = __saturatef(x);
  out[1] = __saturatef(-x);
  out[2] = __saturatef(x - 1.5f);
  out[3] = __saturatef(nanf(""));
}

//! run fast_exponentials(1.5, f32[3])
//! out ~2e-6 = 4.48168907034 31.6227766017 2.75567596063
__global__ void fast_exponentials(float x, float* out) {
  out[0] = __expf(x);
  out[1] = __exp10f(x);
  out[2] = __powf(x, 2.5f);
}

//! run fast_logarithms(3, f32[3])
//! out ~2e-6 = 1.09861228867 1.58496250072 0.47712125472
__global__ void fast_logarithms(float x, float* out) {
  out[0] = __logf(x);
  out[1] = __log2f(x);
  out[2] = __log10f(x);
}

//! run fast_trigonometry(0.75, f32[5])
//! out ~2e-6 = 0.681638760023 0.731688868874 0.931596459944 0.681638760023 0.731688868874
__global__ void fast_trigonometry(float x, float* out) {
  out[0] = __sinf(x);
  out[1] = __cosf(x);
  out[2] = __tanf(x);
  __sincosf(x, &out[3], &out[4]);
}

//! run fast_division(7, 2, f32[2])
//! out = 3.5 3.5
__global__ void fast_division(float a, float b, float* out) {
  out[0] = __fdividef(a, b);
  out[1] = fdividef(a, b);
}

//! run cached_loads(f32[4]=iota, f32[6])
//! out = 0 1 2 3 0 3
__global__ void cached_loads(const float* in, float* out) {
  out[0] = __ldg(in);
  out[1] = __ldg(&in[1]);
  out[2] = __ldcg(in + 2);
  out[3] = __ldcs(in + 3);
  float4 all = __ldg((const float4*)in);
  out[4] = all.x;
  out[5] = all.w;
}

//! run cached_stores(i32[4])
//! out = 1 2 3 4
__global__ void cached_stores(int* out) {
  __stcs(out, 1);
  __stcg(out + 1, 2);
  __stwb(out + 2, 3);
  __stwt(&out[3], 4);
}

//! run clocks(i32[3])
//! out = 1 1 1
__global__ void clocks(int* out) {
  clock_t from = clock();
  long long wide = clock64();
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += i;
  out[0] = clock() >= from;
  out[1] = clock64() >= wide;
  out[2] = sum == 45;
}

// A clock shared by all blocks.
//! run nanoseconds(i32[2])
//! out = 1 1
__global__ void nanoseconds(int* out) {
  unsigned long long from = __globaltimer();
  while (__globaltimer() - from < 2000) {}
  out[0] = __globaltimer() > from;
  out[1] = __globaltimer() - from < 60000000000ull;
}

//! run address_spaces(i32[1]=0, i32[4])
//! out = 1 1 1 0
__global__ void address_spaces(int* in, int* out) {
  __shared__ int tile[1];
  int local[1] = {0};
  out[0] = __isGlobal(in) != 0;
  out[1] = __isShared(tile) != 0;
  out[2] = __isLocal(local) != 0;
  out[3] = __isShared(in) != 0;
}

//! run hints_to_the_compiler(8, i32[8]=iota, i32[2])
//! out = 28 1
__global__ void hints_to_the_compiler(int n, const int* in, int* out) {
  __builtin_assume(n > 0);
  const int* aligned = (const int*)__builtin_assume_aligned(in, 16);
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += aligned[i];
  out[0] = sum;
  out[1] = __builtin_expect(sum == 28, 1) ? 1 : 0;
}
