#include "quern/ops/blas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/ops_case.hpp"

namespace quern::ops {
namespace {

QUERN_OPS_CASE(OpsBlas);

TEST_P(OpsBlas, ComputesVectors) {
  for (const std::int64_t n : {0, 1, 777}) {
    const auto a = numbers<float>(n), b = numbers<float>(n);
    const Tensor<float> x = tensor(a, {n}), y = tensor(b, {n});
    axpy(gpu, 2, Tensor<const float>(x), y);
    scal(gpu, -3, x);
    std::vector<float> p = a, q = b;
    for (std::size_t i = 0; i < p.size(); ++i) {
      q[i] = 2 * p[i] + q[i];
      p[i] *= -3;
    }
    EXPECT_EQ(x.download(), p) << n;
    EXPECT_EQ(y.download(), q) << n;
    ops::swap(gpu, x, y);
    rot(gpu, x, y, 0.5, 2);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const float u = q[i], v = p[i];
      p[i] = 0.5f * u + 2 * v;
      q[i] = 0.5f * v - 2 * u;
    }
    EXPECT_EQ(x.download(), p) << n;
    EXPECT_EQ(y.download(), q) << n;
  }
  // Every second element backwards, and a column.
  const auto a = numbers<half>(20), b = numbers<half>(50);
  const Tensor<half> x = tensor(a, {20}), y = tensor(b, {10, 5});
  axpy(gpu, 0.5, x.slice(0, 19, 10, -2), y.select(1, 3));
  const std::vector<half> got = y.download();
  for (std::size_t i = 0; i < 50; ++i) {
    const float added = i % 5 == 3 ? static_cast<float>(a[19 - 2 * (i / 5)]) / 2 : 0.0f;
    EXPECT_EQ(static_cast<float>(got[i]), static_cast<float>(b[i]) + added) << i;
  }
}

TEST_P(OpsBlas, ReducesVectors) {
  for (const std::int64_t n : {0, 1, 5000}) {
    const auto a = numbers<float>(n), b = numbers<float>(n);
    const Tensor<float> x = tensor(a, {n}), y = tensor(b, {n});
    float product = 0, squares = 0, sum = 0;
    std::int64_t largest = -1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      product += a[i] * b[i];
      squares += a[i] * a[i];
      sum += std::abs(a[i]);
      if (largest < 0 || std::abs(a[i]) > std::abs(a[static_cast<std::size_t>(largest)]))
        largest = static_cast<std::int64_t>(i);
    }
    EXPECT_EQ(dot(gpu, x, y), product) << n;
    EXPECT_EQ(asum(gpu, x), sum) << n;
    EXPECT_NEAR(nrm2(gpu, x), std::sqrt(squares), 1e-5f * std::sqrt(squares)) << n;
    EXPECT_EQ(iamax(gpu, x), largest) << n;
  }
}

TEST_P(OpsBlas, ReducesExtremeValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const Tensor<float> large = tensor<float>({3e30f, 0, -4e30f}, {3});
  EXPECT_NEAR(nrm2(gpu, large), 5e30f, 1e25f);
  EXPECT_NEAR(nrm2(gpu, tensor<float>({3e-30f, 4e-30f}, {2})), 5e-30f, 1e-35f);
  EXPECT_EQ(nrm2(gpu, tensor<float>({1, -infinity, infinity}, {3})), infinity);
  EXPECT_TRUE(std::isnan(nrm2(gpu, tensor<float>({1, nan, 2}, {3}))));
  EXPECT_TRUE(std::isnan(dot(gpu, tensor<float>({infinity}, {1}), tensor<float>({0}, {1}))));
  EXPECT_EQ(iamax(gpu, tensor<float>({nan, 2, -infinity, infinity, nan}, {5})), 2);
  EXPECT_EQ(iamax(gpu, tensor<float>({nan}, {1})), -1);
}

TEST_P(OpsBlas, MultipliesMatricesByVectors) {
  for (const auto& [m, n] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {37, 70}, {5, 0}, {0, 3}, {3, 1500}}) {
    const auto a = numbers<float>(m * n, -3, 3), b = numbers<float>(n), c = numbers<float>(m);
    const Tensor<float> x = tensor(a, {m, n}), v = tensor(b, {n}), by_column(gpu, {n, m});
    if (m * n != 0) copy(gpu, x, by_column.transpose());
    std::vector<float> want = c;
    for (std::size_t i = 0; i < want.size(); ++i) {
      want[i] = -want[i];
      for (std::size_t k = 0; k < b.size(); ++k) want[i] += 0.5f * a[i * b.size() + k] * b[k];
    }
    const Tensor<float> y = tensor(c, {m}), z = tensor(c, {m});
    gemv(gpu, x, v, y, {.alpha = 0.5, .beta = -1});
    EXPECT_EQ(y.download(), want) << m << " " << n;
    gemv(gpu, by_column.transpose(), v, z, {.alpha = 0.5, .beta = -1});
    EXPECT_EQ(z.download(), want) << m << " " << n << ", by column";
  }
  // Without beta, NaN in the result is not read.
  const Tensor<float> y = tensor<float>({std::numeric_limits<float>::quiet_NaN()}, {1});
  gemv(gpu, tensor<float>({2, 3}, {1, 2}), tensor<float>({10, 1}, {2}), y);
  EXPECT_EQ(y.download()[0], 23.0f);
}

TEST_P(OpsBlas, RunsInGraphs) {
  const Tensor<float> x = tensor<float>({1, 2}, {2}), total(gpu, {1});
  const Graph graph = gpu.record([&](const Stream& stream) {
    scal(stream, 2, x);
    dot(stream, x, x, total);
  });
  gpu.stream().run(graph);
  gpu.stream().run(graph);
  EXPECT_EQ(total.download()[0], 80.0f);
}

TEST_P(OpsBlas, WrongShapesAreReported) {
  const Tensor<float> x(gpu, {4}), y(gpu, {5}), a(gpu, {3, 4});
  EXPECT_MESSAGE("ops::axpy failed: the vectors have shapes 4 and 5", axpy(gpu, 1, x, y));
  EXPECT_MESSAGE("ops::dot failed: the vectors have shapes 3×4 and 3×4", dot(gpu, a, a));
  EXPECT_MESSAGE("ops::scal failed: elements of type int are not supported",
                 scal(gpu, 1, Tensor<int>(gpu, {1})));
  EXPECT_MESSAGE("the operand for the result is read-only", ops::swap(gpu, Tensor<const float>(x), x));
  EXPECT_MESSAGE("ops::asum failed: the result has shape 5 and elements of type float", asum(gpu, x, y));
  EXPECT_MESSAGE("ops::gemv failed: a matrix of shape 3×4 cannot be multiplied by 5 to 4",
                 gemv(gpu, a, y, x));
  EXPECT_MESSAGE("elements of type float, the result double", axpy(gpu, 1, x, Tensor<double>(gpu, {4})));
}

}  // namespace
}  // namespace quern::ops
