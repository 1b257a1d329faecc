// Buffers that a kernel writes but does not read. A launch that writes more of them than fits into the caches
// may use stores that bypass the caches, which avoids reading the lines first.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

struct Outflow {
  struct Written {
    uint32_t param = 0;  // by index
    uint32_t bytes = 0;  // written by a thread, per iteration if in a loop
    // The parameter that is the upper bound of a loop around the store; kNone: there is none.
    uint32_t bound = kNone;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<Written> written;
  uint64_t read = 0;  // bytes that a thread reads of other buffers, each counted once

  bool has(const ir::Param* param) const;
};

// Nothing if other threads may read the output before the launch ends: the kernel has barriers, fences,
// atomics or similar.
Outflow outflow(const ir::Function& kernel);

// The parameter that an address points into; null: unknown.
const ir::Param* buffer_of(const ir::Value* pointer);

}  // namespace quern::llvm
