#include "base/text.hpp"
#include "driver/metal/device.hpp"
#include "driver/metal/messages.hpp"

namespace quern::metal {

using driver::MemoryKind;

Buffer::Buffer(Ref memory, std::shared_ptr<LiveBuffers> live)
    : memory_(std::move(memory)), live_(std::move(live)) {
  const std::lock_guard lock(live_->mutex);
  live_->all.insert(memory_.get());
}

Buffer::~Buffer() {
  const std::lock_guard lock(live_->mutex);
  live_->all.erase(memory_.get());
}

Result<Ref> Device::make_buffer(uint64_t bytes, uint64_t options) {
  if (bytes > found_.info.limits.buffer_bytes)
    return base::Error(base::ErrorKind::out_of_memory,
                       message::kBufferTooLarge(base::format_bytes(bytes), found_.info.name,
                                                base::format_bytes(found_.info.limits.buffer_bytes)));
  Ref made(*api_, api_->send<Id>(id(), Sel::kNewBuffer, bytes, options));
  if (!made) return no_memory(bytes);
  return made;
}

// Where host and device share all memory, private storage would gain nothing and cost copies.
Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, MemoryKind kind) {
  QUERN_TRY(alive());
  const Pool pool(*api_);
  const bool is_private = kind == MemoryKind::device && !found_.is_unified;
  QUERN_TRY_ASSIGN(Ref memory,
                   make_buffer(bytes == 0 ? 1 : bytes, is_private ? kStoragePrivate : kStorageShared));
  const Id native = memory.get();
  auto buffer = std::make_unique<Buffer>(std::move(memory), live_);
  buffer->bytes = bytes;
  buffer->kind = kind;
  if (found_.info.features.has(driver::Feature::addresses))
    buffer->address = api_->send<uint64_t>(native, Sel::kGpuAddress);
  if (!is_private) {
    buffer->contents = api_->send<std::byte*>(native, Sel::kContents);
    if (buffer->contents == nullptr) return no_memory(bytes);
  }
  buffer->host_view = buffer->contents;
  if (kind != MemoryKind::device) buffer->host = buffer->contents;
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

uint64_t Device::free_memory() {
  const Pool pool(*api_);
  const auto used = api_->send<uint64_t>(id(), Sel::kAllocatedSize);
  return used < found_.info.memory_bytes ? found_.info.memory_bytes - used : 0;
}

// Memory that both share, while the stream has no work in flight.
Result<std::byte*> Device::touch(driver::Stream& stream, driver::Place place) {
  std::byte* const seen = static_cast<Buffer&>(*place.buffer).contents;
  if (seen == nullptr) return seen;
  const Pool pool(*api_);
  const Stream& q = as_stream(stream);
  const auto has_reached = [&](const Point& p) {
    return p.line->done >= p.value ||
           api_->send<uint64_t>(p.line->event.get(), Sel::kSignaledValue) >= p.value;
  };
  if (!has_reached({q.line, q.last})) return nullptr;
  for (const Point& p : q.waits) {
    if (!has_reached(p)) return nullptr;
  }
  QUERN_TRY(retire_all());  // earlier downloads to the same host memory
  return seen + place.offset;
}

}  // namespace quern::metal
