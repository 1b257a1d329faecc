// Elementwise operations. The kernel's text is generated: its parameters depend on the number of inputs.
#include "quern/ops/transform.hpp"

#include <algorithm>
#include <vector>

#include "ops/checks.hpp"
#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kCpuElements = 4;              // of a thread
constexpr std::size_t kAccess = 16, kMostBytes = 32;  // of a pack of the smallest and the largest type

// How elements are accessed: contiguous packs of several elements, single contiguous elements, or any
// strides.
struct Access {
  std::int64_t pack = 1;
  bool is_contiguous = false;

  Access(const Device& device, const Iteration& iteration, std::span<const View* const> views)
      : is_contiguous(iteration.is_contiguous()) {
    if (!is_contiguous || device.info().kind == DeviceKind::cpu) return;
    std::size_t smallest = kAccess, largest = 1;
    for (const View* const view : views) {
      if (!is_aligned(device, *view)) return;
      smallest = std::min(smallest, bytes_of(view->element));
      largest = std::max(largest, bytes_of(view->element));
    }
    pack = static_cast<std::int64_t>(std::min(kAccess / smallest, kMostBytes / largest));
  }
  std::uint32_t blocks(const Device& device, std::int64_t size) const {
    const bool is_cpu = device.info().kind == DeviceKind::cpu;
    return blocks_for_all(device.info(), size, kThreads * (is_cpu ? kCpuElements : pack));
  }
};

// The parameters and the values of the inputs: "const float* in0", and "in0[i]", "in0[at[1]]" or
// "pack0.of[k]".
struct Inputs {
  std::string parameters, packs, of_pack, contiguous, strided;
};

Inputs inputs_of(std::span<const View> in, const std::string& pack) {
  Inputs out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string number = std::to_string(i), separator = i == 0 ? "" : ", ",
                      type(name_of(in[i].element));
    const std::string as_pack = "quern_ops::Pack<" + type + ", " + pack + ">";
    out.parameters += ", const " + type + "* in" + number;
    out.packs += "    const " + as_pack + " pack" + number + " = reinterpret_cast<const " + as_pack +
                 "*>(in" + number + ")[i];\n";
    out.of_pack += separator + "pack" + number + ".of[k]";
    out.contiguous += separator + "in" + number + "[i]";
    out.strided += separator + "in" + number + "[at[" + std::to_string(i + 1) + "]]";
  }
  return out;
}

std::string loop_text(const std::string& from, const std::string& to) {
  return "  for (long long i = " + from + "; i < " + to + "; i += step) {\n";
}

std::string kernel_text(const View& out, std::span<const View> in, const Iteration& iteration,
                        const Access& access) {
  const std::string pack = std::to_string(access.pack), type(name_of(out.element));
  const Inputs inputs = inputs_of(in, pack);
  const auto assignment = [&](const std::string& to, const std::string& values) {
    return "    " + to + " = static_cast<" + type + ">(function(" + values + "));\n";
  };
  std::string text = "__global__ void transform(long long n, ";
  if (!access.is_contiguous) text += index_text(iteration.extents.size(), in.size() + 1) + " index, ";
  text += type + "* out" + inputs.parameters + ") {\n  const QuernFunction function{};\n" +
          "  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;\n"
          "  const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;\n";
  if (!access.is_contiguous)
    return text + loop_text("thread", "n") + "    long long at[" + std::to_string(in.size() + 1) +
           "];\n    quern_ops::offsets_of(index, i, at);\n" + assignment("out[at[0]]", inputs.strided) +
           "  }\n}\n";
  std::string first = "thread";
  if (access.pack > 1) {  // elements after the last pack follow as single ones
    const std::string as_pack = "quern_ops::Pack<" + type + ", " + pack + ">";
    text += loop_text("thread", "n / " + pack) + inputs.packs + "    " + as_pack +
            " result;\n#pragma unroll\n" + "    for (int k = 0; k < " + pack + "; ++k)\n  " +
            assignment("result.of[k]", inputs.of_pack) + "    reinterpret_cast<" + as_pack +
            "*>(out)[i] = result;\n  }\n";
    first = "n / " + pack + " * " + pack + " + thread";
  }
  return text + loop_text(first, "n") + assignment("out[i]", inputs.contiguous) + "  }\n}\n";
}

}  // namespace

Receipt transform(const On& on, const Function& function, std::span<const View> in, const View& out) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("transform"));
  std::vector<Layout> layouts{out.layout};
  for (const View& view : in) layouts.push_back(view.layout.broadcast(out.layout.shape));
  const Iteration iteration = collapse(layouts);
  if (iteration.size == 0) return {};
  const Device device = on.stream().device();
  std::vector<const View*> views{&out};
  for (const View& view : in) views.push_back(&view);
  const Access access(device, iteration, views);
  const std::string code = text_of(function).code + kernel_text(out, in, iteration, access);
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "pieces"}, code, "transform");

  std::vector<std::int64_t> first;
  for (const Layout& layout : layouts) first.push_back(layout.first);
  const IndexBytes index(iteration, first);
  std::vector<Argument> arguments{Argument(iteration.size)};
  if (!access.is_contiguous) arguments.push_back(index.argument());
  const auto add = [&](const View& view, std::int64_t at) {
    arguments.push_back(argument_of(view, access.is_contiguous ? at : 0));
  };
  add(out, first[0]);
  for (std::size_t i = 0; i < in.size(); ++i) add(in[i], first[i + 1]);
  return on.stream().launch_list(kernel, blocks_of_threads(access.blocks(device, iteration.size)), arguments);
}

Receipt fill(const On& on, const View& out, const void* value) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("fill"));
  const Iteration iteration = collapse(std::span(&out.layout, 1));
  if (iteration.size == 0) return {};
  const Device device = on.stream().device();
  const View* const view = &out;
  const Access access(device, iteration, std::span(&view, 1));
  const std::string sizes = access.is_contiguous ? "fill<" + std::to_string(access.pack)
                                                 : "fill_strided<" + std::to_string(iteration.extents.size());
  const Kernel kernel =
      Engine::of(device)->kernel(device, {"index", "pieces", "fill"}, {},
                                 "quern_ops::" + sizes + ", " + std::string(name_of(out.element)) + ">");
  const LaunchConfig config = blocks_of_threads(access.blocks(device, iteration.size));
  const Argument number = value_of(out.element, value);
  if (access.is_contiguous)
    return on.stream().launch(kernel, config, iteration.size, argument_of(out, out.layout.first), number);
  const IndexBytes index(iteration, std::span(&out.layout.first, 1));
  return on.stream().launch(kernel, config, iteration.size, index.argument(), argument_of(out), number);
}

}  // namespace quern::ops::detail
