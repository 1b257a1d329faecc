// Interop of decorators: objects are unwrapped for the device below, and the objects it creates are wrapped.
#include "driver/decorators/forward/device.hpp"

namespace quern::forward {

Result<driver::Interop*> Device::interop() {
  QUERN_TRY(allow_interop());
  if (auto* const found = dynamic_cast<driver::Interop*>(&inner_)) return found;
  return driver::no_interop("using native handles");
}

Result<driver::AnyDevice> Device::native_device() {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->native_device();
}

Result<driver::AnyBuffer> Device::native_buffer(driver::Place place) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->native_buffer(inner_of(place));
}

Result<driver::AnyStream> Device::native_stream(driver::Stream& stream) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->native_stream(inner_of(stream));
}

Result<driver::AnyEvent> Device::native_event(driver::Event& event) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->native_event(inner_of(event));
}

Result<std::unique_ptr<driver::Buffer>> Device::adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return admit_buffer([&] { return below->adopt_buffer(handle, bytes, std::move(keep_alive)); });
}

Result<std::unique_ptr<driver::Stream>> Device::adopt_stream(const driver::AnyStream& handle,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return admit_stream([&] { return below->adopt_stream(handle, std::move(keep_alive)); });
}

Result<> Device::wait_native(driver::Stream& stream, const driver::AnyEvent& event) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->wait_native(inner_of(stream), event);
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate_shared(uint64_t bytes, driver::ShareKind kind) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return admit_buffer([&] { return below->allocate_shared(bytes, kind); });
}

Result<driver::SharedMemory> Device::export_memory(driver::Buffer& buffer) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return below->export_memory(inner_of(buffer));
}

Result<std::unique_ptr<driver::Buffer>> Device::import_memory(const driver::SharedMemory& memory) {
  QUERN_TRY_ASSIGN(driver::Interop* const below, interop());
  return admit_buffer([&] { return below->import_memory(memory); });
}

}  // namespace quern::forward
