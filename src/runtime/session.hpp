// A device that recovers from a loss: recoverable (driver/recoverable) on top of device selection.
#pragma once

#include "driver/decorators/recoverable/device.hpp"
#include "runtime/select.hpp"
#include "runtime/session_file.hpp"

namespace quern::runtime {

struct SessionRequest {
  Request device;
  bool may_move = true;  // to the next best device, if the same one cannot be opened again
  std::function<void(const recoverable::Recovery&)> on_recovery;
};

struct Session {
  std::shared_ptr<Device> device;
  recoverable::Device* recoverable = nullptr;  // the recoverable device below it
};

Result<Session> open_session(const SessionRequest& request);

}  // namespace quern::runtime
