// Test programs tell Mesa's software drivers, which ask LLVM for the processor's name, that it is a plain
// one. By its name some processors would have instructions (SVE) that a virtual machine does not offer:
// kernels crash, and Quern refuses these devices (src/base/processor_name.hpp). What Mesa has stored of such
// kernels must not be used either. Linked into the programs that run them, see cmake/QuernLayer.cmake.
#if defined(__aarch64__)

#include <cstddef>
#include <cstdlib>

namespace {

struct Text {  // llvm::StringRef
  const char* data;
  size_t size;
};

[[maybe_unused]] const int kNoStoredKernels = ::setenv("MESA_SHADER_CACHE_DISABLE", "1", 0);

}  // namespace

extern "C" {
[[gnu::visibility("default")]] Text quern_host_cpu() asm("_ZN4llvm3sys14getHostCPUNameEv");
Text quern_host_cpu() { return {"generic", 7}; }
}

#endif
