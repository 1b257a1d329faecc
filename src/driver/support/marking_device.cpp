#include "driver/support/marking_device.hpp"

namespace quern::driver {

namespace {

class MarkEvent final : public Event {
 public:
  struct State {
    std::shared_ptr<Mark> mark;           // null: never recorded
    std::weak_ptr<DeviceLog> device_log;  // of the stream on which it was recorded
  };

  State get() {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  void set(State state) {
    const std::lock_guard lock(mutex_);
    std::swap(state_, state);  // the old one is destroyed after the lock is released
  }

 private:
  std::mutex mutex_;
  State state_;
};

MarkEvent& as_event(Event& event) { return static_cast<MarkEvent&>(event); }

}  // namespace

std::shared_ptr<Mark> MarkingDevice::mark_of(Event& event) { return as_event(event).get().mark; }

Result<std::unique_ptr<Event>> MarkingDevice::create_event() {
  QUERN_TRY(alive());
  return std::make_unique<MarkEvent>();
}

Result<> MarkingDevice::record(Stream& stream, Event& event) {
  QUERN_TRY(alive());
  QUERN_TRY_ASSIGN(std::shared_ptr<Mark> mark, set_mark(stream));
  as_event(event).set({std::move(mark), static_cast<ReportingStream&>(stream).device_log});
  return {};
}

Result<> MarkingDevice::wait(Stream& stream, Event& event) {
  QUERN_TRY(alive());
  const auto mark = as_event(event).get().mark;
  return mark != nullptr ? follow(stream, *mark) : Result<>();
}

Result<bool> MarkingDevice::reached(Event& event) {
  QUERN_TRY(alive());
  const auto mark = as_event(event).get().mark;
  return mark != nullptr ? is_passed(*mark) : Result<bool>(true);
}

Result<> MarkingDevice::wait(Event& event) {
  QUERN_TRY(alive());
  const auto [mark, weak] = as_event(event).get();
  if (mark == nullptr) return {};
  QUERN_TRY(wait_for(*mark));
  const auto device_log = weak.lock();
  return device_log != nullptr ? listen(*device_log) : Result<>();
}

Result<> MarkingDevice::synchronize(Stream& stream) {
  QUERN_TRY(alive());
  QUERN_TRY(finish(stream));
  return listen(device_log_of(stream));
}

Result<uint64_t> MarkingDevice::time(Event& event) {
  QUERN_TRY(alive());
  const auto mark = as_event(event).get().mark;
  if (!clock_ || mark == nullptr) return Device::time(event);
  QUERN_TRY(wait_for(*mark));
  QUERN_TRY_ASSIGN(const uint64_t at, ticks(*mark));
  return clock_->host_time(at);
}

Result<ClockPair> MarkingDevice::align_by_marks() {
  ClockPair best;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = host_nanoseconds();
    QUERN_TRY_ASSIGN(const auto mark, set_mark(own_stream()));
    QUERN_TRY(wait_for(*mark));
    const uint64_t took = host_nanoseconds() - before;
    QUERN_TRY_ASSIGN(const uint64_t at, ticks(*mark));
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, at};
  }
  return best;
}

}  // namespace quern::driver
