// Cost of allocations from the pool compared with the driver's, on every named device (default: cpu): one
// allocation and release, and the share of the pool that is never used after a million buffers of mixed
// sizes. POOL_FIRST_SEED: the first of the 24 sequences (default: 1); POOL_SEEDS=1 prints each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "base/table.hpp"
#include "base/text.hpp"
#include "runtime/select.hpp"
#include "runtime/stream.hpp"
#include "throttle_note.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using Clock = std::chrono::steady_clock;

template <typename T>
T need(base::Result<T> result) {
  if (!result.ok()) {
    std::printf("%s\n", result.error().to_string().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

template <typename Work>
double best_nanoseconds(int count, const Work& work) {
  double best = 1e30;
  for (int round = 0; round < 20; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) work();
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    best = std::min(best, took.count() / count);
  }
  return best;
}

struct Mixed {
  double idle = 0;  // share of the pool that was never used
  double nanoseconds = 0;
};

// Typical sizes: many small ones, few large ones, in random order.
Mixed mix(runtime::Device& device, unsigned seed) {
  constexpr int kBuffers = 1'000'000, kAlive = 4000;
  std::mt19937 random(seed);
  std::vector<runtime::MemoryPtr> alive(kAlive);
  const auto start = Clock::now();
  for (int i = 0; i < kBuffers; ++i) {
    const uint64_t bytes = 1 + random() % (uint64_t{1} << (6 + random() % 15));
    auto& place = alive[random() % kAlive];
    place.reset();
    place = need(device.allocate(bytes, driver::MemoryKind::device, ""));
  }
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  return {device.memory().fragmentation, took.count() / kBuffers};
}

// The worst of many sequences, each on a newly opened device.
Mixed mix_all(const std::string& name) {
  constexpr unsigned kSeeds = 24;
  Mixed worst;
  worst.nanoseconds = 1e30;
  const char* const asked = std::getenv("POOL_FIRST_SEED");
  const auto first = static_cast<unsigned>(base::parse_uint(asked != nullptr ? asked : "").value_or(1));
  for (unsigned seed = first; seed < first + kSeeds; ++seed) {
    const auto device = need(runtime::open({name, nullptr}));
    const Mixed one = mix(*device, seed);
    worst.idle = std::max(worst.idle, one.idle);
    worst.nanoseconds = std::min(worst.nanoseconds, one.nanoseconds);
    if (std::getenv("POOL_SEEDS") != nullptr) std::printf("seed %u: %.2f %%\n", seed, one.idle * 100);
  }
  return worst;
}

}  // namespace

int main(int count, char** names) {
  const std::vector<std::string> wanted =
      count > 1 ? std::vector<std::string>(names + 1, names + count) : std::vector<std::string>{"cpu"};
  base::Table table({{"device"},
                     {"pool, allocate and free", Align::kRight},
                     {"driver", Align::kRight},
                     {"each of a million mixed sizes", Align::kRight},
                     {"unused share of the pool, worst of 24", Align::kRight}});
  for (const std::string& name : wanted) {
    auto device = need(runtime::open({name, nullptr}));
    bench::ThrottleNote throttling(device->info());
    const double pool = best_nanoseconds(
        10000, [&] { (void)need(device->allocate(1 << 16, driver::MemoryKind::device, "")); });
    const double raw = best_nanoseconds(1000, [&] {
      device->native().destroy(need(device->native().allocate(1 << 16, driver::MemoryKind::device)));
    });
    const Mixed mixed = mix_all(name);
    table.add_row({device->label() + throttling.mark(), format("%.0f ns", pool), format("%.0f ns", raw),
                   format("%.0f ns", mixed.nanoseconds), format("%.1f %%", mixed.idle * 100)});
  }
  std::printf("%s", table.to_string().c_str());
  return 0;
}
