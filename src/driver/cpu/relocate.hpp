// The relocations of LLVM's code for kernels, per architecture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace quern::cpu {

inline constexpr uint64_t kStubBytes = 16;

struct Relocation {
  uint32_t kind = 0;
  std::byte* place = nullptr;
  uint64_t symbol = 0;  // its address
  int64_t addend = 0;
  std::byte* table_entry = nullptr;  // of the symbol: filled if code uses it
  std::byte* stub = nullptr;         // of the symbol: a jump with unlimited range
};

// Returns an error for unknown kinds and distances that do not fit.
base::Result<> relocate_aarch64(const Relocation& r);
base::Result<> relocate_x86_64(const Relocation& r);

}  // namespace quern::cpu
