// What the runtime knows as the public classes tell it.
#pragma once

#include <memory>

#include "quern/device.hpp"
#include "runtime/select.hpp"

namespace quern::detail {

DeviceInfo public_info(const driver::DeviceInfo& in);
runtime::Request native_request(const DeviceRequest& request);
Device public_device(std::shared_ptr<runtime::Device> device);

}  // namespace quern::detail
