// Memory for trees and declarations: allocated once, never freed individually, released with the compilation.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace quern::lang {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (Cleanup* c = cleanups_; c != nullptr; c = c->next) c->destroy(c->object);
  }

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    T* object = new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      auto* c = new (allocate(sizeof(Cleanup), alignof(Cleanup))) Cleanup;
      *c = {cleanups_, object, [](void* p) { static_cast<T*>(p)->~T(); }};
      cleanups_ = c;
    }
    return object;
  }

  size_t bytes() const { return total_; }

 private:
  struct Cleanup {
    Cleanup* next;
    void* object;
    void (*destroy)(void*);
  };

  void* allocate(size_t size, size_t align) {
    size_t at = (used_ + align - 1) & ~(align - 1);
    if (chunks_.empty() || at + size > capacity_) {
      capacity_ = std::max<size_t>(size + align, chunks_.empty() ? 4096 : 64 * 1024);
      chunks_.push_back(std::make_unique<std::byte[]>(capacity_));
      total_ += capacity_;
      at = 0;
    }
    used_ = at + size;
    return chunks_.back().get() + at;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t total_ = 0;
  Cleanup* cleanups_ = nullptr;
};

}  // namespace quern::lang
