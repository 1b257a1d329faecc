// Reductions: of a whole contiguous tensor in two passes, otherwise one block or one thread for each result.
#include "quern/ops/reduce.hpp"

#include <array>
#include <optional>
#include <vector>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops {

// Of reduce_parts: threads of a block, and elements of a thread in each step.
std::vector<Variant> reduce_variants(const DeviceInfo& info, const Problem& problem) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(problem.element));
  return with_default(
      {{"threads", kThreads}, {"items", prefers_look_back(info) ? 64 / bytes : 8}},
      variants({{"threads", {128, 256, 512}}, {"items", {4, 8, 16, 32, 64}}}, [&](const Variant& v) {
        return v.at("threads") <= static_cast<std::int64_t>(info.limits.block_threads);
      }));
}

}  // namespace quern::ops

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kFewElements = 32;  // of a result: one thread computes it

// Best<A> of text/reduce.cuh for any A.
struct Best {
  std::uint64_t value = 0;
  std::int64_t position = -1;
};

struct Reduction {
  const On& on;
  std::string policy;  // of text/reduce.cuh
  std::string code;    // defines the policy's function
  Argument identity;
  std::optional<Element> accumulator;  // nothing: Best
  Device device = on.stream().device();

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "packs", "reduce"}, code, "quern_ops::" + name);
  }
};

// Elements that a thread combines at a time, and whether they are one access: "4, true>". Processors combine
// single elements, which their compilers turn into vectors.
std::string packs_of(const Device& device, const View& in, std::int64_t items) {
  const std::int64_t pack = elements_of_piece(in.element);
  if (device.info().driver == "cpu" || items % pack != 0) return "1, false>";
  return std::to_string(pack) + (is_aligned(device, in) ? ", true>" : ", false>");
}

// A part of the input for each block, then the parts.
Receipt reduce_all(const Reduction& r, const View& in, const View& out) {
  const std::int64_t n = in.layout.shape.size();
  const Variant variant = variant_for(r.device, "reduce", {{n}, in.element});
  const std::int64_t threads = variant.at("threads"), items = variant.at("items");
  const std::string sizes = ", " + std::to_string(threads) + ", " + std::to_string(items) + ", ";
  const std::string of_input = sizes + packs_of(r.device, in, items);
  const std::uint32_t blocks = blocks_for(r.device.info(), n, threads * items);
  const LaunchConfig one = blocks_of_threads(1, threads);
  const Argument from = argument_of(in, in.layout.first), to = argument_of(out, out.layout.first);
  if (blocks == 1)
    return r.on.stream().launch(r.kernel("reduce_parts<" + r.policy + of_input), one, n, from, to,
                                r.identity);
  const std::size_t bytes = r.accumulator ? bytes_of(*r.accumulator) : sizeof(Best);
  const Workspace memory(r.device, blocks * bytes);
  const Argument parts = r.accumulator ? memory.elements(*r.accumulator) : memory.structs();
  r.on.stream().launch(r.kernel("reduce_parts<quern_ops::First<" + r.policy + ">" + of_input),
                       blocks_of_threads(blocks, threads), n, from, parts, r.identity);
  return r.on.stream().launch(
      r.kernel("reduce_parts<quern_ops::Second<" + r.policy + ">" + sizes + "1, false>"), one,
      std::int64_t{blocks}, parts, to, r.identity);
}

// The axes of the input that the result keeps, and those that are reduced.
struct Axes {
  Layout kept_in, kept_out, reduced;
};

Axes axes_of(const char* operation, const View& in, const View& out) {
  const Shape& from = in.layout.shape;
  const Shape& to = out.layout.shape;
  const auto misfit = [&] { return message::kBadReduction(operation, from.to_string(), to.to_string()); };
  const bool is_one = to.size() == 1 && to.rank() <= 1;  // a single value for any number of axes
  if (to.rank() != from.rank() && !is_one) fail(ErrorKind::invalid_use, misfit());
  std::vector<std::int64_t> kept, reduced;
  Axes axes;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    const bool is_kept = !is_one && to[i] == from[i];
    if (!is_kept && !is_one && to[i] != 1) fail(ErrorKind::invalid_use, misfit());
    if (is_kept) {
      axes.kept_in.strides[kept.size()] = in.layout.strides[i];
      axes.kept_out.strides[kept.size()] = out.layout.strides[i];
      kept.push_back(from[i]);
    } else {
      axes.reduced.strides[reduced.size()] = in.layout.strides[i];
      reduced.push_back(from[i]);
    }
  }
  axes.kept_in.shape = axes.kept_out.shape = Shape(kept);
  axes.reduced.shape = Shape(reduced);
  return axes;
}

