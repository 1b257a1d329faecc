#include "quern/ops/random.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_primitives.hpp"

namespace quern::ops::detail {

namespace {

// A distribution of text/random.cuh.
struct Distribution {
  std::string type;
  Argument argument;
  std::int64_t elements;  // of a counter
};
struct Position {
  std::uint64_t seed, offset, sequence;
};

Receipt run(const On& on, const View& out, const Distribution& distribution, const Position& position) {
  const Iteration iteration = collapse(std::span(&out.layout, 1));
  if (iteration.size == 0) return {};
  const IndexBytes index(iteration, std::span(&out.layout.first, 1));
  const std::string name = "quern_ops::random<" + std::string(name_of(out.element)) +
                           ", quern_ops::" + distribution.type + ", " +
                           std::to_string(iteration.extents.size()) + ">";
  const Device device = on.stream().device();
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "random"}, {}, name);
  const std::int64_t skipped =
      static_cast<std::int64_t>(position.offset % static_cast<std::uint64_t>(distribution.elements));
  const std::int64_t counters = (skipped + iteration.size - 1) / distribution.elements + 1;
  const std::uint32_t blocks = blocks_for(device.info(), counters, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, counters, position.offset,
                            position.sequence, position.seed, distribution.argument, index.argument(),
                            argument_of(out));
}

// The largest number of type T that is less than `high`. U: an integer of its size.
template <typename T, typename U>
float below(double high) {
  constexpr U kSign = U{1} << (sizeof(U) * 8 - 1);
  const T value(static_cast<float>(high));
  if (static_cast<double>(static_cast<float>(value)) < high) return static_cast<float>(value);
  auto bits = std::bit_cast<U>(value);
  if ((bits & ~kSign) == 0) {
    bits = static_cast<U>(kSign | 1);  // the largest negative number
  } else {
    bits = static_cast<U>((bits & kSign) != 0 ? bits + 1 : bits - 1);
  }
  return static_cast<float>(std::bit_cast<T>(bits));
}

float below(Element element, double high) {
  switch (element) {
    case Element::f16: return below<half, std::uint16_t>(high);
    case Element::bf16: return below<bfloat16, std::uint16_t>(high);
    default: return below<float, std::uint32_t>(high);
  }
}

int bits_of_unit(Element element) { return element == Element::f16 ? 11 : element == Element::bf16 ? 8 : 24; }

std::string type_text(const char* distribution, const View& out, const std::string& more = {}) {
  return distribution + ("<" + std::string(name_of(out.element))) + more + ">";
}

template <typename T, std::size_t N>
Argument numbers(const std::array<T, N>& values) {
  return Argument::of_bytes(values.data(), sizeof values);
}

}  // namespace

Receipt random_uniform(const On& on, const View& out, const UniformOptions& options) {
  const char* const operation = "random_uniform";
  check_writable(operation, out);
  check_real(operation, out);
  const double low = options.low, high = options.high;
  const bool is_double = out.element == Element::f64;
  const double width = is_double ? high - low : static_cast<double>(static_cast<float>(high - low));
  if (!(low < high) || !std::isfinite(width))
    fail(ErrorKind::invalid_use, message::kBadInterval(operation, std::to_string(low), std::to_string(high)));
  const Position position{options.seed, options.offset, options.sequence};
  if (is_double) {
    const std::array<double, 3> values{low, width, std::nextafter(high, low)};
    return run(on, out, {"UniformDouble", numbers(values), 2}, position);
  }
  const std::array<float, 3> values{static_cast<float>(low), static_cast<float>(width),
                                    below(out.element, high)};
  return run(
      on, out,
      {type_text("Uniform", out, ", " + std::to_string(bits_of_unit(out.element))), numbers(values), 4},
      position);
}

Receipt random_normal(const On& on, const View& out, const NormalOptions& options) {
  check_writable("random_normal", out);
  check_real("random_normal", out);
  if (!std::isfinite(options.mean) || !std::isfinite(options.deviation) || options.deviation < 0)
    fail(ErrorKind::invalid_use,
         message::kBadDistribution(std::to_string(options.mean), std::to_string(options.deviation)));
  const Position position{options.seed, options.offset, options.sequence};
  if (out.element == Element::f64) {
    const std::array<double, 2> values{options.mean, options.deviation};
    return run(on, out, {"NormalDouble", numbers(values), 2}, position);
  }
  const std::array<float, 2> values{static_cast<float>(options.mean), static_cast<float>(options.deviation)};
  return run(on, out, {type_text("Normal", out), numbers(values), 4}, position);
}

Receipt random_integers(const On& on, const View& out, const IntegerRange& range, std::uint64_t seed,
                        std::uint64_t offset, std::uint64_t sequence) {
  check_writable("random_integers", out);
  if (!range.is_valid)
    fail(ErrorKind::invalid_use,
         message::kBadInterval("random_integers", std::to_string(static_cast<std::int64_t>(range.low)),
                               std::to_string(static_cast<std::int64_t>(range.high))));
  const Position position{seed, offset, sequence};
  if (range.is_full) {
    const std::array<std::uint32_t, 1> unused{};
    return run(on, out, {type_text("Bits", out), numbers(unused), bytes_of(out.element) == 8 ? 2 : 4},
               position);
  }
  const std::array<std::uint64_t, 2> values{range.low, range.high - range.low + 1};
  return run(on, out, {type_text("Integers", out), numbers(values), 2}, position);
}

}  // namespace quern::ops::detail
