#include "ring/text.hpp"

#include <algorithm>
#include <cstddef>

namespace quern::ring {
namespace {

std::string number(std::string_view name, std::uint64_t value) {
  return "constexpr unsigned " + std::string(name) + " = " + std::to_string(value) + ";\n";
}

std::string truth(std::string_view name, bool value) {
  return "constexpr bool " + std::string(name) + (value ? " = true;\n" : " = false;\n");
}

// "::adder::State"
std::string in_kind(const std::string& kind, std::string_view name) {
  return (kind.empty() ? "::" : "::" + kind + "::") + std::string(name);
}

// The largest size of a type over all kinds.
std::string largest(const Plan& plan, std::string_view name, std::string_view type) {
  std::string out = "0";
  for (const std::string& kind : plan.kinds)
    out = "larger(" + out + ", BytesOf<" + in_kind(kind, type) + ">::value)";
  return "constexpr unsigned " + std::string(name) + " = " + out + ";\n";
}

// The functions that workers call, in the namespace of the kind, so that its own functions are found first.
std::string adaptor(const std::string& kind, bool has_header) {
  const std::string open = kind.empty() ? "" : "namespace " + kind + " {\n";
  const std::string wire = has_header ? R"(  using W = quern::ring::Letter<Message>;
  __device__ static const Message& open(const W& w) { return w.message; }
)"
                                      : R"(  using W = Message;
  __device__ static const Message& open(const W& w) { return w; }
)";
  return open + "struct quern_ring_kind_ {\n" + wire + R"(
  using S = State;
  using M = Message;
  using R = Reply;
  static constexpr bool is_silent = quern::ring::BytesOf<R>::value == 0;
  __device__ static R message(S& s, const M& m, quern::ring::Context& c) { return on_message(s, m, c); }
  __device__ static void start(S& s, quern::ring::Context& c) { on_start(s, c); }
  __device__ static void idle(S& s, quern::ring::Context& c) { on_idle(s, c); }
  __device__ static void stop(S& s, quern::ring::Context& c) { on_stop(s, c); }
};
)" + (kind.empty() ? "" : "}\n");
}

std::string numbers(const Plan& plan, bool has_idle) {
  std::string out = "namespace quern { namespace ring {\n";
  out += number("kActors", plan.actors()) + number("kSlots", plan.slots) + number("kReplies", plan.replies) +
         number("kEvents", plan.events) + number("kPeerSlots", plan.peer_slots) +
         number("kPeerTurn", std::min(plan.peer_slots, plan.is_watched ? kWatchedBatch : plan.peer_slots)) +
         number("kThreads", plan.threads) + number("kBlocks", plan.blocks) +
         number("kShape", static_cast<std::uint64_t>(plan.shape)) + number("kStageBytes", plan.stage_bytes) +
         number("kFlowBytes", plan.flow_bytes) + number("kFlowStages", kFlowStages) +
         number("kLeastWindow", kLeastWindow) + number("kSpins", plan.spins) + number("kStepLooks", 32) +
         number("kUrgentSlots", plan.urgent_slots) + number("kTimers", plan.timers) +
         number("kIdlePolls", has_idle ? 0 : plan.idle_polls) +
         number("kIdleMicroseconds", plan.idle_microseconds) + number("kLongestSleep", plan.longest_sleep) +
         number("kDrivenTurns", plan.is_watched ? kWatchedTurns : 64);
  out += truth("kHasStamps", plan.has_stamps) + truth("kHasDeadlines", plan.has_deadlines) +
         truth("kHasTime", plan.has_time());
  out += truth("kIsDriven", plan.is_driven) + truth("kIsCareful", plan.is_careful) +
         truth("kIsWatched", plan.is_watched && !plan.is_driven) +
         truth("kIsAlone", plan.workers >= plan.actors() || plan.actors() == 1) +
         truth("kIsOverBus", plan.is_over_bus) + truth("kCopiesBeside", plan.copies_beside) +
         truth("kIsMarked", plan.is_marked) + truth("kWaitsByFlag", plan.waits_by_flag) +
         truth("kHasIdle", has_idle) + truth("kHasClock", plan.has_clock) +
         truth("kSurvivesDeviceLoss", plan.survives_device_loss);
  out += largest(plan, "kStateBytes", "State") + largest(plan, "kMessageBytes", "quern_ring_kind_::W") +
         largest(plan, "kReplyBytes", "Reply");
  return out + "} }\n";
}

// One turn of the context's actor, by its kind. All kinds share the block's shared memory.
std::string turns(const Plan& plan) {
  const bool is_block = plan.threads > 1;
  std::string out;
  if (is_block) {
    out += "__device__ quern::ring::word* quern_ring_windows() {\n";
    out += plan.flow_bytes == 0 ? "  return nullptr;\n}\n"
                                : "  extern __shared__ ulonglong2 windows[];\n"
                                  "  return (quern::ring::word*)windows;\n}\n";
  }
  out += "__device__ unsigned quern_ring_turn(quern::ring::Context& context, unsigned limit) {\n";
  if (is_block) {
    out +=
        "  __shared__ ulonglong2 pieces[quern::ring::kWindow * quern::ring::kSlotWords / 2];\n"
        "  quern::ring::word* const stage = (quern::ring::word*)pieces;\n"
        "  __shared__ quern::ring::Shared shared;\n";
  }
  out += "  switch (quern_ring_kind_of(context.actor_)) {\n";
  for (std::size_t k = plan.kinds.size(); k-- > 0;) {
    out += (k == 0 ? "    default: " : "    case " + std::to_string(k) + ": ") +
           "return quern::ring::" + (is_block ? "block_turn<" : "turn<") +
           in_kind(plan.kinds[k], "quern_ring_kind_") +
           (is_block ? ">(context, limit, stage, shared);\n" : ">(context, limit);\n");
  }
  return out + "  }\n}\n";
}

