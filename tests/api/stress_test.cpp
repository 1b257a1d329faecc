// Eight threads perform random operations on three devices concurrently, for STRESS_SECONDS (8). Every result
// is checked, and memory must not grow: the memory of the process and the devices is printed after a quarter
// of the time and at the end.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <thread>

#include <unistd.h>

#include "api/api_case.hpp"
#include "base/from_environment.hpp"

QUERN_KERNEL(stress_add, (int n, int by, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
})

namespace quern::test {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t resident_bytes() {
  uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void print_memory(const char* when, const std::vector<Device>& devices) {
  std::printf("%s: %.1f MiB resident", when, static_cast<double>(resident_bytes()) / 1048576);
  for (const Device& device : devices) {
    const MemoryStatistics m = device.memory();
    std::printf("; %s %llu buffers, %.1f MiB in use, %.1f MiB held", device.driver().c_str(),
                static_cast<unsigned long long>(m.buffers), static_cast<double>(m.in_use) / 1048576,
                static_cast<double>(m.reserved) / 1048576);
  }
  std::printf("\n");
}

class Worker {
 public:
  Worker(const std::vector<Device>& devices, unsigned seed) : devices_(devices), random_(seed) {}

  void step() {
    const Device& device = devices_[random_() % devices_.size()];
    const std::size_t count = 1 + random_() % 3000;
    switch (random_() % 6) {
      case 0: return copies(device, count);
      case 1: return launches(device, count, device.stream());
      case 2: return launches(device, count, device.create_stream(static_cast<int>(random_() % 2)));
      case 3: return replays(device, count);
      case 4: return travels(device, count);
      default: device.trim();
    }
  }
  int wrong() const { return wrong_; }

 private:
  void check(bool is_right) { wrong_ += is_right ? 0 : 1; }

  void copies(const Device& device, std::size_t count) {
    auto a = device.upload(std::vector<int>(count, 7), "a"), b = device.allocate<int>(count);
    b.copy_from(a);
    a.fill(1);
    check(b.download() == std::vector<int>(count, 7));
    kept_.push_back(device.allocate<char>(random_() % 100000));
    if (kept_.size() > 20) kept_.erase(kept_.begin(), kept_.begin() + 10);
  }

  void launches(const Device& device, std::size_t count, const Stream& stream) {
    auto data = device.upload(std::vector<int>(count, 0));
    const int times = static_cast<int>(random_() % 4);
    for (int i = 0; i < times; ++i)
      stream.launch(stress_add, threads(count), static_cast<int>(count), 2, data);
    if (random_() % 4 == 0) return;  // destroyed with work in flight
    stream.record().wait();
    check(data.download() == std::vector<int>(count, 2 * times));
  }

  void replays(const Device& device, std::size_t count) {
    auto data = device.upload(std::vector<int>(count, 0));
    const auto record = [&](int by) {
      return [&, by](const Stream& s) {
        s.launch(stress_add, threads(count), static_cast<int>(count), by, data);
      };
    };
    const Graph graph = device.record(record(1));
    device.stream().run(graph);
    graph.update(record(10));
    device.stream().run(graph);
    check(data.download() == std::vector<int>(count, 11));
  }

  void travels(const Device& device, std::size_t count) {
    auto here = device.upload(std::vector<int>(count, 3));
    auto there = devices_[random_() % devices_.size()].allocate<int>(count);
    there.copy_from(here);
    check(there.download() == std::vector<int>(count, 3));
  }

  const std::vector<Device>& devices_;
  std::mt19937 random_;
  std::vector<Buffer<char>> kept_;
  int wrong_ = 0;
};

TEST(Stress, EightThreadsOnThreeDevices) {
  const int seconds = base::from_environment("STRESS_SECONDS", 8);
  const std::vector<Device> devices = {open("sim"), open("native"), open("cpu")};
  const auto begin = Clock::now(), end = begin + std::chrono::seconds(seconds);
  std::atomic<int> wrong{0};
  std::atomic<uint64_t> steps{0};
  std::vector<std::thread> threads_of_host;
  for (unsigned t = 0; t < 8; ++t) {
    threads_of_host.emplace_back([&, t] {
      Worker worker(devices, t);
      for (; Clock::now() < end; ++steps) worker.step();
      wrong += worker.wrong();
    });
  }
  std::this_thread::sleep_until(begin + std::chrono::seconds(seconds) / 4);
  const uint64_t early = resident_bytes();
  print_memory("a quarter", devices);
  for (std::thread& t : threads_of_host) t.join();
  print_memory("the end", devices);
  std::printf("%llu steps in %d s\n", static_cast<unsigned long long>(steps.load()), seconds);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(steps, 100u);
  EXPECT_LT(resident_bytes(), early + (uint64_t{64} << 20));
  for (const Device& device : devices) EXPECT_EQ(device.memory().in_use, 0u) << device.name();
  std::printf("%llu steps in %d s\n", static_cast<unsigned long long>(steps.load()), seconds);
}

}  // namespace
}  // namespace quern::test
