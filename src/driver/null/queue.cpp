// Queues: copies, launches and events. Nothing here waits but wait(Event&) and synchronize.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver makes a native stream. Calls that name one queue never overlap, so it needs no lock.
Result<std::unique_ptr<driver::Queue>> NullDevice::create_queue(const driver::QueueOptions&) {
  return not_here("queues");
}

// A real driver submits the copy and returns; the host's memory stays as it is until the queue passes it.
Result<> NullDevice::upload(driver::Queue&, driver::Place, const void*, uint64_t) {
  return not_here("queues");
}

Result<> NullDevice::download(driver::Queue&, void*, driver::Place, uint64_t) { return not_here("queues"); }

// Parts of one buffer that overlap never come here.
Result<> NullDevice::copy(driver::Queue&, driver::Place, driver::Place, uint64_t) {
  return not_here("queues");
}

// A real driver turns arguments into what the native launch takes: addresses for places (0 for null), bytes
// for values. The shape and the arguments were checked above.
Result<> NullDevice::launch(driver::Queue&, driver::Kernel&, const driver::Launch&) {
  return not_here("queues");
}

Result<std::unique_ptr<driver::Event>> NullDevice::create_event() { return not_here("events"); }

// The event stands for the point behind all that was submitted so far; an earlier record is forgotten.
Result<> NullDevice::record(driver::Queue&, driver::Event&) { return not_here("events"); }

// The queue waits, not the caller. An event that was never recorded holds nothing up.
Result<> NullDevice::wait(driver::Queue&, driver::Event&) { return not_here("events"); }

Result<bool> NullDevice::reached(driver::Event&) { return not_here("events"); }

// Returns what went wrong in the work before the event: a lost device, a kernel fault.
Result<> NullDevice::wait(driver::Event&) { return not_here("events"); }

Result<> NullDevice::synchronize(driver::Queue&) { return not_here("queues"); }

}  // namespace quern::null
