// Sparse matrices.
#include "quern/ops/sparse.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/messages_sparse.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kMostThreadsOfRow = 32;
constexpr std::int64_t kMeanOfThread = 2;  // of a row of mean length, at least

// SparseRows of text/sparse.cuh.
struct SparseRows {
  std::int64_t rows, columns, width;
  Line offsets;
  std::int64_t index_first, index_row, index_step, value_first, value_row, value_step;
};
// DenseMatrix of text/sparse.cuh.
struct DenseMatrix {
  std::int64_t first, row, column;
};

void check_matrix(const char* operation, const Sparse& a) {
  check_real(operation, a.values);
  check_indices(operation, "column_indices", a.indices);
  const Shape &indices = a.indices.layout.shape, &values = a.values.layout.shape;
  if (a.offsets == nullptr) {
    if (values.rank() != 2 || indices != values)
      fail(ErrorKind::invalid_use, message::kBadEll(operation, indices.to_string(), values.to_string()));
    return;
  }
  const Shape& offsets = a.offsets->layout.shape;
  const bool fits = a.rows >= 0 && offsets.rank() == 1 && offsets[0] == a.rows + 1 && values.rank() == 1 &&
                    indices == values;
  if (!fits)
    fail(ErrorKind::invalid_use, message::kBadCsr(operation, std::to_string(a.rows), offsets.to_string(),
                                                  indices.to_string(), values.to_string()));
}

void check_product(const char* operation, const Sparse& a, const View& x, const View& y, std::size_t rank) {
  check_writable(operation, y);
  check_same_type(operation, a.values, x);
  check_same_type(operation, a.values, y);
  const Shape &from = x.layout.shape, &to = y.layout.shape;
  const bool fits = from.rank() == rank && to.rank() == rank && from[0] == a.columns && to[0] == a.rows &&
                    (rank == 1 || from[1] == to[1]);
  if (!fits)
    fail(ErrorKind::invalid_use,
         message::kBadSparseProduct(operation, std::to_string(a.rows) + "×" + std::to_string(a.columns),
                                    from.to_string(), to.to_string()));
}

SparseRows rows_of(const Sparse& a) {
  const Layout &index = a.indices.layout, &value = a.values.layout;
  if (a.offsets != nullptr)
    return {
        a.rows, a.columns,       0, line_of(a.offsets->layout), index.first, 0, index.strides[0], value.first,
        0,      value.strides[0]};
  return {a.rows,      a.columns,        value.shape[1],  {}, index.first, index.strides[0], index.strides[1],
          value.first, value.strides[0], value.strides[1]};
}

// Threads of a row: a power of two that depends on the mean number of elements. One if neighboring rows are
// adjacent in memory.
std::int64_t threads_of_row(const Sparse& a) {
  const Layout& value = a.values.layout;
  if (a.offsets == nullptr && std::abs(value.strides[0]) < std::abs(value.strides[1])) return 1;
  const std::int64_t mean = value.shape.size() / std::max<std::int64_t>(a.rows, 1);
  std::int64_t threads = 1;
  while (threads < kMostThreadsOfRow && threads * kMeanOfThread < mean) threads *= 2;
  return threads;
}

}  // namespace

Receipt sparse(const On& on, const char* operation, const Sparse& a, const View& x, const View& y,
               const ProductOptions& options) {
  const bool is_vector = std::string_view(operation) == "spmv";
  check_matrix(operation, a);
  check_product(operation, a, x, y, is_vector ? 1 : 2);
  if (y.layout.shape.size() == 0) return {};
  const Device device = on.stream().device();
  const Element accumulator = real_accumulator(a.values.element);
  const bool is_compressed = a.offsets != nullptr;
  const std::int64_t threads = threads_of_row(a);
  const std::string name =
      "quern_ops::" + std::string(operation) + "<" + std::string(name_of(a.values.element)) + ", " +
      std::string(name_of(accumulator)) + ", " + std::string(name_of(a.indices.element)) +
      (is_compressed ? ", true" : ", false") + (is_vector ? ", " + std::to_string(threads) : "") +
      (options.beta != 0 ? ", true>" : ", false>");
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "pieces", "sparse"}, {}, name);
  const SparseRows rows = rows_of(a);
  const Argument offsets = is_compressed ? argument_of(*a.offsets) : argument_of(a.indices);
  const Argument alpha = scalar_of(accumulator, options.alpha), beta = scalar_of(accumulator, options.beta);
  if (is_vector) {
    const Line x_line = line_of(x.layout), y_line = line_of(y.layout);
    const std::uint32_t blocks = blocks_for(device.info(), a.rows, kThreads / threads);
    return on.stream().launch(kernel, blocks_of_threads(blocks), rows, x_line, y_line, alpha, beta, offsets,
                              argument_of(a.indices), argument_of(a.values), argument_of(x), argument_of(y));
  }
  const auto dense = [](const Layout& layout) {
    return DenseMatrix{layout.first, layout.strides[0], layout.strides[1]};
  };
  const DenseMatrix from = dense(x.layout), to = dense(y.layout);
  const std::uint32_t blocks = blocks_for(device.info(), y.layout.shape.size(), kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), rows, x.layout.shape[1], from, to, alpha, beta,
                            offsets, argument_of(a.indices), argument_of(a.values), argument_of(x),
                            argument_of(y));
}

}  // namespace quern::ops::detail
