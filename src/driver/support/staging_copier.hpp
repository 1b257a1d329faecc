// Threads that copy memory together, and the size of the pieces in which large copies between ordinary memory
// of the host and a device go: the device reaches only pinned memory at full speed, so drivers bring data
// there, and one piece is packed while the one before travels.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace quern::driver {

inline constexpr size_t kStagedPiece = 8 << 20;  // long against the ten microseconds of a submission

// Parts are taken without a lock, and between the pieces of one long copy the threads stay awake: either
// would take longer than a part does.
class StagingCopier {
 public:
  StagingCopier();
  explicit StagingCopier(unsigned helpers) : helpers_(helpers) {}  // threads beside the one that asks
  ~StagingCopier();
  // Waits; one at a time.
  void copy(std::byte* to, const std::byte* from, size_t bytes) { do_copy(to, from, bytes, false); }
  // Into memory that a device reads next: past the caches, out of which the bus is slower to fetch it.
  void pack(std::byte* to, const std::byte* from, size_t bytes) { do_copy(to, from, bytes, true); }

 private:
  void do_copy(std::byte* to, const std::byte* from, size_t bytes, bool past_caches);
  void work();
  bool copy_part();
  uint64_t turn() const { return ticket_.load() >> 32; }

  const unsigned helpers_;
  std::mutex one_;  // copy at a time
  std::vector<std::thread> threads_;
  // Those of one copy stay while a part of it is not taken, and the ticket says whether one is: the number of
  // the copy above that of the next part.
  std::atomic<std::byte*> to_{nullptr};
  std::atomic<const std::byte*> from_{nullptr};
  std::atomic<size_t> bytes_{0};
  std::atomic<bool> past_caches_{false};
  std::atomic<uint64_t> ticket_{0};
  std::atomic<size_t> left_{0};  // bytes that are not copied yet

  std::mutex mutex_;  // for sleep
  std::condition_variable wake_;
  std::atomic<int> asleep_{0};
  bool ends_ = false;
};

}  // namespace quern::driver
