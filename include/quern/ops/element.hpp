/// @file
/// Element types of operations.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "quern/kernel/small_float.hpp"
#include "quern/ops/float8.hpp"

namespace quern::ops {

using half = kernel::__half;             ///< IEEE binary16.
using bfloat16 = kernel::__nv_bfloat16;  ///< The upper half of a float.

/// An element type. c64 and c128 are std::complex<float> and std::complex<double>; e4m3 and e5m2 are
/// float8_e4m3 and float8_e5m2.
enum class Element : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  c64,
  c128,
  e4m3,
  e5m2
};

namespace detail {
template <typename T>
struct ElementOf;
#define QUERN_OPS_ELEMENT_(type, name)              \
  template <>                                       \
  struct ElementOf<type> {                          \
    static constexpr Element value = Element::name; \
  };
QUERN_OPS_ELEMENT_(double, f64)
QUERN_OPS_ELEMENT_(float, f32)
QUERN_OPS_ELEMENT_(half, f16)
QUERN_OPS_ELEMENT_(bfloat16, bf16)
QUERN_OPS_ELEMENT_(std::int64_t, i64)
QUERN_OPS_ELEMENT_(std::int32_t, i32)
QUERN_OPS_ELEMENT_(std::int16_t, i16)
QUERN_OPS_ELEMENT_(std::int8_t, i8)
QUERN_OPS_ELEMENT_(std::uint64_t, u64)
QUERN_OPS_ELEMENT_(std::uint32_t, u32)
QUERN_OPS_ELEMENT_(std::uint16_t, u16)
QUERN_OPS_ELEMENT_(std::uint8_t, u8)
QUERN_OPS_ELEMENT_(std::complex<float>, c64)
QUERN_OPS_ELEMENT_(std::complex<double>, c128)
QUERN_OPS_ELEMENT_(float8_e4m3, e4m3)
QUERN_OPS_ELEMENT_(float8_e5m2, e5m2)
#undef QUERN_OPS_ELEMENT_
}  // namespace detail

/// A type that tensors hold.
template <typename T>
concept ElementType = requires {
  detail::ElementOf<std::remove_const_t<T>>::value;
};

/// The element type of T.
template <ElementType T>
inline constexpr Element element_of = detail::ElementOf<std::remove_const_t<T>>::value;

}  // namespace quern::ops
