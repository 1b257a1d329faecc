// Whether a loop can be terminated by actions of the same block.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Whether no action of the block's threads in the loop can terminate it: every exit depends only on values
// that are the same in each further iteration, and one of them on device memory that the loop reads
// repeatedly. Values are followed through variables, shared memory, votes, shuffles and barriers, and through
// the conditions of stores. Device memory that the loop itself writes counts only if the read is volatile or
// atomic.
bool waits_for_other_blocks(const ir::Inst* loop);

// A read whose value another thread may have to provide: volatile, atomic, or an exchange without other
// effect.
bool is_poll(const ir::Inst* inst);

}  // namespace quern::pass
