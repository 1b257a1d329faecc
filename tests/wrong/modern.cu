template <class T> concept Number = std::is_arithmetic_v<T>;
template <Number T> __device__ int f(T) { return 1; }
struct Q {};
__global__ void k(int* out) { out[0] = f(Q{}); }
//! 4:40: no matching function for call to 'f': 'Number<Q>' is not satisfied
//---
template <class T> requires (sizeof(T) > 4) __device__ int f(T) { return 1; }
__global__ void k(int* out) { out[0] = f(1); }
//! 2:40: no matching function for call to 'f': 'sizeof(T) > 4' is not satisfied with T = int
//---
template <std::integral T> struct S { T t; };
__global__ void k(int* out) { S<float> s; out[0] = 1; }
//! 2:40: 'S' cannot take these arguments: 'integral<float>' is not satisfied
//---
struct Q {};
__global__ void k(int* out) { std::integral auto q = Q{}; out[0] = 1; }
//! 2:50: 'q' is of type 'Q', for which 'integral<Q>' is not satisfied
//---
template <class T> concept Number = std::is_arithmetic_v<T>;
__global__ void k(int* out) { Number x = 3; out[0] = 1; }
//! 2:31: 'Number' is a concept; write 'auto' after it
//---
template <class T> concept A = std::is_integral_v<T>;
template <class T> concept B = sizeof(T) == 4;
template <A T> __device__ int f(T) { return 1; }
template <B T> __device__ int f(T) { return 2; }
__global__ void k(int* out) { out[0] = f(1); }
//! 5:40: call to 'f' is ambiguous: 'f(int)' and 'f(int)' match equally well; cast an argument
//---
template <class T> struct Two { T a, b; __device__ Two(T x, T y) : a(x), b(y) {} };
__global__ void k(int* out) { Two t(1, 2.f); out[0] = 1; }
//! 2:35: cannot deduce the template arguments of 'Two' from (int, float); write 'Two<…>'
//---
template <class T> struct Two { T a, b; };
struct Holds { Two t; };
__global__ void k(int* out) { Holds h; out[0] = 1; }
//! 2:20: a member cannot have the type 'Two'; write the type out
//---
__global__ void k(int* out) { out[0] = 5_km; }
//! 1:40: no literal operator '_km' is in scope
//---
template <class... T> __device__ int sum(T... t) { return (t + ...); }
__global__ void k(int* out) { out[0] = sum(); }
//! 1:59: '+' has no value for a pack without elements; write (init op ... op pack)
//---
struct S { int a; };
__global__ void k(int* out) { auto [a, b, c] = S{1}; out[0] = a; }
//! 2:37: 'S' has 1 member, but the binding names 3
//---
struct Plain { int x; };
struct Compared { Plain p; bool operator==(const Compared&) const = default; };
__global__ void k(int* out) { Compared a{}, b{}; out[0] = a == b; }
//! 2:33: '==' cannot take 'Plain' and 'Plain'; define operator==(Plain, Plain)
//---
struct S { int a; __device__ int f() { return 1; } };
__global__ void k(int* out) { int (S::*p)() = &S::f; S s; out[0] = (s.*p)(); }
//! 2:36: pointers to members are not supported in kernels
//---
namespace n { struct T {}; __device__ int f(T, int) { return 1; } }
namespace m { __device__ int g(int) { return 2; } }
__global__ void k(int* out) { out[0] = m::f(n::T{}, 1); }
//! 3:43: 'f' is not declared in this scope
//---
__global__ void k(int* out) {
#line 40 "other.cu"
  out[0] = nothing;
}
//! 40:12: 'nothing' is not declared in this scope
//---
enum E { a = nothing };
using U = nowhere;
__global__ void k1(int* out) { out[0] = a; }
__global__ void k2(int* out) { out[0] = a; }
__global__ void k3(int* out) { U u; out[0] = 1; }
__global__ void k4(int* out) { U u; out[0] = 1; }
//! 1:14: 'nothing' is not declared in this scope
//! 2:11: 'nowhere' does not name a type
//---
__device__ int n = 3;
__global__ void k(int* out) { int a[n]; out[0] = sizeof(a); }
//! 2:37: expected a constant: 'n' is not known at compile time
//---
template <int N> struct T { static constexpr int v = N; };
__device__ int n = 3;
__global__ void k(int* out) { out[0] = T<n>::v; }
//! 3:44: expected a constant: 'n' is not known at compile time
