extern __device__ int missing;
__global__ void k(int* out) { out[0] = missing; }
//! 2:40: 'missing' is declared 'extern' but not defined; define it in this file or include the file that does
//---
extern __constant__ float missing_table[4];
__global__ void k(float* out) { out[0] = missing_table[1]; }
//! 2:42: 'missing_table' is declared 'extern' but not defined; define it in this file or include the file that does
//---
__global__ void k(float* x) { x[0] = sqrtt(2.0f); }
//! 1:38: no function named 'sqrtt' is in scope; did you mean 'sqrt'?
//---
__global__ void k(int* out) { out[0] = blokDim.x; }
//! 1:40: 'blokDim' is not declared in this scope; did you mean 'blockDim'?
//---
__global__ void k(int* out) { out[0] = count; }
//! 1:40: 'count' is not declared in this scope
//---
__global__ void k(int* out) {
  int total = 1;
  out[0] = totl;
}
//! 3:12: 'totl' is not declared in this scope; did you mean 'total'?
//---
__global__ void k(int* out) { out[0] = threadIdx.w; }
//! 1:50: 'uint3' has no member 'w'
//---
struct Vec3 { float x, y, z; __device__ float length() const { return x; } };
__global__ void k(float* out) {
  Vec3 v = {1, 2, 3};
  out[0] = v.lenght();
}
//! 4:14: 'Vec3' has no member 'lenght'; did you mean 'length'?
//---
struct Vec3 { float x, y, z; };
__global__ void k(float* out) {
  Vec3 v = {1, 2, 3};
  out[0] = v.w;
}
//! 4:14: 'Vec3' has no member 'w'
//---
__global__ void k(float* out) { out[0].x = 1; }
//! 1:40: 'out[…]' (float) has no members
//---
namespace math { __device__ float half_of(float x) { return x / 2; } }
__global__ void k(float* out) { out[0] = math::halfof(3); }
//! 2:48: 'halfof' is not declared in this scope; did you mean 'half_of'?
//---
__global__ void k(float* out) { out[0] = maths::half_of(3); }
//! 1:42: 'maths' is not declared in this scope
//---
__global__ void k(flaot* out) { out[0] = 1; }
//! 1:19: 'flaot' does not name a type; did you mean 'float'?
//---
__global__ void k(float* out) { Vector v; out[0] = 1; }
//! 1:33: 'Vector' does not name a type
//---
__global__ void k(float* out) { unsinged n = 3; out[0] = n; }
//! 1:33: 'unsinged' does not name a type; did you mean 'unsigned'?
//---
enum class Mode { kOn, kOff };
__global__ void k(int* out) { out[0] = (int)Mode::kAuto; }
//! 2:51: 'kAuto' is not declared in this scope
//---
__global__ void k(int* out) { int a = 1; int a = 2; out[0] = a; }
//! 1:46: 'a' is declared twice in this block
//---
__global__ void k(int a, int a) { }
//! 1:30: there are two parameters named 'a'
//---
__global__ void k(int* out) { out[0] = this->x; }
//! 1:40: 'this' can be used only in a non-static member function
//---
struct S { int a; int a; };
__global__ void k(int* out) { S s; out[0] = s.a; }
//! 1:23: 'S' has two members named 'a'
//---
__global__ void k(int* out) { std::vector<int> v; out[0] = 0; }
//! 1:36: 'vector' is not supported: it exists only on the host; pass a pointer and a size
//---
__global__ void k(int* out) { out[0] = std::mix(1, 2); }
//! 1:45: 'mix' is not declared in this scope; did you mean 'min'?
//---
__global__ void k(int* out) { out[0] = float; }
//! 1:40: expected a value, got the type 'float'
//---
__global__ void k(int* out) { { int inner = 1; } out[0] = inner; }
//! 1:59: 'inner' is not declared in this scope
//---
__global__ void k(int* out) { for (int i = 0; i < 3; ++i) {} out[0] = i; }
//! 1:71: 'i' is not declared in this scope
//---
int host_value = 3;
__global__ void k(int* out) { out[0] = host_value; }
//! 2:40: 'host_value' is a host variable; mark it __device__ or __constant__, or pass it as an argument
//---
int helper(int x) { return x; }
__global__ void k(int* out) { out[0] = helper(3); }
//! 2:40: 'helper' is a host function; mark it __device__ to call it from a kernel
//---
__device__ int later(int x);
__global__ void k(int* out) { out[0] = later(3); }
//! 2:40: 'later' is declared but not defined
//---
struct Node;
__global__ void k(int* out) { Node n; out[0] = 1; }
//! 2:36: 'Node' is declared but not defined
//---
struct Node;
__global__ void k(Node* n, int* out) { out[0] = n->value; }
//! 2:52: 'Node' is declared but not defined
//---
#include "missing.h"
__global__ void k(int* out) { out[0] = from_missing; }
//! 2:40: 'from_missing' is not declared in this scope; "missing.h" may contain the declaration, but it was skipped: including files is disabled
//---
~lost() {}
__global__ void k(int* out) { lost(); }
//! 2:31: no function named 'lost' is in scope
