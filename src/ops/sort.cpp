// Radix sort. Passes alternate between the operands and temporary memory. On devices that guarantee progress
// of blocks, a pass sorts by 8 bits in one kernel; otherwise by 4 bits in three.
#include "quern/ops/sort.hpp"

#include <cstddef>
#include <utility>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/order.hpp"
#include "quern/ops/scan.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops {

namespace {

constexpr int kSortItems = 8;
constexpr std::int64_t kSweepBytes = 46 << 10;  // of a tile in shared memory

std::int64_t most_items(std::int64_t threads, std::int64_t element_bytes) {
  return kSweepBytes / (threads * element_bytes);
}

}  // namespace

// Threads of a block, elements of a thread in a tile, and whether one kernel sorts by a digit: with the least
// number of blocks per compute unit.
std::vector<Variant> sort_variants(const DeviceInfo& info, const Problem& problem) {
  if (!prefers_look_back(info)) return {{{"threads", kThreads}, {"items", kSortItems}, {"sweep", 0}}};
  const auto bytes = static_cast<std::int64_t>(bytes_of(problem.element));
  const Variant standard{{"threads", 384}, {"items", bytes == 8 ? 15 : 23}, {"sweep", 1}, {"resident", 2}};
  std::vector<Variant> others = variants(
      {{"threads", {256, 384, 512}}, {"items", {9, 11, 15, 19, 23}}, {"sweep", {1}}, {"resident", {2, 3}}},
      [&](const Variant& v) {
        const std::int64_t threads = v.at("threads"), registers = 65536 / (threads * v.at("resident"));
        return v.at("items") <= most_items(threads, bytes) &&
               v.at("items") * std::max<std::int64_t>(bytes / 4, 1) * 2 + 32 <= registers;
      });
  others.push_back({{"threads", kThreads}, {"items", kSortItems}, {"sweep", 0}});
  return with_default(standard, others);
}

}  // namespace quern::ops

namespace quern::ops::detail {

namespace {

constexpr int kDigitBits = 4;
constexpr std::size_t kDigits = 16;

// Keys or values: where a pass reads them, and where it writes them.
struct Column {
  Argument from = nullptr, to = nullptr;
  std::int64_t first = 0;  // element of the operand at which `from` points
  Line from_line, to_line;

  Column() = default;
  Column(const View& operand, const View& temporary)
      : to(argument_of(temporary)), from_line(line_of(operand.layout)), to_line(line_of(temporary.layout)) {
    if (from_line.stride == 1) std::swap(first, from_line.first);
    from = argument_of(bits_of(operand, temporary.element), first);
  }
  static View bits_of(View operand, Element element) {
    operand.element = element;
    return operand;
  }
  void turn() {
    std::swap(from, to);
    std::swap(from_line, to_line);
  }
};

struct Sort {
  const On& on;
  const View& keys;
  const View* values;  // null: none
  SortOptions options;
  Device device = on.stream().device();
  std::uint32_t n = static_cast<std::uint32_t>(keys.layout.shape.size());
  Element key = unsigned_of(keys.element);
  Element value = values != nullptr ? unsigned_of(values->element) : Element::u8;
  Variant variant = variant_for(device, "sort", {{std::int64_t{n}}, keys.element});
  Workspace spare_keys{device, n* bytes_of(key)};
  Workspace spare_values{device, values != nullptr ? n* bytes_of(value) : 0};
  Column of_keys{keys, spare_keys.view(key, n)};
  Column of_values = values != nullptr ? Column(*values, spare_values.view(value, n)) : Column();
  OrderBytes order{keys.element, options.descending};