// Actors of a kind are usually adjacent: one comparison for each run of them.
std::string kinds(const Plan& plan) {
  std::string out = "__device__ unsigned quern_ring_kind_of(unsigned actor) {\n";
  for (std::uint32_t a = plan.actors() - 1; a > 0; --a) {
    if (plan.kind_of[a] != plan.kind_of[a - 1])
      out += "  if (actor >= " + std::to_string(a) + "u) return " + std::to_string(plan.kind_of[a]) + "u;\n";
  }
  return out + "  return " + std::to_string(plan.kind_of[0]) + "u;\n}\n";
}

// Size of the messages of an actor, in bytes.
std::string message_bytes(const Plan& plan) {
  std::string out =
      "__device__ unsigned quern_ring_message_bytes(unsigned actor) {\n  switch (quern_ring_kind_of(actor)) "
      "{\n";
  for (std::size_t k = plan.kinds.size(); k-- > 0;) {
    out += (k == 0 ? "    default: " : "    case " + std::to_string(k) + ": ") + "return sizeof(" +
           in_kind(plan.kinds[k], "Message") + ");\n";
  }
  return out + "  }\n}\n";
}

std::string kernel(const Plan& plan) {
  const std::string body = plan.shape == Shape::grid
                               ? "run_grid<" + in_kind(plan.kinds[0], "quern_ring_kind_") + ">(blocks, limit)"
                               : "run_worker(blocks, first + blockIdx.x, workers, limit)";
  return R"(__global__ void quern_ring_run(unsigned long long* to_device, unsigned long long* to_host,
                               unsigned long long* own, void* buffer0, void* buffer1, void* buffer2,
                               void* buffer3, unsigned first, unsigned workers, unsigned limit) {
  const quern::ring::Blocks blocks{to_device, to_host, own, buffer0, buffer1, buffer2, buffer3};
  quern::ring::)" +
         body + ";\n}\n";
}

std::string report(const Plan& plan) {
  std::string out =
      "__global__ void quern_ring_report(unsigned long long* to) {\n  using namespace quern::ring;\n";
  std::size_t at = 0;
  const auto say = [&](const std::string& what) {
    out += "  to[" + std::to_string(at++) + "] = " + what + ";\n";
  };
  for (const char* name :
       {"kStateBytes", "kMessageBytes",  "kReplyBytes", "kStateWords",  "kSlotWords",  "kReplyWords",
        "kInboxAt",    "kToDeviceWords", "kStatusAt",   "kRepliesAt",   "kEventsAt",   "kToHostWords",
        "kStatesAt",   "kPeersAt",       "kOwnTotal",   "sizeof(word)", "kUrgentAt",   "kExpiredAt",
        "kTimersAt",   "kBodiesAt",      "kTimerWords", "kKeptAt",      "kHeaderBytes"}) {
    say(name);
  }
  for (const std::string& kind : plan.kinds) {
    for (const char* type : {"State", "Message", "Reply"}) say("BytesOf<" + in_kind(kind, type) + ">::value");
  }
  return out + "}\n";
}

}  // namespace

bool has_idle_hook(std::string_view source) { return source.find("on_idle") != std::string_view::npos; }

std::string lack_of(const Plan& plan, std::string_view source, const std::string& name) {
  const auto has = [&](std::string_view word) { return source.find(word) != std::string_view::npos; };
  if (has(std::string_view("\0", 1))) return name + " is not text: it contains a zero byte";
  if (has("#include")) return {};
  for (const std::string& kind : plan.kinds) {
    const std::size_t inner = kind.rfind(':');
    if (!has(inner == std::string::npos ? kind : kind.substr(inner + 1)))
      return name + " has no namespace '" + kind + "'";
  }
  for (const char* word : {"State", "Message", "Reply", "on_message"}) {
    if (!has(word)) return name + " has no '" + word + "'";
  }
  return {};
}

std::string make_text(const Plan& plan, std::string_view source, const std::string& name) {
  std::string out;
  for (const LibraryFile& file : library_files()) {
    out += "#line 1 \"quern/ring/" + std::string(file.name) + "\"\n" + std::string(file.text);
  }
  out += "#line 1 \"" + name + "\"\n" + std::string(source) + "\n#line 1 \"quern/ring/actors\"\n";
  for (const std::string& kind : plan.kinds) out += adaptor(kind, plan.header_bytes() != 0);
  out += numbers(plan, has_idle_hook(source)) + kinds(plan) + message_bytes(plan);
  if (plan.shape != Shape::grid) out += turns(plan);
  out += kernel(plan) + report(plan);
  return out;
}

}  // namespace quern::ring
