#include "ops/order.hpp"

namespace quern::ops {

namespace {

std::uint64_t infinity_bits(Element element) {
  switch (element) {
    case Element::f64: return std::uint64_t{0x7ff} << 52;
    case Element::f32: return 0x7f800000;
    case Element::f16: return 0x7c00;
    case Element::bf16: return 0x7f80;
    default: return 0;
  }
}

}  // namespace

OrderBytes::OrderBytes(Element key, bool descending) : size_(bytes_of(key)) {
  const std::uint64_t sign = key >= Element::u64 ? 0 : std::uint64_t{1} << (size_ * 8 - 1);
  put(0, infinity_bits(key));
  put(1, sign);
  put(2, descending ? ~std::uint64_t{0} : 0);
}

void OrderBytes::put(std::size_t place, std::uint64_t value) {
  for (std::size_t i = 0; i < size_; ++i)  // little-endian, as every device
    bytes_[place * size_ + i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace quern::ops
