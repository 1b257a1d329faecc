#include "driver/interface/interop.hpp"

#include <string>

#include <unistd.h>

#include "driver/interface/messages.hpp"

namespace quern::interop {

SharedMemory::~SharedMemory() {
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

}  // namespace quern::interop

namespace quern::driver {

using base::Error;
using base::ErrorKind;

Error no_interop(std::string_view what) {
  return Error(ErrorKind::unsupported, message::kInteropUnsupported(what));
}

Error wrong_api(std::string_view what, std::string_view api) {
  return Error(ErrorKind::invalid_use, message::kOtherApi(what, api, api));
}

std::string_view name(ShareKind kind) {
  switch (kind) {
    case ShareKind::automatic: return "automatic";
    case ShareKind::memfd: return "memfd";
    case ShareKind::vulkan_fd: return "vulkan_fd";
    case ShareKind::cuda_ipc: return "cuda_ipc";
    case ShareKind::cuda_fd: return "cuda_fd";
  }
  return "unknown";
}

Error wrong_share_kind(ShareKind kind, std::string_view supported) {
  return Error(ErrorKind::unsupported, message::kShareKind(name(kind), supported));
}

Result<AnyDevice> Interop::native_device() { return no_interop("getting the native device"); }
Result<AnyBuffer> Interop::native_buffer(Place) { return no_interop("getting the native buffer"); }
Result<AnyStream> Interop::native_stream(Stream&) { return no_interop("getting the native stream"); }
Result<AnyEvent> Interop::native_event(Event&) { return no_interop("getting the native event"); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): drivers that implement it keep the object
Result<std::unique_ptr<Buffer>> Interop::adopt_buffer(const AnyBuffer&, uint64_t, KeepAlive) {
  return no_interop("adopting memory");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): drivers that implement it keep the object
Result<std::unique_ptr<Stream>> Interop::adopt_stream(const AnyStream&, KeepAlive) {
  return no_interop("adopting a stream");
}
Result<> Interop::wait_native(Stream&, const AnyEvent&) { return no_interop("waiting for a native event"); }

Result<std::unique_ptr<Buffer>> Interop::allocate_shared(uint64_t, ShareKind) {
  return no_interop("allocating shared memory");
}
Result<SharedMemory> Interop::export_memory(Buffer&) {
  return Error(ErrorKind::unsupported, message::kNotExportable());
}
Result<std::unique_ptr<Buffer>> Interop::import_memory(const SharedMemory&) {
  return no_interop("importing memory");
}

}  // namespace quern::driver
