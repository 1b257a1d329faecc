// Compares ring kernels with hand-written CUDA for the same jobs in one program: calls, sends, throughput,
// commands and steps of a wave field, and the cost of idle actors. Without CUDA, that part is skipped with a
// message.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "quern/quern.hpp"
#include "quern/ring.hpp"
#include "ring/field.hpp"
#include "ring/measure.hpp"
#include "ring/raw.hpp"
#include "ring/report.hpp"
#include "throttle_note.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using bench::FieldMessage;
using bench::FieldState;
using bench::Kind;
using Clock = std::chrono::steady_clock;
using FieldActor = ring::Handle<FieldState, FieldMessage, float>;

constexpr const char* kParts[] = {"calls", "send", "flow", "mixed", "steps", "idle"};

struct Settings {
  std::string on, json, only;
  std::uint64_t calls = 200'000, messages = 0, limit = 45;
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

  void run(std::string_view part);
};

// The median of several rounds for each number; calls and wrong replies are totals.
tool::Latency middle_of(std::vector<tool::Latency> rounds) {
  tool::Latency out;
  for (double tool::Latency::*number : {&tool::Latency::p50, &tool::Latency::p90, &tool::Latency::p99,
                                        &tool::Latency::p999, &tool::Latency::max}) {
    std::sort(rounds.begin(), rounds.end(),
              [&](const auto& a, const auto& b) { return a.*number < b.*number; });
    out.*number = rounds[rounds.size() / 2].*number;
  }
  for (const tool::Latency& round : rounds) {
    out.calls += round.calls;
    out.wrong += round.wrong;
  }
  return out;
}

std::string percentiles(const char* whose, const tool::Latency& l) {
  return base::format("%s: p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, max %.1f µs", whose, l.p50 * 1e6,
                      l.p90 * 1e6, l.p99 * 1e6, l.p999 * 1e6, l.max * 1e6);
}

