// Device memory of programs, and its statistics.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quern/types/memory.hpp"
#include "runtime/pool.hpp"

namespace quern::runtime {

class Device;

// Unique numbers that tell whether a memory still exists, even after it and its device were destroyed.
class MemoryNumbers {
 public:
  MemoryNumbers() = default;
  ~MemoryNumbers();  // all numbers were released
  MemoryNumbers(const MemoryNumbers&) = delete;
  MemoryNumbers& operator=(const MemoryNumbers&) = delete;

  uint64_t take();
  void give(uint64_t number);
  static bool is_alive(uint64_t number);

 private:
  std::vector<uint32_t> free_;
};

// Memory on a device. It may be released while work in flight uses it: it is freed after that work.
class Memory {
 public:
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Device& device() const { return device_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t number() const { return number_; }
  const std::string& label() const { return label_; }
  driver::Place place(uint64_t offset) const { return {piece_.buffer, piece_.offset + offset}; }
  std::byte* host() const {  // null if the host cannot access it
    return piece_.buffer->host == nullptr ? nullptr : piece_.buffer->host + piece_.offset;
  }

 private:
  friend class Device;
  friend class MemoryPtr;
  Memory(Device& device, std::unique_ptr<driver::Buffer> buffer);
  Memory(Device& device, const Piece& piece, uint64_t bytes);
  ~Memory() = default;

  Device& device_;  // exists as long as it has memories
  std::atomic<uint32_t> holders_{1};
  std::unique_ptr<driver::Buffer> owned_;  // null: part of the device's pool
  bool is_adopted_ = false;                // another library allocated it
  Piece piece_;
  uint64_t bytes_ = 0;
  uint64_t number_ = 0;
  Memory *previous_ = nullptr, *next_ = nullptr;  // list of the device's memories
  std::string label_;
};

// Reference-counted pointer to a memory. The count is in the memory, and a sole owner does not use atomic
// operations: allocation and release take a hundred nanoseconds, and each atomic operation would add five.
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
  Memory* release() { return std::exchange(memory_, nullptr); }  // the caller becomes the owner
  void reset() { *this = MemoryPtr(); }
  Memory& operator*() const { return *memory_; }
  Memory* operator->() const { return memory_; }
  explicit operator bool() const { return memory_ != nullptr; }
  friend bool operator==(const MemoryPtr& a, std::nullptr_t) { return a.memory_ == nullptr; }

 private:
  void let_go();
  Memory* memory_ = nullptr;
};

// "'weights' (20.0 GiB), 'x' (3.0 KiB) and 7 more"
std::string to_string(const std::vector<MemoryUse>& uses, size_t most = 4);

// Called for every allocation and deallocation while the device is locked: it must not use the device.
using MemoryListener = std::function<void(const Memory& memory, bool is_new)>;

}  // namespace quern::runtime
