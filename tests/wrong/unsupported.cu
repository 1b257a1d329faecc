__global__ void k(int* out) { int* p = new int[3]{1, 2, 3}; out[0] = p[0]; }
//! 1:50: an array made by 'new' can only be value-initialized; assign its elements in a loop
//---
__global__ void k(int* out) { delete out[0]; }
//! 1:38: 'delete' needs a pointer to an object, got 'int'
//---
__global__ void k(int* out) { int* p = new (out, 3) int; out[0] = p[0]; }
//! 1:53: 'new (…)' takes one address
//---
struct P { int x; __device__ static void* operator new(unsigned long n); };
__global__ void k(int* out) { P* p = new P; out[0] = p->x; }
//! 2:38: 'P' has its own operator new, which kernels do not support
//---
__global__ void k(int* out) { int* p; cudaMalloc(&p, 16); out[0] = p[0]; }
//! 1:39: 'cudaMalloc' is not supported: memory cannot be allocated inside a kernel; pass a buffer
//---
__global__ void k(int* out) { try { out[0] = 1; } catch (...) { } }
//! 1:31: exceptions are not supported in kernels
//---
__global__ void k(int* out) { throw 3; }
//! 1:31: exceptions are not supported in kernels
//---
__global__ void k(int* out) { asm("nonsense.u32 %0, %1;" : "=r"(out[0]) : "r"(1)); }
//! 1:31: inline PTX 'nonsense.u32' is not supported; write the operation in CUDA C++
//---
__global__ void k(float* out) { asm("add.ftz.f32 %0, %1, %1;" : "=f"(out[0]) : "f"(1.0f)); }
//! 1:33: inline PTX 'add.ftz.f32' is not supported; write the operation in CUDA C++
//---
__global__ void k(int* out) { asm("ld.shared.nonsense.u32 %0, [%1];" : "=r"(out[0]) : "r"(1)); }
//! 1:31: inline PTX 'ld.shared.nonsense.u32' is not supported; write the operation in CUDA C++
//---
__global__ void k(int* out) { asm("atom.shared.nonsense.u32 %0, [%1], 1;" : "=r"(out[0]) : "r"(1)); }
//! 1:31: inline PTX 'atom.shared.nonsense.u32' is not supported; write the operation in CUDA C++
//---
__global__ void k(unsigned* out) { asm("tanh.approx.f16x2 %0, %1;" : "=r"(out[0]) : "r"(out[1])); }
//! 1:36: this inline PTX is supported for f32 only; write the operation in CUDA C++
//---
__global__ void k(float* out, float a) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32{%0, %1}, {%2}, {%2}, {%0, %1};" : "+f"(out[0]), "+f"(out[1]) : "f"(a));
}
//! 2:3: mma has another number of registers
//---
__global__ void k(unsigned* out) {
  asm("add.cc.u32 %0, %0, %1;" : "+r"(out[0]) : "r"(out[1]));
  asm("addc.u32 %0, %0, 0;" : "+r"(out[2]));
}
//! 3:3: inline PTX 'addc.u32' with the carry of another statement is not supported; write the operation in CUDA C++
//---
__global__ void k(int* out) { asm("mov.u32 %0, 1;" : "=r"(3)); out[0] = 1; }
//! 1:58: the output operand of inline PTX must be a variable
//---
struct A { virtual int f() { return 1; } };
__global__ void k(int* out) { A a; out[0] = a.f(); }
//! 2:47: 'A::f' is a host function; mark it __device__ to call it from a kernel
//---
struct A { __device__ virtual int f() { return 1; } };
__device__ A a;
__global__ void k(int* out) { A& r = a; out[0] = r.f(); }
//! 2:14: the initialiser of 'a' must be known at compile time, but it creates an object of a class with virtual functions
//---
struct A { int x; };
struct B : virtual A { int y; };
__global__ void k(int* out) { B b; out[0] = b.y; }
//! 2:12: virtual base classes are not supported in kernels
//---
struct A { int x; };
__global__ void k(A* a, int* out) { out[0] = dynamic_cast<A*>(a)->x; }
//! 2:58: dynamic_cast is not supported in kernels
//---
__global__ void k(int* out) { out[0] = typeid(int).hash_code(); }
//! 1:40: typeid is not supported in kernels
//---
struct A { int x; };
__global__ void k(A a, int* out) { int A::*p = &A::x; out[0] = a.*p; }
//! 2:40: pointers to members are not supported in kernels
//---
surface<void, 2> s;
__global__ void k(float* out) { out[0] = surf2Dread<float>(s, 0, 0); }
//! 1:1: 'surface' is not supported: surface references are not available; pass a cudaSurfaceObject_t to the kernel
//---
__global__ void k(cudaTextureObject_t tex, float* out) { out[0] = texCubemap<float>(tex, 0, 0, 1); }
//! 1:67: 'texCubemap' is not supported: cubemaps are not available; use 6 layers of a two-dimensional texture
//---
__global__ void k(int n, int* out) {
  if (n > 0) goto inside;
  for (int i = 0; i < 3; ++i) {
  inside:
    out[i] = 1;
  }
}
//! 2:14: the goto to 'inside' jumps past the initialisation of 'i'; declare the variable before the goto
//---
__global__ void k(int n, int* out) {
  switch (n) {
    case 0:
      for (int i = n; i < 3; ++i) {
        case 1: out[i] = n;
      }
  }
}
//! 5:9: this case label jumps past the initialisation of 'i'; put the statements of the case before it in braces
//---
#include <cub/cub.cuh>
__global__ void k(int* out) { size_t n; cub::DeviceReduce::Sum(nullptr, n, out, out, 1); }
//! 2:46: 'DeviceReduce' is not supported: it is host code that launches its own kernels; kernels can use the block and warp parts of cub
//---
#include <curand_kernel.h>
__global__ void k(float* out) { curandGenerator_t g; curandGenerateUniform(g, out, 1); }
//! 2:33: 'curandGenerator_t' is not supported: kernels have the generators and distributions of curand_kernel.h only
//---
__global__ void k(int* out) { long double x = 1.0L; out[0] = x + q; }
//! 1:66: 'q' is not declared in this scope
//---
__global__ void k(int* out) { cudaDeviceSynchronize(); out[0] = 1; }
//! 1:31: 'cudaDeviceSynchronize' is not supported: a kernel cannot wait for the kernels that it launches; use a tail launch: kernel<<<grid, block, 0, cudaStreamTailLaunch>>>(…) runs after them
//---
#include <memory>
struct Host { std::shared_ptr<int> p; int x; };
__global__ void k(int* out, Host h) { out[0] = h.x; }
//! 2:15: 'shared_ptr' is not supported: it exists only on the host; pass a pointer and a size
//---
__global__ void k(int* x) { x[0] = x[1] ?: 3; }
//! 1:42: 'a ?: b' is a GNU extension; write 'a ? a : b'
//---
__device__ int next() { thread_local int n = 0; return ++n; }
__global__ void k(int* out) { out[0] = next(); }
//! 1:25: thread_local is not supported in kernels; use a local variable
//---
__global__ void k(int* out) { out[0] = u"x"[0]; }
//! 1:40: wide string literals are not supported in kernels; remove the prefix
//---
__global__ void k(int* out) { wchar_t c = 3; out[0] = c; }
//! 1:31: 'wchar_t' is not supported: characters in kernels have 1 byte; use char
//---
__global__ void k(int* out) { int* p = (int*)alloca(4); out[0] = *p; }
//! 1:46: 'alloca' is not supported: the size of an array must be known at compile time; pass a buffer
//---
__global__ void k(int* out) { va_list list; }
//! 1:31: 'va_list' is not supported: functions with variable arguments are not available in kernels
//---
__global__ void k(int* out) { co_return; }
//! 1:31: 'co_return' is not supported: coroutines are not available in kernels
//---
__global__ void k(int* out) { cooperative_groups::this_multi_grid().sync(); }
//! 1:51: 'this_multi_grid' is not supported: a grid runs on one device
//---
__global__ void k(int* out) { __nv_fp8_e8m0 x; }
//! 1:31: '__nv_fp8_e8m0' is not supported: of the floats with 8 or fewer bits, only E4M3 and E5M2 are available
//---
struct P { char a; int b : 30; int c : 7; } __attribute__((packed));
__global__ void k(P* p, int* out) { out[0] = p->b; }
//! 1:8: 'P' has packed bit-fields or a single packed member, which kernels do not support; pack the whole class, or read the bits from bytes
//---
struct P { char a; int b __attribute__((packed)); };
__global__ void k(P* p, int* out) { out[0] = p->b; }
//! 1:8: 'P' has packed bit-fields or a single packed member, which kernels do not support; pack the whole class, or read the bits from bytes
//---
struct Empty {};
struct P { [[no_unique_address]] Empty e; int b; };
__global__ void k(P* p, int* out) { out[0] = p->b; }
//! 2:40: [[no_unique_address]] is not supported in kernels; make it a base class
//---
typedef float Four __attribute__((vector_size(16)));
__global__ void k(Four* p, int* out) { out[0] = sizeof(Four); }
//! 1:35: 'vector_size' is not supported in kernels; use types such as float4 or long
//---
typedef int Wide __attribute__((aligned(16)));
__global__ void k(Wide* p) { p[1] = 1; }
//! 1:13: a typedef cannot have an alignment in kernels; give it to the members of that type
