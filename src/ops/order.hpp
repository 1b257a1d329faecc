// The order of keys, as an argument of kernels that use text/order.cuh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/engine.hpp"

namespace quern::ops {

// Order<K>: three numbers of the keys' size.
class OrderBytes {
 public:
  OrderBytes(Element key, bool descending);
  Argument argument() const { return Argument::of_bytes(bytes_.data(), 3 * size_); }

 private:
  void put(std::size_t place, std::uint64_t value);
  std::size_t size_;
  alignas(8) std::array<std::byte, 24> bytes_{};
};

}  // namespace quern::ops
