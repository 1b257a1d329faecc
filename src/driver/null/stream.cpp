// Streams, copies and events. The library of the template completes every call before it returns, so the
// order of a stream is the order of its calls. A real driver submits and returns: only wait(Event&) and
// synchronize block.
#include <atomic>
#include <chrono>

#include "driver/null/device.hpp"

namespace quern::null {

namespace {

class NullStream final : public driver::Stream {};

// Threads may wait for an event while another one records it.
class NullEvent final : public driver::Event {
 public:
  std::atomic<uint64_t> reached_at{0};  // nanoseconds of std::chrono::steady_clock
};

std::byte* at(driver::Place place) { return place.buffer->host + place.offset; }

}  // namespace

// Priorities are hints. Calls on one stream never overlap, so a stream needs no lock.
Result<std::unique_ptr<driver::Stream>> NullDevice::create_stream(const driver::StreamOptions&) {
  return std::make_unique<NullStream>();
}

// The caller keeps the host memory valid and unchanged until the stream has executed the copy.
Result<> NullDevice::upload(driver::Stream&, driver::Place to, const void* from, uint64_t bytes) {
  return check(api_.nullCopy(handle_, at(to), from, bytes), "nullCopy");
}

Result<> NullDevice::download(driver::Stream&, void* to, driver::Place from, uint64_t bytes) {
  return check(api_.nullCopy(handle_, to, at(from), bytes), "nullCopy");
}

// The layer above rejects overlapping ranges of one buffer.
Result<> NullDevice::copy(driver::Stream&, driver::Place to, driver::Place from, uint64_t bytes) {
  return check(api_.nullCopy(handle_, at(to), at(from), bytes), "nullCopy");
}

Result<std::unique_ptr<driver::Event>> NullDevice::create_event() { return std::make_unique<NullEvent>(); }

// Marks the point after all work submitted so far; replaces an earlier record.
Result<> NullDevice::record(driver::Stream&, driver::Event& event) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  static_cast<NullEvent&>(event).reached_at = static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
  return {};
}

// The stream waits, not the caller. An event that was never recorded does not block.
Result<> NullDevice::wait(driver::Stream&, driver::Event&) { return {}; }

Result<bool> NullDevice::reached(driver::Event&) { return true; }

// A real driver returns the error of the work before the event: a lost device, a kernel fault.
Result<> NullDevice::wait(driver::Event&) { return {}; }

Result<> NullDevice::synchronize(driver::Stream&) { return {}; }

Result<uint64_t> NullDevice::time(driver::Event& event) {
  return static_cast<NullEvent&>(event).reached_at.load();
}

}  // namespace quern::null
