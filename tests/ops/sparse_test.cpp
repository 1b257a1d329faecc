#include "quern/ops/sparse.hpp"

#include "ops/nn_case.hpp"

namespace quern::ops {
namespace {

using Index = std::int32_t;

// A matrix of whole numbers in every form.
struct Matrix {
  std::int64_t rows, columns;
  std::vector<float> dense;
  std::vector<Index> offsets{0}, indices{};
  std::vector<float> values{};
};

class OpsSparse : public NnCase {
 protected:
  // Row r has length(r) elements, at most.
  template <typename Length>
  Matrix matrix(std::int64_t rows, std::int64_t columns, const Length& length) {
    Matrix m{rows, columns, std::vector<float>(static_cast<std::size_t>(rows * columns))};
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t count = length(r),
                         step = std::max<std::int64_t>(1, columns / std::max<std::int64_t>(count, 1));
      const auto numbers_of_row = numbers<float>(count);
      for (std::int64_t k = 0; k < count && k * step < columns; ++k) {
        m.indices.push_back(static_cast<Index>(k * step));
        m.values.push_back(numbers_of_row[static_cast<std::size_t>(k)]);
        m.dense[static_cast<std::size_t>(r * columns + k * step)] = m.values.back();
      }
      m.offsets.push_back(static_cast<Index>(m.values.size()));
    }
    return m;
  }
  template <typename T = float>
  CsrMatrix<T> csr(const Matrix& m) {
    const auto count = static_cast<std::int64_t>(m.values.size());
    const Tensor<T> values(gpu, {count});
    copy(gpu, tensor(m.values, {count}), values);
    return {m.rows, m.columns, tensor(m.offsets, {m.rows + 1}), tensor(m.indices, {count}), values};
  }
  // By column in memory if is_turned.
  EllMatrix<float> ell(const Matrix& m, bool is_turned) {
    std::int64_t width = 0;
    for (std::size_t r = 1; r < m.offsets.size(); ++r)
      width = std::max<std::int64_t>(width, m.offsets[r] - m.offsets[r - 1]);
    std::vector<Index> indices(static_cast<std::size_t>(m.rows * width), -1);
    std::vector<float> values(indices.size(), 1e9f);
    for (std::size_t r = 0; r + 1 < m.offsets.size(); ++r) {
      for (Index k = m.offsets[r]; k < m.offsets[r + 1]; ++k) {
        const auto i = static_cast<std::size_t>(k - m.offsets[r]), rows = static_cast<std::size_t>(m.rows);
        const std::size_t at = is_turned ? i * rows + r : r * static_cast<std::size_t>(width) + i;
        indices[at] = m.indices[static_cast<std::size_t>(k)];
        values[at] = m.values[static_cast<std::size_t>(k)];
      }
    }
    if (!is_turned) return {m.columns, tensor(indices, {m.rows, width}), tensor(values, {m.rows, width})};
    return {m.columns, tensor(indices, {width, m.rows}).transpose(),
            tensor(values, {width, m.rows}).transpose()};
  }
  // 2 * m * b - c, for b and c with n columns.
  static std::vector<float> product(const Matrix& m, const std::vector<float>& b, const std::vector<float>& c,
                                    std::size_t n) {
    std::vector<float> out = c;
    const auto rows = static_cast<std::size_t>(m.rows), columns = static_cast<std::size_t>(m.columns);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        out[r * n + j] = -c[r * n + j];
        for (std::size_t k = 0; k < columns; ++k)
          out[r * n + j] += 2 * m.dense[r * columns + k] * b[k * n + j];
      }
    }
    return out;
  }
  void check_vector(const Matrix& m, const std::string& threads) {
    const auto b = numbers<float>(m.columns), c = numbers<float>(m.rows);
    const std::vector<float> want = product(m, b, c, 1);
    const Tensor<float> x = tensor(b, {m.columns}), y = tensor(c, {m.rows}), z = tensor(c, {m.rows});
    const Receipt receipt = spmv(gpu, csr(m), x, y, {.alpha = 2, .beta = -1});
    EXPECT_EQ(y.download(), want) << threads;
    EXPECT_NE(receipt.kernel().find("spmv<float, float, int, true, " + threads), std::string::npos)
        << receipt.kernel();
    spmv(gpu, ell(m, true), x, z, {.alpha = 2, .beta = -1});
    EXPECT_EQ(z.download(), want) << threads;
  }
};
INSTANTIATE_TEST_SUITE_P(All, OpsSparse, testing::ValuesIn(::quern::test::each_driver({"native"})),
                         ::quern::test::device_name);

TEST_P(OpsSparse, MultipliesVectors) {
  // Empty rows, and one with many elements.
  check_vector(matrix(70, 90, [](std::int64_t r) { return r % 3 == 0 ? 0 : r % 5; }), "1,");
  check_vector(matrix(37, 300, [](std::int64_t r) { return r == 5 ? 300 : r % 9; }), "8,");
  check_vector(matrix(11, 200, [](std::int64_t r) { return 70 + r; }), "32,");
}

