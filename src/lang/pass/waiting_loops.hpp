// Loops that only another thread can terminate. They are sure to terminate only if all threads make forward
// progress independently; many devices do not guarantee this.
#pragma once

#include <unordered_set>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Loops in which a thread waits for another one: the value that terminates them is read repeatedly from one
// place, and nothing in the loop changes it. Votes, barriers and shared memory in between do not matter
// (own_progress.hpp). Not included are loops that advance to another place in each iteration (probing a
// table), that repeat a compare-and-swap because another thread was first, or that their own block
// terminates, such as `while (changed)` with a flag in shared memory.
std::unordered_set<const ir::Inst*> waiting_loops(const ir::Function& kernel);

// Makes the reads of loops volatile that wait for other blocks through plain reads alone. A plain read may be
// moved out of the loop, or find an old value in a cache again and again.
void reread_in_waiting_loops(ir::Module& module);

}  // namespace quern::pass
