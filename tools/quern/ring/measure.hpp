// Measures the costs of ring kernels through the public API, for `quern ring bench` and bench_ring. Every
// reply is verified.
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
  std::uint64_t wrong = 0;  // replies that do not belong to the call: lost, or handled twice
};
Latency summarize(std::vector<std::uint32_t>& nanoseconds);

// Sequential calls to an actor that adds; each reply contains the number of handled messages.
Latency measure_calls(const Device& device, std::uint64_t calls);

// The same job with an upload, a launch and a download for each number.
Latency measure_launches(const Device& device, std::uint64_t calls);

// Host time of a send in seconds while the ring has room: the median of bursts.
double measure_send(const Device& device);

// One-way messages of 64 bytes, with a checksum.
struct Flow {
  std::uint32_t producers = 1;
  std::uint32_t batch = 64;  // messages per send
  std::uint64_t messages = 1'000'000;
  bool is_parallel = false;  // Shape::parallel: one thread per message
  std::uint32_t actors = 1;  // each with its share of the producers
};
struct FlowResult {
  double per_second = 0;
  bool is_right = false;
};
FlowResult measure_flow(const Device& device, const Flow& flow);

// Whether a whole block handles messages in parallel: on GPUs. One thread is faster on CPUs.
bool likes_parallel(const Device& device);

}  // namespace quern::tool
