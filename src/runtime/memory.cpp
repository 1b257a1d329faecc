#include "runtime/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "runtime/callback.hpp"
#include "runtime/messages.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using base::format_bytes;

// ---- memory numbers

namespace {

// For every number, how often it was assigned or released: odd while a memory has it. The parts are never
// moved or freed, so they can be read at any time.
constexpr uint32_t kPart = 1024, kParts = 1 << 16;
struct Part {
  std::array<std::atomic<uint32_t>, kPart> turns{};
};
std::array<std::atomic<Part*>, kParts> parts;

std::mutex numbers_mutex;  // guards the following variables
std::vector<uint32_t> free_numbers;
uint32_t all_numbers = 1;  // 0 is invalid

std::atomic<uint32_t>* turn_of(uint32_t index) {
  Part* const part = index < kPart * kParts ? parts[index / kPart].load(std::memory_order_acquire) : nullptr;
  return part == nullptr ? nullptr : &part->turns[index % kPart];
}

// Numbers are assigned in batches: a device requests more only occasionally.
void refill(std::vector<uint32_t>& to) {
  constexpr size_t kSome = 64;
  const std::lock_guard lock(numbers_mutex);
  while (to.size() < kSome) {
    if (!free_numbers.empty()) {
      to.push_back(free_numbers.back());
      free_numbers.pop_back();
      continue;
    }
    if (all_numbers == kPart * kParts) return;
    std::atomic<Part*>& part = parts[all_numbers / kPart];
    if (part.load(std::memory_order_relaxed) == nullptr) part.store(new Part, std::memory_order_release);
    to.push_back(all_numbers++);
  }
}

}  // namespace

MemoryNumbers::~MemoryNumbers() {
  const std::lock_guard lock(numbers_mutex);
  free_numbers.insert(free_numbers.end(), free_.begin(), free_.end());
}

uint64_t MemoryNumbers::take() {
  if (free_.empty()) refill(free_);
  if (free_.empty()) return 0;  // 67 million numbers are in use
  const uint32_t index = free_.back();
  free_.pop_back();
  std::atomic<uint32_t>& turn = *turn_of(index);
  const uint32_t now = turn.load(std::memory_order_relaxed) + 1;
  turn.store(now, std::memory_order_release);
  return uint64_t{now} << 32 | index;
}

void MemoryNumbers::give(uint64_t number) {
  if (number == 0) return;
  const auto index = static_cast<uint32_t>(number);
  turn_of(index)->store(static_cast<uint32_t>(number >> 32) + 1, std::memory_order_release);
  free_.push_back(index);
}

bool MemoryNumbers::is_alive(uint64_t number) {
  const std::atomic<uint32_t>* const turn = turn_of(static_cast<uint32_t>(number));
  return number == 0 || (turn != nullptr && turn->load(std::memory_order_acquire) == number >> 32);
}

// ---- memory

Memory::Memory(Device& device, std::unique_ptr<driver::Buffer> buffer)
    : device_(device), owned_(std::move(buffer)), bytes_(owned_->bytes) {
  piece_.buffer = owned_.get();
}

Memory::Memory(Device& device, const Piece& piece, uint64_t bytes)
    : device_(device), piece_(piece), bytes_(bytes) {}

void MemoryPtr::let_go() {
  if (memory_->holders_.load(std::memory_order_acquire) != 1 &&
      memory_->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  memory_->device_.give(*memory_);
}

std::string to_string(const std::vector<MemoryUse>& uses, size_t most) {
  std::vector<std::string> parts_of_text;
  for (size_t i = 0; i < std::min(most, uses.size()); ++i) {
    const std::string name = uses[i].label.empty() ? "a buffer" : "'" + uses[i].label + "'";
    parts_of_text.push_back(name + " (" + format_bytes(uses[i].bytes) + ")");
  }
  std::string text = base::join(parts_of_text, ", ");
  if (uses.size() > most) text += base::format(" and %zu more", uses.size() - most);
  return text;
}

// ---- functions of Device

namespace {

// The feature that a memory kind requires; for kShared every driver decides itself.
std::optional<driver::Feature> feature_of(driver::MemoryKind kind) {
  if (kind == driver::MemoryKind::managed) return driver::Feature::managed_memory;
  if (kind == driver::MemoryKind::mapped) return driver::Feature::mapped_memory;
  return std::nullopt;
}

std::string asks(std::string_view label, uint64_t bytes) {
  return "allocating " + (label.empty() ? "a buffer" : "'" + std::string(label) + "'") + " (" +
         format_bytes(bytes) + ")";
}

bool is_full(const base::Error& error) { return error.kind() == ErrorKind::out_of_memory; }

}  // namespace

// An allocation can fail for three reasons: it exceeds the device's limit for one buffer, the memory limit,
// or the free memory. In the last two cases, unused memory of the pool is returned to the driver before the
// error is reported.
Result<MemoryPtr> Device::allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label) {
  QUERN_TRY(check_caller());
  const uint64_t most = info().limits.buffer_bytes;
  if (most != 0 && bytes > most) {
    return Error(ErrorKind::out_of_memory,
                 message::kBufferTooLarge(asks(label, bytes), this->label(), format_bytes(most)));
  }
  const auto needs = feature_of(kind);
  if (needs && !info().features.has(*needs))
    return Error(ErrorKind::unsupported, message::kMemoryKindMissing(this->label(), driver::meaning(*needs)));
  auto memory = try_allocate(bytes, kind, label);
  if (memory.ok() || !is_full(memory.error())) return memory;
  QUERN_TRY(synchronize());  // work in flight may hold memory that was already released
  const uint64_t before = reserved_bytes();
  trim();
  const uint64_t given_back = before - reserved_bytes();
  memory = try_allocate(bytes, kind, label);
  if (memory.ok() || !is_full(memory.error())) return memory;
  return out_of_memory(bytes, label, given_back, memory.error());
}

