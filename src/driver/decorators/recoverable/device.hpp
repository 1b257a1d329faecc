// A device that outlives its own loss. Work goes on to the device below and into a log; when that device is
// lost, another one is opened, buffers get back what they held at the last checkpoint, the log is run again,
// and the call that failed is made once more. Whoever uses it sees every effect once, and no loss.
//
//  - What the log holds begins at the last checkpoint: there every buffer that was written is copied to the
//    host. Checkpoints are made when the host waits anyway and enough work has gathered, and take at most
//    about a twentieth of the time; where nobody waits, when the log is full.
//  - A download or a host function that is known to be over is not repeated; nor is what kernels printed.
//  - Memory that the host touches in place cannot be brought back, so shared memory is refused, and pinned
//    memory is the host's own, which kernels cannot use. Addresses of device memory that kernels keep in
//    memory do not survive either.
//  - A device is given up when it is lost again and again in the same place: the error says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "driver/decorators/recoverable/exclusive_access.hpp"
#include "driver/interface/driver.hpp"

namespace quern::recoverable {

using driver::Result;

// What happened, for the program.
struct Recovery {
  uint64_t generation = 0;  // how many losses so far
  std::string cause;        // one sentence
  std::string from, to;     // the devices' ids
  uint64_t repeated = 0;    // calls that were made again
  uint64_t restored_bytes = 0;
  double seconds = 0;
};

struct Options {
  // Opens the device anew or another one in its place; `attempt` counts from 0 within one recovery. The old
  // one is closed before.
  std::function<Result<std::unique_ptr<driver::Device>>(uint32_t attempt)> reopen;
  std::function<void(const Recovery&)>
      on_recovery;  // called when all is well again; it must not use the device

  uint32_t most_attempts = 4;                // within one recovery
  uint64_t log_calls = 4096;                 // a checkpoint is due when the log has so many,
  uint64_t log_bytes = uint64_t{256} << 20;  // or keeps so much of the host's data,
  std::chrono::milliseconds log_time{2000};  // or is so old when somebody waits
};

class Device : public driver::Device {
 public:
  // Copies what was written to the host, so that no more than that need be repeated. Waits.
  virtual Result<> checkpoint() = 0;
  virtual uint64_t generation() const = 0;  // how many losses so far

  // Whether kernels that stay can be launched on it now, on endless streams. They are not brought back:
  // whoever launched one sees that the generation has grown, and launches it again. Their streams are of no
  // use then.
  virtual bool survives_device_loss() const = 0;
  virtual void exclusive_access(driver::Buffer& buffer,
                                std::shared_ptr<driver::ExclusiveAccess> exclusive_access) = 0;  // or null
};

Result<std::unique_ptr<Device>> open(Options options);

}  // namespace quern::recoverable
