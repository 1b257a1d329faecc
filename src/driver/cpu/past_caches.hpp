// Decides which launches use non-temporal stores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "target/llvm/abi.hpp"
#include "target/llvm/outflow.hpp"

namespace quern::cpu {

// A launch of a kernel: arguments in the kernel's layout, and the number of threads.
struct Flow {
  const llvm::Outflow& outflow;
  const ir::Function& kernel;
  const llvm::ArgumentLayout& layout;
  const std::byte* arguments = nullptr;
  uint64_t threads = 0;
};

// Whether the launch writes more than the last-level cache (`last_cache` bytes) can keep for the next reader;
// false if that is 0. `workers`: number of host threads that share the launch.
bool goes_past_caches(const Flow& flow, uint64_t last_cache, uint32_t workers);

// Orders earlier non-temporal stores before later stores that publish the data.
void end_stores_past_caches();

}  // namespace quern::cpu
