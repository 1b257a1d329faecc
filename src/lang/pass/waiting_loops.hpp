// Loops that end only by what another thread does. They are sure to end where all threads run on by
// themselves; many devices promise no such thing.
#pragma once

#include <unordered_set>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Loops in which a thread waits for another one: what ends them is read again and again from one place, and
// nothing in them makes it come true. Votes, barriers and shared memory in between do not matter
// (own_progress.hpp). A loop that goes on to another place in each round (probing a table) is none, nor one
// that repeats a compare-and-swap because another thread came first, nor one that ends by what its own block
// does, as `while (changed)` with a flag in shared memory.
std::unordered_set<const ir::Inst*> waiting_loops(const ir::Function& kernel);

}  // namespace quern::pass