base::Error Device::out_of_memory(uint64_t bytes, std::string_view label, uint64_t given_back,
                                  const base::Error& native) {
  const std::string what = asks(label, bytes);
  base::MessageText text;
  const MemoryStatistics now = memory();
  const uint64_t left = now.limit == 0 ? bytes : now.limit - std::min(now.limit, now.reserved);
  if (bytes > left) {
    text = message::kLimitExceeded(what, this->label(), format_bytes(left), format_bytes(now.limit));
  } else {
    const uint64_t free = native_->free_memory();
    text = free == 0 ? message::kAllocationFailed(what, this->label(), native.message())
                     : message::kMemoryFull(what, this->label(), format_bytes(free),
                                            format_bytes(info().memory_bytes),
                                            free >= bytes ? ", but not contiguous" : "");
  }
  if (const auto all = buffers(); !all.empty())
    text.hint += "; " + message::kLargestAre(runtime::to_string(all)).text;
  Error error(ErrorKind::out_of_memory, std::move(text));
  error.add_context("allocating a buffer" +
                    (given_back == 0
                         ? std::string()
                         : " again: the pool held " + format_bytes(given_back) + " unused, and was trimmed"));
  return error;
}

uint64_t Device::left_of_limit() const {
  if (limit_ == 0) return ~uint64_t{0};
  return limit_ - std::min(limit_, pool_.reserved_bytes() + owned_bytes_);
}

Result<MemoryPtr> Device::try_allocate(uint64_t bytes, driver::MemoryKind kind, std::string_view label) {
  std::unique_lock lock(mutex_);
  reclaim_locked();
  if (pool_.serves(bytes, kind)) {
    auto piece = take_piece(bytes, kind);
    if (!piece.ok() && !is_full(piece.error())) return std::move(piece).error();
    if (piece.ok() && piece->buffer != nullptr) {
      return add(new (room()) Memory(*this, *piece, bytes), label);
    }
  }
  if (bytes > left_of_limit()) return Error(ErrorKind::out_of_memory, message::kLimitReached());
  owned_bytes_ += bytes;
  lock.unlock();
  auto buffer = native_->allocate(bytes, kind);
  lock.lock();
  if (!buffer.ok()) {
    owned_bytes_ -= bytes;
    return std::move(buffer).error();
  }
  return add(new (room()) Memory(*this, std::move(*buffer)), label);
}

Result<MemoryPtr> Device::adopt(std::unique_ptr<driver::Buffer> buffer, std::string_view label) {
  const std::lock_guard lock(mutex_);
  auto* const memory = new (room()) Memory(*this, std::move(buffer));
  memory->is_adopted_ = true;
  return add(memory, label);
}

// Creates a Memory object; some objects of freed memories are reused.
void* Device::room() {
  if (rooms_.empty()) return ::operator new(sizeof(Memory));
  void* const place = rooms_.back();
  rooms_.pop_back();
  return place;
}

void Device::clear_away(Memory& memory) {
  constexpr size_t kRooms = 64;
  memory.~Memory();
  if (rooms_.size() < kRooms) {
    rooms_.push_back(&memory);
  } else {
    ::operator delete(&memory);
  }
}

Result<Piece> Device::take_piece(uint64_t bytes, driver::MemoryKind kind) {
  Piece piece = pool_.take(bytes, kind);
  if (piece.buffer == nullptr && !limbo_.empty()) {
    retire_limbo();
    reclaim_locked();
    piece = pool_.take(bytes, kind);
  }
  if (piece.buffer != nullptr) return piece;
  const profile::Scope scope("pool", "grow the pool");
  auto grown = pool_.grow(bytes, kind, left_of_limit());
  reserved_peak_ = std::max(reserved_peak_, pool_.reserved_bytes());
  return grown;
}

