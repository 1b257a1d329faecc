// A matrix product: c = activation(alpha * a * b + beta * c + bias).
#pragma once

#include <cstdint>
#include <string>

#include "ops/engine.hpp"
#include "quern/ops/matmul.hpp"

namespace quern::ops {

// Matrix of text/matmul.cuh.
struct Matrix {
  std::int64_t first = 0, batch = 0, row = 0, column = 0;
};
Matrix matrix_of(const detail::View& view);
std::int64_t batches_of(const detail::View& view);

struct Product {
  const detail::View &a, &b, &c;
  const detail::View* bias = nullptr;  // null if there is none
  const detail::MatmulScalars& scalars;
  Element accumulator;
  std::int64_t batches, m, n, k;

  // The first arguments of kernel templates: "float, float, 0, false, false".
  std::string types() const;
  Argument bias_argument() const;
  Line bias_line() const { return bias != nullptr ? line_of(bias->layout) : Line{}; }
};

// Whether the device is a processor, for which there is multiply_in_lanes().
bool has_lanes(const Device& device);
Receipt multiply_in_lanes(const On& on, const Product& product);

}  // namespace quern::ops
