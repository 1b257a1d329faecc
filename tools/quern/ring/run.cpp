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
  std::string error;  // of the last failed round
};

// Makes one call; returns the time in nanoseconds.
std::uint32_t call_once(const ring::Actor& actor, const ActorRequest& request, std::size_t which,
                        Answer& answer) {
  std::vector<std::byte> reply(actor.sizes().reply);
  const auto start = Clock::now();
  try {
    actor.call(request.messages[which]).take(reply.data(), reply.size());
    answer.reply = request.types[0].print_reply(reply);
  } catch (const Error& e) {
    if (actor.phase() != ring::Phase::active) throw;
    answer.error = e.message();
  }
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// The final states, after the actors have handled messages from other actors.
std::vector<std::string> last_states(const std::vector<ring::Actor>& actors, const ActorRequest& request) {
  for (const ring::Actor& actor : actors) actor.drain();
  std::vector<std::string> states;
  for (std::size_t i = 0; i < actors.size(); ++i)
    states.push_back(request.types[i].print_state(actors[i].state()));
  return states;
}

void print_json(const Device& device, const ring::Actor& actor, const std::vector<Answer>& answers,
                const std::vector<std::string>& names, const std::vector<std::string>& states,
                const Latency& latency) {
  base::JsonWriter json(2);
  json.begin_object().member("device", device.info().id()).member("engine", ring::to_string(actor.engine()));
  json.key("answers").begin_array();
  for (const Answer& a : answers)
    json.begin_object()
        .member("message", a.message)
        .member("reply", a.reply)
        .member("error", a.error)
        .end_object();
  json.end_array().member("state", states[0]).key("states").begin_array();
  for (std::size_t i = 0; i < states.size(); ++i)
    json.begin_object().member("actor", names[i]).member("state", states[i]).end_object();
  json.end_array().member("calls", latency.calls).member("call_p50", latency.p50);
  json.end_object();
  std::fputs(json.take().c_str(), stdout);
}

}  // namespace

base::Result<int> ring_run(const Arguments& arguments, const Device& device) {
  QUERN_TRY_ASSIGN(const ActorRequest request, parse_actor(arguments, device));
  const std::vector<ring::Actor> actors = spawn_actors(device, request);
  const ring::Actor& actor = actors[0];
  const bool as_json = arguments.has("--json");
  std::vector<Answer> answers;
  for (const std::string& text : request.message_texts) answers.push_back({text, {}, {}});
  std::vector<std::uint32_t> times;
  for (std::uint64_t round = 0; round < request.count; ++round) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      times.push_back(call_once(actor, request, i, answers[i]));
  }
  const std::vector<std::string> names = names_of(request), states = last_states(actors, request);
  bool is_clean = true;
  for (const Answer& a : answers) is_clean &= a.error.empty();
  const Latency latency = summarize(times);
  if (as_json) {
    print_json(device, actor, answers, names, states, latency);
    return is_clean ? kOk : kFailed;
  }
  for (const Answer& a : answers) {
    if (!a.error.empty()) {
      std::printf("%s  failed: %s\n", a.message.c_str(), a.error.c_str());
    } else {
      std::printf("%s  →  %s\n", a.message.c_str(), request.types[0].has_reply() ? a.reply.c_str() : "done");
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i)
    std::printf("state%s: %s\n", states.size() == 1 ? "" : (" of " + names[i]).c_str(), states[i].c_str());
  std::printf("%s on %s (%s), %s: p50 %s, p99 %s, max %s\n",
              base::format_plural(latency.calls, "call").c_str(), device.name().c_str(),
              device.driver().c_str(), ring::to_string(actor.engine()),
              base::format_duration(latency.p50).c_str(), base::format_duration(latency.p99).c_str(),
              base::format_duration(latency.max).c_str());
  return is_clean ? kOk : kFailed;
}

}  // namespace quern::tool
