// How values of the IR are represented. A number is one register, an aggregate the list of its scalars.
// Integers below 32 bits are sign- or zero-extended to 32 bits; half and bfloat16 are their bits in 16; a
// bool is a predicate. Pointers to shared memory have 32 bits, all others 64.
#pragma once

#include "target/leaves.hpp"

namespace quern::target::ptx {

enum class Class : uint8_t { kPredicate, kB16, kB32, kB64 };

Class class_of(const ir::Type* scalar);
inline bool is_narrow(const ir::Type* t) { return t->is_int() && t->size < 4; }

}  // namespace quern::target::ptx
