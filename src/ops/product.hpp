// A matrix product: c = activation(alpha * a * b + beta * c + bias).
#pragma once

#include <cstdint>
#include <string>

#include "ops/choice.hpp"
#include "ops/engine.hpp"
#include "ops/launch_sizes.hpp"
#include "quern/ops/matmul.hpp"

namespace quern::ops {

// Matrix of text/matmul.cuh.
struct Matrix {
  std::int64_t first = 0, batch = 0, row = 0, column = 0;
};
Matrix matrix_of(const detail::View& view);
std::int64_t batches_of(const detail::View& view);

// The type in which products of two elements are summed.
Element accumulator_of_product(Element element);

struct Product {
  const detail::View &a, &b, &c;
  const detail::View* bias = nullptr;  // null if there is none
  const detail::MatmulScalars& scalars;
  Element accumulator;
  std::int64_t batches, m, n, k;

  // The first arguments of kernel templates: "float, float, float, 0, false, false".
  std::string types() const;
  // Activation, bias, beta: "0, false, false".
  std::string epilogue() const;
  // What the choice of a variant depends on.
  Precision precision() const { return a.element == Element::f32 ? scalars.precision : Precision::full; }
  Problem problem() const { return {{m, n, k}, a.element, 0, precision()}; }
  Argument bias_argument() const;
  Line bias_line() const { return bias != nullptr ? line_of(bias->layout) : Line{}; }
};

// How kernels copy an operand: pieces of `vector` elements along depth, or else along rows of a (columns of
// b).
struct Tiling {
  bool depth_is_inner = true;
  std::int64_t vector = 1;
  static Tiling of_rows(const Device& device, const detail::View& a);
  static Tiling of_columns(const Device& device, const detail::View& b);
};
std::string tilings_text(const Tiling& left, const Tiling& right);  // as the last template arguments

Receipt multiply_in_tiles(const On& on, const Product& product, const Variant& variant);

// Whether the device's tensor cores multiply doubles.
bool uses_f64_tensor_cores(const DeviceInfo& info, Element element);
Receipt multiply_f64(const On& on, const Product& product, const Variant& variant);

// Whether the device's tensor cores multiply matrices of this class.
bool uses_wgmma(const DeviceInfo& info, const Problem& problem);
Receipt multiply_with_wgmma(const On& on, const Product& product, const Variant& variant);

// Whether the device is a processor, for which there is multiply_in_lanes().
bool has_lanes(const Device& device);
Receipt multiply_in_lanes(const On& on, const Product& product);

}  // namespace quern::ops
