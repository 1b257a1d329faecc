// Reductions and scans of runs of equal keys: a part for each block, a scan of the parts, the results.
#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"
#include "quern/ops/segment.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kRunItems = 8;
constexpr std::size_t kPartBytes = 16;  // Run<A, long long> of text/runs.cuh for any A

struct Runs {
  const On& on;
  FunctionText function;
  Element accumulator;
  const View& keys;
  const View* values;  // null: the number 1
  std::int64_t n = keys.layout.shape.size();
  std::int64_t tiles = (n - 1) / (std::int64_t{kThreads} * kRunItems) + 1;
  Device device = on.stream().device();
  std::uint32_t blocks = blocks_for(device.info(), tiles, 1);
  LaunchConfig config = blocks_of_threads(blocks);
  Workspace parts{device, has_parts() ? blocks* kPartBytes : 0};

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "runs"}, function.code, "quern_ops::" + name);
  }
  std::string accumulator_text() const { return std::string(name_of(accumulator)); }
  // K, V and A of the kernels.
  std::string types() const {
    const std::string type = accumulator_text();
    const std::string value = values != nullptr
                                  ? "Value<" + std::string(name_of(values->element)) + ", " + type + ">"
                                  : "One<" + type + ">";
    return std::string(name_of(keys.element)) + ", quern_ops::" + value + ", " + type;
  }
  static std::string sizes() { return std::to_string(kThreads) + ", " + std::to_string(kRunItems) + ">"; }
  bool has_parts() const { return blocks != 1; }
  std::string flag_of_parts() const { return has_parts() ? ", true, " : ", false, "; }
  Argument part_memory() const { return has_parts() ? parts.structs() : Argument(nullptr); }
  Line value_line() const { return values != nullptr ? line_of(values->layout) : Line{}; }
  Argument value_memory() const { return values != nullptr ? argument_of(*values) : Argument(nullptr); }

  void prepare_parts() const {
    if (!has_parts()) return;
    on.stream().launch(kernel("runs_parts<" + types() + ", " + function.type + ", " + sizes()), config, n,
                       tiles, line_of(keys.layout), value_line(), argument_of(keys), value_memory(),
                       part_memory());
    const std::string carry =
        "runs_carry<" + accumulator_text() + ", " + function.type + ", " + std::to_string(kThreads) + ">";
    on.stream().launch(kernel(carry), blocks_of_threads(1), static_cast<std::int32_t>(blocks), part_memory());
  }
};

void check_one_axis(const char* operation, const View& view) {
  if (view.layout.shape.rank() != 1)
    fail(ErrorKind::invalid_use, message::kNotOneAxis(operation, view.layout.shape.to_string()));
}

void check_count(const char* operation, const View& count) {
  check_writable(operation, count);
  if (count.element != Element::i64 || count.layout.shape.size() != 1)
    fail(ErrorKind::invalid_use,
         message::kBadCount(operation, std::string(name_of(count.element)), count.layout.shape.to_string()));
}

// Operands of the same shape as the keys.
void check_reduction(const char* operation, const ByKey& x, const View* values, const char* result) {
  const Shape& shape = x.keys.layout.shape;
  check_not_complex(operation, x.keys);
  check_not_complex(operation, values != nullptr ? *values : x.keys);
  check_not_complex(operation, x.out_values);
  check_one_axis(operation, x.keys);
  if (values != nullptr) check_shape(operation, "values", *values, shape);
  check_writable(operation, x.out_keys);
  check_writable(operation, x.out_values);
  check_same_type(operation, x.keys, x.out_keys);
  check_shape(operation, values != nullptr ? "out_keys" : "values", x.out_keys, shape);
  check_shape(operation, result, x.out_values, shape);
}

