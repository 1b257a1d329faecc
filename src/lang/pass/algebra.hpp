// Simplification of one pure instruction by what its operands are.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// What `inst` can be replaced by; `inst` itself when it was rewritten in place; nullptr when it is fine as it
// stands. Exact: integer wrap, signed zeros and NaN stay as they are. Looks only at operands, so its cost is
// constant.
ir::Value* simplify_inst(ir::Module& module, ir::Inst* inst);

// The pointer below any casts to generic, for use as the address of an access.
ir::Value* strip_casts(ir::Value* pointer);

// The same question with the other answer: `lt` for `ge`, …; kUnreachable when there is none (floats with
// NaN).
ir::Op inverse_compare(ir::Op op, const ir::Type* operand_type);

}  // namespace quern::pass
