#include "ops/fft_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

#include "ops/launch_sizes.hpp"
#include "quern/extension.hpp"

namespace quern::ops {

namespace {

using Number = std::complex<double>;

constexpr char kPlansKey = 0, kMemoryKey = 0;  // their addresses identify the data of this library
constexpr std::int64_t kLeastLine = 16, kMostLine = 2048;  // elements of fft_lines, for several passes
constexpr std::int64_t kPaddedBytes = 128;                 // of text/fft_lines.cuh
constexpr std::uint64_t kRegisterBytes = 128 << 10;        // of the elements of a tile

// exp(-2 pi i t / n), exact for quarters.
Number root(std::uint64_t t, std::uint64_t n) {
  const std::uint64_t quarters = 4 * (t % n), quarter = quarters / n;
  const double angle = std::numbers::pi / 2 * static_cast<double>(quarters % n) / static_cast<double>(n);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

// The forward transform of 2^k numbers.
void transform(std::vector<Number>& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<Number> roots(n / 2);
  for (std::size_t t = 0; t < roots.size(); ++t) roots[t] = root(t, n);
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * width) {
      for (std::size_t k = 0; k < width; ++k) {
        const Number a = values[first + k], b = values[first + width + k] * roots[k * (n / (2 * width))];
        values[first + k] = a + b;
        values[first + width + k] = a - b;
      }
    }
  }
}

// The factors of n in at most `passes` passes, as equal as possible; none if it has other prime factors than
// 2, 3, 5 and 7, or if they are too many.
std::vector<std::int64_t> split(std::int64_t n, int passes, std::int64_t most) {
  if (n <= most) return {n};
  if (passes == 1) return {};
  const double ideal = std::pow(static_cast<double>(n), 1.0 / passes);
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 2; d <= most; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  const auto distance = [&](std::int64_t d) { return std::abs(std::log(static_cast<double>(d) / ideal)); };
  std::sort(divisors.begin(), divisors.end(),
            [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); });
  for (const std::int64_t d : divisors) {
    std::vector<std::int64_t> rest = split(n / d, passes - 1, most);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), d);
    return rest;
  }
  return {};
}

std::vector<std::int64_t> factors_of(std::int64_t n, std::int64_t most) {
  std::int64_t rest = n;
  for (const std::int64_t prime : {2, 3, 5, 7}) {
    while (rest % prime == 0) rest /= prime;
  }
  if (rest != 1) return {};
  for (int passes = 1; passes <= 5; ++passes) {
    std::vector<std::int64_t> out = split(n, passes, most);
    if (!out.empty()) return out;
  }
  return {};
}

// Of a thread of fft_lines: the first two stages have this radix.
std::int64_t elements_of(const FftTuning& tuning, std::int64_t count) {
  std::int64_t out = tuning.elements;
  while (out * out > count) out /= 2;
  return out;
}

// Collects the tables of a plan.
class Tables {
 public:
  template <typename Value>
  std::int64_t add(std::int64_t count, const Value& value) {
    const auto first = static_cast<std::int64_t>(values_.size());
    for (std::int64_t i = 0; i < count; ++i) values_.push_back(value(static_cast<std::uint64_t>(i)));
    return first;
  }
  Buffer<std::byte> upload(const Device& device, Element element) const {
    return element == Element::c128 ? upload_as<double>(device) : upload_as<float>(device);
  }

 private:
  template <typename T>
  Buffer<std::byte> upload_as(const Device& device) const {
    std::vector<std::complex<T>> values(values_.begin(), values_.end());
    auto buffer =
        device.allocate<std::byte>(values.size() * sizeof values[0], MemoryKind::device, "tables of fft");
    buffer.upload(std::as_bytes(std::span(values)));
    return buffer;
  }
  std::vector<Number> values_;
};

void add_chirp(FftPlan& plan, Tables& tables) {
  const auto n = static_cast<std::uint64_t>(plan.count), m = static_cast<std::uint64_t>(plan.size);
  const auto chirp = [n](std::uint64_t k) { return root(k * k % (2 * n), 2 * n); };
  plan.chirp = tables.add(plan.count, chirp);
  std::vector<Number> filter(m);
  for (std::uint64_t k = 0; k < n; ++k) filter[k] = filter[(m - k) % m] = std::conj(chirp(k));
  transform(filter);
  plan.product = tables.add(plan.size, [&](std::uint64_t k) { return filter[k]; });
}

// The radices of a line of fft_lines, as radix_at() of text/fft_lines.cuh.
std::vector<std::int64_t> radices_of(std::int64_t count, std::int64_t each) {
  std::vector<std::int64_t> out{each};
  std::int64_t rest = count / each, odd = rest;
  while (odd >= each) odd /= each;
  if (odd > 1) out.push_back(odd);
  for (rest /= odd; rest > 1; rest /= each) out.push_back(each);
  return out;
}

