// Integer functions and bit manipulation.

//! run absolute(-7, i32[3])
//! out = 7 7 -2147483648
__global__ void absolute(int x, int* out) {
  out[0] = abs(x);
  out[1] = abs(7);
  out[2] = abs(x - 2147483641);
}

//! run absolute_long(-5000000000, i64[3])
//! out = 5000000000 5000000000 5000000000
__global__ void absolute_long(long long x, long long* out) {
  out[0] = llabs(x);
  out[1] = labs((long)x);
  out[2] = abs(x);
}

//! run min_max_int(-3, 5, i32[4])
//! out = -3 5 -3 5
__global__ void min_max_int(int a, int b, int* out) {
  out[0] = min(a, b);
  out[1] = max(a, b);
  out[2] = min(b, a);
  out[3] = max(b, a);
}

//! run min_max_unsigned(4294967295, 1, u32[4])
//! out = 1 4294967295 1 4294967295
__global__ void min_max_unsigned(unsigned a, unsigned b, unsigned* out) {
  out[0] = min(a, b);
  out[1] = max(a, b);
  out[2] = umin(a, b);
  out[3] = umax(a, b);
}

//! run min_max_mixed_signs(-1, 2, u32[2])
//! out = 2 4294967295
__global__ void min_max_mixed_signs(int a, unsigned b, unsigned* out) {
  out[0] = min(a, b);
  out[1] = max(a, b);
}

//! run min_max_long(-5000000000, 3, i64[4])
//! out = -5000000000 3 -5000000000 3
__global__ void min_max_long(long long a, long long b, long long* out) {
  out[0] = min(a, b);
  out[1] = max(a, b);
  out[2] = llmin(a, b);
  out[3] = llmax(a, b);
}

//! run min_of_small_types(i32[3])
//! out = -4 250 9
__global__ void min_of_small_types(int* out) {
  short a = -4, b = 3;
  unsigned char c = 250, d = 7;
  char e = 9;
  out[0] = min(a, b);
  out[1] = max(c, d);
  out[2] = max(e, (char)4);
}

//! run population(4042322160, i32[4])
//! out = 16 0 32 33
__global__ void population(unsigned x, int* out) {
  out[0] = __popc(x);
  out[1] = __popc(0);
  out[2] = __popc(~0u);
  out[3] = __popcll(0x1FFFFFFFFull);
}

//! run leading_zeros(1, i32[6])
//! out = 31 32 0 63 64 20
__global__ void leading_zeros(int x, int* out) {
  out[0] = __clz(x);
  out[1] = __clz(x - 1);
  out[2] = __clz(-x);
  out[3] = __clzll(x);
  out[4] = __clzll(x - 1);
  out[5] = __clzll(0xFFF00000000ll);
}

//! run first_set(8, i32[6])
//! out = 4 0 32 1 41 0
__global__ void first_set(int x, int* out) {
  out[0] = __ffs(x);
  out[1] = __ffs(x - 8);
  out[2] = __ffs(0x80000000);
  out[3] = __ffs(-1);
  out[4] = __ffsll(1ll << 40);
  out[5] = __ffsll(0);
}

//! run reversed_bits(u32[3])
//! out = 2147483648 4026531840 4193084739
__global__ void reversed_bits(unsigned* out) {
  unsigned one = threadIdx.x + 1;
  out[0] = __brev(one);
  out[1] = __brev(0x0Fu * one);
  out[2] = __brev(0xC2A6B79Fu * one);
}

//! run reversed_long_bits(1, u64[2])
//! out = 9223372036854775808 17848844570815808640
__global__ void reversed_long_bits(unsigned long long x, unsigned long long* out) {
  out[0] = __brevll(x);
  out[1] = __brevll(0x0123456789ABCDEFull);
}

//! run permuted_bytes(u32[5])
//! out = 1144201745 287454020 2000949640 1427199249 2289526357
__global__ void permuted_bytes(unsigned* out) {
  unsigned low = 0x44332211u + threadIdx.x, high = 0x88776655u;
  out[0] = __byte_perm(low, high, 0x3210);
  out[1] = __byte_perm(low, high, 0x0123);
  out[2] = __byte_perm(low, high, 0x6307);
  out[3] = __byte_perm(low, high, 0x4040);
  out[4] = __byte_perm(low, high, 0x7654);
}

//! run funnel_shift_left(u32[4])
//! out = 878082192 305419896 305419896 2427178479
__global__ void funnel_shift_left(unsigned* out) {
  unsigned low = 0x90ABCDEFu, high = 0x12345678u + threadIdx.x;
  out[0] = __funnelshift_l(low, high, 8);
  out[1] = __funnelshift_l(low, high, 0);
  out[2] = __funnelshift_l(low, high, 32);
  out[3] = __funnelshift_lc(low, high, 40);
}

