// The result of every pure scalar operation, exactly as the IR defines it. This is the only implementation:
// constant folding and the simulator both use it, so they agree.
#pragma once

#include <cstdint>
#include <span>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// The value of `op` on operands given by their bits (as Const::bits: zero-extended from the type's width).
// Returns false if this is not a pure operation on scalars (indices, memory, aggregates, addresses);
// result_bits is then unchanged. Types are not checked: the operation must be one that verifies. Thread-safe.
bool evaluate(Op op, const Type* result, std::span<const Type* const> operand_types,
              std::span<const uint64_t> operand_bits, const Attr& attr, uint64_t& result_bits);

// Whether evaluate() returns the same bits on every host: true for all operations but those that use the
// host's libm.
bool is_exact(Op op);

// A function of one or two doubles that uses the host's libm; false if `op` is not one. evaluate() rounds its
// result to the type.
bool evaluate_math(Op op, double a, double b, double& out);

}  // namespace quern::ir
