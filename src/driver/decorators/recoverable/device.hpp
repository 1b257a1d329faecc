// A device that survives its own loss. Work is forwarded to the current device and logged. When that device
// is lost, another one is opened, buffers are restored from the last checkpoint, the log is replayed, and the
// call that failed is repeated. Callers observe every effect once, and no loss.
//
//  - The log begins at the last checkpoint, which copies every modified buffer to the host. Checkpoints are
//    made when the host waits anyway and enough work has accumulated; they take at most about 5 % of the
//    time. If the host never waits, a checkpoint is made when the log is full.
//  - Completed downloads and host functions are not repeated; nor is output that was already printed.
//  - Memory that the host modifies in place cannot be restored. Shared memory is therefore unsupported, and
//    pinned memory is plain host memory that kernels cannot use. Device addresses that kernels store in
//    memory do not survive either.
//  - Recovery is abandoned if the device is lost repeatedly in the same place: the error says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "driver/decorators/recoverable/exclusive_access.hpp"
#include "driver/interface/driver.hpp"
#include "quern/types/recovery.hpp"

namespace quern::recoverable {

using driver::Result;

using quern::Recovery;

struct Options {
  // Opens the device again, or another one; `attempt` counts from 0 within one recovery. The lost device has
  // been closed.
  std::function<Result<std::unique_ptr<driver::Device>>(uint32_t attempt)> reopen;
  std::function<void(const Recovery&)> on_recovery;  // called after a recovery; must not use the device

  uint32_t most_attempts = 4;                // per recovery
  uint64_t log_calls = 4096;                 // a checkpoint is due when the log has this many calls,
  uint64_t log_bytes = uint64_t{256} << 20;  // or holds this much host data,
  std::chrono::milliseconds log_time{2000};  // or is this old when the host waits
};

class Device : public driver::Device {
 public:
  // Makes a checkpoint: copies modified buffers to the host, so that earlier work need not be replayed.
  // Blocks.
  virtual Result<> checkpoint() = 0;
  virtual uint64_t generation() const = 0;  // number of losses so far

  // Whether persistent kernels can be launched now, on persistent streams. They are not recovered: their
  // owner observes that the generation has grown, and launches them again on new streams.
  virtual bool survives_device_loss() const = 0;
  virtual void exclusive_access(
      driver::Buffer& buffer, std::shared_ptr<driver::ExclusiveAccess> exclusive_access) = 0;  // may be null
};

Result<std::unique_ptr<Device>> open(Options options);

}  // namespace quern::recoverable
