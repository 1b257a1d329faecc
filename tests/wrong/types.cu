__global__ void k(float4* in, float* out) { out[0] = in[0]; }
//! 1:54: 'out[…]' expects 'float', got 'float4'
//---
__global__ void k(float* out) { float f = "text"; out[0] = f; }
//! 1:43: 'f' expects 'float', got 'const char[5]'
//---
__global__ void k(float* in, int* out) { int* p = in; out[0] = *p; }
//! 1:51: 'p' expects 'int*', got 'float*'; write reinterpret_cast<int*>(…)
//---
__global__ void k(const float* in, float* out) { float* p = in; out[0] = *p; }
//! 1:61: 'p' expects 'float*', got 'const float*'
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
//! 1:47: '%' expects integers, got 'float'; write fmodf(a, b)
//---
__global__ void k(float* out) { out[0] = 1.0f << 2; }
//! 1:47: '<<' expects integers, got 'float'
//---
__global__ void k(float* out) { out[0] = ~1.5f; }
//! 1:42: '~' expects an integer, got 'float'
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
//! 2:44: expected a condition, got 'Vec'
//---
__global__ void k(int* out) { out[0] = *out[0]; }
//! 1:40: '*' expects a pointer, got 'int'
//---
__global__ void k(int* out) { int x = 3; out[0] = x[1]; }
//! 1:51: '[]' expects an array or a pointer, but 'x' is 'int'
//---
__global__ void k(int* out) { int x = 3; out[0] = x(1); }
//! 1:51: 'x' is not a function: its type is 'int'
//---
__global__ void k(float* out) { out[1.5f] = 1; }
//! 1:37: an index must be an integer, got 'float'
//---
__global__ void k(int* out) { int* p = 5; out[0] = *p; }
//! 1:40: 'p' expects 'int*', got 'int'
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
//! 1:37: an array needs at least one element, got 0
//---
__global__ void k(int* out) { int a[-3]; out[0] = 1; }
//! 1:37: an array needs at least one element, got -3
//---
__global__ void k(int n, int* out) { int a[n]; out[0] = 1; }
//! 1:44: expected a constant: 'n' is not known at compile time
//---
__global__ void k(int* out) { int a[3] = {1, 2, 3, 4}; out[0] = a[0]; }
//! 1:52: too many initialisers: 'int[3]' has 3 elements
//---
struct P { int a, b; };
__global__ void k(int* out) { P p = {1, 2, 3}; out[0] = p.a; }
//! 2:44: too many initialisers: 'P' has 2 members
//---
struct P { int a, b; };
__global__ void k(int* out) { P p = {.c = 1}; out[0] = p.a; }
//! 2:43: 'P' has no member 'c'
//---
__global__ void k(int* out) { int& r = 5; out[0] = r; }
//! 1:40: 'int&' expects a variable, got a temporary
//---
__global__ void k(int* out) { int& r; out[0] = 1; }
//! 1:36: the reference 'r' needs an initialiser
//---
__global__ void k(int* out) { auto a; out[0] = 1; }
//! 1:36: 'a' is declared 'auto' and needs an initialiser
//---
__global__ void k(int* out) { auto a = {1, 2}; out[0] = 1; }
//! 1:38: cannot deduce the type of 'a' from a list; write it out
//---
__device__ void nothing() {}
__global__ void k(int* out) { out[0] = nothing(); }
//! 2:40: 'nothing(…)' has no value, but 'out[…]' expects one
//---
__device__ int give() { return; }
__global__ void k(int* out) { out[0] = give(); }
//! 1:25: 'give' returns 'int', but this return has no value
//---
__device__ void take() { return 3; }
__global__ void k(int* out) { take(); }
//! 1:33: 'take' returns void and cannot return a value
//---
enum class Mode { kOn };
__global__ void k(int* out) { out[0] = Mode::kOn; }
//! 2:46: 'out[…]' expects 'int', got 'Mode'; write static_cast<int>(…)
//---
enum class Mode { kOn };
__global__ void k(int* out) { Mode m = 1; out[0] = 0; }
//! 2:40: 'm' expects 'Mode', got 'int'; write static_cast<Mode>(…)
//---
__global__ void k(float f, int* out) { switch (f) { case 1: out[0] = 1; } }
//! 1:48: a switch expects an integer, got 'float'
//---
__global__ void k(int n, int* out) { switch (n) { case n: out[0] = 1; } }
//! 1:56: expected a constant: 'n' is not known at compile time
//---
__global__ void k(int* out) { constexpr int n = out[0]; out[1] = n; }
//! 1:49: 'n' is constexpr, but its value is not constant: 'out' is not known at compile time
//---
constexpr int count(int n) { int r = 0; switch (n) { case 0: do { ++r; case 1: ++r; } while (false); } return r; }
__global__ void k(int* out) { constexpr int n = count(1); out[0] = n; }
//! 2:49: 'n' is constexpr, but its value is not constant: it uses a case label inside a nested block
//---
__global__ void k(int* out) { static_assert(sizeof(int) == 8, "int is wide"); out[0] = 1; }
//! 1:57: static assertion failed: int is wide
//---
__global__ void k(int* out) { static_assert(sizeof(int) == 8); out[0] = 1; }
//! 1:57: static assertion failed
//---
__global__ void k(int* out) { out[0] = static_cast<int*>(3.5f)[0]; }
//! 1:58: static_cast cannot convert 'float' to 'int*'
//---
__global__ void k(float* in, int* out) { out[0] = *static_cast<int*>(in); }
//! 1:70: static_cast cannot convert 'float*' to 'int*'; write reinterpret_cast
//---
__global__ void k(int* out) { out[0] = reinterpret_cast<int>(1.5f); }
//! 1:62: reinterpret_cast cannot convert 'float' to 'int'; write static_cast, or __float_as_int or similar for bits
//---
struct A { int x; };
struct B { int y; };
__global__ void k(int* out) { A a{1}; B b = (B)a; out[0] = b.y; }
//! 3:48: a cast cannot convert 'A' to 'B': the classes are not related
//---
__global__ void k(int* out) { out[0] = sizeof(void); }
//! 1:40: 'void' has no size
//---
__constant__ int c[2];
__global__ void k(int* out) { c[0] = 1; }
//! 2:31: cannot assign to 'c[…]': 'c' is __constant__
//---
__global__ void k(int* out) { __shared__ int s = 3; out[0] = s; }
//! 1:46: shared memory cannot have an initialiser; let one thread write it and synchronise
//---
__global__ void k(int* out) { __shared__ int s[]; out[0] = s[0]; }
//! 1:46: shared memory of unknown size must be declared 'extern __shared__'
//---
__global__ void k(int* out) { int a[]; out[0] = 1; }
//! 1:35: the extent of 'a' is missing
//---
__global__ int k(int* out) { return 1; }
//! 1:16: a kernel must return void, but 'k' returns 'int'
//---
__global__ void k(int* out) { for (int v : 5) out[0] = v; }
//! 1:31: 'int' cannot be used in a range-based for; use an array or a class with begin() and end()
//---
__global__ void k(int* out) { out[0] = 99999999999999999999; }
//! 1:40: this number does not fit into 64 bits
//---
__global__ void k(int* out) { out[0] = 0b12; }
//! 1:40: '2' is not an integer suffix
//---
__global__ void k(int* out) { out[0] = 'ab'; }
//! 1:40: 'ab' contains more than one character; use a string with "
//---
__global__ void k(int* out) { auto [a, b] = out[0]; }
//! 1:37: 'int' has 0 members, but the binding names 2
//---
struct P { int a, b; };
__global__ void k(int* out) { P p{1, 2}; auto [x] = p; out[0] = x; }
//! 2:48: 'P' has 2 members, but the binding names 1
//---
struct Bits { int a : 3; };
__global__ void k(int* out) { Bits b; out = &b.a; }
//! 2:45: 'b.a' is a bit-field, which has no address
//---
struct Bits { int a : 3; };
__device__ void set(int& x) { x = 1; }
__global__ void k(int* out) { Bits b; set(b.a); }
//! 3:45: 'set' expects 'int&' for parameter 'x' (1st), got 'int'
//---
struct Bits { int a : 33; };
__global__ void k(int* out) { Bits b; out[0] = b.a; }
//! 1:19: a bit-field of 'int' must have 1 to 32 bits, not 33
//---
struct Bits { float a : 2; };
__global__ void k(int* out) { Bits b; out[0] = b.a; }
//! 1:21: a bit-field must be an integer or an enum, not 'float'
