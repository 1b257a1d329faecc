// Reductions of segments. The average length selects the number of threads for each segment.
#include "quern/ops/segment.hpp"

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_primitives.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kThreadLength = 8, kWarpLength = 1024;  // the longest segments, on average
constexpr std::int64_t kWarp = 32;

void check_segments(const View& in, const View& offsets, const View& out) {
  const char* const operation = "segmented_reduce";
  check_not_complex(operation, in);
  check_not_complex(operation, out);
  check_writable(operation, out);
  const Shape &from = in.layout.shape, &to = out.layout.shape, &bounds = offsets.layout.shape;
  if (from.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis(operation, from.to_string()));
  if (to.rank() != 1 || bounds.rank() != 1 || bounds[0] != to[0] + 1 || !is_index(offsets.element))
    fail(ErrorKind::invalid_use,
         message::kBadOffsets(std::to_string(to.size()), to.to_string(), bounds.to_string(),
                              std::string(name_of(offsets.element))));
}

std::int64_t width_for(std::int64_t elements, std::int64_t segments) {
  const std::int64_t average = elements / segments;
  if (average <= kThreadLength) return 1;
  return average <= kWarpLength ? kWarp : std::int64_t{kThreads};
}

Receipt run(const On& on, const FunctionText& function, Element accumulator, const Argument& identity,
            const View& in, const View& offsets, const View& out) {
  check_segments(in, offsets, out);
  const std::int64_t segments = out.layout.shape.size(), n = in.layout.shape.size();
  if (segments == 0) return {};
  const Device device = on.stream().device();
  const std::int64_t width = width_for(n, segments);
  const std::string name = "quern_ops::segmented_reduce<" + std::string(name_of(in.element)) + ", " +
                           std::string(name_of(accumulator)) + ", " + std::string(name_of(out.element)) +
                           ", " + function.type + ", " + std::string(name_of(offsets.element)) + ", " +
                           std::to_string(width) + ", " + std::to_string(kThreads) + ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "segment"}, function.code, name);
  const std::uint32_t blocks = blocks_for(device.info(), segments, std::int64_t{kThreads} / width);
  return on.stream().launch(kernel, blocks_of_threads(blocks), segments, n, line_of(in.layout),
                            line_of(offsets.layout), line_of(out.layout), argument_of(in),
                            argument_of(offsets), argument_of(out), identity);
}

}  // namespace

Receipt segmented_reduce(const On& on, Combine combine, const View& in, const View& offsets,
                         const View& out) {
  const Element accumulator = accumulator_of(combine, in.element, out.element);
  return run(on, text_of(combine), accumulator, identity_of(combine, accumulator), in, offsets, out);
}

Receipt segmented_reduce(const On& on, const Function& combine, const View& in, const View& offsets,
                         const View& out, const void* identity) {
  return run(on, text_of(combine), out.element, value_of(out.element, identity), in, offsets, out);
}

}  // namespace quern::ops::detail
