// Measures variants of operations on temporary operands.
#include "quern/ops/tune.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/failure.hpp"
#include "ops/messages_tune.hpp"
#include "ops/rows.hpp"
#include "quern/ops/attention.hpp"
#include "quern/ops/fft.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/normalize.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/scan.hpp"
#include "quern/ops/sort.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops {

namespace {

// A call of an operation, and the memory that it writes.
struct TunedCall {
  std::function<void(const Stream&)> run;
  std::vector<TuneOutput> outputs;
  std::function<void(const Stream&)> prepare = {};
};

template <ElementType T>
Tensor<T> random_operand(const Device& device, const Shape& shape, std::uint32_t seed) {
  std::vector<T> values(static_cast<std::size_t>(shape.size()));
  std::uint32_t state = seed;
  for (T& v : values) {  // of a linear congruential generator, in 0 to 1, or -127 to 127
    state = state * 1664525u + 1013904223u;
    if constexpr (std::is_same_v<T, std::int8_t>) {
      v = static_cast<T>(static_cast<int>(state >> 24) % 255 - 127);
    } else {
      v = static_cast<T>(static_cast<float>(state >> 8) * 0x1p-24f);
    }
  }
  Tensor<T> out(device, shape);
  out.upload(values);
  return out;
}

// Libraries, and tensor cores, take 8-bit elements only if depth is contiguous in both operands.
template <ElementType T>
TunedCall product_of(const Device& device, const Problem& problem) {
  const Shape& s = problem.shape;
  const Tensor<T> a = random_operand<T>(device, {s[0], s[2]}, 1),
                  b = sizeof(T) == 1 ? random_operand<T>(device, {s[1], s[2]}, 2).transpose()
                                     : random_operand<T>(device, {s[2], s[1]}, 2);
  using Result = detail::ProductOf<T>;
  const Tensor<Result> c(device, {s[0], s[1]});
  const MatmulOptions<Result> options{.precision = problem.precision};
  return {[a, b, c, options](const Stream& on) { matmul(on, a, b, c, options); }, {c.memory()}};
}

template <ElementType T>
TunedCall call_of(const Device& device, std::string_view name, const Problem& problem) {
  const Shape& s = problem.shape;
  if (name == "matmul") return product_of<T>(device, problem);
  if (name == "reduce") {
    using Total = std::conditional_t<(sizeof(T) < 4), float, T>;  // as sum()
    const Tensor<T> in = random_operand<T>(device, s, 1);
    const Tensor<Total> out(device, Shape{1});
    return {[in, out](const Stream& on) { reduce(on, Combine::sum, in, out); }, {out.memory()}};
  }
  if (name == "scan") {
    const Tensor<T> in = random_operand<T>(device, s, 1), out(device, s);
    return {[in, out](const Stream& on) { inclusive_scan(on, Combine::sum, in, out); }, {out.memory()}};
  }
  if (name == "attention") {
    const Shape of_q{1, s[0], s[1], s[3]}, of_k{1, s[0], s[2], s[3]};
    const Tensor<T> q = random_operand<T>(device, of_q, 1), k = random_operand<T>(device, of_k, 2),
                    v = random_operand<T>(device, of_k, 3), out(device, of_q);
    return {[q, k, v, out](const Stream& on) { attention(on, q, k, v, out, {.causal = true}); },
            {out.memory()}};
  }
  const Tensor<T> in = random_operand<T>(device, s, 1), out(device, s);
  if (name == "sort")
    return {[out](const Stream& on) { sort(on, out); },
            {out.memory()},
            [in, out](const Stream& on) { copy(on, in, out); }};
  if (name == "layer_norm") return {[in, out](const Stream& on) { layer_norm(on, in, out); }, {out.memory()}};
  return {[in, out](const Stream& on) { rms_norm(on, in, out); }, {out.memory()}};
}

// A complex element is compared as two real ones.
template <ElementType T, typename Real>
TunedCall transform_of(const Device& device, const Shape& s) {
  const Tensor<T> in = random_operand<T>(device, s, 1), out(device, s);
  return {[in, out](const Stream& on) { fft(on, in, out); }, {Slice<Real>(out.memory().bytes())}};
}

[[noreturn]] void fail_type(const Tunable& tunable, Element element) {
  fail(ErrorKind::unsupported,
       message::kNotTunableType(tunable.name, std::string(short_name_of(element)),
                                tunable.is_complex         ? "c64 or c128"
                                : tunable.name == "matmul" ? "f64, f32, tf32, f16, bf16, i8, e4m3 or e5m2"
                                                           : "f64, f32, f16 or bf16"));
}

TunedCall call_of(const Device& device, const Tunable& tunable, const Problem& problem) {
  switch (problem.element) {
    case Element::f64: return call_of<double>(device, tunable.name, problem);
    case Element::f32: return call_of<float>(device, tunable.name, problem);
    case Element::f16: return call_of<half>(device, tunable.name, problem);
    case Element::bf16: return call_of<bfloat16>(device, tunable.name, problem);
    case Element::i8: return product_of<std::int8_t>(device, problem);
    case Element::e4m3: return product_of<float8_e4m3>(device, problem);
    case Element::e5m2: return product_of<float8_e5m2>(device, problem);
    case Element::c64: return transform_of<std::complex<float>, float>(device, problem.shape);
    case Element::c128: return transform_of<std::complex<double>, double>(device, problem.shape);
    default: fail_type(tunable, problem.element);
  }
}

// Of contiguous operands with this many columns.
std::uint32_t alignment_of(const Tunable& tunable, const Device& device, const Shape& shape,
                           Element element) {
  if (!tunable.name.ends_with("norm")) return 0;
  detail::View view;
  view.element = element;
  view.layout = detail::Layout::contiguous(shape);
  const RowPlan plan = plan_rows(device.info(), shape[1], element, {true, has_pieces(device, view)});
  return static_cast<std::uint32_t>(plan.vector) * static_cast<std::uint32_t>(bytes_of(element));
}

}  // namespace

