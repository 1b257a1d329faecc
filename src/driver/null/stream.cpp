// Streams: copies, launches and events. Nothing here waits but wait(Event&) and synchronize.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver makes a native stream. Calls that name one stream never overlap, so it needs no lock.
Result<std::unique_ptr<driver::Stream>> NullDevice::create_stream(const driver::StreamOptions&) {
  return not_here("streams");
}

// A real driver submits the copy and returns; the host's memory stays as it is until the stream passes it.
Result<> NullDevice::upload(driver::Stream&, driver::Place, const void*, uint64_t) {
  return not_here("streams");
}

Result<> NullDevice::download(driver::Stream&, void*, driver::Place, uint64_t) { return not_here("streams"); }

// Parts of one buffer that overlap never come here.
Result<> NullDevice::copy(driver::Stream&, driver::Place, driver::Place, uint64_t) {
  return not_here("streams");
}

// A real driver turns arguments into what the native launch takes: addresses for places (0 for null), bytes
// for values. The shape and the arguments were checked above.
Result<> NullDevice::launch(driver::Stream&, driver::Kernel&, const driver::Launch&) {
  return not_here("streams");
}

Result<std::unique_ptr<driver::Event>> NullDevice::create_event() { return not_here("events"); }

// The event stands for the point behind all that was submitted so far; an earlier record is forgotten.
Result<> NullDevice::record(driver::Stream&, driver::Event&) { return not_here("events"); }

// The stream waits, not the caller. An event that was never recorded holds nothing up.
Result<> NullDevice::wait(driver::Stream&, driver::Event&) { return not_here("events"); }

Result<bool> NullDevice::reached(driver::Event&) { return not_here("events"); }

// Returns what went wrong in the work before the event: a lost device, a kernel fault.
Result<> NullDevice::wait(driver::Event&) { return not_here("events"); }

Result<> NullDevice::synchronize(driver::Stream&) { return not_here("streams"); }

}  // namespace quern::null
