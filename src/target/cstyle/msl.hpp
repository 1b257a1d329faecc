// A whole program in the Metal Shading Language.
#pragma once

#include "target/cstyle/cstyle.hpp"

namespace quern::target::cstyle {

base::Result<void> emit_msl(const ir::Module& module, const Options& options, driver::Code& code);

/// The shapes that simdgroup_matrix multiplies, composed of tiles of 8x8. SIMD-groups must be warps.
std::vector<ir::Matrix> matrices_of_simdgroups();
/// Whether simdgroup_matrix has all operations of the kernel.
bool can_be_simdgroup_matrices(const ir::Module& module, ir::Function& kernel, const Options& options);

}  // namespace quern::target::cstyle
