// Arithmetic on every type, as docs/language.md defines it.

//! run int_operators(7, -3, i32[10])
//! out = 4 10 -21 -2 1 5 -1 -8 28 1
__global__ void int_operators(int a, int b, int* out) {
  out[0] = a + b;
  out[1] = a - b;
  out[2] = a * b;
  out[3] = a / b;
  out[4] = a % b;
  out[5] = a & b;
  out[6] = a | (b & ~4);
  out[7] = ~a;
  out[8] = a << 2;
  out[9] = a >> 2;
}

//! run unsigned_wrap(4294967295, u32[4])
//! out = 0 4294967294 1 2147483647
__global__ void unsigned_wrap(unsigned a, unsigned* out) {
  out[0] = a + 1;
  out[1] = a * 2;
  out[2] = a * a;
  out[3] = a >> 1;
}

//! run signed_wrap(2147483647, i32[2])
//! out = -2147483648 -2147483648
__global__ void signed_wrap(int a, int* out) {
  out[0] = a + 1;
  int low = -a - 1;
  out[1] = low / -1;
}

// If the trip count is computed beforehand, the loop ends where the counter wraps.
//! run signed_counter_wraps(2147483647, i32[8])
//! out = 5 1073741829 -2147483643 -1073741819 5 1073741829 -2147483643 -1073741819
__global__ void signed_counter_wraps(int n, int* out) {
  int k = 0;
  for (int i = 5; i < n; i += 1 << 30) {
    out[k] = i;
    if (++k == 8) return;
  }
}

//! run counts_in_steps(20, 19, 2147483640, i32[8]=0)
//! out = 3 27 3 27 0 30 4 2147483641
__global__ void counts_in_steps(int n, int last, int far, int* out) {
  int i;
  for (i = 3; i < n; i += 8) ++out[0];
  out[1] = i;
  for (i = 3; i <= last; i += 8) {
    if (i == 11) continue;
    ++out[2];
  }
  ++out[2];
  out[3] = i;
  for (i = 30; i < n; i += 8) ++out[4];
  out[5] = i;
  for (i = -7; i <= far; i += 1 << 29) ++out[6];
  out[7] = i;
}

//! run shift_by_width(1, 33, i32[3])
//! out = 2 0 -1
__global__ void shift_by_width(int a, int amount, int* out) {
  out[0] = a << amount;
  out[1] = a >> amount;
  out[2] = -8 >> (amount + 2);
}

//! run promotion(i32[6])
//! out = 300 -1 255 1 -128 44
__global__ void promotion(int* out) {
  unsigned char a = 200, b = 100;
  out[0] = a + b;
  char c = -1;
  out[1] = c;
  unsigned char u = c;
  out[2] = u;
  out[3] = sizeof(a + b) == sizeof(int);
  signed char s = 127;
  s += 1;
  out[4] = s;
  unsigned char w = a + b;
  out[5] = w;
}

//! run usual_conversions(i32[6])
//! out = 0 1 1 0 1 1
__global__ void usual_conversions(int* out) {
  int minus = -1;
  unsigned one = 1;
  out[0] = minus < one;
  out[1] = minus < 1;
  out[2] = (long)minus < (long)one;
  out[3] = -1L < 0UL;
  out[4] = sizeof(1 + 1L) == 8;
  out[5] = sizeof(1.0f + 1.0) == 8;
}

//! run long_integers(i64[6])
//! out = 4294967296 -9223372036854775808 1000000000000 4 281474976710656 -1
__global__ void long_integers(long long* out) {
  out[0] = 1LL << 32;
  out[1] = 9223372036854775807LL + 1;
  out[2] = 1000000LL * 1000000;
  out[3] = 10000000000LL / 2500000000LL;
  out[4] = 1ull << 48;
  out[5] = (int)0xFFFFFFFFull;
}

//! run float_operators(7.5, 2, f32[5])
//! out = 9.5 5.5 15 3.75 -7.5
__global__ void float_operators(float a, float b, float* out) {
  out[0] = a + b;
  out[1] = a - b;
  out[2] = a * b;
  out[3] = a / b;
  out[4] = -a;
}

//! run float_compare(i32[8])
//! out = 1 0 0 1 0 1 0 0
__global__ void float_compare(int* out) {
  float nan = nanf("");
  out[0] = 1.0f < 2.0f;
  out[1] = nan == nan;
  out[2] = nan < 1.0f;
  out[3] = nan != nan;
  out[4] = nan >= 1.0f;
  out[5] = 0.0f == -0.0f;
  out[6] = !(1.0f <= 1.0f);
  out[7] = nan > nan;
}

//! run double_precision(f64[3])
//! out = 0.1 1e+300 0.30000000000000004
__global__ void double_precision(double* out) {
  out[0] = 0.1;
  out[1] = 1e200 * 1e100;
  double a = 0.1, b = 0.2;
  out[2] = a + b;
}

//! run no_contraction(f32[1])
//! out = 0
__global__ void no_contraction(float* out) {
  float a = 1.0f + 0x1p-12f;
  float b = 1.0f + 0x1p-11f;
  out[0] = a * a - b;
}

//! run conversions(i32[8])
//! out = 3 -3 2147483647 -2147483648 0 255 1 0
__global__ void conversions(int* out) {
  out[0] = (int)3.99f;
  out[1] = (int)-3.99f;
  float huge = 1e20f;
  out[2] = (int)huge;
  out[3] = (int)-huge;
  out[4] = (int)nanf("");
  out[5] = (unsigned char)255.7f;
  out[6] = (bool)0.1f;
  out[7] = (bool)0.0f;
}