MemoryPtr Device::add(Memory* added, std::string_view label) {
  Memory& memory = *added;
  if (!label.empty()) memory.label_ = label;
  memory.number_ = numbers_.take();
  memory.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &memory;
  first_ = &memory;
  ++buffers_;
  ++allocations_;
  bytes_in_use_ += memory.bytes_;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  if (memory.owned_ == nullptr) pool_peak_ = std::max(pool_peak_, pool_bytes_ += memory.bytes_);
  notify_listeners(memory, true);
  update_profile();
  return MemoryPtr(added);
}

void Device::notify_listeners(const Memory& memory, bool is_new) const {
  if (listeners_.empty()) return;
  const CallbackScope scope(*this);
  for (const MemoryListener& listener : listeners_) listener(memory, is_new);
}

void Device::update_profile() const {
  if (profile::is_on()) [[unlikely]]
    profile::Recorder::instance().add_memory(info(), bytes_in_use_, pool_.reserved_bytes());
}

void Device::give(Memory& memory) {
  if (is_of_parent_process()) return;
  if (CallbackScope::is_active(*this)) [[unlikely]]
    return release_outside_callbacks(*this, [this, &memory] { give_outside_callbacks(memory); });
  give_outside_callbacks(memory);
}

void Device::give_outside_callbacks(Memory& memory) {
  std::unique_lock lock(mutex_);
  give_locked(memory);
  clear_away(memory);
  const bool is_last = owners_ == 0 && buffers_ == 0;
  lock.unlock();
  if (is_last) close();
}

void Device::give_locked(Memory& memory) {
  notify_listeners(memory, false);
  numbers_.give(memory.number_);
  (memory.previous_ != nullptr ? memory.previous_->next_ : first_) = memory.next_;
  if (memory.next_ != nullptr) memory.next_->previous_ = memory.previous_;
  --buffers_;
  bytes_in_use_ -= memory.bytes_;
  update_profile();
  if (memory.owned_ != nullptr) {
    if (!memory.is_adopted_) owned_bytes_ -= memory.bytes_;
    reclaim_locked();
    retire_locked({std::move(memory.owned_), {}, {}});
    return;
  }
  pool_bytes_ -= memory.bytes_;
  if (is_idle()) {
    pool_.give(memory.piece_);
  } else {
    limbo_.push_back(memory.piece_);
    limbo_bytes_ += memory.bytes_;
    if (limbo_bytes_ > pool_.reserved_bytes() / 8) retire_limbo();
  }
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
  const profile::Scope scope("pool", "trim the pool");
  pool_.trim();
  update_profile();
}

MemoryStatistics Device::memory() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
  MemoryStatistics s;
  s.in_use = bytes_in_use_;
  s.peak = peak_bytes_;
  s.buffers = buffers_;
  s.allocations = allocations_;
  s.pool = pool_.reserved_bytes();
  s.pool_idle = pool_.idle_bytes();
  s.reserved = s.pool + owned_bytes_;
  s.largest_free = pool_.largest_free_bytes();
  s.limit = limit_;
  if (reserved_peak_ != 0)
    s.fragmentation = 1 - static_cast<double>(pool_peak_) / static_cast<double>(reserved_peak_);
  return s;
}

std::pair<driver::Place, uint64_t> Device::find(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  std::pair<driver::Place, uint64_t> found;
  for (const Memory* m = first_; m != nullptr; m = m->next_) {
    const driver::Place begin = m->place(0);
    if (begin.buffer->address == 0 || address < begin.buffer->address + begin.offset) continue;
    const uint64_t offset = address - begin.buffer->address - begin.offset;
    if (offset > m->bytes_) continue;
    found = {m->place(offset), m->bytes_ - offset};
    if (offset < m->bytes_) break;  // otherwise it may be the beginning of another memory
  }
  return found;
}

std::vector<MemoryUse> Device::buffers() const {
  std::vector<MemoryUse> all;
  {
    const std::lock_guard lock(mutex_);
    for (const Memory* m = first_; m != nullptr; m = m->next_)
      all.push_back({m->number_, m->bytes_, m->label_});
  }
  std::sort(all.begin(), all.end(), [](const MemoryUse& a, const MemoryUse& b) { return a.bytes > b.bytes; });
  return all;
}

uint64_t Device::set_memory_limit(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return std::exchange(limit_, bytes);
}

std::shared_ptr<void> Device::listen(MemoryListener listener) {
  auto device = keep();
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(listener));
  const auto at = std::prev(listeners_.end());
  return {nullptr, [device = std::move(device), at](void*) {
            const std::lock_guard gone(device->mutex_);
            device->listeners_.erase(at);
          }};
}

}  // namespace quern::runtime
