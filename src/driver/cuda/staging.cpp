#include "driver/cuda/staging.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "driver/support/persistent_kernels.hpp"

namespace quern::cuda {

namespace {

constexpr size_t kSlotBytes = driver::kStagedPiece;
constexpr size_t kLeastChunk = 1 << 20;     // long compared with the microseconds of its calls
constexpr size_t kDownloadChunk = 4 << 20;  // the stream calls a host function for each, which takes longer
// Longer copies fill the caches anyway, and memory is slower than the caches.
constexpr size_t kMostPastCaches = 64 << 20;

// Shorter copies are split into as many chunks as there are slots: filling and transfer overlap, and no slot
// must be waited for.
size_t upload_chunk(size_t bytes, size_t slots) {
  const size_t chunk = (bytes / slots + 4095) / 4096 * 4096;
  return std::clamp(chunk, kLeastChunk, kSlotBytes);
}

// Makes calls while they succeed; keeps the first error.
class Steps {
 public:
  Steps& operator<<(int32_t code) {
    if (code_ == 0) code_ = code;
    return *this;
  }
  int32_t code() const { return code_; }

 private:
  int32_t code_ = 0;
};

}  // namespace

int32_t Calls::add(const Api& api, StreamId stream, std::function<void()> function) {
  while (!calls_.empty() && calls_.front().is_over.load(std::memory_order_acquire)) calls_.pop_front();
  Call& call = calls_.emplace_back();
  call.function = std::move(function);
  const int32_t code = api.stream_call(stream, run, &call);
  if (code != 0) calls_.pop_back();
  return code;
}

void Calls::run(void* call) noexcept {
  auto& c = *static_cast<Call*>(call);
  c.function();
  c.function = nullptr;
  c.is_over.store(true, std::memory_order_release);
}

Staging::~Staging() {
  if (is_forgotten_) return;
  const bool has_memory =
      std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.memory != nullptr; });
  const std::optional<driver::SuspendedScope> suspended =
      has_memory ? std::optional<driver::SuspendedScope>(std::in_place) : std::nullopt;
  for (const Slot& s : slots_) {
    if (s.memory != nullptr) (void)api_.free_host(s.memory);
    if (s.full != nullptr) (void)api_.event_destroy(s.full);
    if (s.free != nullptr) (void)api_.event_destroy(s.free);
  }
  if (begin_ != nullptr) (void)api_.event_destroy(begin_);
  if (stream_ != nullptr) (void)api_.stream_destroy(stream_);
}

// Creates the stream and as many slots as a copy of `bytes` uses.
int32_t Staging::prepare(size_t bytes, size_t chunk) {
  int32_t code = 0;
  if (stream_ == nullptr) code = api_.stream_create(&stream_, kStreamNonBlocking, 0);
  if (code == 0 && begin_ == nullptr) code = api_.event_create(&begin_, kEventNoTiming);
  const size_t count = std::min((bytes + chunk - 1) / chunk, kSlots);
  for (size_t i = 0; i < count && code == 0; ++i) {
    Slot& s = slots_[(turn_ + i) % kSlots];
    void* memory = s.memory;
    if (memory == nullptr) code = api_.allocate_host(&memory, kSlotBytes, kHostPortable);
    s.memory = static_cast<std::byte*>(memory);
    if (code == 0 && s.full == nullptr) code = api_.event_create(&s.full, kEventNoTiming);
    if (code == 0 && s.free == nullptr) code = api_.event_create(&s.free, kEventNoTiming);
  }
  return code;
}

// The state of a slot that is about to be filled. If the stream was idle before the copy, only the copy
// itself uses the slot, for microseconds, so it is waited for.
int32_t Staging::state_of(const Slot& slot, bool was_idle) const {
  for (;;) {
    const int32_t state = api_.event_query(slot.free);
    if (state != kNotReady || (!was_idle && api_.event_query(begin_) != kSuccess)) return state;
  }
}

// A free slot is filled immediately: that does not depend on earlier work of the stream. If none is free,
// earlier work uses them; a host function on the stream fills the slot later, and the copies run
// concurrently.
int32_t Staging::upload(StreamId stream, Calls& calls, StagingCopier& staging_copier, Address to,
                        const std::byte* from, size_t bytes) {
  const size_t chunk = upload_chunk(bytes, kSlots);
  const bool is_short = bytes <= kMostPastCaches,
             was_idle = is_short && api_.stream_query(stream) == kSuccess;
  const auto pack = is_short ? &StagingCopier::pack : &StagingCopier::copy;
  Steps steps;
  steps << prepare(bytes, chunk);
  const StreamId way = was_idle ? stream : stream_;
  if (!was_idle && steps.code() == 0)
    steps << api_.event_record(begin_, stream) << api_.stream_wait(stream_, begin_, 0);
  for (size_t at = 0; at < bytes && steps.code() == 0; at += chunk) {
    const size_t size = std::min(chunk, bytes - at);
    Slot& s = next();
    const int32_t state = state_of(s, was_idle);
    if (state == kSuccess) {
      (staging_copier.*pack)(s.memory, from + at, size);
    } else if (state == kNotReady) {
      steps << api_.stream_wait(stream, s.free, 0);
      if (steps.code() == 0)
        steps << calls.add(api_, stream, [&staging_copier, &s, pack, from, at, size] {
          (staging_copier.*pack)(s.memory, from + at, size);
        });
      if (steps.code() == 0)
        steps << api_.event_record(s.full, stream) << api_.stream_wait(stream_, s.full, 0);
    } else {
      steps << state;
    }
    if (steps.code() != 0) break;
    steps << api_.upload(to + at, s.memory, size, way) << api_.event_record(s.free, way);
    if (at + size == bytes && !was_idle) steps << api_.stream_wait(stream, s.free, 0);
  }
  return steps.code();
}

int32_t Staging::download(StreamId stream, Calls& calls, StagingCopier& staging_copier, std::byte* to,
                          Address from, size_t bytes) {
  Steps steps;
  steps << prepare(bytes, kDownloadChunk);
  if (steps.code() == 0) steps << api_.event_record(begin_, stream) << api_.stream_wait(stream_, begin_, 0);
  for (size_t at = 0; at < bytes && steps.code() == 0; at += kDownloadChunk) {
    const size_t size = std::min(kDownloadChunk, bytes - at);
    Slot& s = next();
    steps << api_.stream_wait(stream_, s.free, 0) << api_.download(s.memory, from + at, size, stream_)
          << api_.event_record(s.full, stream_) << api_.stream_wait(stream, s.full, 0);
    if (steps.code() == 0)
      steps << calls.add(api_, stream, [&staging_copier, &s, to, at, size] {
        staging_copier.copy(to + at, s.memory, size);
      });
    if (steps.code() == 0) steps << api_.event_record(s.free, stream);
  }
  return steps.code();
}

}  // namespace quern::cuda
