#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "spirv/grammar/enums.hpp"

namespace quern::spirv {

// Whether the bytes begin like a SPIR-V module in this machine's byte order.
inline bool has_module_header(std::string_view bytes) {
  constexpr size_t kHeaderBytes = 5 * sizeof(uint32_t);
  uint32_t magic = 0;
  if (bytes.size() < kHeaderBytes || bytes.size() % sizeof magic != 0) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == kMagic;
}

}  // namespace quern::spirv
