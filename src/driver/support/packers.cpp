#include "driver/support/packers.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace quern::driver {

namespace {

constexpr size_t kPart = 128 << 10;               // of a piece, for one thread
constexpr unsigned kMostThreads = 8;              // more do not copy faster than the bus takes it
constexpr std::chrono::microseconds kAwake{100};  // waking a thread takes as long as packing a piece

}  // namespace

Packers::~Packers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Packers::start() {
  const unsigned count = std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMostThreads) - 1;
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

// Takes a part, if there is one left, and copies it without the lock.
bool Packers::copy_part(std::unique_lock<std::mutex>& lock) {
  if (next_ >= bytes_) return false;
  const size_t size = std::min(kPart, bytes_ - next_);
  std::byte* to = to_ + next_;
  const std::byte* from = from_ + next_;
  next_ += size;
  lock.unlock();
  std::memcpy(to, from, size);
  left_.fetch_sub(size, std::memory_order_release);
  lock.lock();
  return true;
}

void Packers::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const uint64_t seen = turn_;
    while (copy_part(lock)) {
    }
    lock.unlock();
    const auto until = std::chrono::steady_clock::now() + kAwake;
    while (turn_ == seen && std::chrono::steady_clock::now() < until) {
    }
    lock.lock();
    wake_.wait(lock, [&] { return ends_ || turn_ != seen; });
  }
}

void Packers::copy(std::byte* to, const std::byte* from, size_t bytes) {
  if (bytes <= kPart) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::lock_guard one(one_);
  if (threads_.empty()) start();
  std::unique_lock lock(mutex_);
  to_ = to;
  from_ = from;
  bytes_ = bytes;
  next_ = 0;
  left_ = bytes;
  ++turn_;
  wake_.notify_all();
  while (copy_part(lock)) {
  }
  lock.unlock();
  while (left_.load(std::memory_order_acquire) != 0) std::this_thread::yield();  // for a part's time at most
}

}  // namespace quern::driver
