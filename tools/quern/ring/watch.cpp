// quern ring top and inspect: telemetry of running actors.
#include <chrono>
#include <cstdio>
#include <thread>

#include "actor_request.hpp"
#include "base/json.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "messages.hpp"
#include "output.hpp"
#include "subcommands.hpp"

namespace quern::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Watched if no file is given: numbers pass through three actors; the last one publishes them.
constexpr const char* kPipeline = R"(
struct Number { int value; int hops; };
namespace source {
struct State { long long seen; };
using Message = Number;
using Reply = int;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  state.seen += 1;
  return context.send(1, Number{m.value, m.hops + 1}) ? m.value : -1;
}
}
namespace square {
struct State { long long seen; };
using Message = Number;
using Reply = int;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  state.seen += 1;
  context.send(2, Number{m.value * m.value, m.hops + 1});
  return 0;
}
}
namespace sum {
struct State { long long seen, total; };
using Message = Number;
using Reply = int;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  state.seen += 1;
  state.total += m.value;
  return m.hops;
}
}
)";

struct Watched {
  std::vector<ring::Actor> actors;
  std::vector<std::string> names;
  std::vector<std::vector<std::byte>> messages;  // sent to the first actor
};

Watched spawn_pipeline(const Device& device) {
  const ring::Member members[] = {{"source", {}}, {"square", {}}, {"sum", {}}};
  ring::Options options;
  options.slots = 256;
  options.peer_slots = 4096;  // holds the messages of one turn of the source
  Watched w;
  w.actors = ring::spawn(device, kPipeline, options, members);
  w.names = {"source", "square", "sum"};
  for (const int value : {1, 2, 3}) {
    const int fields[] = {value, 0};
    const auto bytes = std::as_bytes(std::span(fields));
    w.messages.emplace_back(bytes.begin(), bytes.end());
  }
  return w;
}

// An upper bound of the time within which a share of the messages was handled, from the histogram.
double share_of(const ring::Telemetry& t, double share) {
  std::uint64_t all = 0, seen = 0;
  for (const std::uint64_t n : t.nanoseconds) all += n;
  for (std::size_t k = 0; k < t.nanoseconds.size(); ++k) {
    seen += t.nanoseconds[k];
    if (all != 0 && static_cast<double>(seen) >= share * static_cast<double>(all))
      return static_cast<double>(std::uint64_t{2} << k) * 1e-9;
  }
  return 0;
}

std::string table_of(const Watched& w, const std::vector<ring::Telemetry>& before,
                     const std::vector<ring::Telemetry>& now, double seconds) {
  using base::Align;
  base::Table table({{"actor"},
                     {"phase"},
                     {"handled", Align::kRight},
                     {"per second", Align::kRight},
                     {"depth", Align::kRight},
                     {"from peers", Align::kRight},
                     {"to peers", Align::kRight},
                     {"refused", Align::kRight},
                     {"errors", Align::kRight},
                     {"busy", Align::kRight},
                     {"50 % within", Align::kRight},
                     {"99 % within", Align::kRight}});
  for (std::size_t i = 0; i < now.size(); ++i) {
    const ring::Telemetry& t = now[i];
    const double rate = static_cast<double>(t.handled - before[i].handled) / seconds;
    const double p50 = share_of(t, 0.5), p99 = share_of(t, 0.99);
    table.add_row({w.names[i], ring::to_string(t.phase), base::format_count(t.handled),
                   base::format("%.3g", rate), base::format_count(t.depth), base::format_count(t.peer_depth),
                   base::format_count(t.peer_sent), base::format_count(t.peer_refused),
                   base::format_count(t.errors), base::format("%.0f %%", t.busy * 100),
                   p50 == 0 ? "" : base::format_duration(p50), p99 == 0 ? "" : base::format_duration(p99)});
  }
  return table.to_string(base::wants_colour(stdout));
}

std::string histogram_of(const ring::Telemetry& t) {
  std::uint64_t most = 0;
  for (const std::uint64_t n : t.nanoseconds) most = std::max(most, n);
  std::string out;
  for (std::size_t k = 0; k < t.nanoseconds.size(); ++k) {
    if (t.nanoseconds[k] == 0) continue;
    std::string bar;
    for (std::uint64_t i = 0; i < (t.nanoseconds[k] * 40 + most - 1) / most; ++i) bar += "█";
    out += base::format("    < %-8s %12s  %s\n",
                        base::format_duration(static_cast<double>(std::uint64_t{2} << k) * 1e-9).c_str(),
                        base::format_count(t.nanoseconds[k]).c_str(), bar.c_str());
  }
  return out;
}

