#include "lang/builtin/headers.hpp"

#include <algorithm>
#include <array>

namespace quern::lang {
namespace {

// Headers whose contents the library provides by name on demand: including them adds nothing.
// clang-format off
constexpr std::string_view kKnown[] = {
    // CUDA
    "builtin_types.h", "channel_descriptor.h", "common_functions.h", "cooperative_groups.h",
    "cooperative_groups/details/helpers.h", "cooperative_groups/details/info.h",
    "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
    "crt/common_functions.h", "crt/device_double_functions.h", "crt/device_functions.h",
    "crt/host_config.h", "crt/host_defines.h", "crt/math_functions.h", "cuComplex.h", "cuda.h",
    "cuda_bf16.h", "cuda_bf16.hpp", "cuda_device_runtime_api.h", "cuda_fp16.h", "cuda_fp16.hpp",
    "cuda_fp4.h", "cuda_fp4.hpp", "cuda_fp6.h", "cuda_fp6.hpp", "cuda_fp8.h", "cuda_fp8.hpp",
    "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_stdint.h",
    "device_atomic_functions.h", "device_double_functions.h", "device_functions.h",
    "crt/mma.h", "crt/mma.hpp", "mma.h",
    "device_launch_parameters.h", "device_types.h", "driver_functions.h", "driver_types.h",
    "host_config.h", "host_defines.h", "library_types.h", "math_constants.h", "math_functions.h",
    "nv/target", "sm_20_atomic_functions.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h", "sm_32_intrinsics.h", "sm_35_atomic_functions.h", "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h", "sm_61_intrinsics.h", "surface_functions.h", "surface_indirect_functions.h",
    "surface_types.h", "texture_fetch_functions.h", "texture_indirect_functions.h", "texture_types.h",
    "cuda_surface_types.h", "cuda_texture_types.h", "vector_functions.h", "vector_types.h",
    // libcu++
    "cuda/annotated_ptr", "cuda/atomic", "cuda/barrier", "cuda/bit", "cuda/cmath", "cuda/functional", "cuda/latch",
    "cuda/mdspan", "cuda/numeric", "cuda/pipeline", "cuda/ptx", "cuda/semaphore", "cuda/std/algorithm",
    "cuda/std/array", "cuda/std/atomic", "cuda/std/barrier", "cuda/std/bit", "cuda/std/cassert", "cuda/std/cfloat",
    "cuda/std/climits", "cuda/std/cmath", "cuda/std/compare", "cuda/std/complex", "cuda/std/concepts",
    "cuda/std/cstddef", "cuda/std/cstdint", "cuda/std/cstdlib", "cuda/std/cstring", "cuda/std/functional",
    "cuda/std/iterator", "cuda/std/latch", "cuda/std/limits", "cuda/std/mdspan", "cuda/std/numeric",
    "cuda/std/optional", "cuda/std/semaphore", "cuda/std/span", "cuda/std/tuple", "cuda/std/type_traits",
    "cuda/std/utility", "cuda/std/version", "cuda/type_traits", "cuda/utility", "cuda/version",
    // curand in kernels
    "curand_discrete.h", "curand_discrete2.h", "curand_globals.h", "curand_kernel.h", "curand_lognormal.h",
    "curand_mrg32k3a.h", "curand_mtgp32.h", "curand_mtgp32_kernel.h", "curand_normal.h", "curand_normal_static.h",
    "curand_philox4x32_x.h", "curand_poisson.h", "curand_precalc.h", "curand_uniform.h",
    // cub: the block and warp parts
    "cub/cub.cuh", "cub/block/block_adjacent_difference.cuh", "cub/block/block_discontinuity.cuh",
    "cub/block/block_exchange.cuh", "cub/block/block_histogram.cuh", "cub/block/block_load.cuh",
    "cub/block/block_merge_sort.cuh", "cub/block/block_radix_sort.cuh", "cub/block/block_reduce.cuh",
    "cub/block/block_run_length_decode.cuh", "cub/block/block_scan.cuh", "cub/block/block_shuffle.cuh",
    "cub/block/block_store.cuh",
    "cub/warp/warp_exchange.cuh", "cub/warp/warp_load.cuh", "cub/warp/warp_merge_sort.cuh",
    "cub/warp/warp_reduce.cuh", "cub/warp/warp_scan.cuh", "cub/warp/warp_store.cuh",
    "cub/thread/thread_load.cuh", "cub/thread/thread_operators.cuh", "cub/thread/thread_reduce.cuh",
    "cub/thread/thread_search.cuh", "cub/thread/thread_sort.cuh",
    "cub/thread/thread_store.cuh", "cub/iterator/cache_modified_input_iterator.cuh",
    "cub/iterator/constant_input_iterator.cuh", "cub/iterator/counting_input_iterator.cuh",
    "cub/iterator/transform_input_iterator.cuh", "cub/config.cuh", "cub/util_arch.cuh",
    "cub/util_macro.cuh", "cub/util_math.cuh", "cub/util_ptx.cuh", "cub/util_type.cuh", "cub/version.cuh",
    // C
    "assert.h", "float.h", "inttypes.h", "limits.h", "math.h", "memory.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h", "sys/types.h",
    // C++
    "algorithm", "array", "atomic", "barrier", "bit", "cassert", "cfloat", "cinttypes", "climits", "cmath", "compare",
    "complex", "concepts", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "functional", "iterator", "latch",
    "limits", "mdspan", "numeric", "optional", "semaphore", "span", "tuple", "type_traits", "utility", "version",
};
// clang-format on

struct Unsupported {
  std::string_view name;  // a trailing '*' matches every header with that prefix
  std::string_view reason;
};

constexpr std::string_view kNoDeviceCub =
    "only the block and warp parts of cub are available; the rest is host code that launches its own "
    "kernels";
constexpr std::string_view kNoThrust =
    "thrust is not available: it is host code that launches its own kernels";
constexpr std::string_view kNoCurand =
    "only the generators and distributions of curand_kernel.h are available; the rest is host code";
constexpr std::string_view kNoBarrier = "this form of barrier is not supported; use cuda::barrier";
constexpr std::string_view kNoHostLibrary =
    "this is a library of host functions and cannot be called from a kernel";

constexpr Unsupported kUnsupported[] = {
    {"cub/*", kNoDeviceCub},
    {"cuda_awbarrier*", kNoBarrier},
    {"curand*", kNoCurand},
    {"thrust/*", kNoThrust},
    {"cublas*", kNoHostLibrary},
    {"cudnn*", kNoHostLibrary},
    {"cufft*", kNoHostLibrary},
    {"cusolver*", kNoHostLibrary},
    {"cusparse*", kNoHostLibrary},
    {"nccl*", kNoHostLibrary},
    {"npp*", kNoHostLibrary},
    {"nvrtc.h", kNoHostLibrary},
    {"cutlass/*", "cutlass is not supported: it is built on inline PTX and matrix units"},
    {"cute/*", "cute is not supported: it is built on inline PTX and matrix units"},
};

constexpr auto kHeaders = [] {
  std::array<BuiltinHeader, std::size(kKnown)> headers{};
  for (size_t i = 0; i < headers.size(); ++i) headers[i].name = kKnown[i];
  std::ranges::sort(headers, {}, &BuiltinHeader::name);
  return headers;
}();

}  // namespace

std::span<const BuiltinHeader> builtin_headers() { return kHeaders; }

const BuiltinHeader* find_builtin_header(std::string_view name) {
  auto found = std::ranges::lower_bound(kHeaders, name, {}, &BuiltinHeader::name);
  return found != kHeaders.end() && found->name == name ? &*found : nullptr;
}

std::string_view find_unsupported_header(std::string_view name) {
  if (find_builtin_header(name) != nullptr) return {};
  for (const Unsupported& entry : kUnsupported) {
    bool matches = entry.name.ends_with('*') ? name.starts_with(entry.name.substr(0, entry.name.size() - 1))
                                             : name == entry.name;
    if (matches) return entry.reason;
  }
  return {};
}

}  // namespace quern::lang
