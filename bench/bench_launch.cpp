// Host cost and allocations of an asynchronous launch of an empty kernel on the named devices (default: cpu),
// and the overhead of a profile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/table.hpp"
#include "base/text.hpp"
#include "lang/compile.hpp"
#include "launch_cost.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/select.hpp"
#include "runtime/stream.hpp"
#include "throttle_note.hpp"

namespace {

std::atomic<uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = align > alignof(std::max_align_t)
                           ? std::aligned_alloc(align, (bytes + align - 1) / align * align)
                           : std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 0); }
void* operator new[](std::size_t bytes) { return counted(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t align) {
  return counted(bytes, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t bytes, std::align_val_t align) {
  return counted(bytes, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLaunches = 200;  // fewer than a queue holds: none waits for a slot
constexpr int kRounds = 500;
constexpr const char* kSource =
    "__global__ void empty() {}\n__global__ void five(int n, float a, const float* x, float* y, int* z) {}\n";

struct Cost {
  double microseconds = 1e30;  // mean of the best round
  uint64_t allocations = 0;    // of all launches except the first round's
};

template <typename Launch, typename Wait>
Cost measure(const Launch& launch, const Wait& wait) {
  Cost cost;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t before = allocations.load();
    const auto start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) launch();
    const auto end = Clock::now();
    if (round > 0) cost.allocations += allocations.load() - before;
    wait();
    cost.microseconds = std::min(cost.microseconds,
                                 std::chrono::duration<double, std::micro>(end - start).count() / kLaunches);
  }
  return cost;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

// Rounds with and without a profile alternate, so that both see the same machine conditions; measured by the
// CPU time of the launching thread.
template <typename Launch>
void compare_profiled(const char* what, runtime::Device& device, const Launch& launch) {
  profile::Recorder& recorder = profile::Recorder::instance();
  std::vector<double> times[2];
  for (int round = 0; round < 10 * kRounds; ++round) {
    const bool is_profiled = round % 2 == 1;
    if (is_profiled) (void)recorder.start("");
    ::usleep(100);  // wakes a thread, which then sleeps again
    launch();       // so does this
    const double start = bench::thread_us();
    for (int i = 1; i < kLaunches; ++i) launch();
    const double end = bench::thread_us();
    (void)device.synchronize();
    if (is_profiled) recorder.stop();
    times[is_profiled ? 1 : 0].push_back((end - start) / (kLaunches - 1));
  }
  const double best[] = {*std::min_element(times[0].begin(), times[0].end()),
                         *std::min_element(times[1].begin(), times[1].end())};
  const double usual[] = {median(times[0]), median(times[1])};
  std::printf(
      "%s: best %.3f us, profiled %.3f us (%+.0f %%); median %.3f us, profiled %.3f us (%+.0f %%); %llu "
      "dropped\n",
      what, best[0], best[1], (best[1] / best[0] - 1) * 100, usual[0], usual[1],
      (usual[1] / usual[0] - 1) * 100, static_cast<unsigned long long>(recorder.dropped()));
}

// Without a profile, a launch checks one flag. That is too little to be measured in a launch, so rounds with
// a hundred additional checks after each launch alternate with rounds without.
template <typename Launch>
void measure_question(runtime::Device& device, const Launch& launch) {
  constexpr int kQuestions = 100;
  std::vector<double> times[2];
  for (int round = 0; round < 4 * kRounds; ++round) {
    const bool asks = round % 2 == 1;
    launch();
    const double start = bench::thread_us();
    for (int i = 1; i < kLaunches; ++i) {
      launch();
      for (int q = 0; asks && q < kQuestions; ++q) {
        if (profile::is_on()) std::abort();
      }
    }
    const double end = bench::thread_us();
    (void)device.synchronize();
    times[asks ? 1 : 0].push_back((end - start) / (kLaunches - 1));
  }
  const double alone = median(times[0]), question = (median(times[1]) - alone) / kQuestions;
  std::printf(
      "no profile: a launch takes %.3f us, of which the question whether there is one %.2f ns (%.2f %%)\n",
      alone, question * 1e3, question / alone * 100);
}

template <typename T>
T need(base::Result<T> result) {
  if (!result.ok()) std::printf("%s\n", result.error().to_string().c_str()), std::exit(1);
  return std::move(*result);
}

runtime::HostArgument buffer(const runtime::MemoryPtr& memory) {
  runtime::HostArgument a;
  a.kind = ArgumentKind::memory;
  a.slice = {memory.get(), 0, memory->bytes()};
  return a;
}

int run(const std::string& name) {
  const auto opened = runtime::open({name, nullptr});
  if (!opened.ok()) {
    std::printf("launches are not measured: %s\n", opened.error().to_string().c_str());
    return 0;
  }
  const auto& device = *opened;
  bench::ThrottleNote throttling(device->info());
  runtime::Source source;
  source.name = "launch.cu";
  source.text = kSource;
  const auto program = need(runtime::Module::load(device, std::move(source)));
  const auto empty = need(program->kernel("empty")), five = need(program->kernel("five"));
  const auto memory = need(device->allocate(64, driver::MemoryKind::device, "x"));
  runtime::HostArgument n, a;
  n.kind = ArgumentKind::integer;
  n.integer = 1;
  a.kind = ArgumentKind::real;
  a.real = 2;
  const runtime::HostArgument arguments[] = {n, a, buffer(memory), buffer(memory), buffer(memory)};
  runtime::Stream& stream = device->default_stream();
  runtime::LaunchConfig shape;
  shape.grid_size = shape.block_size = {1, 1, 1};
  const auto wait = [&] { (void)stream.synchronize(); };
  const auto table_row = [&](base::Table& table, const char* what, const Cost& cost) {
    table.add_row({what, base::format("%.3f", cost.microseconds),
                   std::to_string(cost.allocations) + " in " + std::to_string((kRounds - 1) * kLaunches)});
  };
  base::Table table({{"asynchronous launch on " + name}, {"us"}, {"allocations"}});
  table_row(table, "empty kernel", measure([&] { (void)stream.launch(*empty, shape, {}); }, wait));
  table_row(table, "empty kernel, five arguments",
            measure([&] { (void)stream.launch(*five, shape, arguments); }, wait));
  std::fputs(table.to_string(false).c_str(), stdout);
  measure_question(*device, [&] { (void)stream.launch(*empty, shape, {}); });
  compare_profiled("empty kernel", *device, [&] { (void)stream.launch(*empty, shape, {}); });
  compare_profiled("five arguments", *device, [&] { (void)stream.launch(*five, shape, arguments); });
  throttling.print();
  return 0;
}

}  // namespace
}  // namespace quern

int main(int count, char** names) {
  int code = 0;
  for (int i = 1; i < count; ++i) code |= quern::run(names[i]);
  return count > 1 ? code : quern::run("cpu");
}
