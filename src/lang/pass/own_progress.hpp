// Whether a loop can end by what its own block does.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Whether nothing that the threads of a block do in the loop can end it: every exit depends only on values
// that are the same in each further round, and one of them on device memory that the loop reads again and
// again. Values are followed through variables, shared memory, votes, shuffles and barriers, and through the
// conditions of stores. Device memory that the loop itself writes counts only where the read is volatile or
// atomic.
bool waits_for_other_blocks(const ir::Inst* loop);

// A read that another thread may have to answer: volatile, atomic, or an exchange that changes nothing else.
bool is_poll(const ir::Inst* inst);

}  // namespace quern::pass
