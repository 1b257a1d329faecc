// Memory that programs hold on a device, and what is told about it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/pool.hpp"

namespace quern::runtime {

class Device;

// Numbers by which it can be told whether a memory is still there, whatever became of it and of its device.
class MemoryNumbers {
 public:
  MemoryNumbers() = default;
  ~MemoryNumbers();  // all were given back
  MemoryNumbers(const MemoryNumbers&) = delete;
  MemoryNumbers& operator=(const MemoryNumbers&) = delete;

  uint64_t take();
  void give(uint64_t number);
  static bool is_alive(uint64_t number);

 private:
  std::vector<uint32_t> free_;
};

// Memory on a device. Giving it up while work that uses it is in flight is fine: it is freed behind that
// work.
class Memory {
 public:
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Device& device() const { return device_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t number() const { return number_; }
  const std::string& label() const { return label_; }
  driver::Place place(uint64_t offset) const { return {piece_.buffer, piece_.offset + offset}; }
  std::byte* host() const {  // where the host may touch it; else null
    return piece_.buffer->host == nullptr ? nullptr : piece_.buffer->host + piece_.offset;
  }

 private:
  friend class Device;
  friend class MemoryPtr;
  Memory(Device& device, std::unique_ptr<driver::Buffer> buffer);
  Memory(Device& device, const Piece& piece, uint64_t bytes);
  ~Memory() = default;

  Device& device_;  // stays for as long as it has memories
  std::atomic<uint32_t> holders_{1};
  std::unique_ptr<driver::Buffer> owned_;  // null: a piece of the device's pool
  bool is_adopted_ = false;                // another library allocated it
  Piece piece_;
  uint64_t bytes_ = 0;
  uint64_t number_ = 0;
  Memory *previous_ = nullptr, *next_ = nullptr;  // of the device
  std::string label_;
};

// Holds a memory: it goes with the last one. The count lies in the memory, and who alone holds it counts
// nothing: a buffer is had and given back in a hundred nanoseconds, and each atomic step would take five.
class MemoryPtr {
 public:
  MemoryPtr() = default;
  MemoryPtr(std::nullptr_t) {}
  explicit MemoryPtr(Memory* counted) : memory_(counted) {}
  static MemoryPtr share(Memory& memory) {
    memory.holders_.fetch_add(1, std::memory_order_relaxed);
    return MemoryPtr(&memory);
  }
  MemoryPtr(const MemoryPtr& other) : memory_(other.memory_) {
    if (memory_ != nullptr) memory_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  MemoryPtr(MemoryPtr&& other) noexcept : memory_(other.release()) {}
  MemoryPtr& operator=(MemoryPtr other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~MemoryPtr() {
    if (memory_ != nullptr) let_go();
  }

  Memory* get() const { return memory_; }
  Memory* release() { return std::exchange(memory_, nullptr); }  // the caller holds it from now on
  void reset() { *this = MemoryPtr(); }
  Memory& operator*() const { return *memory_; }
  Memory* operator->() const { return memory_; }
  explicit operator bool() const { return memory_ != nullptr; }
  friend bool operator==(const MemoryPtr& a, std::nullptr_t) { return a.memory_ == nullptr; }

 private:
  void let_go();
  Memory* memory_ = nullptr;
};

// A buffer that is in use, for reports.
struct MemoryUse {
  uint64_t number = 0;
  uint64_t bytes = 0;
  std::string label;
};
// "'weights' (20.0 GiB), 'x' (3.0 KiB) and 7 more"
std::string to_string(const std::vector<MemoryUse>& uses, size_t most = 4);

struct MemoryStatistics {
  uint64_t in_use = 0, peak = 0;          // bytes that the program asked for
  uint64_t buffers = 0, allocations = 0;  // that are there; that were ever made
  uint64_t reserved = 0;                  // bytes of the driver's: the pool, and large buffers
  uint64_t pool = 0, pool_idle = 0;       // of these: the pool's, and those of it that nobody has
  uint64_t largest_free = 0;              // in one piece of the pool
  uint64_t limit = 0;                     // 0: none
  double fragmentation = 0;               // share of the pool that was not in use even at its peak
};

// Hears of every buffer that comes or goes, under the device's lock: it must not use the device.
using MemoryListener = std::function<void(const Memory& memory, bool is_new)>;

}  // namespace quern::runtime
