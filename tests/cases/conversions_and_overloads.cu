// Implicit and explicit conversions, and the choice between overloads.
#include <cstdint>

__device__ int which(int) { return 1; }
__device__ int which(unsigned) { return 2; }
__device__ int which(long long) { return 3; }
__device__ int which(float) { return 4; }
__device__ int which(double) { return 5; }
//! run exact_matches(i32[7])
//! out = 1 2 3 4 5 1 1
__global__ void exact_matches(int* out) {
  out[0] = which(1);
  out[1] = which(1u);
  out[2] = which(1ll);
  out[3] = which(1.0f);
  out[4] = which(1.0);
  out[5] = which((short)1);
  out[6] = which('a');
}

__device__ int promoted(int) { return 1; }
__device__ int promoted(long) { return 2; }
//! run promotion_before_conversion(i32[4])
//! out = 1 1 1 2
__global__ void promotion_before_conversion(int* out) {
  unsigned char c = 1;
  short s = 1;
  out[0] = promoted(c);
  out[1] = promoted(s);
  out[2] = promoted(true);
  out[3] = promoted(1L);
}

__device__ int real_or_not(float) { return 1; }
__device__ int real_or_not(double) { return 2; }
//! run half_prefers_float(i32[2])
//! out = 1 2
__global__ void half_prefers_float(int* out) {
  out[0] = real_or_not(1.5f);
  out[1] = real_or_not(1.5);
}

__device__ int binding(int&) { return 1; }
__device__ int binding(const int&) { return 2; }
__device__ int binding(int&&) { return 3; }
//! run value_categories(i32[4])
//! out = 1 2 3 3
__global__ void value_categories(int* out) {
  int a = 0;
  const int b = 0;
  out[0] = binding(a);
  out[1] = binding(b);
  out[2] = binding(5);
  out[3] = binding(a + b);
}

__device__ int pointed(const void*) { return 1; }
__device__ int pointed(const int*) { return 2; }
__device__ int pointed(int*) { return 3; }
__device__ int pointed(bool) { return 4; }
//! run pointer_overloads(i32[4])
//! out = 3 2 1 4
__global__ void pointer_overloads(int* out) {
  const int a = 0;
  float f = 0;
  out[0] = pointed(out);
  out[1] = pointed(&a);
  out[2] = pointed(&f);
  out[3] = pointed(true);
}

template <class T> __device__ int general(T) { return 1; }
template <class T> __device__ int general(T*) { return 2; }
template <class T> __device__ int general(const T*) { return 3; }
__device__ int general(int) { return 4; }
//! run templates_and_functions(i32[5])
//! out = 4 1 2 3 1
__global__ void templates_and_functions(int* out) {
  const float c = 0;
  out[0] = general(1);
  out[1] = general(1.0f);
  out[2] = general(out);
  out[3] = general(&c);
  out[4] = general<>(1);
}

struct Metres {
  float v;
  __device__ Metres(float x) : v(x) {}
};
struct Feet {
  float v;
  __device__ operator Metres() const { return Metres(v * 0.25f); }
};
__device__ float length_of(Metres m) { return m.v; }
//! run conversions_by_the_user(f32[3])
//! out = 2 1 3
__global__ void conversions_by_the_user(float* out) {
  Feet f = {4};
  out[0] = length_of(2.0f);
  out[1] = length_of(f);
  Metres m = 3;
  out[2] = m.v;
}

struct Flag {
  int n;
  __device__ explicit operator bool() const { return n > 0; }
};
//! run explicit_bool(i32[4])
//! out = 1 0 1 5
__global__ void explicit_bool(int* out) {
  Flag yes = {3}, no = {0};
  out[0] = yes ? 1 : 0;
  out[1] = no && yes;
  out[2] = !no;
  if (yes) out[3] = 5;
}

