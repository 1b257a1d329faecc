// Where the running thread of a kernel is.
#pragma once

#include "quern/export.hpp"
#include "quern/kernel/vectors.hpp"

namespace quern::kernel {

// NOLINTBEGIN(readability-identifier-naming)
extern QUERN_API constinit thread_local uint3 threadIdx;
extern QUERN_API constinit thread_local uint3 blockIdx;
extern QUERN_API constinit thread_local dim3 blockDim;
extern QUERN_API constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;
// NOLINTEND(readability-identifier-naming)

}  // namespace quern::kernel
