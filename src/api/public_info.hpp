// Conversion of runtime types to public types.
#pragma once

#include <memory>

#include "quern/device.hpp"
#include "quern/session.hpp"
#include "runtime/select.hpp"
#include "runtime/session.hpp"

namespace quern::detail {

runtime::Request native_request(const DeviceRequest& request);
Device public_device(std::shared_ptr<runtime::Device> device);
Session public_session(runtime::Session session);  // for tests, which open their own devices

}  // namespace quern::detail
