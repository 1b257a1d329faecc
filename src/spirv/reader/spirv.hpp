// SPIR-V for the simulator (device `std.gpu`): a binary module becomes lowered IR with one kernel per compute
// entry point, and runs with the same checks as every other kernel.
//
// The resources of an entry point become the kernel's parameters, in the order of Entry::resources: buffers
// by (set, binding), then push constants; or, in the Kernel model, the function's own parameters. Parameters
// for the sizes of buffers with OpArrayLength follow; bind_resources() fills those in.
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
  kUniformBuffer,    // a read-only pointer parameter
  kPushConstant,     // a struct by value, in the block's layout
  kParameter,        // Kernel model: a pointer to global memory, a number, or a struct by value
  kWorkgroupMemory,  // Kernel model: a pointer to local memory; the caller sets the size
};
std::string_view name(ResourceKind kind);  // "storage buffer", …

struct Resource {
  ResourceKind kind = ResourceKind::kStorageBuffer;
  uint32_t set = 0, binding = 0;  // buffers
  std::string name;               // of the variable, or else of its block
  // The whole block in the module's layout. A runtime array counts as very long.
  const ir::Type* block = nullptr;
  // The element type, if the block consists of one array; else nullptr.
  const ir::Type* element = nullptr;
  uint64_t least_bytes = 0;        // minimum size for the fixed part of the block
  bool is_written = true;          // false: declared read-only
  uint32_t param = 0;              // index in the kernel's parameters
  std::optional<uint32_t> length;  // the parameter (u64) for the buffer's size in bytes
};

struct Entry {
  std::string name;                     // also of the kernel
  std::optional<LocalSize> local_size;  // absent: set by the launch (Kernel model)
  std::vector<Resource> resources;
  uint32_t params = 0;  // of the kernel, including those for sizes
};

struct SpecConstant {
  uint32_t id = 0;   // SpecId
  std::string name;  // may be empty
  const ir::Type* type = nullptr;
  uint64_t bits = 0;  // the current value
};

struct Specialization {
  uint32_t id = 0;
  uint64_t bits = 0;  // in the constant's type
};

struct Options {
  std::string name = "module.spv";  // name of the module in messages
  std::vector<Specialization> specializations;
};

struct Program {
  ir::Module module;  // verified and lowered
  std::vector<Entry> entries;
  std::vector<SpecConstant> spec_constants;
  const Entry* find(std::string_view name) const;  // nullptr if there is none
};

// Accepts words in either byte order. Fails on malformed and unsupported modules, with a message that names
// the instruction and its word.
base::Result<Program> read(std::span<const uint32_t> words, const Options& options = {});
// The same from a file's bytes, whose number must be a multiple of 4.
base::Result<Program> read(std::string_view bytes, const Options& options = {});

}  // namespace quern::spirv