//! run int_to_float(16777217, f32[2])
//! out = 16777216 4294967296
__global__ void int_to_float(int a, float* out) {
  out[0] = a;
  out[1] = 4294967295u;
}

//! run halves(f32[5])
//! out = 3.5 2048 65504 inf 0.099975586
__global__ void halves(float* out) {
  half a = 1.5f, b = 2.0f;
  out[0] = a + b;
  half big = 2048.0f, one = 1.0f;
  out[1] = big + one;
  half top = 65504.0f;
  out[2] = top;
  out[3] = top + top;
  half tenth = 0.1f;
  out[4] = tenth;
}

//! run bfloats(f32[2])
//! out = 1.0078125 256
__global__ void bfloats(float* out) {
  __nv_bfloat16 a = 1.0078125f;
  out[0] = a;
  __nv_bfloat16 b = 256.0f, one = 1.0f;
  out[1] = b + one;
}

//! run increments(i32[6])
//! out = 5 6 7 7 6 5
__global__ void increments(int* out) {
  int i = 5;
  out[0] = i++;
  out[1] = i;
  out[2] = ++i;
  out[3] = i--;
  out[4] = i;
  out[5] = --i;
}

//! run compound(i32[10])
//! out = 13 7 30 3 1 2 7 5 40 5
__global__ void compound(int* out) {
  int v = 10; v += 3; out[0] = v;
  v = 10; v -= 3; out[1] = v;
  v = 10; v *= 3; out[2] = v;
  v = 10; v /= 3; out[3] = v;
  v = 10; v %= 3; out[4] = v;
  v = 10; v &= 6; out[5] = v;
  v = 5; v |= 2; out[6] = v;
  v = 6; v ^= 3; out[7] = v;
  v = 10; v <<= 2; out[8] = v;
  v = 10; v >>= 1; out[9] = v;
}

//! run compound_converts(i32[2])
//! out = 7 1
__global__ void compound_converts(int* out) {
  int i = 3;
  i *= 2.5f;
  out[0] = i;
  unsigned char c = 255;
  c += 2;
  out[1] = c;
}

//! run logic(i32[6])
//! out = 1 0 1 1 0 1
__global__ void logic(int* out) {
  int a = 3, b = 0;
  out[0] = a && !b;
  out[1] = a && b;
  out[2] = a || b;
  out[3] = !b;
  out[4] = !a;
  out[5] = (a > 2) == true;
}

//! run short_circuit(i32[2])
//! out = 0 1
__global__ void short_circuit(int* out) {
  int touched = 0;
  if (false && (touched = 1)) touched = 2;
  if (true || (touched = 1)) out[1] = 1;
  out[0] = touched;
}

//! run ternary(i32[3], 4)
//! out = 40 4 2
__global__ void ternary(int* out, int n) {
  out[0] = n > 3 ? n * 10 : -n;
  out[1] = n < 3 ? 1 : n < 5 ? 4 : 5;
  int a = 1, b = 2;
  (n > 100 ? a : b) = 2;
  out[2] = b;
}

//! run comma(i32[2])
//! out = 3 6
__global__ void comma(int* out) {
  int a, b;
  a = (b = 2, b + 1);
  out[0] = a;
  for (a = 0, b = 3; b > 0; a += b, --b) {}
  out[1] = a;
}

//! run literals(i64[8])
//! out = 255 8 5 1000000 97 10 4294967295 -1
__global__ void literals(long long* out) {
  out[0] = 0xFF;
  out[1] = 010;
  out[2] = 0b101;
  out[3] = 1'000'000;
  out[4] = 'a';
  out[5] = '\n';
  out[6] = 0xFFFFFFFF;
  out[7] = ~0;
}

//! run float_literals(f64[5])
//! out = 0.5 1500 0.0625 3 0.10000000149011612
__global__ void float_literals(double* out) {
  out[0] = .5;
  out[1] = 1.5e3;
  out[2] = 0x1p-4;
  out[3] = 3.;
  out[4] = 0.1f;
}

//! run sizes(i32[9])
//! out = 1 2 4 8 8 4 8 2 16
__global__ void sizes(int* out) {
  out[0] = sizeof(char);
  out[1] = sizeof(short);
  out[2] = sizeof(int);
  out[3] = sizeof(long);
  out[4] = sizeof(void*);
  out[5] = sizeof(float);
  out[6] = sizeof(double);
  out[7] = sizeof(half);
  out[8] = sizeof(float4);
}

// 64-bit differences are negative only as signed integers.
//! run far_below(i32[8], i32[8], i32[8]) block 8
//! near = 1 0 0 0 0 0 0 0
//! signs = 0 1 1 1 1 1 1 1
//! turns = 0 0 1 2 3 4 5 6
__global__ void far_below(int* near, int* signs, int* turns) {
  unsigned tid = threadIdx.x;
  int count = 0, later = 0;
  for (unsigned w = 0; w <= (tid & 7u) && w < 1; ++w) {
    if ((unsigned long long)w - (unsigned long long)tid <= 8322293ull) ++count;
  }
  for (unsigned w = 1; w < tid; ++w) {
    if ((unsigned long long)w - (unsigned long long)tid > 8322293ull) ++later;
  }
  near[tid] = count;
  signs[tid] = (long long)0 - (long long)tid < 0;
  turns[tid] = later;
}
