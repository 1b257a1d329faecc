/// @file
/// One kernel argument: a number, a trivially copyable struct, a buffer or slice, or nullptr.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "quern/buffer.hpp"

namespace quern {

/// One kernel argument. Checked against the kernel's parameter at launch.
class Argument {
 public:
  enum class Kind : std::uint8_t { integer, natural, real, boolean, bytes, memory, null };

  Argument(bool v) : kind_(Kind::boolean), width_(1), number_{.natural = v} {}
  template <std::signed_integral T>
  Argument(T v) : kind_(Kind::integer), width_(sizeof(T)), number_{.integer = v} {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Argument(T v)
      : kind_(Kind::natural), width_(sizeof(T)), number_{.natural = v} {}
  template <std::floating_point T>
  Argument(T v) : kind_(Kind::real), width_(sizeof(T)), number_{.real = static_cast<double>(v)} {}
  template <typename T>
  requires std::is_enum_v<T> Argument(T v) : Argument(static_cast<std::underlying_type_t<T>>(v)) {}
  template <typename T>
  Argument(const Slice<T>& slice) : kind_(Kind::memory), memory_(slice.bytes()), element_(sizeof(T)) {}
  template <typename T>
  Argument(const Buffer<T>& buffer) : Argument(static_cast<const Slice<T>&>(buffer)) {}
  Argument(std::nullptr_t) : kind_(Kind::null) {}
  /// A struct by value, with the host's C++ layout. It must live until the launch returns.
  template <typename T>
  requires(std::is_class_v<T>&& std::is_trivially_copyable_v<T>) Argument(const T& v)
      : kind_(Kind::bytes), number_{.bytes = &v}, element_(sizeof(T)) {}
  template <typename T>
  Argument(T*) = delete;  ///< Host pointers are not valid on a device: pass a buffer or slice.

  Kind kind() const { return kind_; }
  /// Bytes of a number.
  std::uint8_t width() const { return width_; }
  std::int64_t integer() const { return number_.integer; }
  std::uint64_t natural() const { return number_.natural; }
  double real() const { return number_.real; }
  const void* bytes() const { return number_.bytes; }
  /// Bytes of a struct, or of an element of a buffer.
  std::size_t element() const { return element_; }
  const detail::Bytes& memory() const { return memory_; }

 private:
  Kind kind_;
  std::uint8_t width_ = 0;
  union {
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    const void* bytes;
  } number_{.natural = 0};
  detail::Bytes memory_;
  std::size_t element_ = 0;
};

}  // namespace quern
