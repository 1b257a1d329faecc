#include "target/split_grids.hpp"

#include <algorithm>

#include "lang/pass/pass.hpp"
#include "target/descriptor.hpp"
#include "target/refusal.hpp"

namespace quern::target {

namespace {

using Kernels = std::vector<pass::SplitKernel>;

base::Result<Kernels> split_all(ir::Module& module, bool has_addresses) {
  Kernels out;
  if (!has_grid_barriers(module)) return out;
  // Pointers become indices, which can be kept in memory. The target reports what could not be lowered.
  if (!has_addresses) (void)pass::lower_pointers(module);
  for (ir::Function* f : module.functions) {
    if (!f->is_kernel || !pass::has_grid_barrier(*f)) continue;
    const auto refusal = pass::split_grid_barriers(module, *f, out.emplace_back());
    if (refusal)
      return base::Error(base::ErrorKind::unsupported,
                         refusal_text(module, f->name, {refusal->pos, refusal->reason}));
  }
  return out;
}

}  // namespace

bool has_grid_barriers(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const ir::Function* f) { return f->is_kernel && pass::has_grid_barrier(*f); });
}

base::Result<Kernels> split_grids(ir::Module& module, const driver::DeviceInfo& device) {
  if (device.features.has(driver::Feature::grid_barrier)) return Kernels();
  return split_all(module, device.features.has(driver::Feature::addresses));
}

base::Result<Kernels> split_grids(ir::Module& module, const Options& options) {
  const Descriptor* const target = find_descriptor(options.kind);
  if (target == nullptr || target->has_grid_barrier) return Kernels();
  const bool has_addresses =
      target->pointers == PointerForm::kAddress || (target->pointers == PointerForm::kAddressIfPresent &&
                                                    options.features.has(driver::Feature::addresses));
  return split_all(module, has_addresses);
}

}  // namespace quern::target