std::vector<ring::Telemetry> look(const Watched& w) {
  std::vector<ring::Telemetry> out;
  for (const ring::Actor& a : w.actors) out.push_back(a.telemetry());
  return out;
}

void write_json(const Watched& w, const std::vector<ring::Telemetry>& now, const Device& device) {
  base::JsonWriter json(2);
  json.begin_object().member("device", device.info().id());
  json.member("engine", ring::to_string(w.actors[0].engine())).key("actors").begin_array();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const ring::Telemetry& t = now[i];
    json.begin_object().member("name", w.names[i]).member("phase", ring::to_string(t.phase));
    json.member("sent", t.sent)
        .member("handled", t.handled)
        .member("depth", t.depth)
        .member("peer_depth", t.peer_depth)
        .member("errors", t.errors);
    json.member("peer_sent", t.peer_sent)
        .member("peer_refused", t.peer_refused)
        .member("published", t.published);
    json.member("busy", t.busy).member("heartbeat", t.heartbeat).member("launches", t.launches);
    json.key("nanoseconds").begin_array();
    for (const std::uint64_t n : t.nanoseconds) json.value(n);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  std::fputs(json.take().c_str(), stdout);
}

// Sends one round of messages; waits if the ring is full.
void send_round(const Watched& w) {
  for (const std::vector<std::byte>& m : w.messages) w.actors[0].send(m);
}

void watch_live(const Watched& w, double seconds, double every, bool as_json) {
  const auto start = Clock::now();
  const auto since = [&](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  const bool redraws = base::is_terminal(stdout) && !as_json;
  std::vector<ring::Telemetry> before = look(w);
  auto last = start;
  while (since(start) < seconds) {
    while (since(last) < every) {
      for (int i = 0; i < 64; ++i) send_round(w);
      std::this_thread::yield();
    }
    const std::vector<ring::Telemetry> now = look(w);
    if (!as_json) {
      if (redraws) std::fputs("\033[H\033[J", control_stream(stdout));
      std::printf("%s\n", table_of(w, before, now, since(last)).c_str());
      std::fflush(stdout);
    }
    before = now;
    last = Clock::now();
  }
}

base::Result<double> seconds_option(const Arguments& arguments, std::string_view name, double usual) {
  const auto text = arguments.value(name);
  if (!text) return usual;
  const auto value = base::parse_double(*text);
  if (!value || !(*value > 0) || *value > 1e6)
    return base::Error(base::ErrorKind::invalid_use,
                       message::kInvalidValue(*text, name, "a number of seconds above 0"));
  return *value;
}

}  // namespace

base::Result<int> ring_watch(const Arguments& arguments, const Device& device, bool is_live) {
  QUERN_TRY_ASSIGN(const double seconds, seconds_option(arguments, "--seconds", 10));
  QUERN_TRY_ASSIGN(const double every, seconds_option(arguments, "--every", 0.5));
  QUERN_TRY_ASSIGN(const std::uint64_t rounds, count_option(arguments, "--count", 1000));
  std::optional<ActorRequest> request;  // owns the actor's buffers
  Watched w;
  if (arguments.operands().size() > 1) {
    QUERN_TRY_ASSIGN(request, parse_actor(arguments, device));
    w.actors = spawn_actors(device, *request);
    w.names = names_of(*request);
    w.messages = request->messages;
  } else {
    w = spawn_pipeline(device);
  }
  const bool as_json = arguments.has("--json");
  if (!as_json)
    std::printf("%s (%s), %s engine\n\n", device.name().c_str(), device.driver().c_str(),
                ring::to_string(w.actors[0].engine()));
  const auto start = Clock::now();
  const std::vector<ring::Telemetry> before = look(w);
  if (is_live) {
    watch_live(w, seconds, every, as_json);
  } else {
    for (std::uint64_t i = 0; i < rounds; ++i) send_round(w);
  }
  for (const ring::Actor& a : w.actors) a.drain();
  for (const ring::Actor& a : w.actors) (void)a.stop();
  const std::vector<ring::Telemetry> now = look(w);
  if (as_json) {
    write_json(w, now, device);
    return kOk;
  }
  if (is_live) return kOk;
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("%s\n", table_of(w, before, now, took).c_str());
  for (std::size_t i = 0; i < now.size(); ++i)
    std::printf("  %s, time of a message on the device's clock\n%s\n", w.names[i].c_str(),
                histogram_of(now[i]).c_str());
  return kOk;
}

}  // namespace quern::tool
