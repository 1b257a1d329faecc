#include "suite/expected_failures.hpp"

namespace quern::test {

namespace {

constexpr const char* kBranchAfterBarrier =
    "defect branch-after-barrier of PoCL; only OpenCL C has the workaround";
constexpr const char* kNullConstant = "llvm-spirv 15 aborts at a null constant of an integer type";

// driver, device, case, reason, until.
constexpr ExpectedFailure kExpected[] = {
    {"std.gpu", "", "atomics_add_half_30",
     "16-bit atomics work on the 32-bit word around them, and the buffer has 2 bytes, which the simulator "
     "reports",
     ""},
    {"std.gpu", "", "atomics_add_bfloat_38",
     "16-bit atomics work on the 32-bit word around them, and the buffer has 2 bytes, which the simulator "
     "reports",
     ""},
    {"opengl", "NVIDIA", "math_int_nth_set_bit_227",
     "NVIDIA's compiler of GLSL (580.159) miscompiles a loop that searches the first set bit", ""},
    {"gles", "NVIDIA", "math_int_nth_set_bit_227",
     "NVIDIA's compiler of GLSL (580.159) miscompiles a loop that searches the first set bit", ""},
    {"gles", "NVIDIA", "random_found_fma_of_a_number_and_its_negative_",
     "NVIDIA's compiler of GLSL ES (580.159) miscompiles fma(x, -x, y); the cause is not known", ""},
    {"hip", "HIP's names on CUDA", "printf_assert_width_from_arguments_",
     "HIP's printf supports a width argument; CUDA's, which the fake library uses, does not", ""},
    {"opencl", "through llvm-spirv", "atomics_spin_lock_", "PoCL 3.1 has no mem_fence for bitcode", ""},
    {"opencl", "through llvm-spirv", "atomics_atomic_objects_", "PoCL 3.1 has no mem_fence for bitcode", ""},
    {"opencl", "through llvm-spirv", "sync_last_block_reduces_", "PoCL 3.1 has no mem_fence for bitcode", ""},
    {"opencl", "through llvm-spirv", "sync_fences_compile_", "PoCL 3.1 has no mem_fence for bitcode", ""},
    {"opencl", "through llvm-spirv", "sync_branch_after_barrier_", kBranchAfterBarrier, ""},
    {"opencl", "through llvm-spirv", "sync_store_after_barrier_", kBranchAfterBarrier, ""},
    {"opencl", "through llvm-spirv", "sync_loop_after_barrier_", kBranchAfterBarrier, ""},
    {"opencl", "through llvm-spirv", "ptx_memory_global_atomics_", "PoCL 3.1 has no mem_fence for bitcode",
     ""},
    {"opencl", "through llvm-spirv", "ptx_memory_ordered_accesses_", "PoCL 3.1 has no mem_fence for bitcode",
     ""},
    {"opencl", "through llvm-spirv", "ptx_memory_whole_block_barriers_",
     "PoCL 3.1 has no mem_fence for bitcode", ""},
    {"opencl", "through llvm-spirv", "heap_heap_malloc_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_alignment_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_reuse_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_join_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_calloc_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_new_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_destructors_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_list_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_virtual_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_shared_by_threads_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_many_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "heap_heap_vector_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "device_launches_", kNullConstant, ""},
    {"opencl", "through llvm-spirv", "grid_barriers_shared_memory_stays_",
     "wrong through llvm-spirv 15 and PoCL 3.1, right from OpenCL C; the cause is not known", ""},
};

}  // namespace

const ExpectedFailure* expected_failure(const driver::DeviceInfo& device, std::string_view name) {
  for (const ExpectedFailure& e : kExpected) {
    if (e.driver == device.driver && device.name.find(e.device) != std::string::npos &&
        name.find(e.pattern) != std::string_view::npos)
      return &e;
  }
  return nullptr;
}

}  // namespace quern::test
