#include "ops/identity.hpp"

#include <cstring>
#include <limits>

namespace quern::ops {

namespace {

template <typename T>
Argument identity(Combine combine) {
  using Limits = std::numeric_limits<T>;
  switch (combine) {
    case Combine::sum: return Argument(T(0));
    case Combine::product: return Argument(T(1));
    case Combine::min: return Argument(Limits::has_infinity ? Limits::infinity() : Limits::max());
    case Combine::max: break;
  }
  return Argument(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
}

template <typename T>
Argument value(const void* bytes) {
  T v;
  std::memcpy(&v, bytes, sizeof v);
  return Argument(v);
}

}  // namespace

Argument identity_of(Combine combine, Element accumulator) {
  switch (accumulator) {
    case Element::f64: return identity<double>(combine);
    case Element::i64: return identity<std::int64_t>(combine);
    case Element::i32: return identity<std::int32_t>(combine);
    case Element::u64: return identity<std::uint64_t>(combine);
    case Element::u32: return identity<std::uint32_t>(combine);
    default: return identity<float>(combine);
  }
}

Argument value_of(Element element, const void* bytes) {
  switch (element) {
    case Element::f64: return value<double>(bytes);
    case Element::f32: return value<float>(bytes);
    case Element::i64: return value<std::int64_t>(bytes);
    case Element::i32: return value<std::int32_t>(bytes);
    case Element::i16: return value<std::int16_t>(bytes);
    case Element::i8: return value<std::int8_t>(bytes);
    case Element::u64: return value<std::uint64_t>(bytes);
    case Element::u32: return value<std::uint32_t>(bytes);
    case Element::u16: return value<std::uint16_t>(bytes);
    case Element::u8: return value<std::uint8_t>(bytes);
    case Element::c64: return Argument::of_bytes(bytes, 8);
    case Element::c128: return Argument::of_bytes(bytes, 16);
    case Element::e4m3:
    case Element::e5m2: return Argument::of_bytes(bytes, 1);
    case Element::f16:
    case Element::bf16: break;
  }
  return Argument::of_bytes(bytes, 2);
}

}  // namespace quern::ops
