// What every pure scalar operation yields, exactly as the IR defines it: the one place that knows. Folding
// and the simulator both ask here, so they agree.
#pragma once

#include <cstdint>
#include <span>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// The value of `op` on operands given by their bits (as Const::bits: zero-extended from the type's width).
// False when this is no pure operation on scalars (indices, memory, aggregates, addresses); result_bits is
// then untouched. Types are trusted: the operation must be one that verifies. Safe to call from any thread.
bool evaluate(Op op, const Type* result, std::span<const Type* const> operand_types,
              std::span<const uint64_t> operand_bits, const Attr& attr, uint64_t& result_bits);

// Whether evaluate() gives the same bits on every host: all but the functions that come from the host's libm.
bool is_exact(Op op);

// A function of one or two doubles from the host's libm or built on it; false when `op` is none. What
// evaluate() rounds to the type.
bool evaluate_math(Op op, double a, double b, double& out);

}  // namespace quern::ir
