/// @file
/// Typed device memory. A Buffer owns memory; a Slice refers to part of a buffer. Functions take slices, and
/// a Buffer converts to one. Copies here block; Stream has asynchronous ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/export.hpp"

namespace quern {

class Device;
class Stream;

namespace runtime {
class Memory;
}

namespace detail {

struct Access;

// A range of device memory in bytes, and the operations on it. Slice and Buffer are typed wrappers.
struct Bytes {
  runtime::Memory* memory = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t number = 0;  // identifies the memory; detects a destroyed buffer
};
QUERN_API void upload(const Bytes& to, const void* from, std::uint64_t bytes, std::size_t element);
QUERN_API void download(void* to, const Bytes& from, std::uint64_t bytes, std::size_t element);
QUERN_API void fill(const Bytes& to, const void* value, std::size_t element);
QUERN_API void copy(const Bytes& to, const Bytes& from);
QUERN_API Bytes slice(const Bytes& of, std::uint64_t first, std::uint64_t count, std::size_t element);
QUERN_API std::byte* host_pointer(const Bytes& of);

// Owns device memory. Move-only.
class OwnedMemory {
 public:
  OwnedMemory() = default;
  explicit OwnedMemory(runtime::Memory* memory) : memory_(memory) {}
  OwnedMemory(OwnedMemory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  OwnedMemory& operator=(OwnedMemory&& other) noexcept {
    if (this != &other) {
      if (memory_ != nullptr) release(memory_);
      memory_ = std::exchange(other.memory_, nullptr);
    }
    return *this;
  }
  ~OwnedMemory() {
    if (memory_ != nullptr) release(memory_);
  }
  OwnedMemory(const OwnedMemory&) = delete;
  OwnedMemory& operator=(const OwnedMemory&) = delete;

  explicit operator bool() const { return memory_ != nullptr; }

 private:
  QUERN_API static void release(runtime::Memory* memory) noexcept;
  runtime::Memory* memory_ = nullptr;
};

template <typename T>
concept Plain = std::is_trivially_copyable_v<T>;
template <typename T>
concept Writable = Plain<T> && !std::is_const_v<T>;

}  // namespace detail

/// A non-owning range of elements in device memory. `Slice<const T>` is read-only.
///
/// Valid as long as its buffer; using it later throws Error with kind `invalid_use`. The blocking functions
/// are ordered after all work on the device's default stream. Thread-safe. All functions throw Error.
template <typename T>
class Slice {
  static_assert(std::is_trivially_copyable_v<T>, "a device holds plain data: T must be trivially copyable");

 public:
  /// The type of the elements, without const.
  using value_type = std::remove_const_t<T>;

  /// An empty slice.
  Slice() = default;
  /// Converts to a read-only slice.
  template <typename U>
  requires(std::is_const_v<T>&& std::is_same_v<U, value_type>) Slice(const Slice<U>& other)
      : bytes_(other.bytes()) {}
  /// Used by the library.
  explicit Slice(detail::Bytes bytes) : bytes_(bytes) {}

  /// Number of elements.
  std::size_t size() const { return bytes_.size / sizeof(T); }
  /// Size in bytes.
  std::size_t size_bytes() const { return bytes_.size; }
  /// Whether it has no elements.
  bool empty() const { return bytes_.size == 0; }

  /// Elements `first` to `first + count - 1`. Throws if they are not all in this slice.
  Slice slice(std::size_t first, std::size_t count) const {
    return Slice(detail::slice(bytes_, first, count, sizeof(T)));
  }
  /// Elements from `first` to the end.
  Slice slice(std::size_t first) const { return slice(first, first <= size() ? size() - first : 0); }

  /// Copies all elements to the host. Blocking.
  std::vector<value_type> download() const {
    std::vector<value_type> out(size());
    detail::download(out.data(), bytes_, bytes_.size, sizeof(T));
    return out;
  }
  /// Copies the first `to.size()` elements to the host. Blocking.
  void download(std::span<value_type> to) const {
    detail::download(to.data(), bytes_, to.size_bytes(), sizeof(T));
  }

  /// Copies from the host to the first `from.size()` elements. Blocking.
  void upload(std::span<const value_type> from) const requires(!std::is_const_v<T>) {
    detail::upload(bytes_, from.data(), from.size_bytes(), sizeof(T));
  }
  /// Sets all elements to `value`. Blocking.
  void fill(const value_type& value) const requires(!std::is_const_v<T>) {
    detail::fill(bytes_, &value, sizeof(T));
  }
  /// Copies from device memory of the same size. Blocking.
  void copy_from(Slice<const value_type> from) const requires(!std::is_const_v<T>) {
    detail::copy(bytes_, from.bytes());
  }

  /// The elements in place, if host and device share the memory (MemoryKind::shared, or a device that
  /// computes in host memory); otherwise an empty span. Wait for kernels that use the memory before you
  /// access it.
  std::span<T> host() const {
    std::byte* p = detail::host_pointer(bytes_);
    return p != nullptr ? std::span<T>(reinterpret_cast<T*>(p), size()) : std::span<T>();
  }

  /// Used by the library.
  const detail::Bytes& bytes() const { return bytes_; }

 protected:
  detail::Bytes bytes_;
};

/// Owns device memory. Move-only. A buffer may be destroyed while a kernel uses it: the memory is freed when
/// the kernel has finished. Created by Device::allocate and Device::upload.
///
/// A buffer converts to Slice<T>, and a const buffer to Slice<const T>: the elements of a `const Buffer<T>&`
/// can be read and not written.
template <typename T>
class Buffer : public Slice<const T> {
  static_assert(!std::is_const_v<T>, "a buffer of const elements could never be filled");

 public:
  /// A buffer without memory.
  Buffer() = default;
  /// Takes over the memory.
  Buffer(Buffer&& other) noexcept
      : Slice<const T>(std::exchange(other.bytes_, {})), memory_(std::move(other.memory_)) {}
  /// Frees its own memory and takes over the other's.
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    this->bytes_ = std::exchange(other.bytes_, {});
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Whether it has memory.
  explicit operator bool() const { return static_cast<bool>(memory_); }

  /// All elements.
  operator Slice<T>() { return Slice<T>(this->bytes_); }

  /// As in Slice.
  Slice<T> slice(std::size_t first, std::size_t count) { return Slice<T>(*this).slice(first, count); }
  /// As in Slice.
  Slice<T> slice(std::size_t first) { return Slice<T>(*this).slice(first); }
  using Slice<const T>::slice;
  /// Copies from the host to the first `from.size()` elements. Blocking.
  void upload(std::span<const T> from) { Slice<T>(*this).upload(from); }
  /// Sets all elements to `value`. Blocking.
  void fill(const T& value) { Slice<T>(*this).fill(value); }
  /// Copies from device memory of the same size. Blocking.
  void copy_from(Slice<const T> from) { Slice<T>(*this).copy_from(from); }
  /// As Slice::host.
  std::span<T> host() { return Slice<T>(*this).host(); }
  using Slice<const T>::host;

 private:
  friend class Device;
  friend struct detail::Access;
  Buffer(detail::OwnedMemory memory, const detail::Bytes& bytes)
      : Slice<const T>(bytes), memory_(std::move(memory)) {}

  detail::OwnedMemory memory_;
};

}  // namespace quern
