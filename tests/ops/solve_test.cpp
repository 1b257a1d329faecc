#include "quern/ops/solve.hpp"

#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

// A row-major matrix.
struct Dense {
  std::size_t rows, columns;
  std::vector<double> values;
  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

Dense product(const Dense& a, const Dense& b) {
  Dense c{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      for (std::size_t j = 0; j < b.columns; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return c;
}
Dense transposed(const Dense& a) {
  Dense out{a.columns, a.rows, std::vector<double>(a.values.size())};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) out.at(j, i) = a.at(i, j);
  }
  return out;
}

class OpsSolve : public NnCase {
 protected:
  // Others take long to compile kernels.
  bool is_fast() const { return std::string(GetParam()) == "cpu" || std::string(GetParam()) == "cuda"; }
  template <typename T>
  Dense dense(std::int64_t rows, std::int64_t columns) {
    return {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
            wide(reals<T>(rows * columns))};
  }
  // One of a batch.
  template <typename T>
  static Dense part(const std::vector<T>& all, std::size_t b, std::size_t rows, std::size_t columns) {
    Dense out{rows, columns, {}};
    for (std::size_t i = 0; i < rows * columns; ++i)
      out.values.push_back(static_cast<double>(all[b * rows * columns + i]));
    return out;
  }
  // The triangle of a matrix. The diagonal is 1 if is_unit.
  static Dense triangle(Dense a, bool is_lower, bool is_unit) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j < a.rows; ++j) {
        if (is_lower ? j > i : j < i) a.at(i, j) = 0;
        if (is_unit && i == j) a.at(i, j) = 1;
      }
    }
    return a;
  }
  template <typename T>
  static void expect_close(const Dense& got, const Dense& want, double factor) {
    expect_near(narrow<T>(got.values), want.values, factor);
  }
  template <typename T>
  void check_cholesky(std::int64_t n, std::int64_t batches) {
    std::vector<double> all;
    for (std::int64_t b = 0; b < batches; ++b) {
      const Dense half_of = dense<T>(n, n);
      Dense a = product(half_of, transposed(half_of));
      for (std::size_t i = 0; i < a.rows; ++i) a.at(i, i) += static_cast<double>(n);
      all.insert(all.end(), a.values.begin(), a.values.end());
    }
    const Tensor<T> x = tensor(narrow<T>(all), {batches, n, n});
    const Receipt receipt = cholesky(gpu, x);
    EXPECT_NE(receipt.kernel().find("cholesky<"), std::string::npos);
    const std::vector<T> got = x.download();
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t b = 0; b < static_cast<std::size_t>(batches); ++b) {
      const Dense l = triangle(part(got, b, size, size), true, false);
      expect_close<T>(product(l, transposed(l)), part(all, b, size, size), 10 * static_cast<double>(n));
      for (std::size_t i = 0; i + 1 < size; ++i)  // the upper triangle is kept
        EXPECT_EQ(static_cast<double>(got[b * size * size + i * size + i + 1]),
                  all[b * size * size + i * size + i + 1]);
    }
  }
  template <typename T>
  void check_lu(std::int64_t n, std::int64_t batches, std::int64_t columns) {
    const auto all = reals<T>(batches * n * n), sides = reals<T>(batches * n * columns);
    const Tensor<T> x = tensor(all, {batches, n, n}), b = tensor(sides, {batches, n, columns});
    const Tensor<std::int32_t> pivots(gpu, {batches, n});
    lu(gpu, x, pivots);
    lu_solve(gpu, x, pivots, b);
    const std::vector<T> got = x.download(), solutions = b.download();
    const std::vector<std::int32_t> exchanged = pivots.download();
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(batches); ++i) {
      const Dense factors = part(got, i, size, size);
      Dense a = part(all, i, size, size);
      const Dense right = product(a, part(solutions, i, size, static_cast<std::size_t>(columns)));
      for (std::size_t k = 0; k < size; ++k) {
        const auto pivot = static_cast<std::size_t>(exchanged[i * size + k]);
        ASSERT_LT(pivot, size);
        for (std::size_t c = 0; c < size; ++c) std::swap(a.at(k, c), a.at(pivot, c));
      }
      for (std::size_t r = 1; r < size; ++r) EXPECT_LE(std::abs(factors.at(r, 0)), 1);
      expect_close<T>(product(triangle(factors, true, true), triangle(factors, false, false)), a,
                      4 * static_cast<double>(n));
      // The condition of random matrices is large.
      expect_near(narrow<T>(right.values), part(sides, i, size, static_cast<std::size_t>(columns)).values,
                  1000);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsSolve, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsSolve, FactorsSymmetricMatrices) {
  check_cholesky<float>(1, 1);
  check_cholesky<float>(7, 20);
  check_cholesky<float>(20, 2);
  if (is_fast()) check_cholesky<float>(64, 2);
  if (is_fast() || is_simulator()) check_cholesky<double>(9, 3);
}

