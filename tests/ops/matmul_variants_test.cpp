// Matrix products with every variant of the device's kernel.
#include <algorithm>
#include <cmath>

#include "ops/choice.hpp"
#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsMatmulVariants : public OpsCase {
 protected:
  // Whole numbers: products are exact. Results are compared with those of float on the same device.
  template <typename T>
  Tensor<T> converted(const auto& x) {
    Tensor<T> out(gpu, x.shape());
    copy(gpu, x, out);
    return out;
  }
  // Kernels with clusters have many variants, and compiling takes long.
  static bool compiles_all_orders(const Variant& variant) {
    const auto& parameters = variant.parameters();
    const bool has_clusters =
        std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "across"; });
    if (!has_clusters) return true;
    return variant.at("columns") == 128 && variant.at("down") == 2 && variant.at("band") == 16 &&
           variant.at("across") * variant.at("split") == 2;
  }
  Tensor<float> small(const Shape& shape) { return tensor(numbers<float>(shape.size(), -2, 2), shape); }

  template <typename T>
  void check(std::int64_t m, std::int64_t n, std::int64_t k) {
    const Tensor<float> a = small({m, k}), b = small({k, n}), before = small({m, n}), bias = small({n});
    const Tensor<T> x = converted<T>(a), y = converted<T>(b), v = converted<T>(bias);
    const std::vector<float> left = a.download(), right = b.download(), old = before.download(),
                             added = bias.download();
    std::vector<float> product(static_cast<std::size_t>(m * n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
      for (std::size_t d = 0; d < static_cast<std::size_t>(k); ++d) {
        for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
          product[i * static_cast<std::size_t>(n) + j] +=
              left[i * static_cast<std::size_t>(k) + d] * right[d * static_cast<std::size_t>(n) + j];
      }
    }
    std::vector<float> want(product.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      want[i] = std::max(0.0f, product[i] / 2 + 2 * old[i] + added[i % static_cast<std::size_t>(n)]);
    const Tensor<T> x_t(gpu, {k, m}), y_t(gpu, {n, k}), z_t(gpu, {n, m});
    copy(gpu, x, x_t.transpose());
    copy(gpu, y, y_t.transpose());
    const std::string shape = Shape{m, n, k}.to_string();
    const std::vector<Variant> all = find_tunable("matmul")->variants(gpu.info(), {{m, n, k}, element_of<T>});
    for (const Variant& variant : all) {
      SCOPED_TRACE(variant.to_string() + " " + shape);
      const VariantScope scope("matmul", variant);
      EXPECT_EQ(converted<float>(matmul(gpu, x, y)).download(), product);
      if (&variant != &all.front() && !compiles_all_orders(variant)) continue;
      EXPECT_EQ(converted<float>(matmul(gpu, x_t.transpose(), y)).download(), product);
      EXPECT_EQ(converted<float>(matmul(gpu, x, y_t.transpose())).download(), product);
      matmul(gpu, x_t.transpose(), y_t.transpose(), z_t.transpose());
      const Tensor<T> rows(gpu, {m, n});
      copy(gpu, z_t.transpose(), rows);
      EXPECT_EQ(converted<float>(rows).download(), product);
      const Tensor<T> z = converted<T>(before);
      matmul(gpu, x, y, z, {.alpha = 0.5, .beta = 2, .bias = v, .activation = relu});
      EXPECT_EQ(converted<float>(z).download(), want);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsMatmulVariants, testing::Values("cuda"), ::quern::test::device_name);

TEST_P(OpsMatmulVariants, MultiplyEveryOrderAndEpilogue) {
  check<half>(200, 136, 72);
  check<bfloat16>(129, 67, 70);
  check<half>(520, 264, 200);
  check<half>(260, 520, 1032);
  check<double>(200, 136, 72);
  check<double>(129, 67, 33);
  check<float>(200, 136, 72);
  check<float>(129, 67, 33);
}

TEST_P(OpsMatmulVariants, MultiplyBytesAndTf32) {
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{200, 144, 80}, {129, 67, 70}, {192, 264, 520}}) {
    const Tensor<float> a = small({m, k}), b = small({k, n});
    const std::vector<float> want = matmul(gpu, a, b).download();
    const Tensor<std::int8_t> x = converted<std::int8_t>(a), y = converted<std::int8_t>(b);
    const Tensor<std::int8_t> y_t(gpu, {n, k});
    copy(gpu, y, y_t.transpose());
    const auto variants_of = [&](const Problem& problem) {
      return find_tunable("matmul")->variants(gpu.info(), problem);
    };
    for (const Variant& variant : variants_of({{m, n, k}, Element::i8})) {
      const VariantScope scope("matmul", variant);
      EXPECT_EQ(converted<float>(matmul(gpu, x, y)).download(), want) << variant.to_string();
      EXPECT_EQ(converted<float>(matmul(gpu, x, y_t.transpose())).download(), want) << variant.to_string();
    }
    const Tensor<float> a_t(gpu, {k, m}), b_t(gpu, {n, k}), c_t(gpu, {n, m}), rows(gpu, {m, n});
    copy(gpu, a, a_t.transpose());
    copy(gpu, b, b_t.transpose());
    const Tensor<float> none = tensor(std::vector<float>(static_cast<std::size_t>(n)), {n});
    for (const Variant& variant : variants_of({{m, n, k}, Element::f32, 0, Precision::tf32})) {
      SCOPED_TRACE(variant.to_string());
      const VariantScope scope("matmul", variant);
      const MatmulOptions<float> options{.precision = Precision::tf32};
      EXPECT_EQ(matmul(gpu, a, b, options).download(), want);
      if (!compiles_all_orders(variant)) continue;
      EXPECT_EQ(matmul(gpu, a, b_t.transpose(), options).download(), want);
      EXPECT_EQ(matmul(gpu, a_t.transpose(), b, options).download(), want);
      EXPECT_EQ(matmul(gpu, a_t.transpose(), b_t.transpose(), options).download(), want);
      matmul(gpu, a, b, c_t.transpose(), options);
      copy(gpu, c_t.transpose(), rows);
      EXPECT_EQ(rows.download(), want);
      EXPECT_EQ(matmul(gpu, a, b, {.bias = none, .precision = Precision::tf32}).download(), want);
    }
    const Tensor<float8_e4m3> u = converted<float8_e4m3>(a), v_t = converted<float8_e4m3>(b_t);
    for (const Variant& variant : variants_of({{m, n, k}, Element::e4m3})) {
      const VariantScope scope("matmul", variant);
      EXPECT_EQ(matmul(gpu, u, v_t.transpose()).download(), want) << variant.to_string();
    }
    EXPECT_EQ(matmul(gpu, u, converted<float8_e4m3>(b)).download(), want);
  }
}

TEST_P(OpsMatmulVariants, MultiplyBatchesAndViews) {
  const std::int64_t m = 140, n = 72, k = 104;
  const Tensor<float> a = small({3, m, k}), b = small({k, n}), c = small({3, k, n});
  const Tensor<half> x = converted<half>(a), y = converted<half>(b), z = converted<half>(c);
  const std::vector<float> same = matmul(gpu, a, b).download(), each = matmul(gpu, a, c).download(),
                           part = matmul(gpu, a.slice(2, 8, 64), c.slice(1, 3, 64)).download(),
                           second = matmul(gpu, a.slice(2, 0, 52, 2), c.slice(1, 0, 52, 2)).download();
  for (const Variant& variant : find_tunable("matmul")->variants(gpu.info(), {{m, n, k}, Element::f16})) {
    SCOPED_TRACE(variant.to_string());
    const VariantScope scope("matmul", variant);
    EXPECT_EQ(converted<float>(matmul(gpu, x, y)).download(), same);
    EXPECT_EQ(converted<float>(matmul(gpu, x, z)).download(), each);
    EXPECT_EQ(converted<float>(matmul(gpu, x.slice(2, 8, 64), z.slice(1, 3, 64))).download(), part);
    EXPECT_EQ(converted<float>(matmul(gpu, x.slice(2, 0, 52, 2), z.slice(1, 0, 52, 2))).download(), second);
  }
}

}  // namespace
}  // namespace quern::ops
