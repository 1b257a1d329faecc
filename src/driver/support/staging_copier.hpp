// Threads that copy memory in parallel, between pageable host memory and a device. Only pinned memory reaches
// full bandwidth, so drivers copy through it: one piece is staged while the previous one is transferred.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "driver/support/staged_piece.hpp"

namespace quern::driver {

// Parts are claimed without a lock, and threads keep spinning between the pieces of one long copy: locking or
// waking would take longer than copying a part.
class StagingCopier {
 public:
  StagingCopier();
  explicit StagingCopier(unsigned helpers) : helpers_(helpers) {}  // in addition to the calling thread
  ~StagingCopier();
  // Blocks until the copy is done. Concurrent calls are serialized.
  void copy(std::byte* to, const std::byte* from, size_t bytes) { do_copy(to, from, bytes, false); }
  // The same with non-temporal stores, for memory that a device reads next: the bus is slower if the data is
  // in the caches.
  void pack(std::byte* to, const std::byte* from, size_t bytes) { do_copy(to, from, bytes, true); }

 private:
  void do_copy(std::byte* to, const std::byte* from, size_t bytes, bool past_caches);
  void work();
  bool copy_part();
  uint64_t turn() const { return ticket_.load() >> 32; }

  const unsigned helpers_;
  std::mutex one_;  // held during a copy
  std::vector<std::thread> threads_;
  // The helpers of a copy stay while it has parts to take. The ticket holds the number of the copy (high
  // bits) and the number of its next part (low bits).
  std::atomic<std::byte*> to_{nullptr};
  std::atomic<const std::byte*> from_{nullptr};
  std::atomic<size_t> bytes_{0};
  std::atomic<bool> past_caches_{false};
  std::atomic<uint64_t> ticket_{0};
  std::atomic<size_t> left_{0};  // bytes not copied yet

  std::mutex mutex_;  // for sleeping
  std::condition_variable wake_;
  std::atomic<int> asleep_{0};
  bool ends_ = false;
};

}  // namespace quern::driver
