// Description of a device: identity, features (typed sets, not version numbers) and limits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/ir/matrix.hpp"

namespace quern::driver {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

// clang-format off
// Features: name in code, name in text, and the phrase that completes "the device has no …".
#define QUERN_FEATURES(X)                                                                          \
  X(Fp16, "fp16", "half precision arithmetic")                                                     \
  X(Bf16, "bf16", "bfloat16 arithmetic")                                                           \
  X(Fp64, "fp64", "double precision")                                                              \
  X(Int8, "int8", "8-bit memory access")                                                           \
  X(Int16, "int16", "16-bit memory access")                                                        \
  X(Int64, "int64", "64-bit integers")                                                             \
  X(Atomics16, "atomics16", "16-bit atomics")                                                      \
  X(Atomics64, "atomics64", "64-bit atomics")                                                      \
  X(AtomicsFloat16, "atomics_f16", "half precision atomics")                                       \
  X(AtomicsFloat32, "atomics_f32", "float atomics")                                                \
  X(AtomicsFloat64, "atomics_f64", "double precision atomics")                                     \
  X(SystemScope, "system_scope", "atomics that are visible to the host")                           \
  X(Warps, "warps", "warp operations")                                                             \
  X(DivergentBarriers, "divergent_barriers", "barriers in divergent control flow")                 \
  X(GridBarrier, "grid_barrier", "grid-wide barriers")                                             \
  X(Clusters, "clusters", "thread block clusters")                                                 \
  X(Addresses, "addresses", "device addresses (pointers in memory, in structs, or cast)")          \
  X(GenericPointers, "generic_pointers", "pointers that may point to several address spaces")      \
  X(DynamicShared, "dynamic_shared", "dynamic shared memory")                                      \
  X(Variables, "variables", "__device__ variables that the host sets and reads")                   \
  X(Print, "print", "printf")                                                                      \
  X(Assert, "assert", "assert and trap")                                                           \
  X(Clock, "clock", "clock() in kernels")                                                          \
  X(SharedMemory, "shared_memory", "memory that host and device share")                            \
  X(ManagedMemory, "managed_memory", "managed memory that migrates between host and device")       \
  X(MappedMemory, "mapped_memory", "host memory that kernels can access")                          \
  X(Timestamps, "timestamps", "device timestamps for events")                                      \
  X(Graphs, "graphs", "native graphs")                                                             \
  X(Persistent, "persistent", "persistent kernels")
// clang-format on

enum class Feature : uint8_t {
#define X(id, text, meaning) k##id,
  QUERN_FEATURES(X)
#undef X
};

inline constexpr size_t kFeatureCount = 0
#define X(id, text, meaning) +1
    QUERN_FEATURES(X)
#undef X
    ;

std::string_view name(Feature feature);
std::string_view meaning(Feature feature);

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (Feature f : features) bits_ |= bit(f);
  }
  constexpr bool has(Feature f) const { return (bits_ & bit(f)) != 0; }
  constexpr void add(Feature f) { bits_ |= bit(f); }
  constexpr void remove(Feature f) { bits_ &= ~bit(f); }
  constexpr FeatureSet missing_from(FeatureSet other) const { return FeatureSet(bits_ & ~other.bits_); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const FeatureSet&) const = default;
  std::vector<Feature> list() const;

 private:
  constexpr explicit FeatureSet(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t bit(Feature f) { return uint64_t{1} << static_cast<uint8_t>(f); }
  uint64_t bits_ = 0;
};

enum class DeviceKind : uint8_t { kDiscrete, kIntegrated, kVirtual, kCpu, kSimulated, kOther };
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

// Float controls that code may request: each is a sum of the supported widths (16, 32, 64).
struct FloatModes {
  uint8_t subnormals = 0;  // subnormals are preserved in operands and results
  uint8_t specials = 0;    // infinities, NaN and the sign of zero are preserved
  uint8_t nearest = 0;     // results are rounded to nearest
};

struct Limits {
  uint32_t block_threads = 1024;
  Dim3 block{1024, 1024, 64};
  Dim3 grid{2147483647, 65535, 65535};
  uint64_t shared_bytes = 48 << 10;  // static and dynamic together, per block
  uint64_t buffer_bytes = 0;         // per buffer
  uint64_t argument_bytes = 4096;    // all parameters of a kernel together
  uint32_t buffers = 0;              // pointer parameters per kernel; 0: no limit
  uint32_t warp = 32;                // native warp size in threads
  uint32_t cluster_blocks = 0;       // per cluster; 0: no clusters
  uint32_t loop_rounds = 0;          // iterations of all loops of a thread together; 0: no limit
};

struct DeviceInfo {
  std::string name;    // "NVIDIA H200"
  std::string driver;  // "cuda"
  uint32_t index = 0;  // within its driver
  DeviceKind kind = DeviceKind::kOther;
  std::string vendor;
  std::string driver_version;
  std::string api_version;
  std::string uuid;  // uuid and pci: empty if not known; equal values mean the same hardware
  std::string pci;
  uint64_t memory_bytes = 0;
  uint32_t compute_units = 0;
  uint32_t clock_mhz = 0;
  FeatureSet features;
  FeatureSet native;  // subset of `features` that needs no lowering, where a target distinguishes
  FloatModes floats;  // where code must request them
  // Matrix shapes that the device multiplies in hardware, of those that kernels may use. Ignore Matrix::use.
  std::vector<ir::Matrix> matrices;
  Limits limits;
  std::vector<CodeKind> code;  // best first
  std::string code_version;    // for the first kind, if its target needs it: "sm_90"
  std::vector<std::pair<std::string, std::string>> details;  // further properties to print

  std::string id() const { return driver + ":" + std::to_string(index); }  // "cuda:0"
};

// Matrix shapes of NVIDIA devices; 75 means sm_75.
std::vector<ir::Matrix> matrices_of_sm(int architecture);

}  // namespace quern::driver
