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

#include "quern/extension.hpp"

namespace quern::ops {

namespace {

using Number = std::complex<double>;

constexpr char kPlansKey = 0;  // its address identifies the plans of this library

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

std::shared_ptr<const FftPlan> make_plan(const Device& device, Element element, std::int64_t count) {
  const std::int64_t most = fft_points(device.info(), element);
  auto plan = std::make_shared<FftPlan>();
  plan->count = plan->size = count;
  plan->factors = factors_of(count, most);
  Tables tables;
  if (plan->factors.empty()) {
    plan->size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * count - 1)));
    plan->factors = factors_of(plan->size, most);
    add_chirp(*plan, tables);
  }
  add_passes(*plan, tables);
  plan->tables = tables.upload(device, element);
  return plan;
}

// The plans of a device.
struct Plans {
  std::mutex mutex;
  std::map<std::tuple<Element, std::int64_t>, std::shared_ptr<const FftPlan>> plans;
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

std::shared_ptr<const FftPlan> fft_plan(const Device& device, Element element, std::int64_t count) {
  const auto all = std::static_pointer_cast<Plans>(
      extension::device_data(device, &kPlansKey, [] { return std::make_shared<Plans>(); }));
  const std::lock_guard lock(all->mutex);
  std::shared_ptr<const FftPlan>& plan = all->plans[{element, count}];
  if (plan == nullptr) plan = make_plan(device, element, count);
  return plan;
}

}  // namespace quern::ops
