#include "bandwidth.hpp"

#include <algorithm>
#include <chrono>

#include "base/store.hpp"
#include "base/text.hpp"
#include "runtime/profile/bandwidth.hpp"
#include "runtime/select.hpp"
#include "runtime/stream.hpp"

namespace quern::tool {

namespace {

// The best of several copies between two buffers, each a few milliseconds long.
base::Result<double> measure(runtime::Device& device) {
  constexpr uint64_t kMost = uint64_t{256} << 20;
  constexpr int kRounds = 12;
  const driver::DeviceInfo& info = device.info();
  const bool is_processor = info.kind == driver::DeviceKind::cpu;
  uint64_t bytes = is_processor ? kMost / 4 : kMost;
  if (info.limits.buffer_bytes != 0) bytes = std::min(bytes, info.limits.buffer_bytes / 2);
  QUERN_TRY_ASSIGN(const auto from, device.allocate(bytes, driver::MemoryKind::device, "bandwidth"));
  QUERN_TRY_ASSIGN(const auto to, device.allocate(bytes, driver::MemoryKind::device, "bandwidth"));
  runtime::Stream& stream = device.default_stream();
  QUERN_TRY(stream.fill({from.get(), 0, bytes}, 0x5a, 1));
  double best = 0;
  for (int i = 0; i < kRounds; ++i) {
    QUERN_TRY(stream.synchronize());
    const auto start = std::chrono::steady_clock::now();
    QUERN_TRY(stream.copy({to.get(), 0, bytes}, {from.get(), 0, bytes}));
    QUERN_TRY(stream.synchronize());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(bytes) * 2 / took.count());
  }
  return best;
}

}  // namespace

base::Result<double> bandwidth_of(const std::string& id) {
  runtime::Request request;
  request.text = id;
  QUERN_TRY_ASSIGN(const auto device, runtime::open(request));
  if (device->info().kind == driver::DeviceKind::simulated) return 0.0;
  const std::string key = profile::bandwidth_key(device->info());
  if (const double known = profile::known_bandwidth(key); known > 0) return known;
  QUERN_TRY_ASSIGN(const double measured, measure(*device));
  base::Store().put(key, "bandwidth of " + device->label(), base::format("%.0f", measured));
  return measured;
}

}  // namespace quern::tool
