/// @file
/// Scoped memory limit, log and counters. Each applies until it is destroyed; several may exist.
///
/// @code
/// const quern::MemoryLimit limit(gpu, 8ull << 30);
/// const quern::MemoryCount count(gpu);
/// load_layer(gpu);
/// std::printf("%lld bytes at most\n", static_cast<long long>(count.peak()));
/// @endcode
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>

#include "quern/device.hpp"

namespace quern {

/// Limits the memory that may be allocated from the driver, in bytes.
class [[nodiscard]] MemoryLimit {
 public:
  /// Sets the limit.
  MemoryLimit(const Device& device, std::uint64_t bytes)
      : device_(device), before_(device.limit_memory(bytes)) {}
  /// Restores the previous limit.
  ~MemoryLimit() { device_.limit_memory(before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  Device device_;
  std::uint64_t before_;
};

/// Writes one line for every allocation and deallocation: "allocate,12,4096,weights". The output stream must
/// outlive it.
class [[nodiscard]] MemoryLog {
 public:
  /// Starts the log.
  MemoryLog(const Device& device, std::ostream& to)
      : watch_(device.watch_memory([&to](const MemoryEvent& e) {
          to << (e.is_new ? "allocate," : "free,") << (e.buffer.number & 0xffffffff) << ',' << e.buffer.bytes
             << ',' << e.buffer.label << '\n';
        })) {}

 private:
  Subscription watch_;
};

/// Counts allocations during its lifetime. Thread-safe.
class [[nodiscard]] MemoryCount {
 public:
  /// Starts with zero.
  explicit MemoryCount(const Device& device)
      : counts_(std::make_shared<Counts>()),
        watch_(device.watch_memory([counts = counts_](const MemoryEvent& e) { counts->add(e); })) {}

  std::int64_t in_use() const { return counts_->in_use; }  ///< Bytes; negative if older buffers were freed.
  /// Maximum of in_use().
  std::int64_t peak() const { return counts_->peak; }
  /// Bytes of all allocations.
  std::uint64_t total() const { return counts_->total; }
  std::uint64_t buffers() const { return counts_->buffers; }  ///< Allocations.

 private:
  struct Counts {  // calls do not overlap
    std::atomic<std::int64_t> in_use{0}, peak{0};
    std::atomic<std::uint64_t> total{0}, buffers{0};
    void add(const MemoryEvent& e) {
      const auto bytes = static_cast<std::int64_t>(e.buffer.bytes);
      in_use += e.is_new ? bytes : -bytes;
      if (!e.is_new) return;
      peak = std::max(peak.load(), in_use.load());
      total += e.buffer.bytes;
      ++buffers;
    }
  };
  std::shared_ptr<Counts> counts_;
  Subscription watch_;
};

}  // namespace quern
