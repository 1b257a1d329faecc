// A vector of small trivial elements (pointers) that stores the first N inside the object: most instructions
// have at most two operands and no blocks, so most never allocate. Works like std::vector where the IR needs
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace quern::ir {

template <typename T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() : here_{} {}
  SmallVector(std::initializer_list<T> items) : SmallVector() { assign(items.begin(), items.end()); }
  SmallVector(std::span<const T> items) : SmallVector() { assign(items.begin(), items.end()); }
  SmallVector(const std::vector<T>& items) : SmallVector() { assign(items.begin(), items.end()); }
  SmallVector(const SmallVector& other) : SmallVector() { assign(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept : SmallVector() { swap(other); }
  ~SmallVector() { release(); }

  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    swap(other);
    return *this;
  }
  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  T* data() { return is_inline() ? here_ : heap_; }
  const T* data() const { return is_inline() ? here_ : heap_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(size_t wanted) {
    if (wanted > capacity_) grow(wanted);
  }
  void push_back(T item) {
    reserve(size_t{size_} + 1);
    data()[size_++] = item;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t size, T item = T{}) {
    reserve(size);
    if (size > size_) std::fill(end(), data() + size, item);
    size_ = static_cast<uint32_t>(size);
  }
  void assign(size_t count, T item) {
    clear();
    resize(count, item);
  }
  template <typename It>
  requires(!std::is_integral_v<It>) void assign(It first, It last) {
    SmallVector fresh;  // the source may be an element of this vector
    fresh.reserve(static_cast<size_t>(last - first));
    for (; first != last; ++first) fresh.push_back(*first);
    swap(fresh);
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  // Rarely used: small code matters more than speed.
  [[gnu::noinline]] T* erase(const T* first, const T* last) {
    const size_t from = static_cast<size_t>(first - begin());
    const size_t gap = static_cast<size_t>(last - first);
    T* items = data();
    for (size_t i = from; i + gap < size_; ++i) items[i] = items[i + gap];
    size_ -= static_cast<uint32_t>(gap);
    return items + from;
  }
  T* insert(const T* at, T item) {
    const size_t i = static_cast<size_t>(at - begin());
    push_back(item);
    std::rotate(begin() + i, end() - 1, end());
    return begin() + i;
  }
  template <typename It>
  T* insert(const T* at, It first, It last) {
    const size_t i = static_cast<size_t>(at - begin());
    const size_t old = size_;
    std::vector<T> items(first, last);
    for (T item : items) push_back(item);
    std::rotate(begin() + i, begin() + old, end());
    return begin() + i;
  }
  void swap(SmallVector& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(bytes_, other.bytes_);  // items or the heap pointer
  }

 private:
  bool is_inline() const { return capacity_ == N; }
  // Not inlined: it is rarely called, and g++ 14 warns of copies beyond `here_` if it sees only part of it.
  [[gnu::noinline]] void grow(size_t wanted) {
    const size_t grown = std::max<size_t>(wanted, size_t{capacity_} * 2);
    if (grown > UINT32_MAX) std::abort();  // 32 GiB of pointers
    T* fresh = new T[grown];
    std::copy(begin(), end(), fresh);
    release();
    heap_ = fresh;
    capacity_ = static_cast<uint32_t>(grown);
  }
  void release() {
    if (!is_inline()) delete[] heap_;
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  union {
    T here_[N];
    T* heap_;
    std::array<unsigned char, (sizeof(T[N]) > sizeof(T*) ? sizeof(T[N]) : sizeof(T*))> bytes_;
  };
};

}  // namespace quern::ir
