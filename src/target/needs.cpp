#include "target/needs.hpp"

#include "base/text.hpp"
#include "lang/expand/expand.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"
#include "target/split_grids.hpp"
#include "target/tensor_maps.hpp"

namespace quern::target {

namespace {

using base::Error;
using base::ErrorKind;

Error exceeds(const base::Message<5>& message, const driver::KernelInfo& kernel,
              const driver::DeviceInfo& device, const std::string& amount, const std::string& limit) {
  return Error(ErrorKind::unsupported, message(kernel.name, amount, limit, device.name, device.id()));
}

}  // namespace

base::Result<void> check_needs(const driver::KernelInfo& kernel, const driver::DeviceInfo& device) {
  for (const driver::ParamInfo& p : kernel.params) {
    const bool is_map = p.object == driver::ParamObject::kTensorMap;
    if (is_map && device.compute_capability < kFirstWithTensorMaps)
      return Error(ErrorKind::unsupported,
                   message::kTensorMapMissing(kernel.name, p.name, device.name, device.id()));
  }
  const auto missing = kernel.needs.missing_from(device.features).list();
  if (!missing.empty()) {
    return Error(
        ErrorKind::unsupported,
        message::kFeatureMissing(kernel.name, driver::meaning(missing.front()), device.name, device.id()));
  }
  if (kernel.shared_bytes > device.limits.shared_bytes) {
    return exceeds(message::kSharedMemoryExceeded, kernel, device, base::format_bytes(kernel.shared_bytes),
                   base::format_bytes(device.limits.shared_bytes));
  }
  uint64_t bytes = 0;
  uint32_t buffers = 0;
  for (const driver::ParamInfo& p : kernel.params) {
    bytes += p.bytes;
    buffers += p.is_pointer ? 1 : 0;
  }
  if (bytes > device.limits.argument_bytes) {
    return exceeds(message::kArgumentBytesExceeded, kernel, device, base::format_bytes(bytes),
                   base::format_bytes(device.limits.argument_bytes));
  }
  if (device.limits.buffers != 0 && buffers > device.limits.buffers) {
    return exceeds(message::kBuffersExceeded, kernel, device, base::format_plural(buffers, "buffer"),
                   std::to_string(device.limits.buffers));
  }
  return {};
}

base::Result<void> check_needs(const ir::Module& module, const ir::Function& kernel,
                               const driver::DeviceInfo& device, bool splits_grids) {
  if (splits_grids && !device.features.has(driver::Feature::grid_barrier) && pass::has_grid_barrier(kernel)) {
    ir::Module own = module.clone(kernel);
    QUERN_TRY(split_grids(own, device));
    return check_needs(own, *own.find_function(kernel.name), device);
  }
  const bool splits_params = !device.features.has(driver::Feature::addresses);
  driver::KernelInfo described = describe(module, kernel, splits_params);
  if (!device.features.has(driver::Feature::atomics64) && expand::can_split_wide_atomics(kernel))
    described.needs.remove(driver::Feature::atomics64);
  return check_needs(described, device);
}

std::map<std::string, Error> remove_unsupported(ir::Module& module, const driver::DeviceInfo& device,
                                                bool splits_grids) {
  std::map<std::string, Error> reasons;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    auto possible = check_needs(module, *f, device, splits_grids);
    if (!possible.ok()) reasons.emplace(f->name, std::move(possible).error());
  }
  std::erase_if(module.functions,
                [&](const ir::Function* f) { return f->is_kernel && reasons.contains(f->name); });
  return reasons;
}

}  // namespace quern::target