  Kernel kernel(std::initializer_list<std::string_view> files, const std::string& name) const {
    return Engine::of(device)->kernel(device, files, {}, "quern_ops::" + name);
  }
  // Of the template arguments: K, V and kHasValues.
  std::string types() const {
    return std::string(name_of(key)) + ", " + std::string(name_of(value)) +
           (values != nullptr ? ", true" : ", false");
  }
  int key_bits() const { return static_cast<int>(bytes_of(key)) * 8; }
  bool is_contiguous() const {
    return of_keys.from_line.stride == 1 && (values == nullptr || of_values.from_line.stride == 1);
  }
  void turn() {
    of_keys.turn();
    of_values.turn();
  }
};

void check_sort(const View& keys, const View* values) {
  const Shape& shape = keys.layout.shape;
  check_not_complex("sort", keys);
  if (values != nullptr) check_not_complex("sort", *values);
  if (keys.is_read_only || (values != nullptr && values->is_read_only))
    fail(ErrorKind::invalid_use, message::kReadOnly("sort"));
  if (shape.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis("sort", shape.to_string()));
  if (values != nullptr && values->layout.shape != shape)
    fail(ErrorKind::invalid_use, message::kValuesDiffer(shape.to_string(), values->layout.shape.to_string()));
  if (shape.size() > std::int64_t{UINT32_MAX})
    fail(ErrorKind::unsupported, message::kTooManyForSort(std::to_string(shape.size())));
}

Receipt sort_by_4_bits(Sort& s) {
  const auto threads = static_cast<std::uint32_t>(s.variant.at("threads")),
             items = static_cast<std::uint32_t>(s.variant.at("items"));
  const std::uint32_t tiles = (s.n - 1) / (threads * items) + 1;
  const Workspace counts(s.device, kDigits * tiles * sizeof(std::uint32_t));
  const View starts = counts.view(Element::u32, static_cast<std::int64_t>(kDigits * tiles));
  const std::string sizes = ", " + std::to_string(threads) + ", " + std::to_string(items) + ">";
  const Kernel count =
                   s.kernel({"index", "order", "sort"}, "sort_counts<" + std::string(name_of(s.key)) + sizes),
               move = s.kernel({"index", "order", "sort"}, "sort_move<" + s.types() + sizes);
  const LaunchConfig config = blocks_of_threads(blocks_for(s.device.info(), tiles, 1), threads);
  Receipt receipt;
  for (int shift = 0; shift < s.key_bits(); shift += kDigitBits) {
    s.on.stream().launch(count, config, s.n, tiles, shift, s.order.argument(), s.of_keys.from_line,
                         s.of_keys.from, argument_of(starts));
    scan(s.on, Combine::sum, starts, starts, true);
    receipt =
        s.on.stream().launch(move, config, s.n, tiles, shift, s.order.argument(), argument_of(starts),
                             s.of_keys.from_line, s.of_keys.from, s.of_keys.to_line, s.of_keys.to,
                             s.of_values.from_line, s.of_values.from, s.of_values.to_line, s.of_values.to);
    s.turn();
  }
  return receipt;
}

// The number of elements for each digit of each pass, scanned, and counters of tiles that are taken.
class Sweeps {
 public:
  explicit Sweeps(Sort& sort) : s_(sort) {
    s_.on.stream().fill(Slice<std::uint32_t>(counters_.bytes), 0);
    const bool has_packs = s_.is_contiguous() && is_aligned(s_.device, s_.keys);
    const std::string bins = "sort_bins<" + std::string(name_of(s_.key)) + is_real() +
                             (has_packs ? ", true, " : ", false, ") + std::to_string(kBinThreads) + ">";
    const std::int64_t work = std::int64_t{kBinThreads} * 64 / static_cast<std::int64_t>(bytes_of(s_.key)),
                       most = std::max<std::int64_t>(s_.device.info().compute_units, 1) * 4;
    const std::int64_t blocks = std::min(tiles_of(s_.n, work), most);
    s_.on.stream().launch(kernel(bins), blocks_of_threads(static_cast<std::uint32_t>(blocks), kBinThreads),
                          s_.n, s_.order.argument(), s_.of_keys.from_line, s_.of_keys.from,
                          argument_of(counters_));
    s_.on.stream().launch(kernel("sort_starts<" + std::to_string(kSweepDigits) + ">"),
                          blocks_of_threads(static_cast<std::uint32_t>(passes_), kSweepDigits),
                          argument_of(counters_));
  }

  Receipt run() {
    const std::int64_t threads = s_.variant.at("threads"),
                       element = static_cast<std::int64_t>(std::max(bytes_of(s_.key), bytes_of(s_.value))),
                       items = std::min(s_.variant.at("items"), most_items(threads, element)),
                       tiles = tiles_of(s_.n, threads * items);
    const bool is_wide = s_.n >= std::uint32_t{1} << 30;  // two bits of a count are a status
    const Element number = is_wide ? Element::u64 : Element::u32;
    const Workspace memory(s_.device, static_cast<std::size_t>(tiles) * kSweepDigits * bytes_of(number));
    const View published = memory.view(number, tiles * kSweepDigits);
    const Kernel sweep =
        kernel("sort_sweep<" + s_.types() + is_real() + (s_.is_contiguous() ? ", true, " : ", false, ") +
               std::string(name_of(number)) + ", " + std::to_string(threads) + ", " + std::to_string(items) +
               ", " + std::to_string(s_.variant.at("resident")) + ">");
    Receipt receipt;
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      s_.on.stream().fill(Slice<std::uint32_t>(published.bytes), 0);
      receipt = s_.on.stream().launch(
          sweep, blocks_of_threads(static_cast<std::uint32_t>(tiles), threads), s_.n,
          static_cast<std::int32_t>(8 * pass), s_.order.argument(),
          argument_of(counters_, pass * kSweepDigits), argument_of(counters_, passes_ * kSweepDigits + pass),
          argument_of(published), s_.of_keys.from_line, s_.of_keys.from, s_.of_keys.to_line, s_.of_keys.to,
          s_.of_values.from_line, s_.of_values.from, s_.of_values.to_line, s_.of_values.to);
      s_.turn();
    }
    if (passes_ % 2 == 0) return receipt;
    copy(s_.on, s_.spare_keys.view(s_.key, s_.n), Column::bits_of(s_.keys, s_.key));
    if (s_.values != nullptr)
      copy(s_.on, s_.spare_values.view(s_.value, s_.n), Column::bits_of(*s_.values, s_.value));
    return receipt;
  }

 private:
  Kernel kernel(const std::string& name) const {
    return s_.kernel({"index", "packs", "order", "sort_sweep"}, name);
  }
  static constexpr int kBinThreads = 512, kSweepDigits = 256;

  const char* is_real() const { return is_real_type(s_.keys.element) ? ", true" : ", false"; }

  Sort& s_;
  std::int64_t passes_ = static_cast<std::int64_t>(bytes_of(s_.key));
  Workspace memory_{s_.device,
                    static_cast<std::size_t>(passes_) * (kSweepDigits + 1) * sizeof(std::uint32_t)};
  View counters_ = memory_.view(Element::u32, passes_*(kSweepDigits + 1));
};

}  // namespace

Receipt sort(const On& on, const View& keys, const View* values, const SortOptions& options) {
  check_sort(keys, values);
  if (keys.layout.shape.size() <= 1) return {};
  Sort s{on, keys, values, options};
  return s.variant.at("sweep") == 1 ? Sweeps(s).run() : sort_by_4_bits(s);
}

}  // namespace quern::ops::detail
