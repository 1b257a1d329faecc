__global__ void k(float4* in, float* out) { out[0] = in[0]; }
//! 1:54: 'out[…]' wants 'float', 'float4' is given
//---
__global__ void k(float* out) { float f = "text"; out[0] = f; }
//! 1:43: 'f' wants 'float', 'const char[5]' is given
//---
__global__ void k(float* in, int* out) { int* p = in; out[0] = *p; }
//! 1:51: 'p' wants 'int*', 'float*' is given; write reinterpret_cast<int*>(…)
//---
__global__ void k(const float* in, float* out) { float* p = in; out[0] = *p; }
//! 1:61: 'p' wants 'float*', 'const float*' is given
//---
__global__ void k(const float* in) { in[0] = 1; }
//! 1:38: cannot assign to 'in[…]': it is const
//---
__global__ void k(int* out) { const int n = 3; n = 4; out[0] = n; }
//! 1:48: cannot assign to 'n': it is const
//---
__global__ void k(int* out) { 5 = out[0]; }
//! 1:33: cannot assign to a value: it is a constant
//---
__global__ void k(int* out) { int a[3]; int b[3]; a = b; out[0] = 1; }
//! 1:53: cannot assign to the array 'a'; assign its elements
//---
__global__ void k(float* out) { out[0] = 5.0f % 2.0f; }
//! 1:47: '%' wants integers, 'float' is given; write fmodf(a, b)
//---
__global__ void k(float* out) { out[0] = 1.0f << 2; }
//! 1:47: '<<' wants integers, 'float' is given
//---
__global__ void k(float* out) { out[0] = ~1.5f; }
//! 1:42: '~' wants an integer, 'float' is given
//---
struct Vec { float x; };
__global__ void k(float* out) { Vec a, b; Vec c = a + b; out[0] = c.x; }
//! 2:53: '+' cannot take 'Vec' and 'Vec'; define operator+(Vec, Vec)
//---
struct Vec { float x; };
__global__ void k(float* out) { Vec a; Vec b = a * 2.0f; out[0] = b.x; }
//! 2:50: '*' cannot take 'Vec' and 'float'; define operator*(Vec, float)
//---
struct Vec { float x; };
__global__ void k(float* out) { Vec a; if (a) out[0] = 1; }
//! 2:44: a condition is wanted here, 'Vec' is given
//---
__global__ void k(int* out) { out[0] = *out[0]; }
//! 1:40: '*' wants a pointer, 'int' is given
//---
__global__ void k(int* out) { int x = 3; out[0] = x[1]; }
//! 1:51: '[]' wants an array or a pointer, 'x' is 'int'
//---
__global__ void k(int* out) { int x = 3; out[0] = x(1); }
//! 1:51: 'x' is not a function, it is 'int'
//---
__global__ void k(float* out) { out[1.5f] = 1; }
//! 1:37: an index is an integer, 'float' is given
//---
__global__ void k(int* out) { int* p = 5; out[0] = *p; }
//! 1:40: 'p' wants 'int*', 'int' is given
//---
__global__ void k(int* a, float* b, int* out) { out[0] = a == b; }
//! 1:60: cannot compare 'int*' with 'float*'; cast one of them
//---
__global__ void k(int* a, int* b, int* out) { out[0] = *(a + b); }
//! 1:60: '+' cannot take 'int*' and 'int*'
//---
__global__ void k(int* out) { void v; out[0] = 1; }
//! 1:36: 'v' cannot be void
//---
__global__ void k(int* out) { int a[0]; out[0] = 1; }
//! 1:37: an array needs at least one element, 0 are asked for
//---
__global__ void k(int* out) { int a[-3]; out[0] = 1; }
//! 1:37: an array needs at least one element, -3 are asked for
//---
__global__ void k(int n, int* out) { int a[n]; out[0] = 1; }
//! 1:44: a constant is wanted here: 'n' is not known at compile time
//---
__global__ void k(int* out) { int a[3] = {1, 2, 3, 4}; out[0] = a[0]; }
//! 1:52: 'int[3]' has 3 elements, more initialisers are given
//---
struct P { int a, b; };
__global__ void k(int* out) { P p = {1, 2, 3}; out[0] = p.a; }
//! 2:44: 'P' has 2 members, more initialisers are given
//---
struct P { int a, b; };
__global__ void k(int* out) { P p = {.c = 1}; out[0] = p.a; }
//! 2:43: 'P' has no member 'c'
//---
__global__ void k(int* out) { int& r = 5; out[0] = r; }
//! 1:40: 'int&' wants a variable, a temporary is given
//---
__global__ void k(int* out) { int& r; out[0] = 1; }
//! 1:36: the reference 'r' needs an initialiser
//---
__global__ void k(int* out) { auto a; out[0] = 1; }
//! 1:36: 'a' is declared 'auto' and needs an initialiser
//---
__global__ void k(int* out) { auto a = {1, 2}; out[0] = 1; }
//! 1:38: the type of 'a' does not follow from a list; write it out
//---
__device__ void nothing() {}
__global__ void k(int* out) { out[0] = nothing(); }
//! 2:40: 'nothing(…)' has no value; 'out[…]' wants one
//---
__device__ int give() { return; }
__global__ void k(int* out) { out[0] = give(); }
//! 1:25: 'give' returns 'int'; a value is missing
//---
__device__ void take() { return 3; }
__global__ void k(int* out) { take(); }
//! 1:33: 'take' returns void; a value is given
//---
enum class Mode { kOn };
__global__ void k(int* out) { out[0] = Mode::kOn; }
//! 2:46: 'out[…]' wants 'int', 'Mode' is given; write static_cast<int>(…)
//---
enum class Mode { kOn };
__global__ void k(int* out) { Mode m = 1; out[0] = 0; }
//! 2:40: 'm' wants 'Mode', 'int' is given; write static_cast<Mode>(…)
//---
__global__ void k(float f, int* out) { switch (f) { case 1: out[0] = 1; } }
//! 1:48: a switch wants an integer, 'float' is given
//---
__global__ void k(int n, int* out) { switch (n) { case n: out[0] = 1; } }
//! 1:56: a constant is wanted here: 'n' is not known at compile time
//---
__global__ void k(int* out) { constexpr int n = out[0]; out[1] = n; }
//! 1:49: 'n' is constexpr, but its value is not constant: 'out' is not known at compile time
//---
__global__ void k(int* out) { static_assert(sizeof(int) == 8, "int is wide"); out[0] = 1; }
//! 1:57: static assertion fails: int is wide
//---
__global__ void k(int* out) { static_assert(sizeof(int) == 8); out[0] = 1; }
//! 1:57: this static assertion fails
//---
__global__ void k(int* out) { out[0] = static_cast<int*>(3.5f)[0]; }
//! 1:58: static_cast cannot turn 'float' into 'int*'
//---
__global__ void k(float* in, int* out) { out[0] = *static_cast<int*>(in); }
//! 1:70: static_cast cannot turn 'float*' into 'int*'; write reinterpret_cast
//---
__global__ void k(int* out) { out[0] = reinterpret_cast<int>(1.5f); }
//! 1:62: reinterpret_cast cannot turn 'float' into 'int'; write static_cast, or __float_as_int and its like for bits
//---
struct A { int x; };
struct B { int y; };
__global__ void k(int* out) { A a{1}; B b = (B)a; out[0] = b.y; }
//! 3:48: a cast cannot turn 'A' into 'B': the classes are not related
//---
__global__ void k(int* out) { out[0] = sizeof(void); }
//! 1:40: 'void' has no size
//---
__constant__ int c[2];
__global__ void k(int* out) { c[0] = 1; }
//! 2:31: cannot assign to 'c[…]': 'c' is __constant__
//---
__global__ void k(int* out) { __shared__ int s = 3; out[0] = s; }
//! 1:46: shared memory has no initialiser; let one thread write it and synchronise
//---
__global__ void k(int* out) { __shared__ int s[]; out[0] = s[0]; }
//! 1:46: shared memory of unknown size is declared 'extern __shared__'
//---
__global__ void k(int* out) { int a[]; out[0] = 1; }
//! 1:35: the extent of 'a' is missing
//---
__global__ int k(int* out) { return 1; }
//! 1:16: a kernel returns void, 'k' returns 'int'
//---
__global__ void k(int* out) { for (int v : 5) out[0] = v; }
//! 1:31: 'int' cannot be looped over; an array or a class with begin() and end() can
//---
__global__ void k(int* out) { out[0] = 99999999999999999999; }
//! 1:40: this number needs more than 64 bits
//---
__global__ void k(int* out) { out[0] = 0b12; }
//! 1:40: '2' is not a suffix of integers
//---
__global__ void k(int* out) { out[0] = 'ab'; }
//! 1:40: 'ab' has more than one character in it; use a string with "
//---
__global__ void k(int* out) { auto [a, b] = out[0]; }
//! 1:37: 'int' has 0 members, the list names 2
//---
struct P { int a, b; };
__global__ void k(int* out) { P p{1, 2}; auto [x] = p; out[0] = x; }
//! 2:48: 'P' has 2 members, the list names 1
//---
struct Bits { int a : 3; };
__global__ void k(int* out) { Bits b; out = &b.a; }
//! 2:45: 'b.a' is a bit-field, which has no address
//---
struct Bits { int a : 3; };
__device__ void set(int& x) { x = 1; }
__global__ void k(int* out) { Bits b; set(b.a); }
//! 3:45: 'set' wants 'int&' for parameter 'x' (1st), 'int' is given
//---
struct Bits { int a : 33; };
__global__ void k(int* out) { Bits b; out[0] = b.a; }
//! 1:19: a bit-field of 'int' has 1 to 32 bits, not 33
//---
struct Bits { float a : 2; };
__global__ void k(int* out) { Bits b; out[0] = b.a; }
//! 1:21: a bit-field is an integer or an enum, not 'float'
