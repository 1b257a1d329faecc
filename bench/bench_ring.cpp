// Ring kernels beside hand-written CUDA for the same jobs in one program: calls, sends, throughput, commands
// and steps of a wave field, and what idle actors take from others. Without CUDA that part is left out and
// said to be.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "quern/quern.hpp"
#include "quern/ring.hpp"
#include "ring/field.hpp"
#include "ring/measure.hpp"
#include "ring/raw.hpp"
#include "ring/report.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using bench::FieldMessage;
using bench::FieldState;
using bench::Kind;
using Clock = std::chrono::steady_clock;
using FieldActor = ring::Handle<FieldState, FieldMessage, float>;

struct Settings {
  std::string on, json, only;
  std::uint64_t calls = 200'000, messages = 0;
  std::uint32_t blocks = 0, threads = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Bench {
  Settings settings;
  Device device;
  std::unique_ptr<bench::Raw> raw;
  bench::Report report;
  bool is_cpu = false;

  // A part that fails says so, and the others go on.
  void part(const std::string& name, const std::function<void()>& work) {
    if (!settings.only.empty() && name.find(settings.only) == std::string::npos) return;
    try {
      work();
    } catch (const std::exception& e) {
      report.fail(name, e.what());
    }
  }
};

void bench_calls(Bench& b) {
  const tool::Latency ours = tool::measure_calls(b.device, b.settings.calls);
  bench::Line line{"call, p50", "s", ours.p50, 0, "", b.is_cpu ? "< 1 µs" : "", true, ours.wrong == 0};
  bench::Line p99{"call, p99", "s", ours.p99, ours.p50, "its p50", b.is_cpu ? "" : "<= 1.5"};
  p99.is_met = b.is_cpu || ours.p99 <= 1.5 * ours.p50;
  if (b.is_cpu) line.is_met = ours.p50 < 1e-6;
  if (b.raw != nullptr) {
    const tool::Latency raw = b.raw->calls(b.settings.calls);
    line.other = raw.p50;
    line.against = base::format("raw ping-pong, p99 %.2f µs, max %.1f µs", raw.p99 * 1e6, raw.max * 1e6);
    line.goal = "<= 1.15";
    line.is_met = ours.p50 <= 1.15 * raw.p50;
    line.is_right &= raw.wrong == 0;
  }
  b.report.add(line);
  b.report.add(p99);
  b.report.add({"call, max", "s", ours.max, 0,
                base::format("%llu calls, %llu wrong", static_cast<unsigned long long>(ours.calls),
                             static_cast<unsigned long long>(ours.wrong)),
                ""});
  const std::uint64_t commands = std::min<std::uint64_t>(b.settings.calls, 20'000);
  const tool::Latency by_launches = tool::measure_launches(b.device, commands);
  b.report.add({"call against our launches", "s", ours.p50, by_launches.p50, "upload, launch, download", "",
                true, by_launches.wrong == 0});
  if (b.raw != nullptr) {
    const tool::Latency plain = b.raw->launches(commands);
    b.report.add({"call against plain launches", "s", ours.p50, plain.p50, "upload, launch, wait, download",
                  "<= 1/3.5", ours.p50 * 3.5 <= plain.p50, plain.wrong == 0});
  }
}

void bench_send(Bench& b) {
  const double send = tool::measure_send(b.device);
  b.report.add({"send, host", "s", send, 0, "", b.is_cpu ? "" : "<= 60 ns", b.is_cpu || send <= 60e-9});
}

void bench_flow(Bench& b) {
  const std::uint64_t messages =
      b.settings.messages != 0 ? b.settings.messages : (b.is_cpu ? 4'000'000 : 60'000'000);
  double raw_rate = 0;
  bool raw_right = true;
  if (b.raw != nullptr) {
    const tool::FlowResult raw = b.raw->flow(messages);
    raw_rate = raw.per_second * 1e-6;
    raw_right = raw.is_right;
  }
  const double goal = b.is_cpu ? 20 : 120;
  double one = 0;
  for (const auto& [producers, batch] : {std::pair{1u, 64u}, {1u, 1u}, {8u, 64u}}) {
    tool::Flow flow{producers, batch, batch == 1 ? messages / 4 : messages, tool::likes_parallel(b.device)};
    const tool::FlowResult r = tool::measure_flow(b.device, flow);
    bench::Line line{base::format("64-byte messages, %u producer%s, batches of %u", producers,
                                  producers == 1 ? "" : "s", batch),
                     "M/s",
                     r.per_second * 1e-6,
                     0,
                     "",
                     "",
                     true,
                     r.is_right};
    if (producers == 1 && batch == 64) {
      one = line.ours;
      line.other = raw_rate;
      line.against = raw_rate == 0 ? "" : "raw ring, 1 producer";
      line.goal = base::format(">= %g M/s", goal);
      line.is_met = line.ours >= goal;
      line.is_right &= raw_right;
    }
    if (producers == 8) {
      line.other = one;
      line.against = "1 producer";
    }
    b.report.add(line);
  }
}

struct Field {
  Buffer<float> first, second;
  FieldActor actor;
};

Field spawn_field(const Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  Field f{b.device.allocate<float>(bench::kCells), b.device.allocate<float>(bench::kCells), {}};
  f.first.fill(0);
  f.second.fill(0);
  ring::Options options;
  options.shape = ring::Shape::grid;
  options.blocks = blocks;
  options.threads = threads;
  options.one_producer = true;
  options.buffers = {f.first, f.second};
  f.actor = ring::spawn(b.device, bench::kFieldActor, options).as<FieldState, FieldMessage, float>();
  (void)f.actor.call({Kind::sample, 0, 0, 0}).get();
  return f;
}

bool is_near(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::fabs(a[i] - b[i]) > 1e-4f * std::max(1.0f, std::fabs(b[i]))) return false;
  }
  return true;
}