void bench_calls(Bench& b) {
  // Alternates with the raw ones: other work on the machine affects both.
  constexpr std::uint64_t kRounds = 5;
  std::vector<tool::Latency> our_rounds, raw_rounds;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    our_rounds.push_back(tool::measure_calls(b.device, b.settings.calls / kRounds + 1));
    b.report.note(percentiles("ours", our_rounds.back()));
    if (b.raw == nullptr) continue;
    raw_rounds.push_back(b.raw->calls(b.settings.calls / kRounds + 1));
    b.report.note(percentiles(" raw", raw_rounds.back()));
  }
  const tool::Latency ours = middle_of(our_rounds);
  bench::Line line{"call, p50", "s", ours.p50, 0, "", b.is_cpu ? "< 1 µs" : "", true, ours.wrong == 0};
  bench::Line p99{"call, p99", "s", ours.p99, ours.p50, "its p50", b.is_cpu ? "" : "<= 1.5"};
  p99.is_met = b.is_cpu || ours.p99 <= 1.5 * ours.p50;
  if (b.is_cpu) line.is_met = ours.p50 < 1e-6;
  if (b.raw != nullptr) {
    const tool::Latency raw = middle_of(raw_rounds);
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
  for (const bool by_copies : {false, true}) {
    if (b.raw == nullptr) break;
    const tool::FlowResult raw = b.raw->flow(messages, by_copies);
    b.report.note(
        base::format("raw ring by %s: %.1f M/s", by_copies ? "copies" : "loads", raw.per_second * 1e-6));
    raw_rate = std::max(raw_rate, raw.per_second * 1e-6);
    raw_right &= raw.is_right;
  }
  const double goal = b.is_cpu ? 20 : 120;
  struct Way {
    std::uint32_t producers, batch, actors;
  };
  std::map<std::uint32_t, double> one;  // rate of one producer, by batch size
  for (const auto& [producers, batch, actors] :
       {Way{1, 64, 1}, {1, 1, 1}, {8, 1, 1}, {8, 64, 1}, {8, 64, 8}}) {
    // One or two seconds of them, estimated from a first run.
    tool::Flow flow{producers, batch, 100'000, tool::likes_parallel(b.device), actors};
    const double rate = tool::measure_flow(b.device, flow).per_second;
    flow.messages = std::clamp(static_cast<std::uint64_t>(rate * 2), std::uint64_t{100'000}, messages);
    const tool::FlowResult r = tool::measure_flow(b.device, flow);
    bench::Line line{base::format("64-byte messages, %u producer%s%s, batches of %u", producers,
                                  producers == 1 ? "" : "s", actors == 1 ? "" : " and actors", batch),
                     "M/s",
                     r.per_second * 1e-6,
                     0,
                     "",
                     "",
                     true,
                     r.is_right};
    if (producers == 1) one[batch] = line.ours;
    if (producers == 1 && batch == 64) {
      line.other = raw_rate;
      line.against = raw_rate == 0 ? "" : "raw ring, 1 producer";
      line.goal = base::format(">= %g M/s", goal);
      line.is_met = line.ours >= goal;
      line.is_right &= raw_right;
    }
    if (producers > 1) {
      line.other = one[batch];
      line.against = "1 producer";
    }
    b.report.add(line);
  }
}

struct Field {
  std::vector<Buffer<float>> buffers;
  FieldActor actor;
};

Field spawn_field(const Bench& b, std::uint32_t blocks, std::uint32_t threads, bool is_tiled = false) {
  Field f;
  ring::Options options;
  for (int i = 0; i < 4; ++i) {
    f.buffers.push_back(b.device.allocate<float>(bench::kCells));
    f.buffers.back().fill(0);
  }
  for (Buffer<float>& buffer : f.buffers) options.buffers.emplace_back(buffer);
  options.shape = ring::Shape::grid;
  options.blocks = blocks;
  options.threads = threads;
  options.one_producer = true;
  f.actor = ring::spawn(b.device, is_tiled ? bench::kTiledActor : bench::kFieldActor, options)
                .as<FieldState, FieldMessage, float>();
  (void)f.actor.call({Kind::kSample, 0, 0, 0}).get();
  return f;
}

bool is_near(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::fabs(a[i] - b[i]) > 1e-4f * std::max(1.0f, std::fabs(b[i]))) return false;
  }
  return true;
}

// The blocks × threads with the shortest step.
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
    Field f = spawn_field(b, blocks, threads);
    (void)f.actor.call({Kind::kSteps, 0, 100, 0}).get();
    const auto start = Clock::now();
    (void)f.actor.call({Kind::kSteps, 0, 1000, 0}).get();
    const double seconds = seconds_since(start) / 1000;
    b.report.note(base::format("%u blocks of %u threads: %.2f µs a step", blocks, threads, seconds * 1e6));
    if (seconds < least) {
      least = seconds;
      best = {blocks, threads};
    }
  }
  return best;
}

// The best of four rounds. The actor has ended afterwards: loading kernels and pinning memory, as direct
// calls do, may wait for all kernels of the device.
double mixed_seconds(Bench& b, const std::vector<FieldMessage>& messages, const std::vector<float>& expected,
                     std::pair<std::uint32_t, std::uint32_t> shape, bool& is_right) {
  Field f = spawn_field(b, shape.first, shape.second);
  double best = 1e30;
  std::vector<float> samples;
  for (int round = 0; round < 4; ++round) {
    (void)f.actor.call({Kind::kSample, 0, 0, 0}).get();
    for (Buffer<float>& buffer : f.buffers) buffer.fill(0);
    samples.clear();
    const auto start = Clock::now();
    for (const FieldMessage& m : messages) {
      if (m.kind == Kind::kSample) {
        samples.push_back(f.actor.call(m).get());
      } else {
        f.actor.send(m);
      }
    }
    best = std::min(best, seconds_since(start));
    for (std::size_t i = 0; is_right && i < expected.size(); ++i) {
      is_right = is_near({samples[i]}, {expected[i]});
      if (!is_right)
        b.report.note(base::format("round %d: sample %zu is %g and should be %g", round, i,
                                   static_cast<double>(samples[i]), static_cast<double>(expected[i])));
    }
  }
  (void)f.actor.stop();
  return best;
}

