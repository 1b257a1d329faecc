#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;
using driver::MemoryKind;

namespace {

// Smaller copies from pageable memory are embedded in the command itself.
constexpr uint64_t kDirect = 64 << 10;
// The pool takes milliseconds for its first allocation; small requests are rare, and served from slabs.
constexpr uint64_t kSmall = 16 << 20;
constexpr uint64_t kQuick = 512 << 10;  // of a download

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
Address at(const driver::Place& p) { return p.buffer->address + p.offset; }

}  // namespace

Buffer::~Buffer() {
  const Api& api = *device_.api_;
  if (owner == Owner::kNobody || device_.is_lost()) return;
  (void)api.context_use(device_.context_);
  switch (owner) {
    case Owner::kPool: (void)api.pool_free(address, device_.own_stream_); break;
    case Owner::kDevice: {
      if (hold != nullptr) break;  // its last owner frees the memory
      const driver::SuspendedScope suspended;
      (void)api.free(address);
      break;
    }
    case Owner::kHost: {
      const driver::SuspendedScope suspended;
      (void)api.free_host(host);
      break;
    }
    case Owner::kCaller: {
      const driver::SuspendedScope suspended;
      (void)api.host_forget(host);
      break;
    }
    case Owner::kShared: {
      const driver::SuspendedScope suspended;
      device_.release_shared(*this);
      break;
    }
    case Owner::kNobody: break;
  }
}

int32_t Device::take_device(Buffer& buffer, uint64_t bytes) {
  const bool is_pooled = pool_ != nullptr && bytes > kSmall;
  const int32_t code = is_pooled ? api_->pool_allocate(&buffer.address, bytes, pool_, own_stream_)
                                 : api_->allocate(&buffer.address, bytes);
  if (code != 0) return code;
  buffer.owner = is_pooled ? Buffer::Owner::kPool : Buffer::Owner::kDevice;
  return is_pooled ? api_->stream_synchronize(own_stream_) : 0;  // any stream may use it afterwards
}

int32_t Device::allocate_device(Buffer& buffer, uint64_t bytes) {
  const int32_t code = take_device(buffer, bytes);
  if (code != kOutOfMemory || pool_ == nullptr) return code;
  (void)api_->stream_synchronize(own_stream_);
  (void)api_->pool_trim(pool_, 0);  // free memory may be fragmented
  return take_device(buffer, bytes);
}

