// What the runtime knows as the public classes tell it.
#pragma once

#include <memory>

#include "quern/device.hpp"
#include "runtime/device.hpp"

namespace quern::detail {

DeviceInfo public_info(const driver::DeviceInfo& in);
Device public_device(std::shared_ptr<runtime::Device> device);

}  // namespace quern::detail
