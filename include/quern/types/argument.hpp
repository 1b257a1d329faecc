/// @file
/// Kinds of kernel arguments.
#pragma once

#include <cstdint>

namespace quern {

/// The kind of a kernel argument.
enum class ArgumentKind : std::uint8_t {
  integer,           ///< A signed integer.
  unsigned_integer,  ///< An unsigned integer.
  real,              ///< A floating-point number.
  boolean,           ///< A truth value.
  bytes,             ///< A struct, as bytes.
  memory,            ///< A range of a buffer.
  null,              ///< A null pointer.
  texture,           ///< A texture.
  surface,           ///< A surface.
  tensor_map,        ///< A tensor map.
};

/// The element type of a buffer, as far as a launch compares it with the kernel's parameter.
enum class ElementKind : std::uint8_t {
  other,    ///< A struct, or unknown.
  bytes,    ///< `std::byte` or `unsigned char`, which may hold structs.
  integer,  ///< An integer, `bool` or an enumeration.
  real,     ///< A floating-point number.
};

}  // namespace quern
