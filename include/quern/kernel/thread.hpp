// The position of the running thread in its block and grid.
#pragma once

#pragma GCC system_header  // names are reserved for the implementation

#include "quern/export.hpp"
#include "quern/kernel/vectors.hpp"

namespace quern::kernel {

extern QUERN_API constinit thread_local uint3 threadIdx;
extern QUERN_API constinit thread_local uint3 blockIdx;
extern QUERN_API constinit thread_local dim3 blockDim;
extern QUERN_API constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

}  // namespace quern::kernel
