// Vector types (float4, …), their make_ functions (make_float4, …), and dim3.
#pragma once

#pragma GCC system_header

#pragma push_macro("__device__")
#pragma push_macro("__align__")
#undef __device__
#undef __align__
#define __device__ inline
#define __align__(n) alignas(n)

namespace quern::kernel {
#include "quern/kernel/library/vector_types.cuh"
}  // namespace quern::kernel

#pragma pop_macro("__align__")
#pragma pop_macro("__device__")