void bench_mixed(Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  const std::vector<FieldMessage> messages = bench::mixed_workload();
  const std::vector<float> expected = bench::HostField().run(messages);
  // Short commands may prefer fewer blocks than long ones.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes{{blocks, threads}};
  if (!b.is_cpu && b.settings.blocks == 0) shapes.insert(shapes.end(), {{16, 1024}, {32, 512}});
  double best = 1e30;
  bool is_right = true;
  for (const auto& shape : shapes) {
    const double seconds = mixed_seconds(b, messages, expected, shape, is_right);
    b.report.note(
        base::format("mixed, %u blocks of %u threads: %.2f ms", shape.first, shape.second, seconds * 1e3));
    best = std::min(best, seconds);
  }
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

struct OurSteps {
  double seconds = 1e30;
  std::vector<float> field;
};

OurSteps run_steps(const Bench& b, int count, std::uint32_t blocks, std::uint32_t threads, bool is_tiled) {
  OurSteps out;
  for (int round = 0; round < 3; ++round) {
    Field f = spawn_field(b, blocks, threads, is_tiled);
    (void)f.actor.call({Kind::kImpulse, bench::kMiddle, 0, 1.0f}).get();
    const auto start = Clock::now();
    (void)f.actor.call({Kind::kSteps, 0, count, 0}).get();
    out.seconds = std::min(out.seconds, seconds_since(start));
    // Steps, or phases of eight of them: after an even number the newest field is in the first buffer.
    const int turns = is_tiled ? (count + 7) / 8 : count;
    const Buffer<float>& newest = f.buffers[turns % 2 == 0 ? 0 : is_tiled ? 2 : 1];
    (void)f.actor.stop();
    out.field = newest.download();
  }
  return out;
}

void bench_steps(Bench& b, std::uint32_t blocks, std::uint32_t threads) {
  const int count = b.is_cpu ? 200 : 10'000;
  bench::HostField host;
  (void)host.run({{Kind::kImpulse, bench::kMiddle, 0, 1.0f}, {Kind::kSteps, 0, count, 0}});
  double least = 0;
  std::vector<bench::Raw::Steps> raw;
  if (b.raw != nullptr) {
    for (const bool as_graph : {false, true}) raw.push_back(b.raw->steps(count, as_graph));
    least = std::min(raw[0].seconds, raw[1].seconds);
  }
  for (const bool is_tiled : {false, true}) {
    const auto [own_blocks, own_threads] =
        is_tiled && !b.is_cpu ? std::pair{64u, 1024u} : std::pair{blocks, threads};
    const OurSteps ours = run_steps(b, count, own_blocks, own_threads, is_tiled);
    const bool is_right = is_near(ours.field, host.now());
    const std::string how = base::format("%d steps%s", count, is_tiled ? ", 8 between barriers" : "");
    b.report.add({"a step of " + how, "s", ours.seconds / count, 0,
                  base::format("%u blocks of %u threads", own_blocks, own_threads), b.is_cpu ? "" : "<= 6 µs",
                  b.is_cpu || ours.seconds / count <= 6e-6, is_right});
    for (std::size_t i = 0; i < raw.size(); ++i) {
      b.report.add({how + " in one command", "s", ours.seconds, raw[i].seconds,
                    i == 0 ? "loop of launches" : "graphs of 100 launches", "<= 1.1",
                    ours.seconds <= 1.1 * least, is_right && is_near(raw[i].field, host.now())});
    }
  }
}

// Elements per second of a loop of saxpy launches.
double saxpy_rate(const Device& device, const Kernel& kernel, const Buffer<float>& x, Buffer<float>& y,
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
  auto x = b.device.allocate<float>(n), y = b.device.allocate<float>(n);
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
    b.report.add({is_grid ? "saxpy with an idle grid actor" : "saxpy with an idle actor", "G/s", with * 1e-9,
                  without * 1e-9, "without one", ">= 0.99", with >= 0.99 * without});
  }
}

