// layer_norm and rms_norm.
#include "quern/ops/normalize.hpp"

#include <array>

#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/messages_nn.hpp"
#include "ops/rows.hpp"

namespace quern::ops {

// `alignment`: 0 for elements with a stride, that of an element, or that of a piece.
std::vector<Variant> norm_variants(const DeviceInfo& info, const Problem& problem) {
  const std::int64_t count = problem.shape[1];
  const RowPlan plan = plan_rows(info, count, problem.element,
                                 {problem.alignment != 0, problem.alignment > bytes_of(problem.element)});
  return row_variants(info, count, plan);
}

}  // namespace quern::ops

namespace quern::ops::detail {

namespace {

// NormStrides of text/normalize.cuh.
struct NormStrides {
  std::int64_t in, residual, out, sum, weight, bias;
};

void check_norm(const char* operation, const View& in, const View& out, const Norm& norm) {
  check_real(operation, in);
  check_result(operation, in, out);
  const Shape& shape = in.layout.shape;
  if (shape.rank() == 0) fail(ErrorKind::invalid_use, message::kWrongRank(operation, shape.to_string()));
  const Shape row{shape[shape.rank() - 1]};
  if (norm.weight != nullptr) check_shape(operation, "weight", *norm.weight, row);
  if (norm.bias != nullptr) check_shape(operation, "bias", *norm.bias, row);
  if (norm.residual != nullptr) check_shape(operation, "residual", *norm.residual, shape);
  if (norm.sum != nullptr) check_shape(operation, "sum", *norm.sum, shape);
}

// All operands in the order of Index<kAxes, 4>, then weight and bias; the input replaces those that are
// absent.
std::array<const View*, 6> operands_of(const View& in, const View& out, const Norm& norm) {
  const auto given = [&](const View* view) { return view != nullptr ? view : &in; };
  return {&in, given(norm.residual), &out, given(norm.sum), norm.weight, norm.bias};
}

RowPlan plan_norm(const Device& device, const char* operation, const std::array<const View*, 6>& operands) {
  RowLimits limits{true, true};
  for (const View* const view : operands) {
    if (view == nullptr) continue;
    limits.is_contiguous = limits.is_contiguous && view->layout.strides[view->layout.shape.rank() - 1] == 1;
    limits.has_pieces = limits.has_pieces && has_pieces(device, *view);
  }
  const Shape& shape = operands[0]->layout.shape;
  const Element element = operands[0]->element;
  const std::int64_t count = shape[shape.rank() - 1];
  const RowPlan plan = plan_rows(device.info(), count, element, limits);
  const auto alignment =
      static_cast<std::uint32_t>(plan.vector) * static_cast<std::uint32_t>(bytes_of(element));
  return with_variant(plan, count,
                      variant_for(device, operation, {{shape.size() / count, count}, element, alignment}));
}

std::string norm_name(const View& in, const RowPlan& plan, std::size_t axes, const Norm& norm) {
  const std::string type(name_of(in.element)), accumulator(name_of(real_accumulator(in.element)));
  const auto flag = [](bool value) { return value ? ", true" : ", false"; };
  return "quern_ops::normalize<" + type + ", " + accumulator +
         ", quern_ops::" + (norm.is_rms ? "Squares<" : "Moments<") + accumulator + ">, " + plan.sizes() +
         ", " + std::to_string(axes) + flag(plan.is_long) + flag(norm.weight != nullptr) +
         flag(norm.bias != nullptr) + flag(norm.residual != nullptr) + flag(norm.sum != nullptr) + ">";
}

}  // namespace

Receipt normalize(const On& on, const View& in, const View& out, const Norm& norm) {
  const char* const operation = norm.is_rms ? "rms_norm" : "layer_norm";
  check_norm(operation, in, out, norm);
  if (in.layout.shape.size() == 0) return {};
  const Device device = on.stream().device();
  const std::array<const View*, 6> operands = operands_of(in, out, norm);
  const std::size_t last = in.layout.shape.rank() - 1;
  const std::int64_t count = in.layout.shape[last];
  std::array<Layout, 4> layouts;
  std::array<std::int64_t, 4> first{};
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    layouts[i] = operands[i]->layout.select(last, 0);
    first[i] = operands[i]->layout.first;
  }
  const Iteration iteration = collapse(layouts);
  const IndexBytes index(iteration, first);
  const RowPlan plan = plan_norm(device, operation, operands);
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "pieces", "rows", "normalize"}, {},
                                                   norm_name(in, plan, iteration.extents.size(), norm));
  const auto stride = [&](const View& view) { return view.layout.strides[last]; };
  const auto vector_stride = [](const View* view) { return view != nullptr ? view->layout.strides[0] : 0; };
  const NormStrides strides{stride(in),           stride(*operands[1]),       stride(out),
                            stride(*operands[3]), vector_stride(norm.weight), vector_stride(norm.bias)};
  const auto optional = [](const View* view, std::int64_t at) {
    return view != nullptr ? argument_of(*view, at) : Argument(nullptr);
  };
  const auto line = [&](const View* view) {
    return optional(view, view != nullptr ? view->layout.first : 0);
  };
  const Argument epsilon = real_accumulator(in.element) == Element::f64
                               ? Argument(norm.epsilon)
                               : Argument(static_cast<float>(norm.epsilon));
  return on.stream().launch(kernel, plan.launch(device.info(), iteration.size), iteration.size, count,
                            index.argument(), strides, epsilon, argument_of(in), argument_of(out),
                            line(norm.weight), line(norm.bias), optional(norm.residual, 0),
                            optional(norm.sum, 0));
}

}  // namespace quern::ops::detail
