// Small systems of linear equations.
#include "quern/ops/solve.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/messages_sparse.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::array<std::int64_t, 2> kSizes = {32, 64};  // rows of a factorization
constexpr std::int64_t kTileElements = 1024;              // of right-hand sides in shared memory
constexpr std::int64_t kMostColumns = 16;                 // of a block
constexpr std::int64_t kSmallMatrix = 256;                // of a matrix, for a block of few threads
constexpr std::uint32_t kFewThreads = 64;

// Matrices of text/solve.cuh.
struct Matrices {
  std::int64_t first = 0, batch = 0, row = 0, column = 0;
};

std::int64_t systems_of(const View& a) { return a.layout.shape.rank() == 3 ? a.layout.shape[0] : 1; }
std::int64_t rows_of(const View& a) { return a.layout.shape[a.layout.shape.rank() - 2]; }
std::int64_t columns_of(const View& a) { return a.layout.shape[a.layout.shape.rank() - 1]; }

Matrices matrices_of(const View& a) {
  const std::size_t rank = a.layout.shape.rank();
  return {a.layout.first, rank == 3 ? a.layout.strides[0] : 0, a.layout.strides[rank - 2],
          a.layout.strides[rank - 1]};
}

void check_type(const char* operation, const View& view) {
  if (view.element != Element::f64 && view.element != Element::f32)
    fail(ErrorKind::unsupported, message::kNotSolvable(operation, std::string(name_of(view.element))));
}

void check_square(const char* operation, const View& a) {
  check_type(operation, a);
  const Shape& shape = a.layout.shape;
  if (shape.rank() < 2 || shape.rank() > 3 || rows_of(a) != columns_of(a))
    fail(ErrorKind::invalid_use, message::kNotSquare(operation, shape.to_string()));
}

void check_rows(const char* operation, const View& a, std::int64_t most) {
  if (rows_of(a) > most)
    fail(ErrorKind::unsupported,
         message::kLargeMatrix(operation, std::to_string(rows_of(a)), std::string(name_of(a.element)),
                               std::to_string(most)));
}

void check_pivots(const char* operation, const View& a, const View& pivots) {
  check_element(operation, "pivots", pivots, Element::i32);
  const Shape wanted = a.layout.shape.rank() == 3 ? Shape{systems_of(a), rows_of(a)} : Shape{rows_of(a)};
  check_shape(operation, "pivots", pivots, wanted);
}

Matrices pivots_of(const View& pivots) {
  const std::size_t rank = pivots.layout.shape.rank();
  return {pivots.layout.first, rank == 2 ? pivots.layout.strides[0] : 0, 0, pivots.layout.strides[rank - 1]};
}

Kernel kernel_of(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"solve"}, {}, "quern_ops::" + name);
}

// One block for each matrix, or as many as fill the device.
LaunchConfig launch_of(const DeviceInfo& info, std::int64_t work, std::int64_t elements) {
  const std::uint32_t threads = elements <= kSmallMatrix ? kFewThreads : kThreads;
  return grid({blocks_for(info, work, 1), 1, 1}, {threads, 1, 1});
}

// Elements of a matrix in shared memory: of the smallest size that fits.
std::int64_t elements_of(const char* operation, const DeviceInfo& info, const View& a) {
  std::int64_t most = 0;
  for (const std::int64_t size : kSizes) {
    if (static_cast<std::size_t>(size * size) * bytes_of(a.element) > info.limits.shared_bytes) break;
    if (rows_of(a) <= size) return size * size;
    most = size;
  }
  check_rows(operation, a, most);
  return most * most;
}

Receipt solve(const char* operation, const On& on, const View& a, const View& b,
              const TriangularOptions& options, const View* pivots) {
  check_square(operation, a);
  check_writable(operation, b);
  check_same_type(operation, a, b);
  const Shape &of_a = a.layout.shape, &of_b = b.layout.shape;
  if (of_a.rank() != of_b.rank() || rows_of(a) != rows_of(b) || systems_of(a) != systems_of(b))
    fail(ErrorKind::invalid_use, message::kBadRightSides(operation, of_a.to_string(), of_b.to_string()));
  check_rows(operation, a, kTileElements);
  if (pivots != nullptr) check_pivots(operation, a, *pivots);
  if (of_b.size() == 0) return {};
  const Device device = on.stream().device();
  const std::int64_t n = rows_of(a), columns = columns_of(b),
                     width = std::min({columns, kMostColumns, kTileElements / n});
  const Kernel kernel = kernel_of(device, "solve_triangular<" + std::string(name_of(a.element)) + ", " +
                                              std::to_string(kTileElements) + ">");
  Matrices from = matrices_of(a);
  if (options.transpose) std::swap(from.row, from.column);
  const Matrices to = matrices_of(b), of_pivots = pivots != nullptr ? pivots_of(*pivots) : Matrices{};
  const std::int64_t work = systems_of(a) * ((columns + width - 1) / width);
  const auto number = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  return on.stream().launch(kernel, launch_of(device.info(), work, n * width), systems_of(a), number(n),
                            number(columns), number(width),
                            number(options.lower != options.transpose ? 1 : 0), number(options.unit ? 1 : 0),
                            number(pivots != nullptr ? 1 : 0), from, to, of_pivots, argument_of(a),
                            argument_of(b), pivots != nullptr ? argument_of(*pivots) : Argument(nullptr));
}

}  // namespace

Receipt cholesky(const On& on, const View& a) {
  check_square("cholesky", a);
  check_writable("cholesky", a);
  const Device device = on.stream().device();
  const std::int64_t elements = elements_of("cholesky", device.info(), a);
  if (a.layout.shape.size() == 0) return {};
  const Kernel kernel = kernel_of(
      device, "cholesky<" + std::string(name_of(a.element)) + ", " + std::to_string(elements) + ">");
  const Matrices layout = matrices_of(a);
  return on.stream().launch(kernel, launch_of(device.info(), systems_of(a), rows_of(a) * rows_of(a)),
                            systems_of(a), static_cast<std::int32_t>(rows_of(a)), layout, argument_of(a));
}

Receipt lu(const On& on, const View& a, const View& pivots) {
  check_square("lu", a);
  check_writable("lu", a);
  check_writable("lu", pivots);
  check_pivots("lu", a, pivots);
  const Device device = on.stream().device();
  const std::int64_t elements = elements_of("lu", device.info(), a);
  if (a.layout.shape.size() == 0) return {};
  const Kernel kernel =
      kernel_of(device, "lu<" + std::string(name_of(a.element)) + ", " + std::to_string(elements) + ">");
  const Matrices layout = matrices_of(a), of_pivots = pivots_of(pivots);
  return on.stream().launch(kernel, launch_of(device.info(), systems_of(a), rows_of(a) * rows_of(a)),
                            systems_of(a), static_cast<std::int32_t>(rows_of(a)), layout, of_pivots,
                            argument_of(a), argument_of(pivots));
}

Receipt solve_triangular(const On& on, const View& a, const View& b, const TriangularOptions& options) {
  return solve("solve_triangular", on, a, b, options, nullptr);
}

Receipt lu_solve(const On& on, const View& a, const View& pivots, const View& b) {
  solve("lu_solve", on, a, b, {.lower = true, .unit = true}, &pivots);
  return solve("lu_solve", on, a, b, {.lower = false}, nullptr);
}

}  // namespace quern::ops::detail
