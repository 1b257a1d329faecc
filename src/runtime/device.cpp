#include "runtime/device.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/status.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;

namespace {

// What a device must have for memory of that kind; kShared every driver answers for itself.
std::optional<driver::Feature> feature_of(driver::MemoryKind kind) {
  if (kind == driver::MemoryKind::kManaged) return driver::Feature::kManagedMemory;
  if (kind == driver::MemoryKind::kMapped) return driver::Feature::kMappedMemory;
  return std::nullopt;
}

}  // namespace

Memory::Memory(std::shared_ptr<Device> device, std::unique_ptr<driver::Buffer> buffer)
    : device_(std::move(device)), owned_(std::move(buffer)), bytes_(owned_->bytes) {
  piece_.buffer = owned_.get();
}

Memory::Memory(std::shared_ptr<Device> device, const Piece& piece, uint64_t bytes)
    : device_(std::move(device)), piece_(piece), bytes_(bytes) {}

Memory::~Memory() { device_->give(*this); }

Result<std::shared_ptr<Device>> Device::open(driver::Driver& driver, uint32_t index,
                                             const driver::OpenOptions& options) {
  QUERN_TRY_ASSIGN(auto native, driver.open(index, options));
  return adopt(std::move(native));
}

Result<std::shared_ptr<Device>> Device::adopt(std::unique_ptr<driver::Device> native) {
  profile::Recorder::start_by_environment();
  std::shared_ptr<Device> device(new Device(std::move(native)));
  QUERN_TRY_ASSIGN(device->default_stream_, Stream::create(*device, {}));
  join_status(*device);
  return device;
}

Device::Device(std::unique_ptr<driver::Device> native)
    : native_(std::move(native)), pool_(*native_), checks_(*native_) {}

Device::~Device() {
  leave_status(*this);
  is_closing_ = true;
  default_stream_.reset();  // waits; every other stream held this device and is gone
  for (IdleQueue& idle : idle_queues_) native_->destroy(std::move(idle.queue));
  for (Retired& r : retired_) destroy(r);
}

Result<std::shared_ptr<Memory>> Device::allocate(uint64_t bytes, driver::MemoryKind kind,
                                                 std::string_view label) {
  const uint64_t limit = info().limits.buffer_bytes;
  if (limit != 0 && bytes > limit) {
    return Error(ErrorKind::kOutOfMemory, (label.empty() ? "a buffer" : "'" + std::string(label) + "'") +
                                              " asks for " + base::format_bytes(bytes) + ", and " +
                                              this->label() + " takes at most " + base::format_bytes(limit) +
                                              " in one buffer");
  }
  const auto needs = feature_of(kind);
  if (needs && !info().features.has(*needs))
    return Error(ErrorKind::kUnsupported, this->label() + " has no " + std::string(driver::meaning(*needs)));
  auto memory = try_allocate(bytes, kind);
  if (memory.ok() || memory.error().kind() != ErrorKind::kOutOfMemory) return memory;
  QUERN_TRY(synchronize());  // what is in flight may hold memory that nobody wants any more
  trim();
  return try_allocate(bytes, kind);
}

Result<std::shared_ptr<Memory>> Device::try_allocate(uint64_t bytes, driver::MemoryKind kind) {
  std::unique_lock lock(mutex_);
  reclaim_locked();
  if (pool_.serves(bytes, kind)) {
    auto piece = take_piece(bytes, kind);
    if (!piece.ok() && piece.error().kind() != ErrorKind::kOutOfMemory) return std::move(piece).error();
    if (piece.ok() && piece->buffer != nullptr) {
      count(bytes);
      return std::make_shared<Memory>(shared_from_this(), *piece, bytes);
    }
  }
  lock.unlock();
  QUERN_TRY_ASSIGN(auto buffer, native_->allocate(bytes, kind));
  lock.lock();
  count(bytes);
  return std::make_shared<Memory>(shared_from_this(), std::move(buffer));
}

