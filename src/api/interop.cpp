#include "quern/interop.hpp"

#include <limits>
#include <memory>

#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "driver/interface/allocation_sharing.hpp"
#include "driver/interface/interop.hpp"
#include "runtime/callback.hpp"
#include "runtime/select.hpp"

namespace quern::interop::detail {

using base::ErrorKind;
using quern::detail::Access;
using quern::detail::Bytes;
using quern::detail::raise;
using quern::detail::unwrap;

namespace {

const std::shared_ptr<quern::detail::DeviceState>& state_of(const quern::Device& device) {
  const auto& state = Access::state(device);
  if (state == nullptr) raise(base::Error(ErrorKind::invalid_use, quern::detail::message::kHandlesNotOpen()));
  return state;
}

driver::Interop& interop_of(runtime::Device& device) {
  unwrap(device.check_caller(), &device);
  if (device.recoverable() != nullptr)
    raise(base::Error(ErrorKind::unsupported, quern::detail::message::kHandlesOfSession()), &device);
  if (auto* const interop = dynamic_cast<driver::Interop*>(&device.native())) return *interop;
  raise(driver::no_interop("using native handles"), &device);
}

runtime::Slice valid_range(const Bytes& bytes) {
  if (bytes.memory == nullptr)
    raise(base::Error(ErrorKind::invalid_use, quern::detail::message::kHandlesOfEmptyBuffer()));
  return quern::detail::range(bytes);
}

// The program's code runs when it is released, perhaps while the device is locked.
KeepAlive guarded(const runtime::Device& device, KeepAlive keep_alive) {
  if (keep_alive == nullptr) return keep_alive;
  const void* const shown = keep_alive.get();
  return {shown, [&device, kept = std::move(keep_alive)](const void*) mutable {
            const runtime::CallbackScope scope(device);
            kept.reset();
          }};
}

std::uint64_t size_of(std::uint64_t count, std::size_t element) {
  if (count != 0 && count <= std::numeric_limits<std::uint64_t>::max() / element / 2) return count * element;
  raise(base::Error(ErrorKind::invalid_use,
                    quern::detail::message::kBufferSize(std::to_string(count), std::to_string(element))));
}

Owned owned(runtime::Device& device, base::Result<std::unique_ptr<driver::Buffer>> buffer,
            std::string_view label) {
  auto memory = unwrap(device.adopt(unwrap(std::move(buffer), &device), label), &device);
  const Bytes bytes{memory.get(), 0, memory->bytes(), memory->number()};
  return {quern::detail::OwnedMemory(memory.release()), bytes};
}

}  // namespace

AnyDevice native(const quern::Device& device) {
  runtime::Device& d = *state_of(device)->device;
  return unwrap(interop_of(d).native_device(), &d);
}

AnyBuffer native(const Bytes& bytes, bool wants_host) {
  const runtime::Slice range = valid_range(bytes);
  runtime::Device& device = range.memory->device();
  if (!wants_host) return unwrap(interop_of(device).native_buffer(range.place()), &device);
  std::byte* const host = quern::detail::host_pointer(bytes);
  if (host != nullptr) return host::Buffer{host};
  raise(base::Error(ErrorKind::unsupported, quern::detail::message::kNoHostPointer()), &device);
}

AnyStream native(const quern::Stream& stream) {
  runtime::Stream& s = Access::state(stream);
  driver::Interop& interop = interop_of(s.device());
  AnyStream out;
  const auto ask = [&](driver::Stream& driver_stream) -> base::Result<> {
    QUERN_TRY_ASSIGN(out, interop.native_stream(driver_stream));
    return {};
  };
  unwrap(s.use_driver_stream(ask), &s);
  return out;
}

AnyEvent native(const quern::Event& event) {
  runtime::Event* const e = Access::state(event);
  if (e == nullptr) raise(base::Error(ErrorKind::invalid_use, quern::detail::message::kEmptyEvent()));
  return unwrap(interop_of(e->device()).native_event(e->native()), &e->device());
}

void refuse_api(std::size_t index) {
  static constexpr const char* kApis[] = {"none", "cuda", "hip", "vulkan", "opencl", "opengl", "host"};
  raise(base::Error(ErrorKind::invalid_use,
                    quern::detail::message::kHandleOfOtherApi(kApis[index], kApis[index])));
}

Owned adopt_bytes(const quern::Device& device, const AnyBuffer& handle, std::uint64_t count,
                  std::size_t element, KeepAlive keep_alive, std::string_view label) {
  runtime::Device& d = *state_of(device)->device;
  const std::uint64_t bytes = size_of(count, element);
  return owned(d, interop_of(d).adopt_buffer(handle, bytes, guarded(d, std::move(keep_alive))), label);
}

quern::Stream adopt_stream(const quern::Device& device, const AnyStream& handle, KeepAlive keep_alive) {
  const auto& state = state_of(device);
  runtime::Device& d = *state->device;
  auto driver_stream = unwrap(interop_of(d).adopt_stream(handle, guarded(d, std::move(keep_alive))), &d);
  auto stream = std::make_shared<quern::detail::StreamState>();
  stream->device = state;
  stream->native = unwrap(runtime::Stream::adopt(d, std::move(driver_stream)), &d);
  return Access::stream(std::move(stream));
}

void wait_for(const quern::Stream& stream, const AnyEvent& event) {
  runtime::Stream& s = Access::state(stream);
  driver::Interop& interop = interop_of(s.device());
  unwrap(s.use_driver_stream(
             [&](driver::Stream& driver_stream) { return interop.wait_native(driver_stream, event); }),
         &s);
}

quern::Device open_native(const AnyDevice& handle, KeepAlive keep_alive) {
  return quern::detail::public_device(unwrap(runtime::open_native(handle, std::move(keep_alive))));
}

Owned allocate_shared_bytes(const quern::Device& device, std::uint64_t count, std::size_t element,
                            ShareKind kind, std::string_view label) {
  runtime::Device& d = *state_of(device)->device;
  return owned(d, interop_of(d).allocate_shared(size_of(count, element), kind), label);
}

SharedMemory export_bytes(const Bytes& bytes) {
  const runtime::Slice range = valid_range(bytes);
  runtime::Device& device = range.memory->device();
  return unwrap(interop_of(device).export_memory(*range.place().buffer), &device);
}

Owned import_bytes(const quern::Device& device, const SharedMemory& memory, std::size_t element,
                   std::string_view label) {
  runtime::Device& d = *state_of(device)->device;
  const SharedMemory::Description& about = memory.description();
  if (about.bytes == 0 || about.bytes % element != 0 || about.allocation_bytes < about.bytes)
    raise(base::Error(ErrorKind::bad_input,
                      quern::detail::message::kImportSize(std::to_string(about.bytes),
                                                          std::to_string(about.allocation_bytes),
                                                          std::to_string(element))),
          &d);
  return owned(d, interop_of(d).import_memory(memory), label);
}

SharedRange share_bytes(const Bytes& bytes) {
  const runtime::Slice range = valid_range(bytes);
  runtime::Device& device = range.memory->device();
  (void)interop_of(device);  // checks the caller and the device
  if (auto* const sharing = dynamic_cast<driver::AllocationSharing*>(&device.native()))
    return unwrap(sharing->share_range(range.place()), &device);
  raise(driver::no_interop("sharing memory"), &device);
}

std::uint64_t address_of(const Bytes& bytes) {
  const runtime::Slice range = valid_range(bytes);
  const driver::Place place = range.place();
  runtime::Device& device = range.memory->device();
  if (place.buffer->address != 0 && device.recoverable() == nullptr)
    return place.buffer->address + place.offset;
  raise(base::Error(ErrorKind::unsupported, quern::detail::message::kNoDeviceAddress(
                                                device.recoverable() != nullptr
                                                    ? "the device belongs to a Session, which may replace it"
                                                    : "the memory has none")),
        &device);
}

}  // namespace quern::interop::detail
