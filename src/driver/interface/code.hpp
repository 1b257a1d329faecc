// Code for a device, in one of the kinds that the device accepts, and a description of its kernels,
// variables and report sites.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/info.hpp"
#include "lang/ir/type.hpp"
#include "quern/types/launch.hpp"

namespace quern::ir {
class Module;
}

namespace quern::driver {

// Who sets a parameter's value. Hidden parameters come last in their kernel: those of check mode first, then
// those of a split kernel, textures, and fields.
enum class ParamRole : uint8_t {
  kUser,
  kExtent,   // the runtime: size in bytes of the memory behind the pointer parameter ParamInfo::of
  kChecks,   // the runtime: where the kernel reports check-mode errors (lang/pass/check_bounds.hpp)
  kResume,   // the runtime: where a split kernel begins (lang/pass/split_grid.hpp)
  kFrames,   // the runtime: the saved values of a split kernel
  kTexture,  // the runtime: the texture that is bound to the texture reference ParamInfo::name
  kField,    // the pointer at byte ParamInfo::at of struct parameter ParamInfo::of; devices without addresses
};

// What a struct parameter stands for. The bytes of a texture or surface are a TextureDescriptor
// (quern/types/texture.hpp), those of a tensor map an EncodedTensorMap (quern/types/tensor_map.hpp).
enum class ParamObject : uint8_t { kNone, kTexture, kSurface, kTensorMap };

struct ParamInfo {
  std::string name;
  std::string spelling;                       // the user's type: "const float*"
  ir::TypeKind type = ir::TypeKind::kStruct;  // a number, kBool, kPtr, or an aggregate
  bool is_pointer = false;
  bool is_written = true;  // pointers: whether the kernel may store through it
  uint32_t bytes = 0;      // size of the value; 8 for an address
  uint32_t align = 0;
  uint32_t element_bytes = 0;                  // pointers; 0: void
  ir::TypeKind element = ir::TypeKind::kVoid;  // pointers
  ParamRole role = ParamRole::kUser;
  ParamObject object = ParamObject::kNone;
  uint32_t of = 0;
  uint32_t at = 0;
};

struct KernelInfo {
  std::string name;   // as the user names it: "ns::scan<float, 256>"
  std::string entry;  // as the code names it
  std::vector<ParamInfo> params;
  uint64_t shared_bytes = 0;  // static
  uint32_t max_threads = 0;   // __launch_bounds__; 0: not set
  std::optional<Dim3> block;  // the only block size that the code supports
  bool needs_cooperative = false;
  std::optional<Dim3> cluster;  // __cluster_dims__
  FeatureSet needs;
  uint32_t block_bytes = 0;       // Spirv: size of the argument block (see target/target.hpp)
  bool block_by_address = false;  // the argument block is in a buffer; the push constants hold its address
  std::vector<uint32_t>
      variables;        // Glsl, GlslEs, Wgsl: indices in Code::variables of the bound ones, in order
  std::string refused;  // why the code does not contain this kernel; empty: it does
};

// Byte `at` of a variable's initial value holds the address of another variable plus `distance`.
struct VariablePointer {
  uint64_t at = 0;
  uint32_t variable = 0;  // in Code::variables
  int64_t distance = 0;
};

// A __device__ or __constant__ variable that the host may set and read.
struct VariableInfo {
  std::string name;
  std::string entry;
  uint64_t bytes = 0;
  uint64_t align = 0;
  bool is_constant = false;
  std::vector<uint8_t> initial;  // empty: zero
  std::vector<VariablePointer> pointers;
};

// The body of an inline kernel as a function of this process.
struct HostFunction {
  // Runs `count` threads: the first has the current thread index, the others follow it in x.
  void (*run)(void* const* arguments, unsigned count) = nullptr;
  bool waits = true;  // the body synchronizes threads: barriers or warp operations
};

// A printf, assert or trap of a kernel that writes to a report buffer (report.hpp).
enum class ReportKind : uint8_t { kPrint, kAssert, kTrap };

struct ReportArgument {
  ir::TypeKind type = ir::TypeKind::kVoid;
  bool is_text = false;  // a string literal: stored here, not in the report
  std::string text;
};

struct ReportSite {
  ReportKind kind = ReportKind::kPrint;
  std::string kernel;
  std::string text;  // format string; condition of an assert
  std::vector<ReportArgument> arguments;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

using quern::Math;

struct Code {
  CodeKind kind = CodeKind::kIr;
  std::string bytes;                         // text or binary
  std::shared_ptr<const ir::Module> module;  // kIr
  HostFunction host;                         // kHostFunction
  std::string name;                          // shown in messages: "nbody.cu"
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::vector<ReportSite> sites;
  Math math = Math::exact;
  uint32_t max_registers =
      0;                // per thread, where the device's compiler supports such a limit; 0: its default
  bool debug = false;   // for a debugger: not optimized
  bool is_raw = false;  // the user's own code in this language: kernels may be looked up by name alone
  std::vector<std::pair<std::string, std::string>> defines;  // raw code: macros set by the user
  // Compiles the same program for another device; empty: not possible.
  std::function<base::Result<Code>(const DeviceInfo&)> remake;
};

}  // namespace quern::driver
