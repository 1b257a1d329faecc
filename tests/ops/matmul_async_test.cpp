// The kernels of matmul for NVIDIA devices that use asynchronous copies, in the simulator: it executes their
// instructions.
#include "ops/choice.hpp"
#include "ops/ops_case.hpp"
#include "ops/product.hpp"

namespace quern::ops {
namespace {

class OpsMatmulAsync : public OpsCase {
 protected:
  void SetUp() override { gpu = open(GetParam()); }

  // Rows or columns of the operands and the result are contiguous, as the bits of `order` say. The results
  // are compared with those of the device's own kernel: whole numbers are multiplied without rounding.
  template <typename T>
  void check(std::int64_t m, std::int64_t n, std::int64_t k, const Variant& variant) {
    for (unsigned order = 0; order < 8; ++order) {
      const Shape shape{m, n, k};
      SCOPED_TRACE(variant.to_string() + " " + shape.to_string() + " " + std::to_string(order));
      const auto matrix = [&](std::int64_t rows, std::int64_t columns, bool by_column) {
        const std::vector<T> values = numbers<T>(rows * columns, -2, 2);
        return by_column ? tensor(values, Shape{columns, rows}).transpose()
                         : tensor(values, Shape{rows, columns});
      };
      const Tensor<T> a = matrix(m, k, order & 1), b = matrix(k, n, order & 2), c = matrix(m, n, order & 4),
                      bias = tensor(numbers<T>(n, -2, 2), Shape{n});
      const Tensor<T> want(gpu, {m, n}), got(gpu, {m, n});
      copy(gpu, c, want);
      matmul(gpu, a, b, want, {.alpha = 0.5, .beta = 2, .bias = bias, .activation = relu});
      const detail::View of_a = detail::view_of(a), of_b = detail::view_of(b), of_c = detail::view_of(c),
                         of_bias = detail::view_of(bias);
      const detail::MatmulScalars scalars{0.5, 2, relu, Precision::full};
      multiply_with_async_copies(
          gpu, {of_a, of_b, of_c, &of_bias, scalars, accumulator_of_product(element_of<T>), 1, m, n, k},
          variant);
      copy(gpu, c, got);
      EXPECT_EQ(got.download(), want.download());
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsMatmulAsync, testing::Values("sim"), ::quern::test::device_name);

Variant floats(std::int64_t rows, std::int64_t columns, std::int64_t warp_rows, std::int64_t depth) {
  return {{"rows", rows}, {"columns", columns}, {"warp_rows", warp_rows}, {"depth", depth}, {"stages", 3}};
}

TEST_P(OpsMatmulAsync, MultiplyFloats) {
  check<float>(68, 68, 36, floats(64, 64, 32, 16));
  check<float>(37, 67, 19, floats(32, 64, 16, 8));
}

TEST_P(OpsMatmulAsync, MultiplyDoubles) {
  const Variant tile{{"rows", 64}, {"columns", 64}, {"stages", 3}};
  check<double>(68, 66, 36, tile);
  check<double>(37, 67, 19, tile);
}

}  // namespace
}  // namespace quern::ops
