// Objects at fixed addresses that live until their pool is destroyed, in few large allocations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace quern::ir {

template <typename T>
class Pool {
 public:
  Pool() = default;
  Pool(Pool&& other) noexcept : chunks_(std::exchange(other.chunks_, {})) {}
  Pool& operator=(Pool&& other) noexcept {
    chunks_.swap(other.chunks_);
    return *this;
  }
  ~Pool() {
    for (Chunk& chunk : chunks_) {
      std::destroy_n(chunk.items, chunk.used);
      if (chunk.items != nullptr) std::allocator<T>().deallocate(chunk.items, chunk.capacity);
    }
  }

  template <typename... Args>
  T* make(Args&&... args) {
    if (chunks_.empty() || chunks_.back().used == chunks_.back().capacity) grow();
    Chunk& chunk = chunks_.back();
    T* item = ::new (static_cast<void*>(chunk.items + chunk.used)) T(std::forward<Args>(args)...);
    ++chunk.used;
    return item;
  }

 private:
  struct Chunk {
    T* items;
    size_t used;
    size_t capacity;
  };
  void grow() {
    const size_t capacity = chunks_.empty() ? 16 : std::min<size_t>(chunks_.back().capacity * 2, 512);
    chunks_.push_back({nullptr, 0, 0});  // allocated first, so that the allocation below cannot be leaked
    chunks_.back() = {std::allocator<T>().allocate(capacity), 0, capacity};
  }
  std::vector<Chunk> chunks_;
};

}  // namespace quern::ir
