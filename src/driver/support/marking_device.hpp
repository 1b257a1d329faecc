// Base of devices whose events are marks in a stream: an event may be recorded again while others wait for
// it, a wait reads the kernels' reports afterwards, and every call fails once the device is lost.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "driver/support/device_clock.hpp"
#include "driver/support/loss.hpp"
#include "driver/support/reporting_device.hpp"

namespace quern::driver {

// A point in a stream's work; drivers derive a class with the native object. Shared by all waiters; may
// outlive its stream.
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
  // A mark after all work submitted to the stream so far.
  virtual Result<std::shared_ptr<Mark>> set_mark(Stream& stream) = 0;
  virtual Result<> follow(Stream& stream, Mark& mark) = 0;  // later work of the stream waits for the mark
  virtual Result<bool> is_passed(Mark& mark) = 0;
  virtual Result<> wait_for(Mark& mark) = 0;
  virtual Result<> finish(Stream& stream) = 0;           // blocks until all work of the stream is done
  virtual Result<uint64_t> ticks(const Mark& mark) = 0;  // the device's clock when the mark was passed
  // Reads the kernels' reports; no kernel of the stream is in flight.
  virtual Result<> listen(DeviceLog& device_log) { return read_reports(device_log); }

  static std::shared_ptr<Mark> mark_of(Event& event);  // null: it was never recorded

  // Reads the device's clock and the host's clock together, using marks; takes the fastest of three attempts.
  Result<ClockPair> align_by_marks();

  Result<> alive() const { return loss_->alive(); }

  std::shared_ptr<Loss> loss_ = std::make_shared<Loss>();
  std::optional<DeviceClock> clock_;  // if events have timestamps
};

}  // namespace quern::driver