struct Number {
  int v;
  __device__ Number(int x) : v(x) {}
  friend __device__ Number operator+(Number a, Number b) { return Number(a.v + b.v); }
  __device__ bool operator==(const Number& o) const { return v == o.v; }
};
//! run both_operands_convert(i32[3])
//! out = 7 8 1
__global__ void both_operands_convert(int* out) {
  Number n = 3;
  out[0] = (n + 4).v;
  out[1] = (5 + n).v;
  out[2] = n == 3;
}

//! run casts(i32[8])
//! out = 3 3 3 -1 255 1 65 1
__global__ void casts(int* out) {
  float f = 3.75f;
  out[0] = (int)f;
  out[1] = int(f);
  out[2] = static_cast<int>(f);
  out[3] = (signed char)255;
  out[4] = static_cast<unsigned char>(-1);
  out[5] = static_cast<bool>(f);
  out[6] = static_cast<int>('A');
  const int c = 1;
  out[7] = *const_cast<int*>(&c);
}

enum Colour { kRed, kGreen = 5, kBlue };
enum class Level : unsigned char { kLow = 1, kHigh = 200 };
__device__ int kind_of(Colour) { return 10; }
__device__ int kind_of(int) { return 20; }
__device__ int kind_of(Level) { return 30; }
//! run enums_convert(i32[6])
//! out = 6 10 20 30 200 1
__global__ void enums_convert(int* out) {
  out[0] = kBlue;
  out[1] = kind_of(kRed);
  out[2] = kind_of(kRed + 1);
  out[3] = kind_of(Level::kHigh);
  out[4] = static_cast<int>(Level::kHigh);
  out[5] = sizeof(Level);
}

//! run mixed_arithmetic(f64[6])
//! out = 3.5 2 2147483648 -1 0.5 4294967295
__global__ void mixed_arithmetic(double* out) {
  int i = 3;
  float f = 0.5f;
  out[0] = i + f;
  out[1] = 5 / 2;
  out[2] = 2147483647 + 1u;
  out[3] = (char)255;
  out[4] = 1 / 2.0f;
  out[5] = -1 + 0u;
}

//! run conditional_operator_types(f64[4])
//! out = 1 1.5 4294967295 97
__global__ void conditional_operator_types(double* out) {
  bool yes = threadIdx.x == 0;
  out[0] = yes ? 1 : 2.5;
  out[1] = yes ? 1.5f : 2;
  out[2] = yes ? -1 : 0u;
  out[3] = yes ? 'a' : 1000;
}

//! run comparisons_across_types(i32[6])
//! out = 0 1 1 1 0 1
__global__ void comparisons_across_types(int* out) {
  unsigned u = 3;
  int minus = -1;
  unsigned char c = 255;
  out[0] = minus < u;
  out[1] = c == 255;
  out[2] = (short)-1 < c;
  out[3] = 3.0 == u;
  out[4] = sizeof(int) < minus + 0 * u ? 0 : 1;
  out[5] = -1ll < u;
}

//! run truth_values(i32[7])
//! out = 1 1 0 1 0 1 2
__global__ void truth_values(int* out) {
  float tiny = 1e-40f;
  bool b = 42;
  out[0] = b;
  out[1] = tiny ? 1 : 0;
  out[2] = !out;
  out[3] = !!5;
  out[4] = (bool)0.0;
  out[5] = b == 1;
  out[6] = b + true;
}

//! run narrowing_stores(i32[5])
//! out = 44 -112 65535 -32768 1
__global__ void narrowing_stores(int* out) {
  unsigned char a = 300;
  signed char b = 400;
  unsigned short c = -1;
  short d = 32768;
  bool e = 256;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
}

__device__ int defaults(int a, int b = 10, int c = 100) { return a + b + c; }
//! run default_arguments(i32[3])
//! out = 111 103 6
__global__ void default_arguments(int* out) {
  out[0] = defaults(1);
  out[1] = defaults(1, 2);
  out[2] = defaults(1, 2, 3);
}