// Of stages after the first one: for stages with the product `width`, the powers 1, 2, 4, … of the roots.
std::int64_t add_stages(Tables& tables, std::int64_t count, std::int64_t each) {
  const std::int64_t first = tables.add(0, [](std::uint64_t) { return Number(); });
  const std::vector<std::int64_t> radices = radices_of(count, each);
  std::int64_t width = each;
  for (std::size_t i = 1; i < radices.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(width * radices[i]);
    for (std::uint64_t power = 1; power < static_cast<std::uint64_t>(radices[i]); power *= 2)
      tables.add(width, [=](std::uint64_t k) { return root(k * power, n); });
    width *= radices[i];
  }
  return first;
}

// Twiddle factors between passes of fft_lines: element i of the line at place j has the factor exp(-2 pi i j
// i / size). A row of the table has the factors of all j, for the first element of a thread, and then for the
// distance of its elements times 1, 2, 4, ….
std::int64_t add_turns(Tables& tables, std::int64_t size, std::int64_t count, std::int64_t each) {
  const auto all = static_cast<std::uint64_t>(size);
  const std::int64_t first = tables.add(0, [](std::uint64_t) { return Number(); }), workers = count / each;
  const auto add_row = [&](std::int64_t i) {
    const auto at = static_cast<std::uint64_t>(i);
    tables.add(size / count, [=](std::uint64_t j) { return root(j * at, all); });
  };
  for (std::int64_t i = 0; i < workers; ++i) add_row(i);
  for (std::int64_t power = 1; power < each; power *= 2) add_row(power * workers);
  return first;
}

void add_lines(FftPlan& plan, Tables& tables) {
  std::int64_t size = plan.size;
  for (std::size_t i = 0; i < plan.factors.size(); ++i) {
    const std::int64_t count = plan.factors[i], each = elements_of(plan.tuning, count);
    plan.roots.push_back(add_stages(tables, count, each));
    FftTwiddles twiddles;
    if (i + 1 < plan.factors.size()) twiddles.turns = add_turns(tables, size, count, each);
    plan.twiddles.push_back(twiddles);
    size /= count;
  }
}

void add_passes(FftPlan& plan, Tables& tables) {
  std::int64_t size = plan.size;  // of the transforms that are left
  for (std::size_t i = 0; i < plan.factors.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(plan.factors[i]), all = static_cast<std::uint64_t>(size);
    plan.roots.push_back(tables.add(plan.factors[i], [n](std::uint64_t t) { return root(t, n); }));
    FftTwiddles twiddles;
    if (i + 1 < plan.factors.size()) {
      twiddles.low_bits = (static_cast<int>(std::bit_width(all)) + 1) / 2;
      const std::uint64_t step = std::uint64_t{1} << twiddles.low_bits;
      twiddles.low =
          tables.add(static_cast<std::int64_t>(step), [all](std::uint64_t t) { return root(t, all); });
      twiddles.high = tables.add(static_cast<std::int64_t>(all / step + 1),
                                 [all, step](std::uint64_t t) { return root(t * step, all); });
    }
    plan.twiddles.push_back(twiddles);
    size /= plan.factors[i];
  }
}

// The factors of a power of two for fft_lines; none: the kernel is `fft`.
std::vector<std::int64_t> factors_of_lines(const DeviceInfo& info, Element element, const FftTuning& tuning,
                                           std::int64_t n) {
  if (tuning.elements == 0 || n < kLeastLine || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    return {};
  if (fft_tile(info, element, tuning, n, false).fits(info)) return {n};
  std::int64_t most = kLeastLine;  // of tiles with accesses of at least half of the bytes
  const auto is_wide = [&](std::int64_t count) {
    const FftTileSize tile = fft_tile(info, element, tuning, count, true);
    return tile.fits(info) && 2 * tile.lines >= tuning.columns;
  };
  while (most < kMostLine && is_wide(2 * most)) most *= 2;
  std::vector<std::int64_t> out = factors_of(n, most);
  return out.empty() || out.back() < kLeastLine || out.front() < kLeastLine ? std::vector<std::int64_t>()
                                                                            : out;
}

std::shared_ptr<const FftPlan> make_plan(const Device& device, Element element, std::int64_t count,
                                         const FftTuning& tuning) {
  auto plan = std::make_shared<FftPlan>();
  plan->info = device.info();
  const DeviceInfo& info = plan->info;
  const std::int64_t most = fft_points(info, element);
  plan->count = plan->size = count;
  Tables tables;
  plan->factors = factors_of_lines(info, element, tuning, count);
  if (plan->factors.empty()) {
    plan->factors = factors_of(count, most);
    if (plan->factors.empty()) {
      plan->size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * count - 1)));
      plan->factors = factors_of_lines(info, element, tuning, plan->size);
      if (!plan->factors.empty()) plan->tuning = tuning;
      if (plan->factors.empty()) plan->factors = factors_of(plan->size, most);
      add_chirp(*plan, tables);
    }
  } else {
    plan->tuning = tuning;
  }
  if (plan->has_lines()) {
    add_lines(*plan, tables);
  } else {
    add_passes(*plan, tables);
  }
  plan->tables = tables.upload(device, element);
  return plan;
}

