/// @file
/// One kernel argument: a number, a trivially copyable struct, a buffer or slice, a texture or surface, a
/// tensor map, or nullptr.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "quern/buffer.hpp"
#include "quern/tensor_map.hpp"
#include "quern/texture.hpp"
#include "quern/types/argument.hpp"

namespace quern {

namespace detail {

/// The element type of a buffer and its name in C++.
struct ElementType {
  ElementKind kind = ElementKind::other;
  const char* name = nullptr;  ///< null: not a fundamental type
};

template <typename T>
constexpr ElementType element_type() {
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T>) {
    return element_type<std::remove_cv_t<T>>();
  } else if constexpr (std::same_as<T, std::byte>) {
    return {ElementKind::bytes, "std::byte"};
  } else if constexpr (std::same_as<T, unsigned char>) {
    return {ElementKind::bytes, "unsigned char"};
  } else if constexpr (std::is_enum_v<T>) {
    return element_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return {ElementKind::real, sizeof(T) == 4 ? "float" : "double"};
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool kIsSigned = std::is_signed_v<T>;
    if constexpr (std::same_as<T, bool>) return {ElementKind::integer, "bool"};
    if constexpr (std::same_as<T, char>) return {ElementKind::integer, "char"};
    if constexpr (sizeof(T) == 1) return {ElementKind::integer, kIsSigned ? "signed char" : "unsigned char"};
    if constexpr (sizeof(T) == 2) return {ElementKind::integer, kIsSigned ? "short" : "unsigned short"};
    if constexpr (sizeof(T) == 4) return {ElementKind::integer, kIsSigned ? "int" : "unsigned int"};
    return {ElementKind::integer, kIsSigned ? "long long" : "unsigned long long"};
  } else {
    return {};
  }
}

}  // namespace detail

/// One kernel argument. Checked against the kernel's parameter at launch.
class Argument {
 public:
  /// A truth value.
  Argument(bool v) : kind_(ArgumentKind::boolean), width_(1), number_{.unsigned_integer = v} {}
  /// A signed integer.
  template <std::signed_integral T>
  Argument(T v) : kind_(ArgumentKind::integer), width_(sizeof(T)), number_{.integer = v} {}
  /// An unsigned integer.
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Argument(T v)
      : kind_(ArgumentKind::unsigned_integer), width_(sizeof(T)), number_{.unsigned_integer = v} {}
  /// A floating-point number.
  template <std::floating_point T>
  Argument(T v) : kind_(ArgumentKind::real), width_(sizeof(T)), number_{.real = static_cast<double>(v)} {}
  /// An enumerator, as its underlying integer.
  template <typename T>
  requires std::is_enum_v<T> Argument(T v) : Argument(static_cast<std::underlying_type_t<T>>(v)) {}
  /// A range of a buffer.
  template <typename T>
  Argument(const Slice<T>& slice)
      : kind_(ArgumentKind::memory),
        is_read_only_(std::is_const_v<T>),
        memory_(slice.bytes()),
        element_(sizeof(T)),
        element_type_(detail::element_type<T>()) {}
  /// A buffer that the kernel only reads.
  template <typename T>
  Argument(const Buffer<T>& buffer) : Argument(static_cast<const Slice<const T>&>(buffer)) {}
  /// A buffer.
  template <typename T>
  Argument(Buffer<T>& buffer) : Argument(static_cast<Slice<T>>(buffer)) {}
  /// A temporary buffer. Its memory is freed when the kernel has finished.
  template <typename T>
  Argument(Buffer<T>&& buffer) : Argument(static_cast<Slice<T>>(buffer)) {}
  /// A texture. It must live until the launch returns.
  Argument(const Texture& texture)
      : kind_(ArgumentKind::texture),
        number_{.bytes = &texture.descriptor()},
        memory_(texture.memory()),
        element_(sizeof(detail::TextureDescriptor)) {}
  /// A surface. It must live until the launch returns.
  Argument(const Surface& surface)
      : kind_(ArgumentKind::surface),
        number_{.bytes = &surface.descriptor()},
        memory_(surface.memory()),
        element_(sizeof(detail::TextureDescriptor)) {}
  /// A tensor map. It must live until the launch returns.
  Argument(const TensorMap& map)
      : kind_(ArgumentKind::tensor_map),
        number_{.bytes = &map.encoded()},
        memory_(map.memory()),
        element_(sizeof(detail::EncodedTensorMap)) {}
  /// A null pointer.
  Argument(std::nullptr_t) : kind_(ArgumentKind::null) {}
  /// A struct by value, with the host's C++ layout. It must live until the launch returns.
  template <typename T>
  requires(std::is_class_v<T>&& std::is_trivially_copyable_v<T>) Argument(const T& v)
      : kind_(ArgumentKind::bytes), number_{.bytes = &v}, element_(sizeof(T)) {}
  /// A struct by value whose size is known at run time only. The bytes must live until the launch returns.
  static Argument of_bytes(const void* bytes, std::size_t size) {
    Argument a(nullptr);
    a.kind_ = ArgumentKind::bytes;
    a.number_.bytes = bytes;
    a.element_ = size;
    return a;
  }
  template <typename T>
  Argument(T*) = delete;  ///< Host pointers are not valid on a device: pass a buffer or slice.

  /// The kind.
  ArgumentKind kind() const { return kind_; }
  /// Bytes of a number.
  std::uint8_t width() const { return width_; }
  /// The value of a signed integer.
  std::int64_t integer() const { return number_.integer; }
  /// The value of an unsigned integer or truth value.
  std::uint64_t unsigned_integer() const { return number_.unsigned_integer; }
  /// The value of a floating-point number.
  double real() const { return number_.real; }
  /// The bytes of a struct, the descriptor of a texture or surface, or the encoded tensor map.
  const void* bytes() const { return number_.bytes; }
  /// Bytes of a struct, or of an element of a buffer.
  std::size_t element() const { return element_; }
  /// Whether it is a const buffer or a slice of const elements. A kernel that stores to it is not launched.
  bool is_read_only() const { return is_read_only_; }
  /// The range of a buffer, the texels of a texture or surface, or the tensor of a tensor map.
  const detail::Bytes& memory() const { return memory_; }
  /// Whether it refers to device memory: a buffer, a texture, a surface or a tensor map.
  bool has_memory() const {
    return kind_ == ArgumentKind::memory || kind_ == ArgumentKind::texture ||
           kind_ == ArgumentKind::surface || kind_ == ArgumentKind::tensor_map;
  }
  /// The element type of a buffer.
  detail::ElementType element_type() const { return element_type_; }

 private:
  ArgumentKind kind_;
  std::uint8_t width_ = 0;
  bool is_read_only_ = false;
  union {
    std::int64_t integer;
    std::uint64_t unsigned_integer;
    double real;
    const void* bytes;
  } number_{.unsigned_integer = 0};
  detail::Bytes memory_;
  std::size_t element_ = 0;
  detail::ElementType element_type_;
};

}  // namespace quern
