// The functions of the device library, compiled for the host.
#pragma once

#pragma GCC system_header

#include "quern/kernel/intrinsics.hpp"
#include "quern/kernel/thread.hpp"
#include "quern/kernel/vectors.hpp"

#pragma push_macro("__device__")
#pragma push_macro("__align__")
#undef __device__
#undef __align__
#define __device__ inline
#define __align__(n) alignas(n)

// Each file comes after the files that it uses.
// clang-format off
namespace quern::kernel {
#include "quern/kernel/library/half.cuh"
#include "quern/kernel/library/bfloat16.cuh"
#include "quern/kernel/library/intrinsics.cuh"
#include "quern/kernel/library/math_detail.cuh"
#include "quern/kernel/library/math_int.cuh"
#include "quern/kernel/library/math_float.cuh"
#include "quern/kernel/library/math_double.cuh"
#include "quern/kernel/library/math_overload.cuh"
#include "quern/kernel/library/half_math.cuh"
#include "quern/kernel/library/bfloat16_math.cuh"
#include "quern/kernel/library/simd.cuh"
#include "quern/kernel/library/memory.cuh"
#include "quern/kernel/library/sync.cuh"
#include "quern/kernel/library/atomics.cuh"

// Warp functions are inlined, so that each call in a kernel is a separate call site for __activemask.
#undef __device__
#define __device__ [[gnu::always_inline]] inline
#include "quern/kernel/library/warp.cuh"
}  // namespace quern::kernel
// clang-format on

#pragma pop_macro("__align__")
#pragma pop_macro("__device__")
