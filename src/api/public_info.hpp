// What the runtime knows as the public classes tell it.
#pragma once

#include <functional>
#include <memory>

#include "quern/device.hpp"
#include "runtime/device.hpp"

namespace quern::detail {

DeviceInfo public_info(const driver::DeviceInfo& in);
// What the program asks of devices, asked of the runtime's.
std::function<bool(const driver::DeviceInfo&)> predicate(std::function<bool(const DeviceInfo&)> accepts);
Device public_device(std::shared_ptr<runtime::Device> device);

}  // namespace quern::detail
