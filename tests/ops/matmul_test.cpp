#include <cmath>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

class OpsMatmul : public OpsCase {
 protected:
  template <typename T>
  static std::vector<double> reals(const std::vector<T>& v) {
    std::vector<double> out;
    for (const T x : v) {
      if constexpr (std::is_same_v<T, double>) {
        out.push_back(x);
      } else {
        out.push_back(static_cast<double>(static_cast<float>(x)));
      }
    }
    return out;
  }
  // Row-major m×k and k×n.
  static std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b,
                                     std::size_t m, std::size_t n, std::size_t k) {
    std::vector<double> c(m * n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t d = 0; d < k; ++d) c[i * n + j] += a[i * k + d] * b[d * n + j];
      }
    }
    return c;
  }
  // Small whole numbers: the product is exact.
  template <typename T>
  void check(std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto a = numbers<T>(m * k, -3, 3), b = numbers<T>(k * n, -3, 3);
    const std::vector<double> want = product(reals(a), reals(b), static_cast<std::size_t>(m),
                                             static_cast<std::size_t>(n), static_cast<std::size_t>(k));
    const Tensor<T> x = tensor(a, {m, k}), y = tensor(b, {k, n});
    EXPECT_EQ(reals(matmul(gpu, x, y).download()), want) << m << " " << n << " " << k;
    // All operands by column.
    const Tensor<T> x_t(gpu, {k, m}), y_t(gpu, {n, k}), z_t(gpu, {n, m});
    copy(gpu, x, x_t.transpose());
    copy(gpu, y, y_t.transpose());
    matmul(gpu, x_t.transpose(), y_t.transpose(), z_t.transpose());
    EXPECT_EQ(reals(z_t.transpose().download()), want) << m << " " << n << " " << k << ", transposed";
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsMatmul, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsMatmul, MultipliesEveryTypeAndOddSizes) {
  check<float>(1, 1, 1);
  check<float>(65, 70, 33);
  check<float>(3, 130, 17);
  check<float>(50, 20, 150);
  check<double>(100, 40, 70);
  check<half>(33, 65, 20);
  check<bfloat16>(20, 5, 16);
  check<double>(17, 66, 9);
}

TEST_P(OpsMatmul, MultipliesBytesToIntegers) {
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{65, 70, 33}, {3, 5, 200}, {48, 32, 64}}) {
    const auto a = numbers<std::int8_t>(m * k, -128, 127), b = numbers<std::int8_t>(k * n, -128, 127);
    const auto before = numbers<std::int32_t>(m * n, -1000, 1000), bias = numbers<std::int32_t>(n);
    std::vector<std::int32_t> want(before);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const auto columns = static_cast<std::size_t>(n), depth = static_cast<std::size_t>(k);
      want[i] += bias[i % columns];
      for (std::size_t d = 0; d < depth; ++d)
        want[i] += a[i / columns * depth + d] * b[d * columns + i % columns];
    }
    const Tensor<std::int8_t> x = tensor(a, {m, k}), y = tensor(b, {k, n});
    const Tensor<std::int32_t> z = tensor(before, {m, n}), v = tensor(bias, {n});
    matmul(gpu, x, y, z, {.beta = 1, .bias = v});
    EXPECT_EQ(z.download(), want);
    matmul(gpu, x, y, z, {.bias = v});
    EXPECT_EQ(matmul(gpu, x, y, {.bias = v}).download(), z.download());
    EXPECT_MESSAGE("products of integers are not scaled", matmul(gpu, x, y, z, {.alpha = 2}));
    EXPECT_MESSAGE("products of integers are not scaled", matmul(gpu, x, y, z, {.activation = relu}));
    EXPECT_MESSAGE("elements of type", matmul(gpu, z, z.transpose(), Tensor<std::int32_t>(gpu, {m, m})));
  }
}

TEST_P(OpsMatmul, MultipliesEightBitFloats) {
  const auto multiply = [&]<typename T, typename C>(T, C, std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto a = numbers<T>(m * k, -3, 3), b = numbers<T>(k * n, -3, 3);
    std::vector<double> want = product(reals(a), reals(b), static_cast<std::size_t>(m),
                                       static_cast<std::size_t>(n), static_cast<std::size_t>(k));
    for (double& v : want) v /= 4;
    const Tensor<T> x = tensor(a, {m, k}), y = tensor(b, {k, n}), y_t(gpu, {n, k});
    copy(gpu, y, y_t.transpose());
    const Tensor<C> z(gpu, {m, n});
    matmul(gpu, x, y, z, {.alpha = 0.25});
    EXPECT_EQ(reals(z.download()), want) << m << " " << n << " " << k;
    fill(gpu, z, 1.0f);
    matmul(gpu, x, y_t.transpose(), z, {.alpha = 0.25});
    EXPECT_EQ(reals(z.download()), want) << m << " " << n << " " << k << ", transposed";
  };
  multiply(float8_e4m3(), float(), 17, 9, 33);
  multiply(float8_e4m3(), bfloat16(), 48, 32, 16);
  multiply(float8_e5m2(), half(), 48, 32, 16);
  const Tensor<float8_e4m3> x(gpu, {4, 4});
  EXPECT_MESSAGE("8-bit floats", matmul(gpu, x, x, x));
}