Receipt reduce_runs(const On& on, const FunctionText& function, Element accumulator, const ByKey& x,
                    const View* values, const View& count) {
  if (x.keys.layout.shape.size() == 0) {
    const std::int64_t none = 0;
    return fill(on, count, &none);
  }
  const Runs runs{on, function, accumulator, x.keys, values};
  runs.prepare_parts();
  const std::string name = "runs_reduce<" + runs.types() + ", " + std::string(name_of(x.out_values.element)) +
                           ", " + function.type + runs.flag_of_parts() + Runs::sizes();
  return on.stream().launch(runs.kernel(name), runs.config, runs.n, runs.tiles, line_of(x.keys.layout),
                            runs.value_line(), line_of(x.out_keys.layout), line_of(x.out_values.layout),
                            argument_of(x.keys), runs.value_memory(), runs.part_memory(),
                            argument_of(x.out_keys), argument_of(x.out_values),
                            argument_of(count, count.layout.first));
}

Receipt scan_runs(const On& on, const FunctionText& function, Element accumulator, const Argument& identity,
                  const View& keys, const View& values, const View& out, bool is_exclusive) {
  const char* const operation = is_exclusive ? "exclusive_scan_by_key" : "inclusive_scan_by_key";
  for (const View& view : {keys, values, out}) check_not_complex(operation, view);
  check_one_axis(operation, keys);
  check_writable(operation, out);
  check_shape(operation, "values", values, keys.layout.shape);
  check_shape(operation, "out", out, keys.layout.shape);
  if (keys.layout.shape.size() == 0) return {};
  const Runs runs{on, function, accumulator, keys, &values};
  runs.prepare_parts();
  const std::string name = "runs_scan<" + runs.types() + ", " + std::string(name_of(out.element)) + ", " +
                           function.type + (is_exclusive ? ", true" : ", false") + runs.flag_of_parts() +
                           Runs::sizes();
  return on.stream().launch(runs.kernel(name), runs.config, runs.n, runs.tiles, line_of(keys.layout),
                            runs.value_line(), line_of(out.layout), argument_of(keys), runs.value_memory(),
                            runs.part_memory(), argument_of(out), identity);
}

}  // namespace

Receipt run_length_encode(const On& on, const View& in, const View& values, const View& lengths,
                          const View& count) {
  const char* const operation = "run_length_encode";
  const ByKey operands{in, {}, values, lengths};
  check_reduction(operation, operands, nullptr, "lengths");
  check_indices(operation, "lengths", lengths);
  check_count(operation, count);
  // A run of a 32-bit length has fewer than 2^32 elements.
  const Element number = bytes_of(lengths.element) == 4 ? Element::u32 : Element::u64;
  return reduce_runs(on, text_of(Combine::sum), number, operands, nullptr, count);
}

Receipt reduce_by_key(const On& on, Combine combine, const ByKey& operands, const View& count) {
  check_reduction("reduce_by_key", operands, &operands.values, "out_values");
  check_count("reduce_by_key", count);
  const Element accumulator = accumulator_of(combine, operands.values.element, operands.out_values.element);
  return reduce_runs(on, text_of(combine), accumulator, operands, &operands.values, count);
}

Receipt reduce_by_key(const On& on, const Function& combine, const ByKey& operands, const View& count) {
  check_reduction("reduce_by_key", operands, &operands.values, "out_values");
  check_count("reduce_by_key", count);
  return reduce_runs(on, text_of(combine), operands.out_values.element, operands, &operands.values, count);
}

Receipt scan_by_key(const On& on, Combine combine, const View& keys, const View& values, const View& out,
                    bool is_exclusive) {
  const Element accumulator = accumulator_of(combine, values.element, out.element);
  return scan_runs(on, text_of(combine), accumulator, identity_of(combine, accumulator), keys, values, out,
                   is_exclusive);
}

Receipt scan_by_key(const On& on, const Function& combine, const View& keys, const View& values,
                    const View& out, bool is_exclusive, const void* identity) {
  return scan_runs(on, text_of(combine), out.element, value_of(out.element, identity), keys, values, out,
                   is_exclusive);
}

}  // namespace quern::ops::detail
