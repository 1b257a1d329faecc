// Softmax and cross entropy.
#include "quern/ops/softmax.hpp"

#include <array>

#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"
#include "ops/rows.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kManyRows = 1024;  // enough for one thread each

std::size_t axis_of(const char* operation, const View& view, int axis) {
  const auto rank = static_cast<int>(view.layout.shape.rank());
  const int from_front = axis < 0 ? axis + rank : axis;
  if (from_front < 0 || from_front >= rank)
    fail(ErrorKind::invalid_use,
         message::kNoSuchAxis(operation, std::to_string(axis), view.layout.shape.to_string()));
  return static_cast<std::size_t>(from_front);
}

// The view with the axis as its last one.
View with_last(const View& view, std::size_t axis) {
  View out = view;
  for (std::size_t i = axis; i + 1 < view.layout.shape.rank(); ++i)
    out.layout = out.layout.transpose(i, i + 1);
  return out;
}

// Input and result as rows of the last axis.
struct Rows {
  View in, out;
  Iteration iteration;
  std::int64_t count, in_stride, out_stride;

  Rows(const View& from, const View& to) : in(from), out(to) {
    const std::size_t last = in.layout.shape.rank() - 1;
    count = in.layout.shape[last];
    in_stride = in.layout.strides[last];
    out_stride = out.layout.strides[last];
    if (count != 0) {
      const std::array<Layout, 2> both{in.layout.select(last, 0), out.layout.select(last, 0)};
      iteration = collapse(both);
    }
  }
  bool is_empty() const { return count == 0 || iteration.size == 0; }
  IndexBytes index() const {
    const std::array<std::int64_t, 2> first{in.layout.first, out.layout.first};
    return {iteration, first};
  }
  RowPlan plan(const Device& device) const {
    return plan_rows(device.info(), count, in.element,
                     {in_stride == 1 && out_stride == 1, has_pieces(device, in) && has_pieces(device, out)});
  }
  std::string types() const {
    return std::string(name_of(in.element)) + ", " + std::string(name_of(real_accumulator(in.element)));
  }
  std::string axes() const { return std::to_string(iteration.extents.size()); }
};

// Rows whose neighbors are adjacent in memory, while the elements of a row are not.
bool are_columns(const Rows& rows) {
  return rows.in_stride != 1 && rows.iteration.size >= kManyRows && !rows.iteration.extents.empty() &&
         rows.iteration.strides[0].back() == 1;
}

Kernel softmax_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "rows", "softmax"}, {}, "quern_ops::" + name);
}

// `targets` and the next ones: for the gradient of cross entropy.
Receipt run_rows(const On& on, const Rows& rows, const char* mode, const View& targets, const View& factors,
                 std::int64_t ignored) {
  const Device device = on.stream().device();
  const RowPlan plan = rows.plan(device);
  const bool is_gradient = targets.bytes.memory != nullptr;
  const Line target_line = is_gradient ? line_of(targets.layout) : Line{},
             factor_line = is_gradient ? line_of(factors.layout) : Line{};
  const Kernel kernel =
      softmax_kernel(device, "softmax<" + rows.types() + ", " + std::string(name_of(targets.element)) +
                                 ", quern_ops::" + mode + ", " + plan.sizes() + ", " + rows.axes() +
                                 (plan.is_long ? ", true>" : ", false>"));
  return on.stream().launch(kernel, plan.launch(device.info(), rows.iteration.size), rows.iteration.size,
                            rows.count, rows.index().argument(), rows.in_stride, rows.out_stride,
                            argument_of(rows.in), argument_of(rows.out), target_line, factor_line,
                            is_gradient ? argument_of(targets) : Argument(nullptr),
                            is_gradient ? argument_of(factors) : Argument(nullptr), ignored);
}

// The operands of cross entropy. Returns `loss` for all rows.
View check_entropy(const char* operation, const View& logits, const View& targets, const View& loss) {
  check_real(operation, logits);
  if (logits.layout.shape.rank() != 2)
    fail(ErrorKind::invalid_use, message::kWrongRank(operation, logits.layout.shape.to_string()));
  const Shape rows{logits.layout.shape[0]};
  check_indices(operation, "targets", targets);
  check_shape(operation, "targets", targets, rows);
  check_element(operation, "loss", loss, real_accumulator(logits.element));
  View out = loss;
  if (loss.is_read_only) out.layout = loss.layout.broadcast(rows);
  check_shape(operation, "loss", out, rows);
  return out;
}

}  // namespace

Receipt softmax(const On& on, const View& in, const View& out, int axis, bool is_log) {
  const char* const operation = is_log ? "log_softmax" : "softmax";
  check_real(operation, in);
  check_result(operation, in, out);
  const std::size_t at = axis_of(operation, in, axis);
  const Rows rows(with_last(in, at), with_last(out, at));
  if (rows.is_empty()) return {};
  if (!are_columns(rows)) {
    View none;
    none.element = Element::i32;
    return run_rows(on, rows, is_log ? "kLogSoftmax" : "kSoftmax", none, none, 0);
  }
  const Device device = on.stream().device();
  const Kernel kernel = softmax_kernel(
      device, "softmax_columns<" + rows.types() + ", " + rows.axes() + (is_log ? ", true>" : ", false>"));
  const std::uint32_t blocks = blocks_for(device.info(), rows.iteration.size, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), rows.iteration.size, rows.count,
                            rows.index().argument(), rows.in_stride, rows.out_stride, argument_of(rows.in),
                            argument_of(rows.out));
}

Receipt cross_entropy(const On& on, const View& logits, const View& targets, const View& loss,
                      std::int64_t ignored) {
  check_writable("cross_entropy", loss);
  check_entropy("cross_entropy", logits, targets, loss);
  if (logits.layout.shape[0] == 0) return {};
  const Device device = on.stream().device();
  const bool is_contiguous = logits.layout.strides[1] == 1;
  const RowPlan plan = plan_rows(device.info(), logits.layout.shape[1], logits.element,
                                 {is_contiguous, has_pieces(device, logits)});
  const Kernel kernel = softmax_kernel(device, "cross_entropy<" + std::string(name_of(logits.element)) +
                                                   ", " + std::string(name_of(loss.element)) + ", " +
                                                   std::string(name_of(targets.element)) + ", " +
                                                   plan.sizes() + (plan.is_long ? ", true>" : ", false>"));
  const Line target_line = line_of(targets.layout), loss_line = line_of(loss.layout);
  const auto& layout = logits.layout;
  return on.stream().launch(kernel, plan.launch(device.info(), layout.shape[0]), layout.shape[0],
                            layout.shape[1], layout.first, layout.strides[0], layout.strides[1],
                            argument_of(logits), target_line, loss_line, argument_of(targets),
                            argument_of(loss), ignored);
}

Receipt cross_entropy_gradient(const On& on, const View& logits, const View& targets,
                               const View& loss_gradient, const View& gradient, std::int64_t ignored) {
  const char* const operation = "cross_entropy_gradient";
  View factors = loss_gradient;
  factors.is_read_only = true;
  factors = check_entropy(operation, logits, targets, factors);
  check_result(operation, logits, gradient);
  const Rows rows(logits, gradient);
  if (rows.is_empty()) return {};
  return run_rows(on, rows, "kGradient", targets, factors, ignored);
}

}  // namespace quern::ops::detail
