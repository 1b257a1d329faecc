#include "quern/ops/blas.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kItemsOfThread = 4;

const char* name_of(VectorOperation operation) {
  static constexpr std::array<const char*, 4> kNames = {"axpy", "scal", "swap", "rot"};
  return kNames[static_cast<std::size_t>(operation)];
}
const char* name_of(VectorReduction reduction) {
  static constexpr std::array<const char*, 4> kNames = {"dot", "nrm2", "asum", "iamax"};
  return kNames[static_cast<std::size_t>(reduction)];
}

void check_vectors(const char* operation, const View& x, const View* y) {
  check_real(operation, x);
  const Shape &a = x.layout.shape, &b = y != nullptr ? y->layout.shape : a;
  if (a.rank() != 1 || a != b)
    fail(ErrorKind::invalid_use, message::kVectorsDiffer(operation, a.to_string(), b.to_string()));
  if (y != nullptr) check_same_type(operation, x, *y);
}

}  // namespace

Receipt vector(const On& on, VectorOperation operation, double a, double b, const View& x, const View* y) {
  const char* const name = name_of(operation);
  check_vectors(name, x, y);
  const bool reads_x = operation == VectorOperation::axpy;
  if ((x.is_read_only && !reads_x) || (y != nullptr && y->is_read_only))
    fail(ErrorKind::invalid_use, message::kReadOnly(name));
  const std::int64_t n = x.layout.shape.size();
  if (n == 0) return {};
  const View& other = y != nullptr ? *y : x;
  const Element accumulator = real_accumulator(x.element);
  const std::string types =
      std::string(ops::name_of(x.element)) + ", " + std::string(ops::name_of(accumulator));
  const Device device = on.stream().device();
  const LaunchConfig config = blocks_of_threads(blocks_for(device.info(), n, kThreads * kItemsOfThread));
  const Line x_line = line_of(x.layout), y_line = line_of(other.layout);
  const auto kernel = [&](const std::string& instance) {
    return Engine::of(device)->kernel(device, {"index", "blas"}, {}, "quern_ops::" + instance);
  };
  if (reads_x)
    return on.stream().launch(kernel("axpy<" + types + ">"), config, n, scalar_of(accumulator, a), x_line,
                              y_line, argument_of(x), argument_of(other));
  return on.stream().launch(
      kernel("vector<" + types + ", " + std::to_string(static_cast<int>(operation)) + ">"), config, n,
      scalar_of(accumulator, a), scalar_of(accumulator, b), x_line, y_line, argument_of(x),
      argument_of(other));
}

Receipt vector(const On& on, VectorReduction reduction, const View& x, const View* y, const View& out) {
  const char* const name = name_of(reduction);
  check_vectors(name, x, y);
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly(name));
  const Element result = reduction == VectorReduction::iamax ? Element::i64 : x.element;
  if (out.element != result || out.layout.shape.size() != 1)
    fail(ErrorKind::invalid_use,
         message::kBadVectorResult(name, out.layout.shape.to_string(), std::string(ops::name_of(out.element)),
                                   std::string(ops::name_of(result))));
  static constexpr std::array<const char*, 4> kPolicies = {"Dot", "Nrm2", "Asum", "Iamax"};
  const View& other = y != nullptr ? *y : x;
  const std::int64_t n = x.layout.shape.size();
  const Element accumulator = real_accumulator(x.element);
  const std::string type(ops::name_of(accumulator)), threads = std::to_string(kThreads);
  const std::string policy = std::string("quern_ops::") + kPolicies[static_cast<std::size_t>(reduction)] +
                             "<" + type + ">, " + threads + ">";
  const Device device = on.stream().device();
  const std::uint32_t blocks = blocks_for(device.info(), n, kThreads * 2 * kItemsOfThread);
  const Line x_line = line_of(x.layout), y_line = line_of(other.layout);
  const bool is_number = reduction == VectorReduction::dot || reduction == VectorReduction::asum;
  const Workspace memory(device, blocks * 2 * sizeof(double));
  const Argument parts = is_number ? memory.elements(accumulator) : memory.structs();
  const auto kernel = [&](const std::string& instance) {
    return Engine::of(device)->kernel(device, {"index", "blas"}, {}, "quern_ops::" + instance);
  };
  on.stream().launch(
      kernel("vector_parts<" + std::string(ops::name_of(x.element)) + ", " + type + ", " + policy),
      blocks_of_threads(blocks), n, x_line, y_line, argument_of(x), argument_of(other), parts);
  return on.stream().launch(kernel("vector_result<" + std::string(ops::name_of(result)) + ", " + policy),
                            blocks_of_threads(1), static_cast<std::int32_t>(blocks), parts,
                            argument_of(out, out.layout.first));
}

Receipt gemv(const On& on, const View& a, const View& x, const View& y, double alpha, double beta) {
  check_real("gemv", a);
  check_same_type("gemv", a, x);
  check_same_type("gemv", a, y);
  if (y.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("gemv"));
  const Shape &of_a = a.layout.shape, &of_x = x.layout.shape, &of_y = y.layout.shape;
  if (of_a.rank() != 2 || of_x.rank() != 1 || of_y.rank() != 1 || of_a[0] != of_y[0] || of_a[1] != of_x[0])
    fail(ErrorKind::invalid_use,
         message::kBadMatrixVector("gemv", of_a.to_string(), of_x.to_string(), of_y.to_string()));
  const std::int64_t m = of_a[0], n = of_a[1];
  if (m == 0) return {};
  const Element accumulator = real_accumulator(a.element);
  const auto& strides = a.layout.strides;
  const bool is_by_column = std::abs(strides[0]) < std::abs(strides[1]);
  const int rows = is_by_column ? 32 : n >= 1024 ? 2 : 8;
  const std::string name = "quern_ops::gemv<" + std::string(ops::name_of(a.element)) + ", " +
                           std::string(ops::name_of(accumulator)) + ", " + std::to_string(rows) + ", " +
                           std::to_string(static_cast<int>(kThreads) / rows) +
                           (is_by_column ? ", true" : ", false") + (beta != 0 ? ", true>" : ", false>");
  const Device device = on.stream().device();
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "blas"}, {}, name);
  const auto blocks =
      static_cast<std::uint32_t>(std::min<std::int64_t>((m + rows - 1) / rows, device.info().limits.grid.x));
  const Line x_line = line_of(x.layout), y_line = line_of(y.layout);
  return on.stream().launch(kernel, blocks_of_threads(blocks), m, n, a.layout.first, strides[0], strides[1],
                            x_line, y_line, scalar_of(accumulator, alpha), scalar_of(accumulator, beta),
                            argument_of(a), argument_of(x), argument_of(y));
}

}  // namespace quern::ops::detail
