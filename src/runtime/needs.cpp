#include "runtime/needs.hpp"

#include "base/text.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;

Error lacks(const driver::KernelInfo& kernel, const driver::DeviceInfo& device, std::string what) {
  return Error(ErrorKind::kUnsupported, "kernel '" + kernel.name + "' needs " + std::move(what) + " on " +
                                            device.name + " (" + device.id() + ")")
      .add_hint("`quern devices -v` lists what each device has");
}

}  // namespace

base::Result<void> check_needs(const driver::KernelInfo& kernel, const driver::DeviceInfo& device) {
  const auto missing = kernel.needs.missing_from(device.features).list();
  if (!missing.empty()) {
    return Error(ErrorKind::kUnsupported, "kernel '" + kernel.name + "' needs " +
                                              std::string(driver::meaning(missing.front())) + ", which " +
                                              device.name + " (" + device.id() + ") does not have")
        .add_hint("`quern devices -v` lists what each device has");
  }
  if (kernel.shared_bytes > device.limits.shared_bytes) {
    return lacks(kernel, device,
                 base::format_bytes(kernel.shared_bytes) + " of shared memory, and there are " +
                     base::format_bytes(device.limits.shared_bytes));
  }
  uint64_t bytes = 0;
  uint32_t buffers = 0;
  for (const driver::ParamInfo& p : kernel.params) {
    bytes += p.bytes;
    buffers += p.is_pointer ? 1 : 0;
  }
  if (bytes > device.limits.argument_bytes) {
    return lacks(kernel, device,
                 base::format_bytes(bytes) + " of arguments, and the limit is " +
                     base::format_bytes(device.limits.argument_bytes));
  }
  if (device.limits.buffers != 0 && buffers > device.limits.buffers) {
    return lacks(kernel, device,
                 base::format_plural(buffers, "buffer") + ", and the limit is " +
                     std::to_string(device.limits.buffers));
  }
  return {};
}

}  // namespace quern::runtime
