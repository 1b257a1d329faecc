// Elementwise operations. The kernel's text is generated: its parameters depend on the number of inputs.
#include "quern/ops/transform.hpp"

#include <vector>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kTransformItems = 4;

// The parameters and the values of the inputs: "const float* in0", "in0[at[1]]".
struct Inputs {
  std::string parameters, values;
};

Inputs inputs_of(std::span<const View> in, bool is_contiguous) {
  Inputs out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string name = "in" + std::to_string(i);
    out.parameters += ", const " + std::string(name_of(in[i].element)) + "* " + name;
    out.values +=
        (i == 0 ? "" : ", ") + name + (is_contiguous ? "[i]" : "[at[" + std::to_string(i + 1) + "]]");
  }
  return out;
}

std::string kernel_text(const View& out, std::span<const View> in, const Iteration& iteration) {
  const bool is_contiguous = iteration.is_contiguous();
  const Inputs inputs = inputs_of(in, is_contiguous);
  const std::string type(name_of(out.element)), tensors = std::to_string(in.size() + 1);
  std::string text = "__global__ void transform(long long n, ";
  if (!is_contiguous) text += index_text(iteration.extents.size(), in.size() + 1) + " index, ";
  text +=
      type + "* out" + inputs.parameters + ") {\n  const QuernFunction function{};\n" +
      "  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;\n"
      "  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) "
      "{\n";
  if (!is_contiguous) text += "    long long at[" + tensors + "];\n    index.offsets(i, at);\n";
  text += std::string("    out[") + (is_contiguous ? "i" : "at[0]") + "] = static_cast<" + type +
          ">(function(" + inputs.values + "));\n  }\n}\n";
  return text;
}

}  // namespace

Receipt transform(const On& on, const Function& function, std::span<const View> in, const View& out) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("transform"));
  std::vector<Layout> layouts{out.layout};
  for (const View& view : in) layouts.push_back(view.layout.broadcast(out.layout.shape));
  const Iteration iteration = collapse(layouts);
  if (iteration.size == 0) return {};
  const Device device = on.stream().device();
  const bool is_contiguous = iteration.is_contiguous();
  const std::string code = text_of(function).code + kernel_text(out, in, iteration);
  const Kernel kernel = Engine::of(device)->kernel(device, {"index"}, code, "transform");

  std::vector<std::int64_t> first;
  for (const Layout& layout : layouts) first.push_back(layout.first);
  const IndexBytes index(iteration, first);
  std::vector<Argument> arguments{Argument(iteration.size)};
  if (!is_contiguous) arguments.push_back(index.argument());
  const auto add = [&](const View& view, std::int64_t at) {
    arguments.push_back(argument_of(view, is_contiguous ? at : 0));
  };
  add(out, first[0]);
  for (std::size_t i = 0; i < in.size(); ++i) add(in[i], first[i + 1]);
  const std::uint32_t blocks = blocks_for(device.info(), iteration.size, kThreads * kTransformItems);
  return on.stream().launch_list(kernel, blocks_of_threads(blocks), arguments);
}

Receipt fill(const On& on, const View& out, const void* value) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("fill"));
  const Iteration iteration = collapse(std::span(&out.layout, 1));
  if (iteration.size == 0) return {};
  const Device device = on.stream().device();
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "fill"}, {},
                                                   "quern_ops::fill<" + std::string(name_of(out.element)) +
                                                       ", " + std::to_string(iteration.extents.size()) + ">");
  const IndexBytes index(iteration, std::span(&out.layout.first, 1));
  const std::uint32_t blocks = blocks_for(device.info(), iteration.size, kThreads * kTransformItems);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, index.argument(),
                            argument_of(out), value_of(out.element, value));
}

}  // namespace quern::ops::detail
