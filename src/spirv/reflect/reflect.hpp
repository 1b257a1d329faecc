// Reflection of a user's SPIR-V module: the buffers and constants that its entry points use, and their block
// sizes. For arguments see docs/spirv.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "spirv/grammar/local_size.hpp"

namespace quern::spirv {

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
  LocalSize block;
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

}  // namespace quern::spirv
