// The functions of reductions on the host. In the header, because components of MPI implementations use them
// too.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "quern/ops/element.hpp"
#include "quern/ops/function.hpp"

namespace quern::comm {

template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return std::isnan(static_cast<float>(value));
  }
}

// NaN is ignored by min and max. Integers wrap around.
template <ops::Combine combine, typename T>
T combined(T a, T b) {
  using enum ops::Combine;
  if constexpr (combine == min || combine == max) {
    if constexpr (!std::is_integral_v<T>) {
      if (is_nan(a)) return b;
    }
    return (combine == min ? b < a : a < b) ? b : a;
  } else if constexpr (std::is_integral_v<T>) {
    // Unsigned, and at least as wide as int: no overflow.
    using Wide = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
    using Bits = std::make_unsigned_t<T>;
    const auto x = static_cast<Wide>(static_cast<Bits>(a)), y = static_cast<Wide>(static_cast<Bits>(b));
    return static_cast<T>(combine == sum ? x + y : x * y);
  } else {
    return combine == sum ? a + b : a * b;
  }
}

template <ops::Combine combine, typename T>
void combine_into(T* target, const T* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) target[i] = combined<combine>(target[i], other[i]);
}

// Calls visit(T{}) with the type of the elements.
template <typename Visit>
decltype(auto) with_type(ops::Element element, const Visit& visit) {
  using enum ops::Element;
  switch (element) {
    case f64: return visit(double{});
    case f32: return visit(float{});
    case f16: return visit(ops::half{});
    case bf16: return visit(ops::bfloat16{});
    case i64: return visit(std::int64_t{});
    case i32: return visit(std::int32_t{});
    case i16: return visit(std::int16_t{});
    case i8: return visit(std::int8_t{});
    case u64: return visit(std::uint64_t{});
    case u32: return visit(std::uint32_t{});
    case u16: return visit(std::uint16_t{});
    case u8:
    case c64:  // Combinable excludes complex numbers and 8-bit floats
    case c128:
    case e4m3:
    case e5m2: break;
  }
  return visit(std::uint8_t{});
}

// Calls visit(std::integral_constant<Combine>).
template <typename Visit>
decltype(auto) with_combine(ops::Combine combine, const Visit& visit) {
  using enum ops::Combine;
  switch (combine) {
    case sum: return visit(std::integral_constant<ops::Combine, sum>{});
    case product: return visit(std::integral_constant<ops::Combine, product>{});
    case min: return visit(std::integral_constant<ops::Combine, min>{});
    case max: break;
  }
  return visit(std::integral_constant<ops::Combine, max>{});
}

}  // namespace quern::comm
