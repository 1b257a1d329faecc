// Kernels on the cpu device, compared with the same source on PoCL (OpenCL) and lavapipe (Vulkan) and with
// hand-written loops for the compiler's vectorizer, on the same number of threads. Results are compared with
// the loops'. The sides take turns, so that other work on the machine affects all of them. The shortest time
// of each is shown.
//
//   bench_cpu [--filter TEXT] [--rounds N] [--math exact|fused|fast] [--clock wall|processor] [--json FILE]
//             [--svg FILE] [--only-loops] [--floats MI]
//
// `--floats 64` uses streams and reductions of 64 Mi floats (default: 8), for machines with large caches.
//
// On a busy machine `--clock processor` counts the CPU time of the process, all threads together, instead of
// the wall time. With one thread (QUERN_CPU_THREADS, OMP_NUM_THREADS, POCL_MAX_PTHREAD_COUNT, LP_NUM_THREADS)
// the two are equal on an idle machine.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cpu/large_pages.hpp"
#include "cpu/loops.hpp"
#include "cpu/measured.hpp"
#include "cpu/workload.hpp"
#include "quern/quern.hpp"
#include "telemetry/monitor.hpp"

namespace quern::bench {
namespace {

constexpr double kMovedByCopy = 12;   // bytes per float, see Workload::bytes
constexpr double kMostSeconds = 0.5;  // per side and kernel, after its first turn

struct BenchOptions {
  std::string filter, json, svg;
  Math math = Math::fused;  // as assumed by the compiler of the loops
  int rounds = 6;
  int floats = 8;  // Mi, of streams
  bool only_loops = false;
  bool by_processor = false;  // CPU time of the process, of all its threads
};

// A float or an integer: a struct fits parameters of both.
struct Word {
  uint32_t bits;
};

// One device with the data of a workload.
class Seat {
 public:
  Seat(const Device& device, const Module& module, const Workload& work)
      : device_(device), kernel_(module.kernel(work.name)), shape_(quern::grid(work.grid, work.block)) {
    for (const Array& a : work.arrays) {
      if (a.element_words == 4) {
        std::vector<Body> bodies(a.words.size() / 4);
        std::memcpy(bodies.data(), a.words.data(), a.words.size() * 4);
        buffers_.emplace_back(device.upload(bodies));
      } else {
        std::vector<Word> words(a.words.size());
        std::memcpy(words.data(), a.words.data(), a.words.size() * 4);
        buffers_.emplace_back(device.upload(words));
      }
    }
    for (const Given& g : work.arguments) {
      switch (g.kind) {
        case Given::Kind::kInteger: arguments_.emplace_back(g.integer); break;
        case Given::Kind::kReal: arguments_.emplace_back(g.real); break;
        case Given::Kind::kArray: std::visit([&](auto& b) { arguments_.emplace_back(b); }, buffers_[g.array]);
      }
    }
  }

  void run() const {
    device_.stream().launch_list(kernel_, shape_, arguments_);
    device_.synchronize();
  }

  std::vector<uint32_t> result(size_t array) const {
    return std::visit(
        [](const auto& buffer) {
          const auto elements = buffer.download();
          std::vector<uint32_t> words(buffer.size_bytes() / 4);
          std::memcpy(words.data(), elements.data(), words.size() * 4);
          return words;
        },
        buffers_[array]);
  }

