#include <chrono>
#include <cstdio>

#include "actor_request.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "measure.hpp"
#include "quern/error.hpp"
#include "subcommands.hpp"

namespace quern::tool {
namespace {

using Clock = std::chrono::steady_clock;

struct Answer {
  std::string message;
  std::string reply;  // of the last round
  std::string error;  // of the last round that had one
};

// Calls it once; yields the nanoseconds.
std::uint32_t call_once(const ring::Actor& actor, const ActorRequest& request, std::size_t which,
                        Answer& answer) {
  std::vector<std::byte> reply(actor.sizes().reply);
  const auto start = Clock::now();
  try {
    actor.call(request.messages[which]).take(reply.data(), reply.size());
    answer.reply = request.types->print_reply(reply);
  } catch (const Error& e) {
    if (actor.phase() != ring::Phase::active) throw;
    answer.error = e.message();
  }
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

void print_json(const Device& device, const ring::Actor& actor, const std::vector<Answer>& answers,
                const std::string& state, const Latency& latency) {
  base::JsonWriter json(2);
  json.begin_object().member("device", device.info().id()).member("engine", ring::to_string(actor.engine()));
  json.key("answers").begin_array();
  for (const Answer& a : answers)
    json.begin_object()
        .member("message", a.message)
        .member("reply", a.reply)
        .member("error", a.error)
        .end_object();
  json.end_array().member("state", state).member("calls", latency.calls).member("call_p50", latency.p50);
  json.end_object();
  std::fputs(json.take().c_str(), stdout);
}

}  // namespace

base::Result<int> ring_run(const Arguments& arguments, const Device& device) {
  QUERN_TRY_ASSIGN(const ActorRequest request, parse_actor(arguments, device));
  const ring::Actor actor = ring::spawn(device, request.text, request.options);
  const bool as_json = arguments.has("--json");
  std::vector<Answer> answers;
  for (const std::string& text : request.message_texts) answers.push_back({text, {}, {}});
  std::vector<std::uint32_t> times;
  for (std::uint64_t round = 0; round < request.count; ++round) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      times.push_back(call_once(actor, request, i, answers[i]));
  }
  const std::string state = request.types->print_state(actor.state());
  bool is_clean = true;
  for (const Answer& a : answers) is_clean &= a.error.empty();
  const Latency latency = summarize(times);
  if (as_json) {
    print_json(device, actor, answers, state, latency);
    return is_clean ? kOk : kFailed;
  }
  for (const Answer& a : answers) {
    if (!a.error.empty()) {
      std::printf("%s  failed: %s\n", a.message.c_str(), a.error.c_str());
    } else {
      std::printf("%s  →  %s\n", a.message.c_str(), request.types->has_reply() ? a.reply.c_str() : "done");
    }
  }
  std::printf("state: %s\n", state.c_str());
  std::printf("%s on %s (%s), %s: p50 %s, p99 %s, max %s\n",
              base::format_plural(latency.calls, "call").c_str(), device.name().c_str(),
              device.driver().c_str(), ring::to_string(actor.engine()),
              base::format_duration(latency.p50).c_str(), base::format_duration(latency.p99).c_str(),
              base::format_duration(latency.max).c_str());
  return is_clean ? kOk : kFailed;
}

}  // namespace quern::tool