struct Shape {
  __device__ int area() const { return 1; }
  __device__ int area() { return 2; }
  __device__ int at(int i) const { return i; }
  __device__ int at(int i, int j) const { return i * 10 + j; }
};
//! run member_overloads(i32[4])
//! out = 1 2 3 45
__global__ void member_overloads(int* out) {
  Shape s;
  const Shape& c = s;
  out[0] = c.area();
  out[1] = s.area();
  out[2] = s.at(3);
  out[3] = s.at(4, 5);
}

struct Animal {
  int legs;
};
struct Dog : Animal {
  int tricks;
};
__device__ int inspect(const Animal& a) { return a.legs; }
__device__ int inspect(const Dog& d) { return d.tricks; }
__device__ int only_base(Animal* a) { return a->legs; }
//! run derived_prefers_derived(i32[4])
//! out = 7 4 4 4
__global__ void derived_prefers_derived(int* out) {
  Dog d;
  d.legs = 4;
  d.tricks = 7;
  out[0] = inspect(d);
  out[1] = inspect(static_cast<Animal&>(d));
  out[2] = only_base(&d);
  Animal sliced = d;
  out[3] = sliced.legs;
}

//! run downcast(i32[1])
//! out = 9
__global__ void downcast(int* out) {
  Dog d;
  d.tricks = 9;
  Animal* a = &d;
  out[0] = static_cast<Dog*>(a)->tricks;
}

__device__ int variadic_choice(int) { return 1; }
template <class... Ts> __device__ int variadic_choice(Ts...) { return 10 + sizeof...(Ts); }
//! run pack_is_last_resort(i32[3])
//! out = 1 12 10
__global__ void pack_is_last_resort(int* out) {
  out[0] = variadic_choice(1);
  out[1] = variadic_choice(1, 2);
  out[2] = variadic_choice();
}

namespace outer {
__device__ int shadowed(int) { return 1; }
namespace inner {
__device__ int shadowed(float) { return 2; }
__device__ int from_inside() { return shadowed(3); }
}
}
//! run inner_scope_hides(i32[2])
//! out = 2 1
__global__ void inner_scope_hides(int* out) {
  out[0] = outer::inner::from_inside();
  out[1] = outer::shadowed(3);
}

//! run address_as_integer(i32[4]=iota, i32[3])
//! out = 12 3 1
__global__ void address_as_integer(int* in, int* out) {
  unsigned long long a = (unsigned long long)in, b = reinterpret_cast<uintptr_t>(in + 3);
  out[0] = b - a;
  out[1] = *reinterpret_cast<int*>(a + 12);
  out[2] = a % 4 == 0;
}

//! run float_to_small_integers(300.7, i32[4])
//! out = 255 300 127 0
__global__ void float_to_small_integers(float x, int* out) {
  out[0] = (unsigned char)x;
  out[1] = (short)x;
  out[2] = (signed char)x;
  out[3] = (unsigned)-x;
}

//! run large_integers_to_float(f32[3], f64[1])
//! out = 1.8446744e+19 9.223372e+18 -9.223372e+18
//! wide = 18446744073709551616
__global__ void large_integers_to_float(float* out, double* wide) {
  unsigned long long most = ~0ull - threadIdx.x;
  out[0] = most;
  out[1] = (long long)(most >> 1);
  out[2] = (long long)0x8000000000000000ll;
  wide[0] = most;
}

//! run lower_half_of_a_large_float(i32[5], 8589935616.0)
//! out = 1024 -1024 1024 0 0
__global__ void lower_half_of_a_large_float(int* out, float x) {
  out[0] = (int)(long long)x;
  out[1] = (int)(long long)-x;
  out[2] = (int)(unsigned long long)x;
  out[3] = (int)(unsigned long long)-x;
  out[4] = (int)(long long)(-x * x);
}

struct Doubled {
  float value;
  __device__ operator float() const { return value * 2; }
  __device__ int whole() const { return (int)(float(*this)); }  // not a type `float(*this)`
};
//! run cast_of_a_cast_of_this(i32[1]) block 1
//! out = 7
__global__ void cast_of_a_cast_of_this(int* out) { *out = Doubled{3.75f}.whole(); }
