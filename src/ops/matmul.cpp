#include "quern/ops/matmul.hpp"

#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"
#include "ops/vendor/gemm.hpp"
#include "quern/extension.hpp"

namespace quern::ops {

Matrix matrix_of(const detail::View& view) {
  const std::size_t rank = view.layout.shape.rank();
  const auto& strides = view.layout.strides;
  return {view.layout.first, rank == 3 && view.layout.shape[0] != 1 ? strides[0] : 0, strides[rank - 2],
          strides[rank - 1]};
}

std::int64_t batches_of(const detail::View& view) {
  return view.layout.shape.rank() == 3 ? view.layout.shape[0] : 1;
}

std::string Product::types() const {
  return arguments(name_of(a.element), name_of(accumulator), name_of(c.element), epilogue());
}

std::string Product::epilogue() const {
  return arguments(static_cast<int>(scalars.activation), bias != nullptr, scalars.beta != 0);
}

Argument Product::bias_argument() const { return bias != nullptr ? argument_of(*bias) : Argument(nullptr); }

Element accumulator_of_product(Element element) {
  return element == Element::i8 ? Element::i32 : real_accumulator(element);
}

std::vector<Variant> matmul_variants(const DeviceInfo& info, const Problem& problem) {
  if (info.driver == "cpu") return lane_variants(info, problem);
  if (uses_wgmma(info, problem)) return wgmma_variants(info, problem);
  if (uses_async_copies(info, problem)) return async_variants(info, problem);
  return tile_variants(info, problem);
}

namespace detail {

namespace {

std::int64_t last_extent(const View& view, std::size_t from_end) {
  return view.layout.shape[view.layout.shape.rank() - from_end];
}

[[noreturn]] void refuse(const View& a, const View& b, const std::string& c) {
  fail(ErrorKind::invalid_use,
       message::kBadProduct(a.layout.shape.to_string(), b.layout.shape.to_string(), c));
}

void check_bias(const View& c, const View& bias) {
  if (bias.layout.shape.rank() != 1 || bias.layout.shape[0] != last_extent(c, 1))
    fail(ErrorKind::invalid_use,
         message::kBadBias(bias.layout.shape.to_string(), c.layout.shape.to_string()));
}

void check_types(const View& a, const View& b, const View& c, const MatmulScalars& scalars) {
  check_same_type("matmul", a, b);
  const bool is_integer = a.element == Element::i8 && c.element == Element::i32;
  const bool is_narrow = is_float8(a.element) && is_real_type(c.element) && c.element != Element::f64;
  if (!is_integer && !is_narrow) check_same_type("matmul", a, c);
  if (!is_integer && !is_narrow && !is_real_type(a.element))
    fail(ErrorKind::unsupported, message::kNoProduct(std::string(name_of(a.element))));
  const bool is_plain = scalars.alpha == 1 && (scalars.beta == 0 || scalars.beta == 1) &&
                        scalars.activation == Activation::none;
  if (is_integer && !is_plain) fail(ErrorKind::unsupported, message::kPlainProduct());
  if (c.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("matmul"));
}

}  // namespace

Shape product_shape(const View& a, const View& b) {
  const Shape &l = a.layout.shape, &r = b.layout.shape;
  const bool are_matrices = l.rank() >= 2 && l.rank() <= 3 && r.rank() >= 2 && r.rank() <= 3;
  if (!are_matrices || last_extent(a, 1) != last_extent(b, 2)) refuse(a, b, "a matrix");
  const std::int64_t m = last_extent(a, 2), n = last_extent(b, 1);
  if (l.rank() == 2 && r.rank() == 2) return {m, n};
  const std::int64_t x = batches_of(a), y = batches_of(b);
  if (x != y && x != 1 && y != 1) refuse(a, b, "a matrix");
  return {x == 1 ? y : x, m, n};
}

Receipt matmul(const On& on, const View& a, const View& b, const View& c, const View* bias,
               const MatmulScalars& scalars) {
  const Shape shape = product_shape(a, b);
  if (shape != c.layout.shape) refuse(a, b, c.layout.shape.to_string());
  check_types(a, b, c, scalars);
  if (bias != nullptr) check_bias(c, *bias);
  if (shape.size() == 0) return {};
  const Element accumulator = accumulator_of_product(a.element);
  const Product product{a,
                        b,
                        c,
                        bias,
                        scalars,
                        accumulator,
                        batches_of(c),
                        last_extent(c, 2),
                        last_extent(c, 1),
                        last_extent(a, 1)};
  if (auto receipt = vendor::multiply(on, product)) return *std::move(receipt);
  const Device device = on.stream().device();
  if (has_lanes(device)) return multiply_in_lanes(on, product);
  const Problem problem = product.problem();
  const bool has_wgmma = uses_wgmma(device.info(), problem);
  if (has_wgmma && extension::survives_device_loss(device))  // tensor maps contain addresses
    return multiply_in_tiles(on, product, tile_variants(device.info(), problem).front());
  const Variant variant = variant_for(device, "matmul", problem);
  if (has_wgmma) return multiply_with_wgmma(on, product, variant);
  if (uses_async_copies(device.info(), problem)) return multiply_with_async_copies(on, product, variant);
  return multiply_in_tiles(on, product, variant);
}

}  // namespace detail

}  // namespace quern::ops
