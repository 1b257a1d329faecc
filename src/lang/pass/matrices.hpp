// Legalizes matrix operations for a target.
#pragma once

#include <functional>

#include "lang/ir/ir.hpp"
#include "lang/ir/matrix.hpp"

namespace quern::pass {

// As MatrixForm::kLoops, but threads exchange words through shared memory: fewer barriers if shuffles need
// barriers.
inline constexpr auto kLoopsByMemory = static_cast<ir::MatrixForm>(3);

using FormOf = std::function<ir::MatrixForm(const ir::Function&, const ir::Matrix&)>;

// Replaces each matrix_form by the result of `form`, and simplifies the code that depends on it. For
// MatrixForm::kValues, multiplications become mma on values. Must be called before anything else looks at
// what kernels need. Returns whether there were any.
bool legalize_matrices(ir::Module& module, const FormOf& form);
bool has_matrices(const ir::Module& module);

}  // namespace quern::pass