// Blocks × threads with which a step takes least.
std::pair<std::uint32_t, std::uint32_t> best_shape(Bench& b) {
  if (b.settings.blocks != 0) return {b.settings.blocks, b.settings.threads};
  if (b.is_cpu) return {1, 64};
  std::pair<std::uint32_t, std::uint32_t> best{0, 0};
  double least = 1e30;
  for (const auto& [blocks, threads] : {std::pair{16u, 1024u},
                                        {32u, 512u},
                                        {32u, 1024u},
                                        {64u, 512u},
                                        {64u, 1024u},
                                        {128u, 256u},
                                        {128u, 512u}}) {
    const Field f = spawn_field(b, blocks, threads);
    (void)f.actor.call({Kind::steps, 0, 100, 0}).get();
    const auto start = Clock::now();
    (void)f.actor.call({Kind::steps, 0, 1000, 0}).get();
    const double seconds = seconds_since(start) / 1000;
    std::printf("    %3u blocks of %4u threads: %.2f µs a step\n", blocks, threads, seconds * 1e6);
    if (seconds < least) {
      least = seconds;
      best = {blocks, threads};
    }
  }
  return best;
}

void bench_mixed(Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  const std::vector<FieldMessage> messages = bench::mixed_workload();
  const std::vector<float> expected = bench::HostField().run(messages);
  const Field f = spawn_field(b, blocks, threads);
  double best = 1e30;
  std::vector<float> samples;
  for (int round = 0; round < 4; ++round) {
    (void)f.actor.call({Kind::sample, 0, 0, 0}).get();
    f.first.fill(0);
    f.second.fill(0);
    samples.clear();
    const auto start = Clock::now();
    for (const FieldMessage& m : messages) {
      if (m.kind == Kind::sample) {
        samples.push_back(f.actor.call(m).get());
      } else {
        f.actor.send(m);
      }
    }
    best = std::min(best, seconds_since(start));
  }
  const bool is_right = is_near(samples, expected);
  const std::string what = "mixed: 100 impulses, 100 steps, 100 samples";
  if (b.raw == nullptr) {
    b.report.add({what, "s", best, 0, "", "", true, is_right});
    return;
  }
  for (const bool is_lazy : {false, true}) {
    const bench::Raw::Mixed raw = b.raw->mixed(messages, is_lazy);
    bench::Line line{what,
                     "s",
                     best,
                     raw.seconds,
                     is_lazy ? "launches, waits only where it must" : "launches, each command whole",
                     is_lazy ? "" : "<= 1/4",
                     is_lazy || best * 4 <= raw.seconds,
                     is_right && is_near(raw.samples, expected)};
    b.report.add(line);
  }
}

void bench_steps(Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  const int count = b.is_cpu ? 200 : 10'000;
  const int middle = bench::kCells / 2 + bench::kSide / 2;
  double best = 1e30;
  std::vector<float> field;
  for (int round = 0; round < 3; ++round) {
    const Field f = spawn_field(b, blocks, threads);
    (void)f.actor.call({Kind::impulse, middle, 0, 1.0f}).get();
    const auto start = Clock::now();
    (void)f.actor.call({Kind::steps, 0, count, 0}).get();
    best = std::min(best, seconds_since(start));
    f.actor.stop();
    field = f.first.download();
  }
  b.report.add({base::format("one step of %d in one command (%u blocks of %u)", count, blocks, threads), "s",
                best / count, 0, "", b.is_cpu ? "" : "<= 6 µs", b.is_cpu || best / count <= 6e-6});
  bench::HostField host;
  (void)host.run({{Kind::impulse, middle, 0, 1.0f}, {Kind::steps, 0, count, 0}});
  const bool is_right = is_near(field, host.now());
  const std::string what = base::format("%d steps in one command", count);
  if (b.raw == nullptr) {
    b.report.add({what, "s", best, 0, "", "", true, is_right});
    return;
  }
  double least = 1e30;
  for (const bool as_graph : {false, true}) {
    const bench::Raw::Steps raw = b.raw->steps(count, as_graph);
    least = std::min(least, raw.seconds);
    b.report.add({what, "s", best, raw.seconds, as_graph ? "graphs of 100 launches" : "loop of launches",
                  "<= 1.1", best <= 1.1 * least, is_right && is_near(raw.field, host.now())});
  }
}

