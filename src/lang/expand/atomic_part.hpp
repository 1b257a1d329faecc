// Atomics on 8 or 16 bits of a word, and stores that do not disturb neighboring bytes.
#pragma once

#include "lang/expand/rewriter.hpp"

namespace quern::expand {

// Writes code for `i` (an atomic or a store of 8 or 16 bits) that works on the word that `around` points to;
// the accessed bits start at bit `by` (u32). Returns the old value, or nullptr if `i` has no result.
ir::Value* atomic_part(Rewriter& r, ir::Inst* i, ir::Value* around, ir::Value* by);

}  // namespace quern::expand
