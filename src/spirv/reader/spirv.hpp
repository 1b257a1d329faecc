// SPIR-V for the simulator, which then stands as the device `std.gpu`: a binary module becomes prepared IR
// with one kernel per compute entry point, and runs under the same checks as every other kernel.
//
// What an entry point is bound to becomes the kernel's parameters, in the order of Entry::resources: buffers
// by (set, binding), then push constants; or, for entry points of the Kernel model, the function's own
// parameters. Behind them come parameters for the sizes of the buffers whose OpArrayLength is asked for;
// bind_resources() fills those in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lang/ir/ir.hpp"
#include "spirv/grammar/local_size.hpp"

namespace quern::spirv {

/// Properties of the device that runs the IR.
inline constexpr uint32_t kSubgroupInvocations = 32;
inline constexpr uint32_t kMaxWorkgroupInvocations = 1024;

enum class ResourceKind : uint8_t {
  kStorageBuffer,    // a pointer parameter
  kUniformBuffer,    // likewise, and the kernel only reads
  kPushConstant,     // a struct by value, in the block's own layout
  kParameter,        // of the Kernel model: a pointer to global memory, a number, or a struct by value
  kWorkgroupMemory,  // of the Kernel model: a pointer parameter to local memory; the caller says how large
};
std::string_view name(ResourceKind kind);  // "storage buffer", …

struct Resource {
  ResourceKind kind = ResourceKind::kStorageBuffer;
  uint32_t set = 0, binding = 0;  // buffers
  std::string name;               // the variable's, else its block's
  // The whole block as the module lays it out. An array without an end counts as very long.
  const ir::Type* block = nullptr;
  // What the buffer is an array of, when that is all there is in the block; else nullptr.
  const ir::Type* element = nullptr;
  uint64_t least_bytes = 0;        // what must be there for the block's fixed part
  bool is_written = true;          // false: declared read-only
  uint32_t param = 0;              // index in the kernel's parameters
  std::optional<uint32_t> length;  // the parameter (u64) that takes the buffer's size in bytes
};

struct Entry {
  std::string name;                     // also the kernel's
  std::optional<LocalSize> local_size;  // absent: the Kernel model leaves it to the launch
  std::vector<Resource> resources;
  uint32_t params = 0;  // of the kernel, with those for lengths
};

struct SpecConstant {
  uint32_t id = 0;   // SpecId
  std::string name;  // may be empty
  const ir::Type* type = nullptr;
  uint64_t bits = 0;  // the value in force
};

struct Specialization {
  uint32_t id = 0;
  uint64_t bits = 0;  // as the constant's type has it
};

struct Options {
  std::string name = "module.spv";  // what messages call the module
  std::vector<Specialization> specializations;
};

struct Program {
  ir::Module module;  // verified and prepared
  std::vector<Entry> entries;
  std::vector<SpecConstant> spec_constants;
  const Entry* find(std::string_view name) const;  // nullptr if there is none
};

// Words in either byte order. Fails with one sentence that names the instruction and its word on what is
// malformed and on what the simulator has no counterpart for.
base::Result<Program> read(std::span<const uint32_t> words, const Options& options = {});
// The same from a file's bytes, which must be whole words.
base::Result<Program> read(std::string_view bytes, const Options& options = {});

}  // namespace quern::spirv
