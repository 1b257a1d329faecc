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
  // The key of a kernel that depends on these and on `numbers`.
  template <typename... Numbers>
  KernelKey key(std::string_view kernel, Numbers... numbers) const {
    return KernelKey(kernel, a.element, b.element, c.element, scalars.activation, bias != nullptr,
                     scalars.beta != 0, numbers...);
  }
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
// As the last template arguments: "false, true, 4, 4".
std::string tilings_text(const Tiling& left, const Tiling& right);

Receipt multiply_in_tiles(const On& on, const Product& product, const Variant& variant);

// Whether the device has asynchronous copies to shared memory, and a kernel for the type that uses them.
bool uses_async_copies(const DeviceInfo& info, const Problem& problem);
Receipt multiply_with_async_copies(const On& on, const Product& product, const Variant& variant);

// Whether the device's tensor cores multiply matrices of this class.
bool uses_wgmma(const DeviceInfo& info, const Problem& problem);
Receipt multiply_with_wgmma(const On& on, const Product& product, const Variant& variant);

// Whether the device is a processor, for which there is multiply_in_lanes().
bool has_lanes(const Device& device);
Receipt multiply_in_lanes(const On& on, const Product& product);

}  // namespace quern::ops