Receipt reduce_axes(const Reduction& r, const View& in, const View& out, const Axes& axes) {
  const std::array<Layout, 2> both{axes.kept_in, axes.kept_out};
  const Iteration kept = collapse(both), reduced = collapse(std::span(&axes.reduced, 1));
  const std::array<std::int64_t, 2> first{in.layout.first, out.layout.first};
  const std::array<std::int64_t, 1> zero{0};
  const IndexBytes kept_index(kept, first), reduced_index(reduced, zero);
  const bool is_thread = reduced.size <= kFewElements;
  std::string name = std::string(is_thread ? "reduce_thread<" : "reduce_block<") + r.policy + ", " +
                     std::to_string(kept.extents.size()) + ", " + std::to_string(reduced.extents.size());
  name += is_thread ? ">" : ", " + std::to_string(kThreads) + ">";
  const std::uint32_t blocks = blocks_for(r.device.info(), kept.size, is_thread ? kThreads : 1);
  return r.on.stream().launch(r.kernel(name), blocks_of_threads(blocks), kept.size, reduced.size,
                              kept_index.argument(), reduced_index.argument(), argument_of(in),
                              argument_of(out), r.identity);
}

Receipt run(const char* operation, const Reduction& r, const View& in, const View& out) {
  check_not_complex(operation, in);
  check_not_complex(operation, out);
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly(operation));
  const Axes axes = axes_of(operation, in, out);
  if (out.layout.shape.size() == 0) return {};
  if (axes.kept_in.shape.size() == 1 && in.layout.is_contiguous() && in.layout.shape.size() != 0)
    return reduce_all(r, in, out);
  return reduce_axes(r, in, out, axes);
}

std::string values_policy(Element in, Element accumulator, Element out, const FunctionText& function) {
  return "quern_ops::Values<" + std::string(name_of(in)) + ", " + std::string(name_of(accumulator)) + ", " +
         std::string(name_of(out)) + ", " + function.type + ">";
}

}  // namespace

Receipt reduce(const On& on, Combine combine, const View& in, const View& out) {
  const Element accumulator = accumulator_of(combine, in.element, out.element);
  const std::string policy = values_policy(in.element, accumulator, out.element, text_of(combine));
  return run("reduce", {on, policy, {}, identity_of(combine, accumulator), accumulator}, in, out);
}

Receipt reduce(const On& on, const Function& combine, const View& in, const View& out, const void* identity) {
  const FunctionText function = text_of(combine);
  const std::string policy = values_policy(in.element, out.element, out.element, function);
  return run("reduce", {on, policy, function.code, value_of(out.element, identity), out.element}, in, out);
}

Receipt arg_reduce(const On& on, Combine combine, const View& in, const View& out) {
  const bool is_min = combine == Combine::min;
  const char* const operation = is_min ? "argmin" : "argmax";
  const bool holds_positions = out.element == Element::i32 || out.element == Element::u32 ||
                               out.element == Element::i64 || out.element == Element::u64;
  if (!holds_positions)
    fail(ErrorKind::invalid_use, message::kNotIndices(operation, std::string(name_of(out.element))));
  if (in.layout.shape.size() == 0 && out.layout.shape.size() != 0)
    fail(ErrorKind::invalid_use, message::kNoElement(operation, in.layout.shape.to_string()));
  const Element value = accumulator_of(combine, in.element, in.element);
  const std::string policy = "quern_ops::Positions<" + std::string(name_of(in.element)) + ", " +
                             std::string(name_of(value)) + ", " + std::string(name_of(out.element)) +
                             (is_min ? ", true>" : ", false>");
  const Best none;
  return run(operation, {on, policy, {}, none, std::nullopt}, in, out);
}

}  // namespace quern::ops::detail
