// A device that is brought back after a loss: recoverable (driver/decorators/recoverable) over whatever
// selection gives.
#pragma once

#include "driver/decorators/recoverable/device.hpp"
#include "runtime/select.hpp"
#include "runtime/session_file.hpp"

namespace quern::runtime {

struct SessionRequest {
  Request device;
  bool may_move = true;  // to the next best, when the same device cannot be had again
  std::function<void(const recoverable::Recovery&)> on_recovery;
};

struct Session {
  std::shared_ptr<Device> device;
  recoverable::Device* recoverable = nullptr;  // below it
};

Result<Session> open_session(const SessionRequest& request);

}  // namespace quern::runtime