TEST_P(OpsSparse, MultipliesVectorsOfOtherTypes) {
  const Matrix m = matrix(9, 20, [](std::int64_t r) { return r; });
  const auto b = numbers<float>(20, -3, 3);
  std::vector<float> want = product(m, b, std::vector<float>(9), 1);
  for (float& v : want) v /= 2;
  const Tensor<float> x = tensor(b, {20});
  const Tensor<half> h(gpu, {20}), y = tensor(std::vector<half>(9, half(kNaN)), {9});  // NaN is not read
  copy(gpu, x, h);
  spmv(gpu, csr<half>(m), h, y);
  expect_near(y.download(), wide(want));
  const Tensor<std::int64_t> offsets(gpu, {10}), indices(gpu, {static_cast<std::int64_t>(m.values.size())});
  const CsrMatrix<float> narrow = csr(m);
  copy(gpu, narrow.row_offsets, offsets);
  copy(gpu, narrow.column_indices, indices);
  const Tensor<float> z(gpu, {9});
  spmv(gpu, CsrMatrix<float, std::int64_t>{9, 20, offsets, indices, narrow.values}, x, z);
  EXPECT_EQ(z.download(), want);
}

TEST_P(OpsSparse, MultipliesMatrices) {
  const Matrix m = matrix(33, 50, [](std::int64_t r) { return r % 7; });
  const auto b = numbers<float>(50 * 6), c = numbers<float>(33 * 6);
  const std::vector<float> want = product(m, b, c, 6);
  const Tensor<float> x = tensor(b, {50, 6}), y = tensor(c, {33, 6}), z = tensor(c, {33, 6}),
                      x_t(gpu, {6, 50});
  spmm(gpu, csr(m), x, y, {.alpha = 2, .beta = -1});
  EXPECT_EQ(y.download(), want);
  copy(gpu, x.transpose(), x_t);
  spmm(gpu, ell(m, false), x_t.transpose(), z, {.alpha = 2, .beta = -1});
  EXPECT_EQ(z.download(), want);
}

TEST_P(OpsSparse, HandlesEmptyMatricesAndIndicesOutOfRange) {
  const Matrix none = matrix(0, 5, [](std::int64_t) { return 0; });
  const Matrix zero = matrix(3, 5, [](std::int64_t) { return 0; });
  const Tensor<float> x = tensor<float>({1, 2, 3, 4, 5}, {5}), y = tensor<float>({7, 8, 9}, {3});
  EXPECT_EQ(spmv(gpu, csr(none), x, Tensor<float>(gpu, {0})).kernel(), "");
  spmv(gpu, csr(zero), x, y, {.beta = 2});
  EXPECT_EQ(y.download(), (std::vector<float>{14, 16, 18}));
  Matrix m = matrix(3, 5, [](std::int64_t) { return 1; });
  m.values = {10, 20, 30};
  m.indices = {5, 4, -1};
  spmv(gpu, csr(m), x, y);
  EXPECT_EQ(y.download(), (std::vector<float>{0, 100, 0}));
}

TEST_P(OpsSparse, RunsInGraphs) {
  const CsrMatrix<float> a = csr(matrix(4, 4, [](std::int64_t) { return 0; }));
  const Tensor<float> x(gpu, {4}), y = tensor<float>({1, 2, 3, 4}, {4});
  fill(gpu, x, 1.0f);
  const Graph graph = gpu.record([&](const Stream& stream) { spmv(stream, a, x, y, {.beta = 2}); });
  gpu.stream().run(graph);
  gpu.stream().run(graph);
  EXPECT_EQ(y.download(), (std::vector<float>{4, 8, 12, 16}));
}

TEST_P(OpsSparse, WrongOperandsAreReported) {
  CsrMatrix<float> a = csr(matrix(3, 4, [](std::int64_t) { return 2; }));
  const Tensor<float> x(gpu, {4}), y(gpu, {3}), b(gpu, {4, 2});
  EXPECT_MESSAGE("ops::spmv failed: a sparse matrix of shape 3×4 cannot be multiplied by 3 to 4",
                 spmv(gpu, a, y, x));
  EXPECT_MESSAGE("ops::spmm failed: a sparse matrix of shape 3×4 cannot be multiplied by 4×2 to 4×2",
                 spmm(gpu, a, b, b));
  EXPECT_MESSAGE("elements of type float, the result double", spmv(gpu, a, x, Tensor<double>(gpu, {3})));
  a.rows = 5;
  EXPECT_MESSAGE(
      "a CsrMatrix with 5 rows has row_offsets of shape 4, column_indices of shape 6 and values of",
      spmv(gpu, a, x, y));
  EXPECT_MESSAGE("an EllMatrix has column_indices of shape 6 and values of shape 4×2",
                 spmv(gpu, EllMatrix<float>{4, a.column_indices, b}, x, y));
}

}  // namespace
}  // namespace quern::ops
