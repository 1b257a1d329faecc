// The names of the kernel language as the host's compiler sees them inside QUERN_KERNEL, so that the body is
// checked where it is written and can run on the host when no device is there. Kernels only; nothing here is
// for host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "quern/export.hpp"

#ifndef __CUDACC__
#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static thread_local
#endif

namespace quern::kernel {

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Where the running thread is; set by the host's own execution of a body.
struct Thread {
  uint3 thread_index{}, block_index{};
  dim3 block_size, grid_size;
};
QUERN_API Thread& this_thread();
QUERN_API void block_barrier();

#define threadIdx (::quern::kernel::this_thread().thread_index)
#define blockIdx (::quern::kernel::this_thread().block_index)
#define blockDim (::quern::kernel::this_thread().block_size)
#define gridDim (::quern::kernel::this_thread().grid_size)

inline void __syncthreads() { block_barrier(); }

template <typename T>
T atomicAdd(T* address, T value) {
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (
      !__atomic_compare_exchange_n(address, &old, old + value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

using std::max;
using std::min;

}  // namespace quern::kernel
