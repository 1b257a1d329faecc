// What devices share whose events are marks that their streams pass: an event may be recorded anew while
// others wait for it, who waits hears afterwards what kernels have told, and a loss is the answer to every
// call.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "driver/support/device_clock.hpp"
#include "driver/support/loss.hpp"
#include "driver/support/reporting_device.hpp"

namespace quern::driver {

// A point of a stream's work; drivers derive what the native interface has for it. It is shared by all who
// wait for it, and may outlive its stream.
class Mark {
 public:
  Mark() = default;
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  virtual ~Mark() = default;
};

class MarkingDevice : public ReportingDevice {
 public:
  Result<std::unique_ptr<Event>> create_event() final;
  Result<> record(Stream& stream, Event& event) final;
  Result<> wait(Stream& stream, Event& event) final;
  Result<bool> reached(Event& event) final;
  Result<> wait(Event& event) final;
  Result<> synchronize(Stream& stream) final;
  Result<uint64_t> time(Event& event) final;

 protected:
  // Behind all work of the stream so far.
  virtual Result<std::shared_ptr<Mark>> set_mark(Stream& stream) = 0;
  virtual Result<> follow(Stream& stream, Mark& mark) = 0;  // the stream goes on when the mark is passed
  virtual Result<bool> is_passed(Mark& mark) = 0;
  virtual Result<> wait_for(Mark& mark) = 0;
  virtual Result<> finish(Stream& stream) = 0;           // waits for all work of the stream
  virtual Result<uint64_t> ticks(const Mark& mark) = 0;  // of the device's clock, when it was passed
  // What kernels have told; nothing of theirs is in flight.
  virtual Result<> listen(DeviceLog& device_log) { return read_reports(device_log); }

  static std::shared_ptr<Mark> mark_of(Event& event);  // null: it was never recorded

  // One moment on the host's clock and the device's, by marks that are waited for: the quickest of three.
  Result<ClockPair> align_by_marks();

  Result<> alive() const { return loss_->alive(); }

  std::shared_ptr<Loss> loss_ = std::make_shared<Loss>();
  std::optional<DeviceClock> clock_;  // where events have times
};

}  // namespace quern::driver
