#include "driver/support/staging_copier.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/thread.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quern::driver {

namespace {

constexpr size_t kPart = 128 << 10;               // of a piece, per thread
constexpr uint64_t kAllTaken = 0xffffffff;        // value of the next part's number
constexpr unsigned kMostThreads = 8;              // more threads are not faster than the bus
constexpr std::chrono::microseconds kAwake{100};  // waking a thread takes as long as staging a piece

// In whole cache lines; pieces of device memory are aligned to them.
void copy_past_caches(std::byte* to, const std::byte* from, size_t bytes) {
#if defined(__SSE2__)
  constexpr size_t kLine = 64, kWord = sizeof(__m128i);
  const size_t lines = reinterpret_cast<uintptr_t>(to) % kWord == 0 ? bytes / kLine * kLine : 0;
  for (size_t at = 0; at < lines; at += kLine) {
    __m128i words[kLine / kWord];
    std::memcpy(words, from + at, kLine);
    auto* const line = reinterpret_cast<__m128i*>(to + at);
    for (size_t i = 0; i < std::size(words); ++i) _mm_stream_si128(line + i, words[i]);
  }
  std::memcpy(to + lines, from + lines, bytes - lines);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

void copy_one(std::byte* to, const std::byte* from, size_t bytes, bool past_caches) {
  if (past_caches) {
    copy_past_caches(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

StagingCopier::StagingCopier()
    : StagingCopier(std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMostThreads) - 1) {}

StagingCopier::~StagingCopier() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

// Returns whether there was a part to take.
bool StagingCopier::copy_part() {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  for (;;) {
    const size_t at = (ticket & kAllTaken) * kPart, bytes = bytes_.load(std::memory_order_relaxed);
    if (at >= bytes) return false;
    std::byte* const to = to_.load(std::memory_order_relaxed) + at;
    const std::byte* const from = from_.load(std::memory_order_relaxed) + at;
    const bool past_caches = past_caches_.load(std::memory_order_relaxed);
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
    const size_t size = std::min(kPart, bytes - at);
    copy_one(to, from, size, past_caches);
    left_.fetch_sub(size, std::memory_order_release);
    return true;
  }
}

void StagingCopier::work() {
  for (;;) {
    const uint64_t seen = turn();
    while (copy_part()) {
    }
    const auto until = std::chrono::steady_clock::now() + kAwake;
    while (turn() == seen && std::chrono::steady_clock::now() < until) {
    }
    if (turn() != seen) continue;
    std::unique_lock lock(mutex_);
    ++asleep_;
    wake_.wait(lock, [&] { return ends_ || turn() != seen; });
    --asleep_;
    if (ends_) return;
  }
}

void StagingCopier::do_copy(std::byte* to, const std::byte* from, size_t bytes, bool past_caches) {
  if (bytes <= kPart) return copy_one(to, from, bytes, past_caches);
  const std::lock_guard one(one_);
  base::grow_threads(threads_, helpers_, [this] { work(); });
  ticket_ |= kAllTaken;  // a late thread takes no part while these change
  to_ = to;
  from_ = from;
  bytes_ = bytes;
  past_caches_ = past_caches;
  left_ = bytes;
  ticket_ = (turn() + 1) << 32;
  if (asleep_ != 0) {
    { const std::lock_guard lock(mutex_); }  // threads that are about to sleep do so first
    wake_.notify_all();
  }
  while (copy_part()) {
  }
  while (left_.load(std::memory_order_acquire) != 0)
    std::this_thread::yield();  // at most the time of one part
}

}  // namespace quern::driver
