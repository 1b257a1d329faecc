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

// Between the pieces of one long copy the threads stay awake.
class Packers {
 public:
  ~Packers();
  void copy(std::byte* to, const std::byte* from, size_t bytes);  // waits; one at a time

 private:
  void start();
  void work();
  bool copy_part(std::unique_lock<std::mutex>& lock);

  std::mutex one_;  // copy at a time
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  bool ends_ = false;
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  size_t bytes_ = 0;
  size_t next_ = 0;                // where the part begins that nobody has yet
  std::atomic<uint64_t> turn_{0};  // copies so far
  std::atomic<size_t> left_{0};    // bytes that are not copied yet
};

}  // namespace quern::driver
