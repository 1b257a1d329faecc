// Atomics, and stores that leave their neighbours alone, on 8 or 16 bits of a word.
#pragma once

#include "lang/expand/rewriter.hpp"

namespace quern::expand {

// Writes what does the work of `i` (an atomic or a store of 8 or 16 bits) on the word that `around` points
// to, of which the bits from `by` (u32) on are meant. Yields what was there; nullptr where `i` yields
// nothing.
ir::Value* atomic_part(Rewriter& r, ir::Inst* i, ir::Value* around, ir::Value* by);

}  // namespace quern::expand
