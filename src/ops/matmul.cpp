#include "quern/ops/matmul.hpp"

#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"
#include "ops/vendor/gemm.hpp"

namespace quern::ops {

namespace {

constexpr std::int64_t kMatmulWidth = 16;  // threads of a block along each axis, in text/matmul.cuh

}  // namespace

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
  return std::string(name_of(a.element)) + ", " + std::string(name_of(accumulator)) + ", " +
         std::to_string(static_cast<int>(scalars.activation)) + (bias != nullptr ? ", true" : ", false") +
         (scalars.beta != 0 ? ", true" : ", false");
}

Argument Product::bias_argument() const { return bias != nullptr ? argument_of(*bias) : Argument(nullptr); }

std::vector<Variant> matmul_variants(const DeviceInfo& info, const Problem& problem) {
  if (info.driver == "cpu") return lane_variants(info, problem);
  const Element accumulator = real_accumulator(problem.element);
  const auto bytes = static_cast<std::int64_t>(bytes_of(accumulator));
  const auto fits = [&](const Variant& v) {
    const std::int64_t shared = 2 * v.at("depth") * v.at("each") * kMatmulWidth * bytes;
    return static_cast<std::uint64_t>(shared) <= info.limits.shared_bytes;
  };
  const Variant standard{{"each", 4}, {"depth", accumulator == Element::f64 ? 8 : 16}};
  return with_default(standard, variants({{"each", {2, 4, 8}}, {"depth", {8, 16, 32}}}, fits));
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

void check_types(const View& a, const View& b, const View& c) {
  check_same_type("matmul", a, b);
  check_same_type("matmul", a, c);
  if (!is_real_type(a.element))
    fail(ErrorKind::unsupported, message::kNoProduct(std::string(name_of(a.element))));
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
  check_types(a, b, c);
  if (bias != nullptr) check_bias(c, *bias);
  if (shape.size() == 0) return {};
  const Element accumulator = real_accumulator(a.element);
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
  const Variant variant = variant_for(device, "matmul", {{product.m, product.n, product.k}, a.element});
  const std::int64_t each = variant.at("each"), tile = each * kMatmulWidth;
  const Kernel kernel =
      Engine::of(device)->kernel(device, {"index", "matmul"}, {},
                                 "quern_ops::matmul<" + product.types() + ", " + std::to_string(each) + ", " +
                                     std::to_string(variant.at("depth")) + ">");
  const auto tiles = [&](std::int64_t extent) { return (extent - 1) / tile + 1; };
  const std::uint32_t blocks =
      blocks_for(device.info(), product.batches * tiles(product.m) * tiles(product.n), 1);
  const Matrix of_a = matrix_of(a), of_b = matrix_of(b), of_c = matrix_of(c);
  return on.stream().launch(kernel, blocks_of_threads(blocks), product.batches, product.m, product.n,
                            product.k, of_a, of_b, of_c, product.bias_line(),
                            scalar_of(accumulator, scalars.alpha), scalar_of(accumulator, scalars.beta),
                            argument_of(a), argument_of(b), argument_of(c), product.bias_argument());
}

}  // namespace detail

}  // namespace quern::ops
