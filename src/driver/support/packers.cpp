#include "driver/support/packers.hpp"

#include <algorithm>
#include <cstring>

namespace quern::driver {

namespace {

constexpr size_t kPart = 512 << 10;   // of a piece, for one thread
constexpr unsigned kMostThreads = 8;  // more do not copy faster than the bus takes it

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

void Packers::take_parts() {
  for (size_t at = next_.fetch_add(kPart); at < bytes_; at = next_.fetch_add(kPart))
    std::memcpy(to_ + at, from_ + at, std::min(kPart, bytes_ - at));
}

void Packers::work() {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ends_ || turn_ != seen; });
    if (ends_) return;
    seen = turn_;
    lock.unlock();
    take_parts();
    lock.lock();
    if (--busy_ == 0) idle_.notify_one();
  }
}

void Packers::copy(std::byte* to, const std::byte* from, size_t bytes) {
  if (bytes <= kPart) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::lock_guard one(one_);
  if (threads_.empty()) start();
  {
    const std::lock_guard lock(mutex_);
    to_ = to;
    from_ = from;
    bytes_ = bytes;
    next_ = 0;
    busy_ = threads_.size();
    ++turn_;
  }
  wake_.notify_all();
  take_parts();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return busy_ == 0; });
}

}  // namespace quern::driver