int usage(const char* why) {
  std::printf(
      "%s\nusage: bench_ring [--on DEVICE] [--calls N] [--messages N] [--blocks N --threads N] [--only "
      "PART]\n"
      "                  [--limit SECONDS of each part] [--json FILE]\n"
      "parts: calls, send, flow, mixed, steps, idle; each in a separate process\n",
      why);
  return 2;
}

bool read_settings(std::span<char*> words, Settings& s) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string_view name = words[i];
    const std::string value = words[i + 1];
    const std::uint64_t count = base::parse_uint(value).value_or(0);
    const auto small = static_cast<std::uint32_t>(count);
    if (name == "--on") {
      s.on = value;
    } else if (name == "--json") {
      s.json = value;
    } else if (name == "--only") {
      s.only = value;
    } else if (count == 0) {
      return false;
    } else if (name == "--calls") {
      s.calls = count;
    } else if (name == "--messages") {
      s.messages = count;
    } else if (name == "--limit") {
      s.limit = count;
    } else if (name == "--blocks") {
      s.blocks = small;
    } else if (name == "--threads") {
      s.threads = small;
    } else {
      return false;
    }
  }
  return words.size() % 2 == 0;
}

// Runs this program again for one part, so that a hang does not affect the others.
bool run_apart(const Settings& s, std::span<char*> words, const char* part) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::string> texts{"/proc/self/exe", "--only", part};
    for (const char* word : words) texts.emplace_back(word);
    if (!s.json.empty()) texts.insert(texts.end(), {"--json", s.json + "." + part});
    std::vector<char*> arguments;
    for (std::string& t : texts) arguments.push_back(t.data());
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(127);
  }
  const auto start = Clock::now();
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (seconds_since(start) > static_cast<double>(s.limit)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      std::printf("  %s: NOT COMPLETED after %llu s\n", part, static_cast<unsigned long long>(s.limit));
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return status == 0;
}

// All results, one per line.
void gather(const Settings& s) {
  std::ofstream all(s.json);
  for (const char* part : kParts) {
    const std::string name = s.json + "." + part;
    if (std::ifstream from(name); from.peek() != std::ifstream::traits_type::eof()) all << from.rdbuf();
    std::remove(name.c_str());
  }
}

void Bench::run(std::string_view part) {
  try {
    if (part == "calls") return bench_calls(*this);
    if (part == "send") return bench_send(*this);
    if (part == "flow") return bench_flow(*this);
    const auto [blocks, threads] = best_shape(*this);
    if (part == "mixed") return bench_mixed(*this, blocks, threads);
    if (part == "steps") return bench_steps(*this, blocks, threads);
    if (part == "idle") return bench_idle(*this, blocks, threads);
    report.fail(std::string(part), "unknown part");
  } catch (const std::exception& e) {
    report.fail(std::string(part), e.what());
  }
}

int run_part(const Settings& settings) {
  Bench b;
  b.settings = settings;
  b.device = open(settings.on);
  b.is_cpu = b.device.info().kind == DeviceKind::cpu;
  std::string why = "this is not a CUDA device";
  if (b.device.driver() == "cuda") b.raw = bench::Raw::open(why);
  if (b.raw == nullptr && settings.only == kParts[0])
    std::printf("  hand-written CUDA is skipped: %s\n", why.c_str());
  bench::ThrottleNote throttling(b.device.info());
  b.run(settings.only);
  throttling.print();
  if (!settings.json.empty()) std::ofstream(settings.json) << b.report.json();
  return b.report.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc - 1));
  if (!read_settings(words, settings))
    return usage("an option is unknown, or its value is not a count of at least 1");
  try {
    if (!settings.only.empty()) return run_part(settings);
    const DeviceInfo info = open(settings.on).info();
    std::printf("%s (%s)\n", info.name.c_str(), info.driver.c_str());
    bench::Report::print_titles();
    std::fflush(stdout);
    bool is_right = true;
    for (const char* part : kParts) is_right &= run_apart(settings, words, part);
    if (!settings.json.empty()) gather(settings);
    return is_right ? 0 : 1;
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return 3;
  }
}
