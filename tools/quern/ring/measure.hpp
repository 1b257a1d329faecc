// What ring kernels cost, measured through the public API: `quern ring bench` and bench_ring print it. Every
// answer is checked.
#pragma once

#include <cstdint>
#include <vector>

#include "quern/device.hpp"
#include "quern/ring.hpp"

namespace quern::tool {

// Times of single calls, in seconds.
struct Latency {
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
  std::uint64_t calls = 0;
  std::uint64_t wrong = 0;  // replies that were not the one that belongs to the call: lost, or handled twice
};
Latency summarize(std::vector<std::uint32_t>& nanoseconds);

// One call after the other to an actor that adds; each reply says how many it has seen.
Latency measure_calls(const Device& device, std::uint64_t calls);

// The same job by an upload, a launch and a download for each number.
Latency measure_launches(const Device& device, std::uint64_t calls);

// Seconds that a send takes of the host while the ring has room: the median of bursts.
double measure_send(const Device& device);

// Messages of 64 bytes one way, with a checksum.
struct Flow {
  std::uint32_t producers = 1;
  std::uint32_t batch = 64;  // messages that a producer sends at once
  std::uint64_t messages = 1'000'000;
  bool is_parallel = false;  // Shape::parallel: a thread for each message
  std::uint32_t actors = 1;  // of which each has its share of the producers
};
struct FlowResult {
  double per_second = 0;
  bool is_right = false;
};
FlowResult measure_flow(const Device& device, const Flow& flow);

// Where messages are handled side by side by a whole block: graphics cards. One thread is faster on
// processors.
bool likes_parallel(const Device& device);

}  // namespace quern::tool
