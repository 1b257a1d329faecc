// Streams: copies, launches and events. Only wait(Event&) and synchronize block.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver creates a native stream. Calls on one stream never overlap, so it needs no lock.
Result<std::unique_ptr<driver::Stream>> NullDevice::create_stream(const driver::StreamOptions&) {
  return not_here("streams");
}

// A real driver submits the copy and returns; the host memory stays valid until the copy is complete.
Result<> NullDevice::upload(driver::Stream&, driver::Place, const void*, uint64_t) {
  return not_here("streams");
}

Result<> NullDevice::download(driver::Stream&, void*, driver::Place, uint64_t) { return not_here("streams"); }

// Overlapping ranges of one buffer are rejected by the layer above.
Result<> NullDevice::copy(driver::Stream&, driver::Place, driver::Place, uint64_t) {
  return not_here("streams");
}

// A real driver converts the arguments to the native form: addresses for places (0 for null), bytes for
// values. The layer above has validated launch size and arguments.
Result<> NullDevice::launch(driver::Stream&, driver::Kernel&, const driver::Launch&) {
  return not_here("streams");
}

Result<std::unique_ptr<driver::Event>> NullDevice::create_event() { return not_here("events"); }

// Records the point after all work submitted so far; replaces an earlier record.
Result<> NullDevice::record(driver::Stream&, driver::Event&) { return not_here("events"); }

// The stream waits, not the caller. An event that was never recorded does not block.
Result<> NullDevice::wait(driver::Stream&, driver::Event&) { return not_here("events"); }

Result<bool> NullDevice::reached(driver::Event&) { return not_here("events"); }

// Returns the error of the work before the event: a lost device, a kernel fault.
Result<> NullDevice::wait(driver::Event&) { return not_here("events"); }

Result<> NullDevice::synchronize(driver::Stream&) { return not_here("streams"); }

}  // namespace quern::null