TEST_P(OpsMatmul, MayRoundToTf32) {  // which has room for these numbers
  const auto a = numbers<float>(40 * 50), b = numbers<float>(50 * 60);
  const Tensor<float> x = tensor(a, {40, 50}), y = tensor(b, {50, 60});
  EXPECT_EQ(reals(matmul(gpu, x, y, {.precision = Precision::tf32}).download()),
            product(reals(a), reals(b), 40, 60, 50));
}

TEST_P(OpsMatmul, ScalesAddsAndActivates) {
  const auto a = numbers<float>(5 * 4, -2, 2), b = numbers<float>(4 * 6, -2, 2),
             before = numbers<float>(5 * 6), bias = numbers<float>(6);
  const Tensor<float> x = tensor(a, {5, 4}), y = tensor(b, {4, 6}), z = tensor(before, {5, 6}),
                      v = tensor(bias, {6});
  const std::vector<double> ab = product(reals(a), reals(b), 5, 6, 4);
  matmul(gpu, x, y, z, {.alpha = 0.5, .beta = 2, .bias = v, .activation = relu});
  std::vector<float> got = z.download();
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(got[i], std::max(0.0, ab[i] / 2 + 2 * static_cast<double>(before[i]) +
                                        static_cast<double>(bias[i % 6])));
  const auto near = [&](Activation activation, const auto& f) {
    got = matmul(gpu, x, y, {.alpha = 0.25, .activation = activation}).download();
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(got[i], f(ab[i] / 4), 1e-5) << i;
  };
  near(gelu, [](double t) { return t * (1 + std::erf(t / std::sqrt(2.0))) / 2; });
  near(silu, [](double t) { return t / (1 + std::exp(-t)); });
  near(sigmoid, [](double t) { return 1 / (1 + std::exp(-t)); });
  near(Activation::tanh, [](double t) { return std::tanh(t); });
}

TEST_P(OpsMatmul, MultipliesBatches) {
  const auto a = numbers<float>(3 * 7 * 5), b = numbers<float>(5 * 4);
  const Tensor<float> x = tensor(a, {3, 7, 5}), y = tensor(b, {5, 4});
  std::vector<double> want = product(reals(a), reals(b), 21, 4, 5);
  EXPECT_EQ(reals(matmul(gpu, x, y).download()), want);
  EXPECT_EQ(matmul(gpu, Tensor<float>(gpu, {2, 0}), Tensor<float>(gpu, {0, 2})).download(),
            std::vector<float>(4, 0.0f));
  EXPECT_EQ(matmul(gpu, Tensor<float>(gpu, {0, 2}), y.slice(0, 0, 2)).size(), 0);
}

TEST_P(OpsMatmul, TakesAnyStridesAndABatchOfEach) {
  const auto a = numbers<float>(2 * 40 * 14, -3, 3), b = numbers<float>(2 * 14 * 18, -3, 3);
  const Tensor<float> x = tensor(a, {2, 40, 14}), y = tensor(b, {2, 14, 18}), z(gpu, {2, 40, 18});
  fill(gpu, z, 7.0f);
  const auto every_second = [](const Tensor<float>& t) {
    return t.slice(1, 0, t.shape()[1] / 2, 2).slice(2, 0, t.shape()[2] / 2, 2);
  };
  matmul(gpu, every_second(x), every_second(y), every_second(z));
  const std::vector<float> got = z.download();
  for (std::size_t batch = 0; batch < 2; ++batch) {
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 18; ++j) {
        double want = i % 2 == 0 && j % 2 == 0 ? 0 : 7;
        for (std::size_t d = 0; d < 14 && i % 2 == 0 && j % 2 == 0; d += 2)
          want += static_cast<double>(a[(batch * 40 + i) * 14 + d]) *
                  static_cast<double>(b[(batch * 14 + d) * 18 + j]);
        EXPECT_EQ(got[(batch * 40 + i) * 18 + j], want) << batch << " " << i << " " << j;
      }
    }
  }
}

TEST_P(OpsMatmul, WrongShapesAreReported) {
  const Tensor<float> x(gpu, {3, 4}), y(gpu, {5, 6}), z(gpu, {4, 6});
  EXPECT_MESSAGE("ops::matmul failed: matrices of shape 3×4 and 5×6 cannot be multiplied", matmul(gpu, x, y));
  EXPECT_MESSAGE("3×4 and 4×6 cannot be multiplied to 5×6", matmul(gpu, x, z, y));
  EXPECT_MESSAGE("the bias has shape 3×4 and the result 3×6", matmul(gpu, x, z, {.bias = x}));
  EXPECT_MESSAGE("elements of type int are not supported",
                 matmul(gpu, Tensor<int>(gpu, {1, 1}), Tensor<int>(gpu, {1, 1})));
}

}  // namespace
}  // namespace quern::ops