Result<Piece> Device::take_piece(uint64_t bytes, driver::MemoryKind kind) {
  Piece piece = pool_.take(bytes, kind);
  if (piece.buffer == nullptr && !limbo_.empty()) {
    retire_limbo();
    reclaim_locked();
    piece = pool_.take(bytes, kind);
  }
  if (piece.buffer != nullptr) return piece;
  const profile::Scope scope("pool", "the pool grows");
  return pool_.grow(bytes, kind);
}

// One event stands for many pieces: what is given back waits until it is worth one.
void Device::retire_limbo() {
  Retired retired;
  retired.pieces.swap(limbo_);
  limbo_bytes_ = 0;
  retire_locked(std::move(retired));
}

void Device::give(Memory& memory) {
  const std::lock_guard lock(mutex_);
  bytes_in_use_ -= memory.bytes_;
  tell_profile();
  if (memory.owned_ != nullptr) {
    reclaim_locked();
    retire_locked({std::move(memory.owned_), {}, {}});
  } else if (is_idle()) {
    pool_.give(memory.piece_);
  } else {
    limbo_.push_back(memory.piece_);
    limbo_bytes_ += memory.bytes_;
    if (limbo_bytes_ > pool_.reserved_bytes() / 8) retire_limbo();
  }
}

bool Device::is_idle() const {
  return std::none_of(streams_.begin(), streams_.end(), [](const Stream* s) { return s->busy_.load(); });
}

void Device::count(uint64_t bytes) {
  bytes_in_use_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  tell_profile();
}

void Device::tell_profile() const {
  if (profile::is_on()) [[unlikely]]
    profile::Recorder::instance().add_memory(info(), bytes_in_use_, pool_.reserved_bytes());
}

uint64_t Device::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return bytes_in_use_;
}

uint64_t Device::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

uint64_t Device::reserved_bytes() const {
  const std::lock_guard lock(mutex_);
  return pool_.reserved_bytes();
}

void Device::trim() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
  const profile::Scope scope("pool", "the pool is trimmed");
  pool_.trim();
  tell_profile();
}

Result<> Device::synchronize() {
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (Stream* s : streams) QUERN_TRY(s->synchronize());
  reclaim();
  return {};
}

Result<> Device::pause(const std::function<Result<>(driver::Queue& queue)>& work) {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> stopped;
  for (Stream* s : streams_) {
    stopped.emplace_back(s->mutex_);
    QUERN_TRY(s->finish());
  }
  default_stream_->busy_ = true;
  return work(*default_stream_->queue_);
}

void Device::retire(std::unique_ptr<driver::Object> object) {
  if (object == nullptr) return;
  const std::lock_guard lock(mutex_);
  reclaim_locked();  // a kernel goes before its program
  retire_locked({std::move(object), {}, {}});
}

void Device::retire_locked(Retired retired) {
  for (Stream* s : streams_) {
    if (!s->busy_) continue;
    const std::lock_guard stream_lock(s->mutex_);
    auto event = native_->create_event();
    if (event.ok() && native_->record(*s->queue_, **event).ok()) {
      retired.events.push_back(std::move(*event));
    } else {
      (void)native_->synchronize(*s->queue_);  // no event can be had: the work itself ends the use
    }
  }
  if (retired.events.empty()) {
    destroy(retired);
  } else {
    retired_.push_back(std::move(retired));
  }
}

bool Device::is_free(Retired& retired) {
  return std::all_of(retired.events.begin(), retired.events.end(), [this](auto& event) {
    auto reached = native_->reached(*event);
    return reached.ok() ? *reached : reached.error().kind() == ErrorKind::kDeviceLost;  // nothing runs then
  });
}

void Device::destroy(Retired& retired) {
  for (auto& event : retired.events) native_->destroy(std::move(event));
  for (const Piece& piece : retired.pieces) pool_.give(piece);
  if (retired.object != nullptr) native_->destroy(std::move(retired.object));
}

void Device::reclaim() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
}

void Device::reclaim_locked() {
  if (!limbo_.empty() && is_idle()) {
    for (const Piece& piece : limbo_) pool_.give(piece);
    limbo_.clear();
    limbo_bytes_ = 0;
  }
  if (retired_.empty()) return;
  std::erase_if(retired_, [this](Retired& r) {
    if (!is_free(r)) return false;
    destroy(r);
    return true;
  });
}

}  // namespace quern::runtime
