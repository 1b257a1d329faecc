// A program on its way to a device: the code in one of the kinds the device takes, and what its kernels look
// like from outside.
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

namespace quern::ir {
class Module;
}

namespace quern::driver {

// Who gives a parameter its value. The hidden ones are the last of their kernel, fields behind those of check
// mode.
enum class ParamRole : uint8_t {
  kUser,
  kExtent,  // the runtime: how many bytes there are behind the pointer parameter ParamInfo::of
  kChecks,  // the runtime: where a kernel tells what check mode found (lang/pass/check_bounds.hpp)
  kField,   // the pointer at byte ParamInfo::at of the struct parameter ParamInfo::of; no addresses are here
};

struct ParamInfo {
  std::string name;
  std::string spelling;                       // the user's type: "const float*"
  ir::TypeKind type = ir::TypeKind::kStruct;  // a number, kBool, kPtr, or an aggregate
  bool is_pointer = false;
  bool is_written = true;  // pointers: whether the kernel may store through it
  uint32_t bytes = 0;      // of the value; of an address: 8
  uint32_t align = 0;
  uint32_t element_bytes = 0;                  // pointers; 0: void
  ir::TypeKind element = ir::TypeKind::kVoid;  // pointers
  ParamRole role = ParamRole::kUser;
  uint32_t of = 0;
  uint32_t at = 0;
};

struct KernelInfo {
  std::string name;   // as the user names it: "ns::scan<float, 256>"
  std::string entry;  // as the code names it
  std::vector<ParamInfo> params;
  uint64_t shared_bytes = 0;  // static
  uint32_t max_threads = 0;   // __launch_bounds__; 0: not given
  std::optional<Dim3> block;  // the one size of a block that the code is made for
  bool needs_cooperative = false;
  std::optional<Dim3> cluster;  // __cluster_dims__
  FeatureSet needs;
  uint32_t block_bytes = 0;         // Spirv: the block of arguments (see target/target.hpp)
  bool block_by_address = false;    // it is in a buffer, and the push constants hold its address
  std::vector<uint32_t> variables;  // Glsl, GlslEs, Wgsl: those of Code::variables that are bound, in order
  std::string refused;              // why the code does not have it; empty: it does
};

// At byte `at` of a variable's initial value stands the address of another one plus `distance`.
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
  // Runs `count` threads, the first where the thread's own indices say and the others behind it in x.
  void (*run)(void* const* arguments, unsigned count) = nullptr;
  bool waits = true;  // for other threads, at a barrier or in a warp
};

// A printf, assert or trap of a kernel that tells the host by a report (report.hpp).
enum class ReportKind : uint8_t { kPrint, kAssert, kTrap };

struct ReportArgument {
  ir::TypeKind type = ir::TypeKind::kVoid;
  bool is_text = false;  // a literal string: it is here and not in the report
  std::string text;
};

struct ReportSite {
  ReportKind kind = ReportKind::kPrint;
  std::string kernel;
  std::string text;  // the format; the condition of an assert
  std::vector<ReportArgument> arguments;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

// How freely numbers are computed.
enum class Math : uint8_t {
  kExact,  // as docs/language.md says: the same roundings on every device
  kFused,  // a product may be fused with the sum around it, where the device's compiler finds that faster
  kFast,   // approximate functions, division and roots too, as far as the device's compiler has them
};

struct Code {
  CodeKind kind = CodeKind::kIr;
  std::string bytes;                         // text or binary
  std::shared_ptr<const ir::Module> module;  // kIr
  HostFunction host;                         // kHostFunction
  std::string name;                          // what messages call it: "nbody.cu"
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::vector<ReportSite> sites;
  Math math = Math::kExact;
  uint32_t max_registers =
      0;                // of a thread, where the device's compiler takes such a limit; 0: its own choice
  bool debug = false;   // for a debugger: not optimised
  bool is_raw = false;  // the user's own code in this language: kernels may be found by their names alone
  std::vector<std::pair<std::string, std::string>> defines;  // raw code: constants the user sets
  // The same program for another device; absent: it cannot be had.
  std::function<base::Result<Code>(const DeviceInfo&)> remake;
};

}  // namespace quern::driver
