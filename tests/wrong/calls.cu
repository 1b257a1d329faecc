__device__ int f(int a, int b) { return a + b; }
__global__ void k(int* out) { out[0] = f(1); }
//! 2:40: no matching function for call to 'f': it takes 2 arguments, got 1
//---
__device__ int f(int a) { return a; }
__global__ void k(int* out) { out[0] = f(1, 2, 3); }
//! 2:40: no matching function for call to 'f': it takes 1 argument, got 3
//---
__device__ int f(int* p) { return *p; }
__global__ void k(float* in, int* out) { out[0] = f(in); }
//! 2:53: 'f' expects 'int*' for parameter 'p' (1st), got 'float*'
//---
__device__ int f(int* p) { return *p; }
__global__ void k(const int* in, int* out) { out[0] = f(in); }
//! 2:57: 'f' expects 'int*' for parameter 'p' (1st), got 'const int*'
//---
__device__ int f(int, float) { return 1; }
__device__ int f(float, int) { return 2; }
__global__ void k(int* out) { out[0] = f(1, 1); }
//! 3:40: call to 'f' is ambiguous: 'f(int, float)' and 'f(float, int)' match equally well; cast an argument
//---
__device__ int f(int) { return 1; }
__device__ int f(float) { return 2; }
struct S { int a; };
__global__ void k(int* out) { S s; out[0] = f(s); }
//! 4:45: no matching function for call to 'f(S)': the nearest is 'f(int)'
//---
__device__ void f(int& r) { r = 1; }
__global__ void k(int* out) { f(3); out[0] = 1; }
//! 2:33: 'f' expects 'int&' for parameter 'r' (1st), got a temporary; pass a variable
//---
__global__ void other(int* out) { out[0] = 1; }
__global__ void k(int* out) { other(out); }
//! 2:31: a kernel cannot be called like a function; launch it: kernel<<<grid, block>>>(…)
//---
struct S { __device__ void set(int v) { x = v; } int x; };
__global__ void k(int* out) { const S s{1}; s.set(2); out[0] = s.x; }
//! 2:47: 'S::set' is not const, so it cannot be called on 's', which is; mark it const
//---
struct S { __device__ explicit S(int v) : x(v) {} int x; };
__global__ void k(int* out) { S s = 3; out[0] = s.x; }
//! 2:37: 's' expects 'S', got 'int'
//---
struct S { __device__ S(int v) : x(v) {} int x; };
__global__ void k(int* out) { S s; out[0] = s.x; }
//! 2:33: 'S' has no default constructor, only 'S(int)'
//---
struct S { __device__ S(int v) : y(v) {} int x; };
__global__ void k(int* out) { S s(3); out[0] = s.x; }
//! 1:34: 'y' is not a member or base of 'S'
//---
template <typename T> __device__ T same(T a, T b) { return a; }
__global__ void k(float* out) { out[0] = same(1, 2.0f); }
//! 2:42: no matching function for call to 'same': its parameter 2 does not match 'float'
//---
template <typename T> __device__ T make() { return T(); }
__global__ void k(float* out) { out[0] = make(); }
//! 2:42: no matching function for call to 'make': cannot deduce template parameter 'T' from the arguments
//---
template <int N> struct A { int v[N]; };
__global__ void k(int n, int* out) { A<n> a; out[0] = 1; }
//! 2:40: expected a constant: 'n' is not known at compile time
//---
template <typename T> struct Box { T v; };
__global__ void k(int* out) { Box b; out[0] = 1; }
//! 2:35: 'Box' needs template arguments; write 'Box<…>'
//---
template <typename T> struct Box { T v; };
__global__ void k(int* out) { Box<3> b; out[0] = 1; }
//! 2:38: template parameter 'T' of 'Box' expects a type
//---
template <typename T> struct Box { T v; };
__global__ void k(int* out) { Box<int, int> b; out[0] = 1; }
//! 2:45: 'Box' takes 1 template argument, got 2
//---
template <int N> struct Loop { static constexpr int v = Loop<N + 1>::v; };
__global__ void k(int* out) { out[0] = Loop<0>::v; }
//! 1:62: this expression is nested too deeply
//---
template <typename T> __device__ int only_int(T v) { static_assert(sizeof(T) == 4, "four bytes only"); return v; }
__global__ void k(int* out) { out[0] = only_int(3.0); }
//! 1:78: static assertion failed: four bytes only
//---
__global__ void k(int* out) { atomicAdd(out[0], 1); }
//! 1:31: no matching function for call to 'atomicAdd(int, int)': the nearest is 'atomicAdd(int*, int)'
//---
__global__ void k(float* out) { atomicXor(out, 1); }
//! 1:33: no matching function for call to 'atomicXor(float*, int)': the nearest is 'atomicXor(int*, int)'
//---
__global__ void k(int* out) { out[0] = __shfl_sync(0xffffffff); }
//! 1:40: no matching function for call to '__shfl_sync': its 12 overloads take 3 or 4 arguments, got 1
//---
__global__ void k(float* out) { out[0] = fmaf(1.0f, 2.0f); }
//! 1:42: no matching function for call to 'fmaf': it takes 3 arguments, got 2
//---
__device__ float twice(float x) { return 2 * x; }
__device__ float thrice(float x) { return 3 * x; }
__global__ void k(float* out, int n) {
  float (*f)(float) = n > 0 ? twice : thrice;
  out[0] = f(1.0f, 2.0f);
}
//! 5:12: the function that 'f' points to takes 1 argument, got 2
//---
int on_host(int x) { return x; }
__device__ int on_device(int x) { return x; }
__global__ void k(int* out, int n) {
  int (*f)(int) = n > 0 ? on_host : on_device;
  out[0] = f(1);
}
//! 4:27: 'on_host' is a host function; mark it __device__ to call it from a kernel
//---
__device__ int f(int) { return 1; }
__device__ int f(float) { return 2; }
__global__ void k(int* out) { auto g = f; out[0] = g(1); }
//! 3:40: 'f' names several functions; cast it to the intended type
//---
__global__ void k(int* out) {
  int base = 3;
  auto f = [](int x) { return x + base; };
  out[0] = f(1);
}
//! 3:35: 'base' belongs to the surrounding function; capture it with [=] or [&]
//---
__global__ void k(int* out) { auto f = [missing](int x) { return x; }; out[0] = f(1); }
//! 1:41: 'missing' is not a variable in this scope and cannot be captured
//---
__global__ void k(int* out) { printf(out); }
//! 1:31: the format of printf must be a string literal
//---
__global__ void k(int* out) { int n = 1; n.size(); out[0] = 1; }
//! 1:44: 'n' (int) has no members
//---
struct S { int x; };
__global__ void k(S* p, int* out) { out[0] = p.x; }
//! 2:48: 'p' is a pointer; write ->x
//---
struct S { int x; };
__global__ void k(S s, int* out) { out[0] = s->x; }
//! 2:48: 's' is not a pointer; write .x
//---
namespace shapes { template <class T> struct pick {}; }
template <class T> __device__ int pick(T*, T) { return 1; }
using namespace shapes;
__global__ void k(int* out) { out[0] = pick(3); }
//! 4:40: no matching function for call to 'pick': its parameter 1 does not match 'int'
//---
__device__ int twice() { return 1; }
__global__ void k(int* out) { out[0] = twice(); }
__device__ int twice() { return 2; }
//! 2:40: 'twice()' is defined twice, in wrong.cu:1 and wrong.cu:3; keep one