//! run funnel_shift_right(u32[4])
//! out = 2022747085 2427178479 2427178479 305419896
__global__ void funnel_shift_right(unsigned* out) {
  unsigned low = 0x90ABCDEFu, high = 0x12345678u + threadIdx.x;
  out[0] = __funnelshift_r(low, high, 8);
  out[1] = __funnelshift_r(low, high, 0);
  out[2] = __funnelshift_r(low, high, 32);
  out[3] = __funnelshift_rc(low, high, 40);
}

//! run rotation_by_funnel(2147483649, u32[2])
//! out = 3 3221225472
__global__ void rotation_by_funnel(unsigned x, unsigned* out) {
  out[0] = __funnelshift_l(x, x, 1);
  out[1] = __funnelshift_r(x, x, 1);
}

//! run high_product(-2000000000, 3, i32[1], u32[1])
//! out = -2
//! unsigned_out = 3725290298
__global__ void high_product(int a, int b, int* out, unsigned* unsigned_out) {
  out[0] = __mulhi(a, b);
  unsigned_out[0] = __umulhi(4000000000u, 2u * 2000000000u + 0 * b);
}

//! run high_long_product(-4611686018427387904, i64[1], u64[1])
//! out = -3
//! unsigned_out = 18446744073709551614
__global__ void high_long_product(long long a, long long* out, unsigned long long* unsigned_out) {
  out[0] = __mul64hi(a, 10);
  unsigned_out[0] = __umul64hi(~0ull, ~0ull);
}

//! run product_of_24_bits(16777215, i32[2], u32[1])
//! out = -3 5000000
//! unsigned_out = 4261412865
__global__ void product_of_24_bits(int x, int* out, unsigned* unsigned_out) {
  out[0] = __mul24(x, 3);
  out[1] = __mul24(2500, 2000);
  unsigned_out[0] = __umul24(x, 0xFFFFFFFFu);
}

//! run absolute_difference_sum(-10, 25, u32[2])
//! out = 135 4000000005
__global__ void absolute_difference_sum(int a, int b, unsigned* out) {
  out[0] = __sad(a, b, 100u);
  out[1] = __usad(4000000000u, 5u, 10u);
}

//! run averages(i32[4], u32[2])
//! out = 2147483647 3 4 -2
//! unsigned_out = 4294967294 4294967295
__global__ void averages(int* out, unsigned* unsigned_out) {
  int most = 2147483647 - threadIdx.x;
  out[0] = __hadd(most, most);
  out[1] = __hadd(3, 4);
  out[2] = __rhadd(3, 4);
  out[3] = __hadd(-1, -2);
  unsigned_out[0] = __uhadd(4294967295u, 4294967294u);
  unsigned_out[1] = __urhadd(4294967295u, 4294967294u);
}

//! run dot_of_bytes(10, i32[2], u32[2])
//! out = 236 65536
//! unsigned_out = 260110 70
__global__ void dot_of_bytes(int c, int* out, unsigned* unsigned_out) {
  // Bytes 1, -2, 3, 127 and 5, 6, -7, 2, the first lowest.
  out[0] = __dp4a(0x7F03FE01, 0x02F90605, c);
  int lowest = 0x80808080;
  out[1] = __dp4a(lowest, lowest, 0);
  unsigned_out[0] = __dp4a(0xFFFFFFFFu, 0xFFFFFFFFu, (unsigned)c);
  unsigned_out[1] = __dp4a(0x04030201u, 0x08070605u, 0u);
}

//! run dot_of_byte_vectors(i32[1], u32[1])
//! out = 88
//! unsigned_out = 403
__global__ void dot_of_byte_vectors(int* out, unsigned* unsigned_out) {
  out[0] = __dp4a(make_char4(-1, 2, -3, 0), make_char4(4, 5, 6, 7), 100);
  unsigned_out[0] = __dp4a(make_uchar4(200, 1, 0, 0), make_uchar4(2, 3, 4, 5), 0u);
}

//! run dot_of_two(i32[2], u32[2])
//! out = 11007 -6993
//! unsigned_out = 230000 12910000
__global__ void dot_of_two(int* out, unsigned* unsigned_out) {
  int a = (int)((unsigned)(-2000) << 16 | 1000u);
  int b = 3 | (0xFC << 8) | (5 << 16) | (6 << 24);
  out[0] = __dp2a_lo(a, b, 7);
  out[1] = __dp2a_hi(a, b, 7);
  unsigned ua = 50000u << 16 | 40000u, ub = 2u | 3u << 8 | 4u << 16 | 255u << 24;
  unsigned_out[0] = __dp2a_lo(ua, ub, 0u);
  unsigned_out[1] = __dp2a_hi(ua, ub, 0u);
}

