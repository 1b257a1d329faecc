// Deciding how a target has matrices.
#pragma once

#include <functional>

#include "lang/ir/ir.hpp"
#include "lang/ir/matrix.hpp"

namespace quern::pass {

// As MatrixForm::kLoops, but threads exchange words through shared memory: fewer barriers where shuffles need
// them.
inline constexpr auto kLoopsByMemory = static_cast<ir::MatrixForm>(3);

using FormOf = std::function<ir::MatrixForm(const ir::Function&, const ir::Matrix&)>;

// What `form` gives takes the place of each matrix_form, and what follows from it is simplified. For
// MatrixForm::kValues multiplications become mma on values. To be called before anything else looks at what
// kernels need. Returns whether there were any.
bool legalize_matrices(ir::Module& module, const FormOf& form);
bool has_matrices(const ir::Module& module);

}  // namespace quern::pass
