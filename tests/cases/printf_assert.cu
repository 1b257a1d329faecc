// printf and assert.
#include <assert.h>
#include <cassert>
#include <cstdio>
#include <stdio.h>

//! run plain_text()
//! prints hello, world\n
__global__ void plain_text() { printf("hello, world\n"); }

//! run integers(42, -7)
//! prints 42 -7 42 2a 2A 52 4294967289\n
__global__ void integers(int a, int b) { printf("%d %i %u %x %X %o %u\n", a, b, a, a, a, a, b); }

//! run widths(42)
//! prints [   42][42   ][00042][+42][ 42][0x2a]\n
__global__ void widths(int a) { printf("[%5d][%-5d][%05d][%+d][% d][%#x]\n", a, a, a, a, a, a); }

//! run precision_of_integers(7)
//! prints [007][  007][]\n
__global__ void precision_of_integers(int a) { printf("[%.3d][%5.3d][%.0d]\n", a, a, a - 7); }

//! run long_integers(9000000000)
//! prints 9000000000 -9000000000 218711a00 9000000000\n
__global__ void long_integers(long long a) {
  printf("%lld %ld %llx %llu\n", a, (long)-a, a, (unsigned long long)a);
}

//! run sizes(12)
//! prints 12 -3 65535 200\n
__global__ void sizes(unsigned long n) {
  printf("%zu %hhd %hu %hhu\n", (size_t)n, (signed char)-3, (unsigned short)65535, (unsigned char)200);
}

//! run reals(1.5)
//! prints 1.500000 1.50 2 1.5 1.500000e+00 1.5E+00\n
__global__ void reals(double x) { printf("%f %.2f %.0f %g %e %.1E\n", x, x, x, x, x, x); }

//! run floats_are_promoted(0.1)
//! prints 0.100000001 0.1\n
__global__ void floats_are_promoted(float x) { printf("%.9f %g\n", x, x); }

//! run wide_reals(3.14159)
//! prints [   3.142][3.14    ][+003.14][ 3]\n
__global__ void wide_reals(double x) { printf("[%8.3f][%-8.2f][%+07.2f][%2.0f]\n", x, x, x, x); }

//! run special_reals(0)
//! prints inf -inf nan 0 1e+10 1e-05\n
__global__ void special_reals(double zero) {
  double nan = zero / zero;
  printf("%f %f %s %g %g %g\n", 1 / zero, -1 / zero, nan != nan ? "nan" : "?", zero, 1e10, 1e-5);
}

//! run hexadecimal_reals(1.5)
//! prints 0x1.8p+0\n
__global__ void hexadecimal_reals(double x) { printf("%a\n", x); }

//! run characters(65)
//! prints A%z[  b]\n
__global__ void characters(int c) { printf("%c%%%c[%3c]\n", c, 'z', 'b'); }

//! run strings(1)
//! prints one [  two][three][fo]\n
__global__ void strings(int n) {
  const char* name = n == 1 ? "one" : "none";
  printf("%s [%5s][%-5s][%.2s]\n", name, "two", "three", "four");
}

//! run width_from_arguments(6, 2)
//! prints [  3.25][  7]\n
__global__ void width_from_arguments(int width, int digits) {
  printf("[%*.*f][%*d]\n", width, digits, 3.25, 3, 7);
}

//! run escapes()
//! prints a\tb"c\\d'e\n
__global__ void escapes() { printf("a\tb\"c\\d\'e\x0a"); }

//! run joined_literals(3)
//! prints x = 3, done\n
__global__ void joined_literals(int x) {
  printf("x = "
         "%d"
         ", done\n",
         x);
}

//! run no_newline()
//! prints ab
__global__ void no_newline() {
  printf("a");
  printf("b");
}

//! run small_types()
//! prints 1 -1 255 -2 7 1\n
__global__ void small_types() {
  bool b = true;
  char c = -1;
  unsigned char u = 255;
  short s = -2;
  enum Colour { kRed = 7 } colour = kRed;
  printf("%d %d %d %d %d %d\n", b, c, u, s, colour, b);
}

//! run from_one_thread() block 32
//! prints thread 5 of 32\n
__global__ void from_one_thread() {
  if (threadIdx.x == 5) printf("thread %u of %u\n", threadIdx.x, blockDim.x);
}

//! run in_a_loop(3)
//! prints 0: 0\n1: 1\n2: 4\n
__global__ void in_a_loop(int n) {
  for (int i = 0; i < n; ++i) printf("%d: %d\n", i, i * i);
}

__device__ void show(const char* what, float value) { printf("%s=%.1f;", what, value); }
//! run through_a_function(2.5)
//! prints a=2.5;b=5.0;
__global__ void through_a_function(float x) {
  show("a", x);
  show("b", 2 * x);
}

#define LOG(format, ...) printf("[%s:%d] " format "\n", "log", __VA_ARGS__, 9)
//! run through_a_macro(4)
//! prints [log:4] then 9\n
__global__ void through_a_macro(int x) { LOG("then %d", x); }

//! run name_of_the_function()
//! prints name_of_the_function\n
__global__ void name_of_the_function() { printf("%s\n", __func__); }

//! run assertions_hold(5, i32[1])
//! out = 6
__global__ void assertions_hold(int x, int* out) {
  assert(x == 5);
  assert(x > 0 && "must be positive");
  *out = x + 1;
}

//! run assert_evaluates_once(i32[1])
//! out = 1
__global__ void assert_evaluates_once(int* out) {
  int n = 0;
  assert(++n == 1);
  *out = n;
}

//! run returns_a_number(i32[1])
//! prints ok
//! out = 1
__global__ void returns_a_number(int* out) { *out = printf("ok") >= 0; }

// %n stores nothing: devices never see it, and its argument is skipped.
//! run counts_store_nothing(42, i32[1]=5)
//! prints 42!\n
//! p = 5
__global__ void counts_store_nothing(int a, int* p) { printf("%n%d%hhn!\n", p, a, p); }