 private:
  Device device_;
  Kernel kernel_;
  LaunchConfig shape_;
  std::vector<std::variant<Buffer<Word>, Buffer<Body>>> buffers_;
  std::vector<Argument> arguments_;
};

// What differs by more than the tolerance, as a sentence; empty: nothing. A few numbers may differ: pixels at
// the border of the set depend on rounding.
std::string differences(const Array& wanted, const std::vector<uint32_t>& got, double tolerance) {
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double a = wanted.words[i], b = got[i];
    if (wanted.is_float) {
      float x = 0, y = 0;
      std::memcpy(&x, &wanted.words[i], 4), std::memcpy(&y, &got[i], 4);
      a = x, b = y;
    }
    const bool is_near = std::fabs(a - b) <= tolerance * std::max(std::fabs(a), wanted.is_float ? 1e-2 : 0.0);
    if (!is_near && bad++ == 0) first = i;
  }
  const size_t allowed =
      wanted.is_float ? 0 : static_cast<size_t>(tolerance * static_cast<double>(got.size()));
  if (bad <= allowed) return {};
  return base::format("%zu of %zu numbers differ, the first is number %zu", bad, got.size(), first);
}

double now(bool by_processor) {
  timespec t{};
  ::clock_gettime(by_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Gives idle threads of the other sides time to sleep; OpenMP's threads, which spin much longer, end.
void settle() {
  end_loop_threads();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Large kernels start with quickly compiled code, which is replaced after a while.
void warm_up(const Seat* seat) {
  constexpr double kSeconds = 0.25;
  constexpr int kRuns = 200;
  const double end = now(false) + kSeconds;
  for (int i = 0; seat != nullptr && i < kRuns && now(false) < end; ++i) seat->run();
}

class Bench {
 public:
  explicit Bench(const BenchOptions& bench_options) : bench_options_(bench_options) {
    report_.threads = loop_threads();
    report_.math = bench_options.math == Math::exact   ? "exact"
                   : bench_options.math == Math::fused ? "fused"
                                                       : "fast";
    report_.clock = bench_options.by_processor ? "CPU time" : "wall time";
  }

  bool open() {
    const auto text = base::read_file(QUERN_SOURCE_DIR "/bench/cpu/kernels.cu");
    if (!text.ok()) return std::printf("%s\n", text.error().to_string().c_str()), false;
    if (!add("kernel", "cpu", *text)) return false;
    report_.sides.push_back({"loop", "g++ -O3 -march=native -fopenmp"});
    modules_.emplace_back();
    devices_.emplace_back();
    if (bench_options_.only_loops) return true;
    add("pocl", "opencl", *text);
    add("lavapipe", "vulkan", *text);
    return true;
  }

  // On all threads, as large as the streams, in large pages like the device's buffers.
  void measure_stream() {
    const int n = bench_options_.floats << 20;
    const LargePages a(n), c(n);
    double best = 1e30, spent = 0;
    for (int round = 0; round < 2 * bench_options_.rounds; ++round) {
      settle();
      best = std::min(best, best_of_turn([&] { copy_loop(n, a.data(), c.data()); }, spent));
    }
    report_.stream = kMovedByCopy * n / best;
  }

  void measure(Workload work) {
    Measured m{work.name, work.about, {}, {}, work.bytes, work.flops};
    m.seconds.resize(report_.sides.size(), 0);
    m.wrong.resize(report_.sides.size());
    std::vector<Array> own = work.arrays;
    work.loop(own);
    std::vector<std::unique_ptr<Seat>> seats(report_.sides.size());
    for (size_t s = 0; s < seats.size(); ++s) {
      if (s != kLoop) seats[s] = seat(s, work, own, m.wrong[s]);
    }
    for (const auto& s : seats) warm_up(s.get());
    std::vector<double> spent(seats.size(), 0);
    for (int round = 0; round < bench_options_.rounds; ++round) {
      for (size_t s = 0; s < seats.size(); ++s) {
        if ((s != kLoop && seats[s] == nullptr) || spent[s] > kMostSeconds) continue;
        settle();
        const double best = best_of_turn([&] { s == kLoop ? work.loop(own) : seats[s]->run(); }, spent[s]);
        m.seconds[s] = m.seconds[s] == 0 ? best : std::min(m.seconds[s], best);
      }
      if (work.beside.run) measure_beside(work, own, m.beside);
    }
    m.beside_what = work.beside.what;
    report_.rows.push_back(std::move(m));
  }

  const Report& report() const { return report_; }
  DeviceInfo device_info() const { return devices_.front().info(); }

 private:
  static constexpr size_t kLoop = 1;

  void measure_beside(const Workload& work, std::vector<Array>& own, double& best) const {
    double spent = 0;
    settle();
    const double took = best_of_turn([&] { work.beside.run(own); }, spent);
    best = best == 0 ? took : std::min(best, took);
  }

  // A side's turn is several consecutive runs: its threads are awake from the second one on.
  template <typename Work>
  double best_of_turn(const Work& work, double& spent) const {
    constexpr int kRuns = 8;
    constexpr double kMostOfTurn = 0.06;
    double best = 0, all = 0;
    for (int i = 0; i < kRuns && all < kMostOfTurn; ++i) {
      const double took = seconds(work);
      best = i == 0 ? took : std::min(best, took);
      all += took;
    }
    spent += all;
    return best;
  }

  template <typename Work>
  double seconds(const Work& work) const {
    const double start = now(bench_options_.by_processor);
    work();
    return now(bench_options_.by_processor) - start;
  }

  bool add(const char* name, const char* which, const std::string& text) {
    try {
      const Device device = quern::open(which, [](const DeviceInfo& d) { return d.kind == DeviceKind::cpu; });
      ModuleOptions options;
      options.math = bench_options_.math;
      modules_.push_back(device.compile(text, options));
      devices_.push_back(device);
      report_.sides.push_back({name, device.name() + ", " + device.info().driver_version});
      return true;
    } catch (const Error& error) {
      std::printf("%s is not measured: %s\n", name, error.what());
      return false;
    }
  }

  // After one run whose results were compared. Null if it does not run.
  std::unique_ptr<Seat> seat(size_t side, const Workload& work, const std::vector<Array>& wanted,
                             std::string& wrong) {
    try {
      auto seat = std::make_unique<Seat>(devices_[side], modules_[side], work);
      seat->run();
      for (size_t a = 0; a < wanted.size() && wrong.empty(); ++a) {
        if (wanted[a].is_result) wrong = differences(wanted[a], seat->result(a), work.tolerance);
      }
      return seat;
    } catch (const Error& error) {
      wrong = error.what();
      return nullptr;
    }
  }

  BenchOptions bench_options_;
  Report report_;
  std::vector<Device> devices_;
  std::vector<Module> modules_;
};

std::optional<BenchOptions> read_bench_options(int argc, char** argv) {
  BenchOptions w;
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    if (key == "--only-loops") {
      w.only_loops = true;
      continue;
    }
    if (i + 1 >= argc) return std::nullopt;
    const std::string value = argv[++i];
    if (key == "--filter") {
      w.filter = value;
    } else if (key == "--json") {
      w.json = value;
    } else if (key == "--svg") {
      w.svg = value;
    } else if (key == "--rounds" && base::parse_uint(value)) {
      w.rounds = static_cast<int>(*base::parse_uint(value));
    } else if (key == "--floats" && base::parse_uint(value).value_or(0) - 1 < 256) {
      w.floats = static_cast<int>(*base::parse_uint(value));
    } else if (key == "--math" && (value == "exact" || value == "fused" || value == "fast")) {
      w.math = value == "exact" ? Math::exact : value == "fused" ? Math::fused : Math::fast;
    } else if (key == "--clock" && (value == "wall" || value == "processor")) {
      w.by_processor = value == "processor";
    } else {
      return std::nullopt;
    }
  }
  return w;
}

int run(int argc, char** argv) {
  const auto bench_options = read_bench_options(argc, argv);
  if (!bench_options) {
    std::printf(
        "bench_cpu [--filter TEXT] [--rounds N] [--math exact|fused|fast] [--clock wall|processor] [--json "
        "FILE] "
        "[--svg FILE] [--only-loops] [--floats MI]\n");
    return 2;
  }
  Bench bench(*bench_options);
  if (!bench.open()) return 1;
  telemetry::ThrottleWatch throttling(bench.device_info());
  bench.measure_stream();
  for (Workload& w : workloads(bench_options->floats << 20)) {
    if (w.name.find(bench_options->filter) != std::string::npos) bench.measure(std::move(w));
  }
  const ThrottleReasons throttled = throttling.reasons();
  const Report& report = bench.report();
  for (const Side& s : report.sides) std::printf("%-8s  %s\n", s.name.c_str(), s.about.c_str());
  std::printf("%d threads, %s arithmetic, %s; a plain copying loop on all of them: %.1f GB/s\n\n%s",
              report.threads, report.math.c_str(), report.clock.c_str(), report.stream / 1e9,
              report.table().c_str());
  if (!throttled.empty()) std::printf("throttled (%s)\n", telemetry::to_string(throttled).c_str());
  const auto write = [](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (const auto done = base::write_file(path, text); !done.ok())
      std::printf("%s\n", done.error().to_string().c_str());
  };
  write(bench_options->json, report.json(throttled));
  write(bench_options->svg, report.svg());
  bool right = true;
  for (const Measured& m : report.rows) right = right && m.wrong[0].empty();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace quern::bench

int main(int argc, char** argv) { return quern::bench::run(argc, argv); }
