// Which launches write past the caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "target/llvm/abi.hpp"
#include "target/llvm/outflow.hpp"

namespace quern::cpu {

// A launch of a kernel: what it is given, by the kernel's layout, and how many threads it has.
struct Flow {
  const llvm::Outflow& outflow;
  const ir::Function& kernel;
  const llvm::ArgumentLayout& layout;
  const std::byte* arguments = nullptr;
  uint64_t threads = 0;
};

// Whether it writes more than the last cache, of so many bytes, keeps for whoever reads it next; with 0
// never. `workers`: how many threads of the host share the launch.
bool goes_past_caches(const Flow& flow, uint64_t last_cache, uint32_t workers);

// Behind what was written past the caches, before others are told of it.
void end_stores_past_caches();

}  // namespace quern::cpu