// The plans of a device.
struct Plans {
  std::mutex mutex;
  std::map<std::tuple<Element, std::int64_t, std::int64_t, std::int64_t>, std::shared_ptr<const FftPlan>>
      plans;
};

}  // namespace

std::int64_t fft_stages(std::int64_t count) {
  std::vector<std::int64_t> radices;
  std::int64_t rest = count;
  for (const std::int64_t radix : {7, 5, 3}) {
    for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
  }
  for (; rest >= 8 && rest != 16; rest /= 8) radices.push_back(8);
  for (; rest >= 4; rest /= 4) radices.push_back(4);
  if (rest == 2) radices.push_back(2);
  std::int64_t stages = 0;
  for (const std::int64_t radix : radices) stages = stages << 4 | radix;
  return stages;
}

std::int64_t fft_points(const DeviceInfo& info, Element element) {
  constexpr std::uint64_t kShared = 48 << 10, kLines = 2 << 10;  // of a kernel; of its lines
  const std::uint64_t memory =
      std::clamp<std::uint64_t>(info.limits.shared_bytes, 2 * kLines, kShared) - kLines;
  return static_cast<std::int64_t>(std::bit_floor(memory / (2 * bytes_of(element))));
}

bool FftTileSize::fits(const DeviceInfo& info) const {
  return threads <= info.limits.block_threads && threads <= info.limits.block.x && bytes <= kRegisterBytes &&
         shared_bytes <= info.limits.shared_bytes;
}

FftTileSize fft_tile(const DeviceInfo& info, Element element, const FftTuning& tuning, std::int64_t count,
                     bool is_by_line) {
  FftTileSize tile;
  tile.elements = elements_of(tuning, count);
  const std::int64_t workers = count / tile.elements, bytes = static_cast<std::int64_t>(bytes_of(element)),
                     units = kPaddedBytes / bytes, padded = count + count / units;
  tile.lines = is_by_line ? tuning.columns : std::max<std::int64_t>(kThreads / workers, 1);
  for (;; tile.lines /= 2) {
    const std::int64_t shift = tile.lines >= units ? 1 : units / tile.lines;
    tile.threads = workers * tile.lines;
    tile.bytes = static_cast<std::uint64_t>(tile.lines * count * bytes);
    tile.shared_bytes =
        static_cast<std::uint64_t>(tile.lines * (padded + (shift + units - padded % units) % units) * bytes);
    if (tile.lines == 1 || tile.fits(info)) return tile;
  }
}

std::shared_ptr<const FftPlan> fft_plan(const Device& device, Element element, std::int64_t count,
                                        const FftTuning& tuning) {
  const auto all = std::static_pointer_cast<Plans>(
      extension::device_data(device, &kPlansKey, [] { return std::make_shared<Plans>(); }));
  const std::lock_guard lock(all->mutex);
  std::shared_ptr<const FftPlan>& plan = all->plans[{element, count, tuning.elements, tuning.columns}];
  if (plan == nullptr) plan = make_plan(device, element, count, tuning);
  return plan;
}

std::shared_ptr<FftMemory> fft_memory(const Device& device) {
  return std::static_pointer_cast<FftMemory>(
      extension::device_data(device, &kMemoryKey, [] { return std::make_shared<FftMemory>(); }));
}

std::int64_t fft_memory_bytes(const DeviceInfo& info) {
  constexpr std::uint64_t kLeast = 16 << 20, kMost = 256 << 20, kShare = 512;
  return static_cast<std::int64_t>(std::clamp(info.memory_bytes / kShare, kLeast, kMost));
}

// Kernels that are specialized for a size take long to compile by the compilers of other software devices.
std::vector<Variant> fft_variants(const DeviceInfo& info, const Problem& problem) {
  const bool is_processor = info.driver == "cpu";
  const std::int64_t tile_bytes = is_processor ? 128 : 64,  // adjacent in memory
      columns = tile_bytes / static_cast<std::int64_t>(bytes_of(problem.element));
  Variant standard{{"elements", is_processor ? 8 : 16}, {"columns", columns}};
  if (info.kind == DeviceKind::cpu && !is_processor) standard = {{"elements", 0}, {"columns", 0}};
  std::vector<Variant> others =
      variants({{"elements", {8, 16}}, {"columns", {columns / 2, columns, 2 * columns}}},
               [](const Variant&) { return true; });
  others.push_back({{"elements", 0}, {"columns", 0}});
  return with_default(standard, std::move(others));
}

}  // namespace quern::ops
