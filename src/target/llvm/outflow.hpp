// Buffers that a kernel writes and does not read. A launch that writes more of them than the caches hold may
// have them written past the caches: what is only written is then not read first.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

struct Outflow {
  struct Written {
    uint32_t param = 0;  // by index
    uint32_t bytes = 0;  // that a thread writes, in a loop: in each round
    // The parameter that a loop around the store counts up to; kNone: there is none.
    uint32_t bound = kNone;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<Written> written;
  uint64_t read = 0;  // bytes that a thread reads of other buffers, each counted once

  bool has(const ir::Param* param) const;
};

// Nothing where somebody else may look at what was written before the launch ends: the kernel has barriers,
// fences, atomics or the like.
Outflow outflow(const ir::Function& kernel);

// The parameter that an address is in; null: it cannot be told.
const ir::Param* buffer_of(const ir::Value* pointer);

}  // namespace quern::llvm