int32_t Device::allocate_host(Buffer& buffer, uint64_t bytes) {
  void* memory = nullptr;
  const int32_t code = api_->allocate_host(&memory, bytes, kHostPortable | kHostMapped);
  if (code != 0) return code;
  buffer.owner = Buffer::Owner::kHost;
  buffer.host = static_cast<std::byte*>(memory);
  return api_->host_address(&buffer.address, memory, 0);
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, MemoryKind kind) {
  QUERN_TRY(use());
  auto buffer = std::make_unique<Buffer>(*this);
  const uint64_t size = bytes == 0 ? 1 : bytes;
  buffer->bytes = bytes;
  buffer->kind = kind;
  int32_t code = 0;
  if (kind == MemoryKind::device) {
    code = allocate_device(*buffer, size);
  } else if (kind == MemoryKind::managed ||
             (kind == MemoryKind::shared && attribute(Attribute::kConcurrentManaged) != 0)) {
    code = api_->allocate_managed(&buffer->address, size, kManagedGlobal);
    if (code == 0) {
      buffer->owner = Buffer::Owner::kDevice;
      buffer->host = reinterpret_cast<std::byte*>(buffer->address);  // NOLINT(performance-no-int-to-ptr)
    }
  } else {
    code = allocate_host(*buffer, size);
  }
  if (code == kOutOfMemory)
    return Error(ErrorKind::out_of_memory, message::kOutOfMemory(std::to_string(bytes), info_.name));
  if (code != 0) return fail("allocate", code);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<std::unique_ptr<driver::Buffer>> Device::import_host_memory(std::byte* host, uint64_t bytes) {
  QUERN_TRY(use());
  if (api_->host_register == nullptr || api_->host_forget == nullptr)
    return driver::Device::import_host_memory(host, bytes);
  auto buffer = std::make_unique<Buffer>(*this);
  buffer->bytes = bytes;
  buffer->kind = MemoryKind::host_backed;
  buffer->host = host;
  int32_t code = api_->host_register(host, bytes, kHostPortable | kHostMapped);
  if (code == 0) {
    buffer->owner = Buffer::Owner::kCaller;
    code = api_->host_address(&buffer->address, host, 0);
  }
  if (code != 0) return fail("import_host_memory", code);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

bool Device::is_pinned(const void* memory) const {
  int type = 0;
  const auto address = reinterpret_cast<Address>(memory);
  return api_->pointer_attribute(&type, kPointerMemoryType, address) == 0 && type == kMemoryTypeHost;
}

// A direct copy between the device and this host memory; else through staging slots.
bool Device::goes_directly(const void* memory, uint64_t bytes) const {
  return bytes <= kDirect || api_->stream_call == nullptr || is_pinned(memory);
}

Result<> Device::upload(driver::Stream& stream, driver::Place to, const void* from, uint64_t bytes) {
  if (bytes == 0) return {};
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  if (goes_directly(from, bytes)) {
    QUERN_DO(&q, upload(at(to), from, bytes, q.id));
    return {};
  }
  const int32_t code =
      q.staging.upload(q.id, q.calls, staging_copier_, at(to), static_cast<const std::byte*>(from), bytes);
  if (code != 0) return fail("upload", code, &q);
  return {};
}

Result<> Device::download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  // Below this size the driver's own copy is faster, but it waits for the stream.
  const bool is_quick = bytes <= kQuick && api_->stream_query(q.id) == kSuccess;
  if (is_quick || goes_directly(to, bytes)) {
    QUERN_DO(&q, download(to, at(from), bytes, q.id));
    return {};
  }
  const int32_t code =
      q.staging.download(q.id, q.calls, staging_copier_, static_cast<std::byte*>(to), at(from), bytes);
  if (code != 0) return fail("download", code, &q);
  return {};
}

Result<> Device::copy(driver::Stream& stream, driver::Place to, driver::Place from, uint64_t bytes) {
  if (bytes == 0) return {};
  QUERN_TRY(use());
  QUERN_DO(&as_stream(stream), copy(at(to), at(from), bytes, as_stream(stream).id));
  return {};
}

// The driver copies between any two of its devices; peer access is not required.
void Device::meet(const Device& other) {
  const std::lock_guard lock(peers_mutex_);
  if (!peers_.insert(other.id_).second || api_->peer_reaches == nullptr) return;
  int reaches = 0;
  if (api_->peer_reaches(&reaches, id_, other.id_) != 0 || reaches == 0) return;
  if (api_->peer_allow != nullptr) (void)api_->peer_allow(other.context_, 0);  // may already be enabled
  if (other.pool_ == nullptr || api_->pool_allow == nullptr) return;
  PoolAccess access;
  access.device = id_;
  (void)api_->pool_allow(other.pool_, &access, 1);
}

Result<> Device::copy_from(driver::Stream& stream, driver::Place to, driver::Device& other,
                           driver::Place from, uint64_t bytes) {
  auto* const peer = dynamic_cast<Device*>(&other);
  if (peer == nullptr || peer->api_ != api_ || api_->peer_copy == nullptr)
    return driver::Device::copy_from(stream, to, other, from, bytes);
  if (bytes == 0) return {};
  QUERN_TRY(peer->use());
  QUERN_TRY(use());
  meet(*peer);
  // CUDA takes contexts here, HIP device numbers.
  const auto name = [&](const Device& d) {
    return api_->vendor->is_cuda() ? reinterpret_cast<uintptr_t>(d.context_) : static_cast<uintptr_t>(d.id_);
  };
  Stream& q = as_stream(stream);
  QUERN_DO(&q, peer_copy(at(to), name(*this), at(from), name(*peer), bytes, q.id));
  return {};
}

Result<> Device::fill(driver::Stream& stream, driver::Place to, uint64_t value, uint32_t width,
                      uint64_t bytes) {
  if (bytes == 0) return {};
  const Address address = at(to);
  const auto low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(value >> 32);
  if (address % width != 0 || (width == 8 && low != high && api_->fill_rows == nullptr))
    return driver::Device::fill(stream, to, value, width, bytes);
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  if (width == 1) {
    QUERN_DO(&q, fill8(address, static_cast<uint8_t>(low), bytes, q.id));
  } else if (width == 2) {
    QUERN_DO(&q, fill16(address, static_cast<uint16_t>(low), bytes / 2, q.id));
  } else if (width == 4 || low == high) {
    QUERN_DO(&q, fill32(address, low, bytes / 4, q.id));
  } else {  // one half of each value at a time, as columns of one word
    QUERN_DO(&q, fill_rows(address, 8, low, 1, bytes / 8, q.id));
    QUERN_DO(&q, fill_rows(address + 4, 8, high, 1, bytes / 8, q.id));
  }
  return {};
}

uint64_t Device::free_memory() {
  size_t free = 0, total = 0;
  if (!use().ok() || api_->memory_info(&free, &total) != 0) return 0;
  uint64_t reserved = 0, used = 0;
  if (pool_ != nullptr && api_->pool_get(pool_, kPoolReserved, &reserved) == 0 &&
      api_->pool_get(pool_, kPoolUsed, &used) == 0 && used <= reserved)
    free += reserved - used;
  return free;
}

}  // namespace quern::cuda
