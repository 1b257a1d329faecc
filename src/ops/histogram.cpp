#include "quern/ops/histogram.hpp"

#include <cstring>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/identity.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_primitives.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kSharedBins = 2048, kSharedEdges = 1024;
constexpr std::int64_t kElementsOfThread = 16;

// SumOf.
Element bound_of(Element element) {
  if (element == Element::f64 || element >= Element::u64)
    return element == Element::f64 ? Element::f64 : Element::u64;
  return element <= Element::bf16 ? Element::f32 : Element::i64;
}

template <typename T>
std::string text_of_bound(const void* bound) {
  T value;
  std::memcpy(&value, bound, sizeof value);
  return std::to_string(value);
}

template <typename T>
bool is_range(const void* lower, const void* upper, std::int64_t bins) {
  T from, to;
  std::memcpy(&from, lower, sizeof from);
  std::memcpy(&to, upper, sizeof to);
  if (!(from < to)) return false;
  if constexpr (std::is_integral_v<T>) {  // the kernel multiplies with the number of bins
    const std::uint64_t width = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    return width <= UINT64_MAX / static_cast<std::uint64_t>(bins);
  } else {
    return to - from <= std::numeric_limits<T>::max();
  }
}

template <typename T>
void check_range(const void* lower, const void* upper, std::int64_t bins) {
  if (!is_range<T>(lower, upper, bins))
    fail(ErrorKind::invalid_use,
         message::kBadRange(text_of_bound<T>(lower), text_of_bound<T>(upper), std::to_string(bins)));
}

void check_counts(const View& counts) {
  const Shape& shape = counts.layout.shape;
  if (counts.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("histogram"));
  const bool has_words = counts.element == Element::u32 || counts.element == Element::i32;
  if (shape.rank() != 1 || shape.size() == 0 || shape.size() > INT32_MAX || !has_words)
    fail(ErrorKind::invalid_use,
         message::kBadCounts(shape.to_string(), std::string(name_of(counts.element))));
}

void check_bounds(std::int64_t bins, Element bound, const void* lower, const void* upper) {
  switch (bound) {
    case Element::f64: return check_range<double>(lower, upper, bins);
    case Element::f32: return check_range<float>(lower, upper, bins);
    case Element::i64: return check_range<std::int64_t>(lower, upper, bins);
    default: return check_range<std::uint64_t>(lower, upper, bins);
  }
}

void check_edges(const View& in, const View& edges, const View& counts) {
  const Shape &shape = edges.layout.shape, &bins = counts.layout.shape;
  if (shape.rank() != 1 || shape[0] != bins[0] + 1 || edges.element != in.element)
    fail(ErrorKind::invalid_use, message::kBadEdges(bins.to_string(), std::string(name_of(in.element)),
                                                    shape.to_string(), std::string(name_of(edges.element))));
}

// The counts as unsigned integers.
View cleared(const On& on, const View& counts, Receipt& receipt) {
  View words = counts;
  words.element = Element::u32;
  const std::uint32_t zero = 0;
  receipt = fill(on, words, &zero);
  return words;
}

}  // namespace

Receipt histogram(const On& on, const View& in, const View& counts, const void* lower, const void* upper) {
  check_not_complex("histogram", in);
  const Element bound = bound_of(in.element);
  check_counts(counts);
  check_bounds(counts.layout.shape.size(), bound, lower, upper);
  Receipt receipt;
  const View words = cleared(on, counts, receipt);
  const Iteration iteration = collapse(std::span(&in.layout, 1));
  if (iteration.size == 0) return receipt;
  const Device device = on.stream().device();
  const std::int64_t bins = counts.layout.shape.size();
  const std::string name = "quern_ops::histogram<" + std::string(name_of(in.element)) + ", " +
                           std::string(name_of(bound)) + ", " + std::to_string(iteration.extents.size()) +
                           ", " + std::to_string(bins <= kSharedBins ? kSharedBins : 0) + ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "histogram"}, {}, name);
  const IndexBytes index(iteration, std::span(&in.layout.first, 1));
  const Line line = line_of(counts.layout);
  const std::uint32_t blocks = blocks_for(device.info(), iteration.size, kThreads * kElementsOfThread);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, index.argument(),
                            argument_of(in), static_cast<std::uint32_t>(bins), value_of(bound, lower),
                            value_of(bound, upper), line, argument_of(words));
}

Receipt histogram(const On& on, const View& in, const View& edges, const View& counts) {
  check_counts(counts);
  check_edges(in, edges, counts);
  Receipt receipt;
  const View words = cleared(on, counts, receipt);
  const Iteration iteration = collapse(std::span(&in.layout, 1));
  if (iteration.size == 0) return receipt;
  const Device device = on.stream().device();
  const std::int64_t bins = counts.layout.shape.size();
  const std::string name = "quern_ops::histogram_edges<" + std::string(name_of(in.element)) + ", " +
                           std::to_string(iteration.extents.size()) + ", " +
                           std::to_string(bins <= kSharedEdges ? kSharedEdges : 0) + ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "histogram"}, {}, name);
  const IndexBytes index(iteration, std::span(&in.layout.first, 1));
  const std::uint32_t blocks = blocks_for(device.info(), iteration.size, kThreads * kElementsOfThread);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, index.argument(),
                            argument_of(in), static_cast<std::uint32_t>(bins), line_of(edges.layout),
                            argument_of(edges), line_of(counts.layout), argument_of(words));
}

}  // namespace quern::ops::detail
