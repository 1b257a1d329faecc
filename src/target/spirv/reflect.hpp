// Reflection of a user's SPIR-V module: the buffers and constants that its entry points use, and their block
// sizes. For arguments see docs/spirv.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"

namespace quern::target::spirv {

struct RawBuffer {
  std::string name;
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t count = 1;
  bool is_uniform = false;
  bool is_written = true;
};

struct RawEntry {
  std::string name;
  std::vector<RawBuffer> buffers;  // by set and binding
  std::string push_name;
  uint32_t push_bytes = 0;
  driver::Dim3 block;
  uint64_t shared_bytes = 0;
};

struct RawConstant {
  uint32_t id = 0;
  uint32_t bytes = 4;
  uint64_t bits = 0;
};

struct RawModule {
  std::vector<RawEntry> entries;
  std::vector<RawConstant> constants;  // the specialisation constants that `defines` sets
};

base::Result<RawModule> reflect(std::span<const uint32_t> words,
                                const std::vector<std::pair<std::string, std::string>>& defines);

// The entry point as a kernel: buffers by set and binding, then the push constants as one struct.
driver::KernelInfo describe(const RawEntry& entry);

}  // namespace quern::target::spirv
