#include "quern/ops/select.hpp"

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "quern/ops/scan.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kSelectItems = 8;

const char* name_of(Selection selection) {
  switch (selection) {
    case Selection::select: return "select";
    case Selection::partition: return "partition";
    case Selection::unique: break;
  }
  return "unique";
}

void check_select(const char* operation, const View& in, const View& out, const View& count) {
  const Shape& shape = in.layout.shape;
  if (out.is_read_only || count.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly(operation));
  if (shape.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis(operation, shape.to_string()));
  if (shape != out.layout.shape)
    fail(ErrorKind::invalid_use,
         message::kShapesDiffer(operation, shape.to_string(), out.layout.shape.to_string()));
  check_same_type(operation, in, out);
  if (count.element != Element::i64 || count.layout.shape.size() != 1)
    fail(ErrorKind::invalid_use, message::kBadCount(operation, std::string(ops::name_of(count.element)),
                                                    count.layout.shape.to_string()));
}

}  // namespace

Receipt select(const On& on, Selection selection, const Function* predicate, const View& in, const View& out,
               const View& count) {
  check_select(name_of(selection), in, out, count);
  const std::int64_t n = in.layout.shape.size();
  if (n == 0) {
    const std::int64_t none = 0;
    return fill(on, count, &none);
  }
  const Device device = on.stream().device();
  const FunctionText function = predicate != nullptr ? text_of(*predicate) : FunctionText{};
  const std::string policy =
      predicate != nullptr ? "quern_ops::Where<" + function.type + ">" : "quern_ops::FirstOfRun";
  const std::string types = std::string(ops::name_of(in.element)) + ", " + policy;
  const std::string sizes = ", " + std::to_string(kThreads) + ", " + std::to_string(kSelectItems) + ">";
  const auto kernel = [&](const std::string& name) {
    return Engine::of(device)->kernel(device, {"index", "select"}, function.code, "quern_ops::" + name);
  };
  constexpr std::int64_t kTile = std::int64_t{kThreads} * kSelectItems;
  const std::int64_t tiles = (n - 1) / kTile + 1;
  const Workspace memory(device, static_cast<std::size_t>(tiles + 1) * sizeof(std::int64_t));
  const View starts = memory.view(Element::i64, tiles + 1);
  const LaunchConfig config = blocks_of_threads(blocks_for(device.info(), tiles, 1));
  const Line from = line_of(in.layout), to = line_of(out.layout);
  on.stream().launch(kernel("select_counts<" + types + sizes), config, n, tiles, from, argument_of(in),
                     argument_of(starts));
  scan(on, Combine::sum, starts, starts, true);
  const char* const is_partition = selection == Selection::partition ? ", true" : ", false";
  return on.stream().launch(kernel("select_move<" + types + is_partition + sizes), config, n, tiles, from, to,
                            argument_of(in), argument_of(starts), argument_of(out),
                            argument_of(count, count.layout.first));
}

}  // namespace quern::ops::detail
