/// @file
/// Matrix fragments (nvcuda::wmma) in QUERN_KERNEL and QUERN_CODE. A separate header, because few programs
/// need it and the host compiler parses it.
#pragma once

#pragma GCC system_header

#include "quern/kernel/functions.hpp"

#pragma push_macro("__device__")
#pragma push_macro("__shared__")
#undef __device__
#undef __shared__
#define __device__ inline
#define __shared__ static thread_local
#define __quern_unroll__(...)

// The host multiplies with shuffles, as all devices without matrix units.
namespace quern::kernel {
constexpr unsigned __quern_matrix_form(int) { return 0; }
template <typename... Any>
void __quern_matrix_fill(const Any&...) {}
template <typename... Any>
void __quern_matrix_load(const Any&...) {}
template <typename... Any>
void __quern_matrix_store(const Any&...) {}
template <typename... Any>
void __quern_matrix_multiply(const Any&...) {}
#include "quern/kernel/library/wmma.cuh"
}  // namespace quern::kernel

#undef __quern_unroll__
#pragma pop_macro("__shared__")
#pragma pop_macro("__device__")