TuneResult measure_variants(const Device& device, const Tunable& tunable, const Problem& problem,
                            const TuneOptions& options) {
  const TunedCall call = call_of(device, tunable, problem);
  TuneRequest request = describe_tuning(device, tunable, problem);
  request.outputs = call.outputs;
  request.prepare = call.prepare;
  request.run = [&](const TuneCall& c) {
    const VariantScope scope(tunable.name, c.variant);
    call.run(c.stream);
  };
  return Tuner(device, options).tune(request);
}

std::vector<TunableOperation> tunable_operations() {
  std::vector<TunableOperation> out;
  for (const Tunable& t : tunables())
    out.push_back({std::string(t.name), std::string(t.extents), std::string(t.summary)});
  return out;
}

TuneResult tune(const Device& device, std::string_view operation, const Shape& shape, Element element,
                const TuneOptions& options, Precision precision) {
  const Tunable* const tunable = find_tunable(operation);
  if (tunable == nullptr) {
    std::string names;
    for (const Tunable& t : tunables()) names += (names.empty() ? "" : ", ") + std::string(t.name);
    fail(ErrorKind::invalid_use, message::kNotTunable(operation, names));
  }
  const auto axes =
      static_cast<std::size_t>(std::count(tunable->extents.begin(), tunable->extents.end(), 'x')) + 1;
  if (shape.rank() != axes || shape.size() == 0)
    fail(ErrorKind::invalid_use, message::kNotAProblem(operation, shape.to_string(), tunable->extents));
  if (!tunable->takes(element, precision)) fail_type(*tunable, element);
  const Problem problem{shape, element, alignment_of(*tunable, device, shape, element), precision};
  TuneResult result = measure_variants(device, *tunable, problem, options);
  if (result.source == TuneSource::measured && !options.stop.stop_requested())
    remember_result(device, *tunable, problem, result);
  return result;
}

}  // namespace quern::ops
