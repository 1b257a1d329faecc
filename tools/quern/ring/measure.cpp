#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "quern/quern.hpp"

namespace quern::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAdder = R"(
struct State { long long total; };
struct Message { int add; };
using Reply = long long;
__device__ Reply on_message(State& state, const Message& message, quern::ring::Context&) {
  return state.total += message.add;
}
)";
struct AdderState {
  long long total;
};
struct AdderMessage {
  int add;
};

constexpr const char* kAdderKernel = R"(
__global__ void add(const int* number, long long* total) { total[0] += number[0]; }
)";

constexpr const char* kSum = R"(
struct State { unsigned long long sum, count; };
struct Message { unsigned long long words[8]; };
using Reply = unsigned long long;
__device__ Reply on_message(State& state, const Message& message, quern::ring::Context&) {
  unsigned long long sum = 0;
  for (int i = 0; i < 8; ++i) sum += message.words[i];
  state.count += 1;
  return state.sum += sum;
}
)";
// Each thread has its own sums: a shared sum would serialize the threads.
constexpr const char* kParallelSum = R"(
struct State { unsigned long long sum[256], count[256]; };
struct Message { unsigned long long words[8]; };
using Reply = unsigned long long;
__device__ Reply on_message(State& state, const Message& message, quern::ring::Context&) {
  unsigned long long sum = 0;
  for (int i = 0; i < 8; ++i) sum += message.words[i];
  state.sum[threadIdx.x] += sum;
  return state.count[threadIdx.x] += 1;
}
)";
constexpr std::uint32_t kParallelThreads = 256;
struct ParallelState {
  unsigned long long sum[kParallelThreads], count[kParallelThreads];
};
struct SumState {
  unsigned long long sum, count;
};
SumState sums_of(const SumState& state) { return state; }
SumState sums_of(const ParallelState& state) {
  SumState all{0, 0};
  for (std::uint32_t i = 0; i < kParallelThreads; ++i) {
    all.sum += state.sum[i];
    all.count += state.count[i];
  }
  return all;
}
struct SumMessage {
  unsigned long long words[8];
};

std::uint32_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Small values that differ from call to call.
int addend(std::uint64_t i) { return static_cast<int>(i % 1000) + 1; }

SumMessage message_of(std::uint64_t i) { return {{i, 1, 2, 3, 4, 5, 6, 0}}; }
// The sum of messages first … first + count - 1.
unsigned long long sum_of_messages(std::uint64_t first, std::uint64_t count) {
  return count * first + count * (count - 1) / 2 + count * 21;
}

}  // namespace

Latency summarize(std::vector<std::uint32_t>& nanoseconds) {
  Latency out;
  out.calls = nanoseconds.size();
  if (nanoseconds.empty()) return out;
  std::sort(nanoseconds.begin(), nanoseconds.end());
  const auto at = [&](double share) {
    const auto i = static_cast<std::size_t>(share * static_cast<double>(nanoseconds.size() - 1));
    return nanoseconds[i] * 1e-9;
  };
  out.p50 = at(0.5);
  out.p90 = at(0.9);
  out.p99 = at(0.99);
  out.p999 = at(0.999);
  out.max = at(1);
  return out;
}

Latency measure_calls(const Device& device, std::uint64_t calls) {
  ring::Options options;
  options.one_producer = true;
  const auto adder = ring::spawn(device, kAdder, options).as<AdderState, AdderMessage, long long>();
  long long expected = 0;
  for (int i = 0; i < 100; ++i) {
    (void)adder.call({1}).get();
    ++expected;
  }
  std::vector<std::uint32_t> times(calls);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const int add = addend(i);
    const auto start = Clock::now();
    const long long total = adder.call({add}).get();
    times[i] = nanoseconds_since(start);
    expected += add;
    wrong += total != expected ? 1 : 0;
  }
  adder.drain();
  if (adder.state().total != expected) ++wrong;
  Latency out = summarize(times);
  out.wrong = wrong;
  return out;
}

