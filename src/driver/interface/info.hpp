// Description of a device: identity, features (typed sets, not version numbers) and limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ir/matrix.hpp"
#include "quern/types/device.hpp"

namespace quern::driver {

using quern::DeviceKind;
using quern::Dim3;
using quern::Feature;
using quern::FeatureSet;
using quern::kFeatureCount;
using quern::Limits;

std::string_view name(Feature feature);
std::string_view meaning(Feature feature);  // completes "the device has no …"
std::string_view name(DeviceKind kind);

// The forms of code that load() accepts. A device lists its kinds, best first.
// clang-format off
#define QUERN_CODE_KINDS(X)                                                            \
  X(Ir, "ir")                /* our IR itself: Code::module */                         \
  X(HostFunction, "host")    /* an inline kernel compiled by the host's compiler: Code::host */ \
  X(LlvmIr, "llvm")          /* LLVM IR text */                                        \
  X(Object, "object")        /* a relocatable ELF object for this processor */         \
  X(CudaCpp, "cuda")         X(Ptx, "ptx")         X(Cubin, "cubin")                   \
  X(HipCpp, "hip")           X(HipObject, "hsaco")                                     \
  X(OpenclC, "opencl")       X(OpenclBinary, "opencl-binary")                          \
  X(SpirvKernel, "spirv-kernel") /* for OpenCL and Level Zero */                       \
  X(Spirv, "spirv")          /* for Vulkan */                                          \
  X(Glsl, "glsl")            X(GlslEs, "essl")                                         \
  X(Msl, "msl")              X(Wgsl, "wgsl")
// clang-format on

enum class CodeKind : uint8_t {
#define X(id, text) k##id,
  QUERN_CODE_KINDS(X)
#undef X
};
std::string_view name(CodeKind kind);

// Properties of floats, the first three of which code requests: each is a sum of the supported widths (16,
// 32, 64).
struct FloatModes {
  uint8_t subnormals = 0;  // subnormals are preserved in operands and results
  uint8_t specials = 0;    // infinities, NaN and the sign of zero are preserved
  uint8_t nearest = 0;     // results are rounded to nearest
  uint8_t fused = 0;       // the target's fma rounds once; code need not request it
};

// The public properties, and those that only the compiler and the runtime use.
struct DeviceInfo : quern::DeviceInfo {
  FeatureSet native;  // subset of `features` that needs no lowering, where a target distinguishes
  FloatModes floats;  // where code must request them
  // Matrix shapes that the device multiplies in hardware, of those that kernels may use. Ignore Matrix::use.
  std::vector<ir::Matrix> matrices;
  std::vector<CodeKind> code;   // best first
  std::string code_version;     // for the first kind, if its target needs it: "sm_90"
  bool guards_shifts = false;   // the compiler needs pass::guard_shifts
  bool checks_library = false;  // runs the checks of the kernel library: textures, heap (Op::kCheckError)
  // printf and assert are the vendor's: printf writes to the standard output, a failed assert loses the
  // device. take_output and take_findings return nothing.
  bool vendor_printf = false;
};

// Matrix shapes of NVIDIA devices; 75 means sm_75.
std::vector<ir::Matrix> matrices_of_sm(int architecture);

}  // namespace quern::driver
