// The request that the library sends to the embedded program tools/opencl_compiler, and the lines that the
// program prints. Both come from the same build, so the layout has no version.
#pragma once

#include <cstdint>

namespace quern::opencl {

// Fields follow the header in this order. Each ends with a zero byte, which its size does not count.
enum class Field : uint8_t {
  kLibrary,        // the OpenCL library, as for dlopen
  kDeviceName,     // CL_DEVICE_NAME
  kDeviceVersion,  // CL_DEVICE_VERSION
  kOptions,        // for clBuildProgram
  kWorkGroup,      // for POCL_BINARY_SPECIALIZE_WG; empty: work-group functions are not compiled
  kCode,
};
inline constexpr uint32_t kFields = 6;

struct CompileRequest {
  uint32_t is_il;  // 1: SPIR-V, 0: OpenCL C
  uint32_t reserved;
  uint64_t sizes[kFields];
};

// Printed before the driver's compiler runs, and after it has returned.
inline constexpr char kStarted[] = "\nquern: compiling\n";
inline constexpr char kReturned[] = "\nquern: compiled\n";

}  // namespace quern::opencl