Latency measure_launches(const Device& device, std::uint64_t calls) {
  const Module module = device.compile(kAdderKernel);
  const Kernel kernel = module.kernel("add");
  auto number = device.allocate<int>(1);
  auto total = device.upload(std::vector<long long>(1, 0));
  std::vector<std::uint32_t> times(calls);
  long long expected = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < calls + 100; ++i) {
    const int add = addend(i);
    long long seen = 0;
    const auto start = Clock::now();
    number.upload(std::span<const int>(&add, 1));
    device.launch(kernel, grid(1, 1), number, total);
    total.download(std::span<long long>(&seen, 1));
    if (i >= 100) times[i - 100] = nanoseconds_since(start);
    expected += add;
    wrong += seen != expected ? 1 : 0;
  }
  Latency out = summarize(times);
  out.wrong = wrong;
  return out;
}

double measure_send(const Device& device) {
  constexpr std::uint32_t kBurst = 4096;
  ring::Options options;
  options.one_producer = true;
  options.slots = 4 * kBurst;
  const auto adder = ring::spawn(device, kAdder, options).as<AdderState, AdderMessage, long long>();
  std::vector<double> bursts;
  for (int round = 0; round < 25; ++round) {
    const auto start = Clock::now();
    for (std::uint32_t i = 0; i < kBurst; ++i) adder.send(AdderMessage{1});
    bursts.push_back(seconds_since(start) / kBurst);
    (void)adder.call({0}).get();
  }
  std::sort(bursts.begin(), bursts.end());
  return bursts[bursts.size() / 2];
}

bool likes_parallel(const Device& device) { return device.info().kind != DeviceKind::cpu; }

template <typename State>
FlowResult flow_into(const Device& device, const Flow& flow) {
  ring::Options options;
  options.one_producer = flow.producers == flow.actors;
  options.slots = 1 << 14;
  if (flow.is_parallel) {
    options.shape = ring::Shape::parallel;
    options.threads = kParallelThreads;
  }
  std::vector<ring::Handle<State, SumMessage, unsigned long long>> sums;
  for (std::uint32_t a = 0; a < flow.actors; ++a) {
    sums.push_back(ring::spawn(device, flow.is_parallel ? kParallelSum : kSum, options)
                       .template as<State, SumMessage, unsigned long long>());
    (void)sums.back().call(SumMessage{}).get();
  }
  const std::uint64_t each = flow.messages / flow.producers / flow.batch * flow.batch;
  std::atomic<bool> begin{false};
  std::vector<std::thread> producers;
  for (std::uint32_t p = 0; p < flow.producers; ++p) {
    producers.emplace_back([&, p] {
      const auto& sum = sums[p % flow.actors];
      std::vector<SumMessage> batch(flow.batch);
      for (SumMessage& m : batch) m = message_of(0);
      while (!begin) std::this_thread::yield();
      for (std::uint64_t i = 0; i < each; i += flow.batch) {
        for (std::uint32_t k = 0; k < flow.batch; ++k) batch[k].words[0] = p * each + i + k;
        sum.send(std::span<const SumMessage>(batch));
      }
    });
  }
  const auto start = Clock::now();
  begin = true;
  for (std::thread& t : producers) t.join();
  for (const auto& sum : sums) sum.drain();
  const double seconds = seconds_since(start);
  SumState state{0, 0};
  for (const auto& sum : sums) {
    const SumState one = sums_of(sum.state());
    state.sum += one.sum;
    state.count += one.count;
  }
  FlowResult out;
  out.per_second = static_cast<double>(each * flow.producers) / seconds;
  const std::uint64_t all = each * flow.producers;
  out.is_right = state.sum == sum_of_messages(0, all) && state.count == all + flow.actors;
  return out;
}

FlowResult measure_flow(const Device& device, const Flow& flow) {
  return flow.is_parallel ? flow_into<ParallelState>(device, flow) : flow_into<SumState>(device, flow);
}

}  // namespace quern::tool