// Elements a second of a loop of saxpy launches.
double saxpy_rate(const Device& device, const Kernel& kernel, const Buffer<float>& x, const Buffer<float>& y,
                  int launches) {
  const auto n = static_cast<int>(x.size());
  const auto start = Clock::now();
  for (int i = 0; i < launches; ++i) device.launch(kernel, threads(x.size()), n, 0.5f, x, y);
  device.synchronize();
  return static_cast<double>(x.size()) * launches / seconds_since(start);
}

void bench_idle(Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  const std::size_t n = b.is_cpu ? std::size_t{1} << 20 : std::size_t{1} << 26;
  const int launches = b.is_cpu ? 100 : 300;
  const Module module = b.device.compile(
      "__global__ void saxpy(int n, float a, const float* x, float* y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i] + y[i];\n}\n");
  const Kernel kernel = module.kernel("saxpy");
  const auto x = b.device.allocate<float>(n), y = b.device.allocate<float>(n);
  x.fill(1);
  y.fill(1);
  (void)saxpy_rate(b.device, kernel, x, y, launches);
  for (const bool is_grid : {false, true}) {
    double without = 0, with = 0;
    for (int round = 0; round < 3; ++round) {
      without = std::max(without, saxpy_rate(b.device, kernel, x, y, launches));
      ring::Options options;
      std::optional<Field> field;
      ring::Actor actor;
      if (is_grid) {
        field = spawn_field(b, blocks, threads);
      } else {
        actor = ring::spawn(b.device,
                            "struct State { int n; };\nstruct Message { int n; };\nusing Reply = int;\n"
                            "__device__ Reply on_message(State& s, const Message& m, quern::ring::Context&) "
                            "{ return s.n += m.n; }\n",
                            options);
        const std::int32_t one = 1;
        std::int32_t got = 0;
        actor.call(std::as_bytes(std::span(&one, 1))).take(&got, sizeof got);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
      with = std::max(with, saxpy_rate(b.device, kernel, x, y, launches));
    }
    b.report.add({is_grid ? "saxpy beside an idle grid actor" : "saxpy beside an idle actor", "G/s",
                  with * 1e-9, without * 1e-9, "without one", ">= 0.99", with >= 0.99 * without});
  }
}

int usage(const char* why) {
  std::printf(
      "%s\nusage: bench_ring [--on DEVICE] [--calls N] [--messages N] [--blocks N --threads N] [--only "
      "PART]\n"
      "                  [--json FILE]     parts: calls, send, flow, mixed, steps, idle\n",
      why);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Bench b;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) return usage("an option needs a value behind it");
    const std::string value = argv[++i];
    const std::uint64_t count = base::parse_uint(value).value_or(0);
    if (name == "--on")
      b.settings.on = value;
    else if (name == "--json")
      b.settings.json = value;
    else if (name == "--only")
      b.settings.only = value;
    else if (name == "--calls" && count != 0)
      b.settings.calls = count;
    else if (name == "--messages" && count != 0)
      b.settings.messages = count;
    else if (name == "--blocks" && count != 0)
      b.settings.blocks = static_cast<std::uint32_t>(count);
    else if (name == "--threads" && count != 0)
      b.settings.threads = static_cast<std::uint32_t>(count);
    else
      return usage("an option is not known, or its value is no count of at least 1");
  }
  try {
    b.device = open(b.settings.on);
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 3;
  }
  b.is_cpu = b.device.info().kind == DeviceKind::cpu;
  std::printf("%s (%s)\n", b.device.name().c_str(), b.device.driver().c_str());
  if (b.device.driver() == "cuda") {
    std::string why;
    b.raw = bench::Raw::open(why);
    if (b.raw == nullptr) std::printf("hand-written CUDA is left out: %s\n", why.c_str());
  } else {
    std::printf("hand-written CUDA is left out: this is not a CUDA device\n");
  }
  b.part("calls", [&] { bench_calls(b); });
  b.part("send", [&] { bench_send(b); });
  b.part("flow", [&] { bench_flow(b); });
  std::pair<std::uint32_t, std::uint32_t> shape{1, 64};
  b.part("mixed steps idle", [&] { shape = best_shape(b); });
  b.part("mixed", [&] { bench_mixed(b, shape.first, shape.second); });
  b.part("steps", [&] { bench_steps(b, shape.first, shape.second); });
  b.part("idle", [&] { bench_idle(b, shape.first, shape.second); });
  std::printf("\n%s", b.report.table().c_str());
  if (!b.settings.json.empty()) std::ofstream(b.settings.json) << b.report.json(b.device.name());
  return b.report.all_right() ? 0 : 1;
}
