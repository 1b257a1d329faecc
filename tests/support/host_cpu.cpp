// Test programs make Mesa's software drivers, which query LLVM for the processor's name, see a generic one.
// Some names imply instructions (SVE) that a virtual machine does not offer: kernels would crash, and Quern
// rejects these devices (src/base/processor_name.hpp). Mesa's cache of such kernels must not be used either.
// Linked into the programs that run them, see cmake/QuernLayer.cmake.
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