//! run nth_set_bit(u32[5])
//! out = 4 8 4 4294967295 4
__global__ void nth_set_bit(unsigned* out) {
  unsigned mask = 0x1110u + threadIdx.x;  // bits 4, 8 and 12
  out[0] = __fns(mask, 0, 1);
  out[1] = __fns(mask, 0, 2);
  out[2] = __fns(mask, 8, -2);
  out[3] = __fns(mask, 9, 2);
  out[4] = __fns(mask, 4, 0);
}

//! run pairs_of_shorts(u32[6])
//! out = 65536 2147450880 393213 131073 4294901760 196612
__global__ void pairs_of_shorts(unsigned* out) {
  unsigned zero = threadIdx.x;
  out[0] = __vadd2(0x0000FFFFu + zero, 0x00010001u);
  out[1] = __vaddss2(0x7FFF8000u + zero, 0x0001FFFFu);
  out[2] = __vmaxs2(0x0005FFFCu + zero, 0xFFFFFFFDu);
  out[3] = __vminu2(0x00020001u + zero, 0xFFFFFFFDu);
  out[4] = __vcmpgts2(0x00010001u + zero, 0xFFFF0001u);
  out[5] = __vabsdiffs2(0x00010001u + zero, 0xFFFE0005u);
}

//! run quads_of_bytes(u32[7])
//! out = 132102 4286513663 33752069 16711935 16777472 16 256
__global__ void quads_of_bytes(unsigned* out) {
  unsigned zero = threadIdx.x;
  out[0] = __vadd4(0xFF010203u + zero, 0x01010203u);
  out[1] = __vaddus4(0xF07000FFu + zero, 0x200F0101u);
  out[2] = __vavgu4(0x01020304u + zero, 0x03040506u);
  out[3] = __vcmpeq4(0x01020304u + zero, 0x00020504u);
  out[4] = __vsetltu4(0x01FF0180u + zero, 0x02010280u);
  out[5] = __vsadu4(0x01020304u + zero, 0x05060708u);
  out[6] = __vsubus4(0x01020304u + zero, 0x05060205u);
}

//! run signed_bytes(u32[4])
//! out = 16809856 16809855 2164195586 5
__global__ void signed_bytes(unsigned* out) {
  unsigned zero = threadIdx.x;
  out[0] = __vabs4(0xFF007F80u + zero);
  out[1] = __vabsss4(0xFF007F80u + zero);
  out[2] = __vmins4(0x80000102u + zero, 0x7FFF0203u);
  out[3] = __vsads4(0x01FF0000u + zero, 0xFFFE0200u);
}

//! run three_way_extremes(-5, i32[5])
//! out = -5 9 0 4 0
__global__ void three_way_extremes(int a, int* out) {
  out[0] = __vimin3_s32(a, 3, 9);
  out[1] = __vimax3_s32(a, 3, 9);
  out[2] = __vimin_s32_relu(a, 3);
  out[3] = __viaddmax_s32(a, 9, 2);
  out[4] = __vimax3_s32_relu(a, -1, -9);
}

//! run which_extreme(3, 4, i32[4])
//! out = 3 1 4 0
__global__ void which_extreme(int a, int b, int* out) {
  bool first;
  out[0] = __vibmin_s32(a, b, &first);
  out[1] = first;
  out[2] = __vibmax_s32(a, b, &first);
  out[3] = first;
}

//! run division_functions(17, -5, i32[2], i64[2])
//! out = -3 2
//! long_out = 3333333333 1
__global__ void division_functions(int a, int b, int* out, long long* long_out) {
  div_t d = div(a, b);
  out[0] = d.quot;
  out[1] = d.rem;
  auto l = div(10000000000ll, 3ll);
  long_out[0] = l.quot;
  long_out[1] = l.rem;
}

//! run compiler_builtins(40, i32[4])
//! out = 2 26 3 4
__global__ void compiler_builtins(unsigned x, int* out) {
  out[0] = __builtin_popcount(x);
  out[1] = __builtin_clz(x);
  out[2] = __builtin_ctz(x);
  out[3] = __builtin_ffs(x);
}

// Compilers narrow extended integers, some of them incorrectly.
//! run widened_beside_constants(-300, 500, i64[8])
//! out = -300 229 229 500 300 500 -5 25
__global__ void widened_beside_constants(int a, int b, long long* out) {
  const long long x = a, y = b;
  out[0] = min(x, 229ll);
  out[1] = min(229ll, y);
  out[2] = max(x, 229ll);
  out[3] = max(229ll, y);
  out[4] = llabs(x);
  out[5] = llabs(y);
  out[6] = x / 60;
  out[7] = x * 3 / (long long)(a + 264);
}

// Bit counts may have low precision; values computed from them have full precision.
//! run computed_from_counts(255, i32[3])
//! out = -9 66531880 65544
__global__ void computed_from_counts(unsigned x, int* out) {
  out[0] = ~__popc(x);
  out[1] = 66531872 | __popc(x);
  out[2] = __popc(x) + 65536;
}