TEST_P(OpsSolve, FactorsAndSolvesGeneralMatrices) {
  check_lu<float>(1, 2, 1);
  check_lu<float>(7, 20, 3);
  check_lu<float>(20, 2, 17);
  if (is_fast()) check_lu<float>(63, 2, 1);
  if (is_fast() || is_simulator()) check_lu<double>(9, 3, 2);
}

TEST_P(OpsSolve, SolvesTriangularSystems) {
  constexpr std::int64_t kRows = 18, kColumns = 20;
  Dense a = dense<float>(kRows, kRows);
  for (double& v : a.values) v /= 16;
  for (std::size_t i = 0; i < a.rows; ++i) a.at(i, i) = 2;
  const Dense b = dense<float>(kRows, kColumns);
  const Tensor<float> x = tensor(narrow<float>(a.values), {kRows, kRows}), y(gpu, {kRows, kColumns});
  for (const bool lower : {false, true}) {
    for (const bool transpose : {false, true}) {
      const bool unit = lower == transpose;
      y.upload(narrow<float>(b.values));
      solve_triangular(gpu, x, y, {.lower = lower, .transpose = transpose, .unit = unit});
      const Dense t = triangle(a, lower, unit);
      const Dense solution = part(y.download(), 0, kRows, kColumns);
      expect_close<float>(product(transpose ? transposed(t) : t, solution), b, 50);
    }
  }
  // By column, and more rows than a factorization has.
  if (is_simulator()) return;
  const Tensor<float> large(gpu, {200, 200}), side(gpu, {2, 200});
  fill(gpu, large, 0.5f);
  fill(gpu, side, 1.0f);
  solve_triangular(gpu, large.transpose(), side.transpose());
  std::vector<double> want(400);
  want[0] = want[200] = 2;
  expect_near(side.download(), want);
}

TEST_P(OpsSolve, HandlesSingularMatricesAndEmptyBatches) {
  const Tensor<float> zero = tensor(std::vector<float>(9), {3, 3}),
                      negative = tensor<float>({4, 0, 2, -5}, {2, 2}), none(gpu, {0, 3, 3}),
                      no_side(gpu, {3, 0});
  const Tensor<std::int32_t> pivots(gpu, {3});
  lu(gpu, zero, pivots);
  EXPECT_EQ(zero.download(), std::vector<float>(9));
  EXPECT_EQ(pivots.download(), (std::vector<std::int32_t>{0, 1, 2}));
  cholesky(gpu, negative);
  EXPECT_EQ(negative.download()[2], 1.0f);
  EXPECT_TRUE(std::isnan(negative.download()[3]));
  EXPECT_EQ(cholesky(gpu, none).kernel(), "");
  EXPECT_EQ(solve_triangular(gpu, zero, no_side).kernel(), "");
}

TEST_P(OpsSolve, RunsInGraphs) {
  const Tensor<float> a = tensor<float>({2, 0, 0, 4}, {2, 2}), b = tensor<float>({8, 32}, {2, 1});
  const Graph graph = gpu.record([&](const Stream& stream) { solve_triangular(stream, a, b); });
  gpu.stream().run(graph);
  gpu.stream().run(graph);
  EXPECT_EQ(b.download(), (std::vector<float>{2, 2}));
}

TEST_P(OpsSolve, WrongOperandsAreReported) {
  const Tensor<float> a(gpu, {3, 3}), b(gpu, {4, 2}), large(gpu, {65, 65});
  const Tensor<std::int32_t> pivots(gpu, {4});
  EXPECT_MESSAGE("ops::cholesky failed: matrices of shape 4×2 are not square", cholesky(gpu, b));
  EXPECT_MESSAGE("ops::cholesky failed: 65 rows of type float are too many", cholesky(gpu, large));
  EXPECT_MESSAGE("ops::lu failed: the operand 'pivots' has shape 4", lu(gpu, a, pivots));
  EXPECT_MESSAGE("ops::solve_triangular failed: matrices of shape 3×3 cannot be solved for 4×2",
                 solve_triangular(gpu, a, b));
  EXPECT_MESSAGE("elements of type int are not supported", cholesky(gpu, Tensor<int>(gpu, {1, 1})));
  EXPECT_MESSAGE("the operand for the result is read-only", cholesky(gpu, Tensor<const float>(a)));
}

}  // namespace
}  // namespace quern::ops
