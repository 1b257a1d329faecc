// Device memory of cuMemAlloc for other processes. The driver requires that they close it before it is freed,
// so a hold owns the memory of an allocation that was shared.
#include <cstring>

#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"

namespace quern::cuda {

namespace {

using base::Error;
using base::ErrorKind;

const char* why_not_shareable(const Buffer& buffer) {
  if (buffer.host != nullptr) return "memory that the host can access";
  switch (buffer.owner) {
    case Buffer::Owner::kDevice: return nullptr;
    case Buffer::Owner::kPool: return "memory of the driver's pool (buffers of more than 16 MiB)";
    case Buffer::Owner::kShared: return "memory that another process or API has exported";
    case Buffer::Owner::kNobody:
    case Buffer::Owner::kHost:
    case Buffer::Owner::kCaller: break;
  }
  return "memory that another library allocated";
}

}  // namespace

driver::KeepAlive Device::hold_of(Address address) {
  return {static_cast<const void*>(this), [this, address](const void*) {
            if (is_lost()) return;
            (void)api_->context_use(context_);
            const driver::SuspendedScope suspended;
            (void)api_->free(address);
          }};
}

Result<interop::SharedRange> Device::share_range(driver::Place place) {
  QUERN_TRY(use());
  auto& buffer = static_cast<Buffer&>(*place.buffer);
  if (!api_->has_ipc()) return Error(ErrorKind::unsupported, message::kNoIpc());
  if (const char* const why = why_not_shareable(buffer))
    return Error(ErrorKind::unsupported, message::kNotShareable(why));
  driver::SharedMemory::Description about;
  about.kind = driver::ShareKind::cuda_ipc;
  about.bytes = buffer.bytes;
  about.allocation_bytes = std::max(buffer.bytes, buffer.shared.allocation_bytes);
  IpcHandle handle;
  QUERN_DO(nullptr, ipc_get(&handle, buffer.address));
  std::memcpy(about.ipc.data(), handle.bytes, sizeof handle.bytes);
  const std::lock_guard lock(shares_mutex_);
  if (buffer.hold == nullptr) {
    buffer.hold = hold_of(buffer.address);
    buffer.share_number = ++last_share_;
  }
  return interop::SharedRange{driver::SharedMemory(about), place.offset, buffer.share_number, buffer.hold};
}

}  // namespace quern::cuda
