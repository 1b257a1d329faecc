// Simplification of one pure instruction based on its operands.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Returns the replacement of `inst`; `inst` itself if it was rewritten in place; nullptr if it cannot be
// simplified. Exact: integer wrap-around, signed zeros and NaN are preserved. Looks only at operands, so its
// cost is constant.
ir::Value* simplify_inst(ir::Module& module, ir::Inst* inst);

// The pointer below any casts to generic, for use as the address of an access.
ir::Value* strip_casts(ir::Value* pointer);

// The inverted comparison: `lt` for `ge`, …; kUnreachable if there is none (floats with NaN).
ir::Op inverse_compare(ir::Op op, const ir::Type* operand_type);

}  // namespace quern::pass
