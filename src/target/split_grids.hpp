// Kernels with grid barriers for devices that cannot keep all blocks resident (lang/pass/split_grid.hpp).
#pragma once

#include <vector>

#include "base/result.hpp"
#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"
#include "lang/pass/split_grid.hpp"
#include "target/target.hpp"

namespace quern::target {

/// Splits the kernels of the module that have grid barriers, in place, if the device does not have
/// Feature::grid_barrier. Fails with ErrorKind::unsupported if one cannot be split.
base::Result<std::vector<pass::SplitKernel>> split_grids(ir::Module& module,
                                                         const driver::DeviceInfo& device);

/// The same if the target that the options name has no grid barriers.
base::Result<std::vector<pass::SplitKernel>> split_grids(ir::Module& module, const Options& options);

/// Whether a kernel of the module has a grid barrier.
bool has_grid_barriers(const ir::Module& module);

}  // namespace quern::target
