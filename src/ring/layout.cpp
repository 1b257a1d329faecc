#include "ring/layout.hpp"

#include <cstddef>
#include <utility>

#include "ring/failure.hpp"

namespace quern::ring {
namespace {

constexpr std::uint32_t round_up(std::uint32_t n, std::uint32_t to) { return (n + to - 1) / to * to; }

constexpr std::size_t kNumbers = 23;

struct Field {
  const char* name;
  std::uint32_t Layout::*member;
};
constexpr Field kFields[kNumbers] = {{"the state", &Layout::state_bytes},
                                     {"the message", &Layout::message_bytes},
                                     {"the reply", &Layout::reply_bytes},
                                     {"a state's words", &Layout::state_words},
                                     {"a slot", &Layout::slot_words},
                                     {"a reply slot", &Layout::reply_words},
                                     {"the inbox", &Layout::inbox_at},
                                     {"the host's block", &Layout::to_device_words},
                                     {"the status", &Layout::status_at},
                                     {"the replies", &Layout::replies_at},
                                     {"the events", &Layout::events_at},
                                     {"the device's block", &Layout::to_host_words},
                                     {"the states", &Layout::states_at},
                                     {"the peer rings", &Layout::peers_at},
                                     {"the device's own block", &Layout::own_words},
                                     {"a word", &Layout::word_bytes},
                                     {"the urgent rings", &Layout::urgent_at},
                                     {"the expired", &Layout::expired_at},
                                     {"the timers", &Layout::timers_at},
                                     {"the messages", &Layout::bodies_at},
                                     {"a timer", &Layout::timer_words},
                                     {"the kept states", &Layout::kept_at},
                                     {"what comes before a message", &Layout::header_bytes}};

}  // namespace

Layout make_layout(const Plan& plan, const Sizes& largest) {
  Layout l;
  l.state_bytes = largest.state;
  l.message_bytes = largest.message;
  l.reply_bytes = largest.reply;
  l.state_words = round_up((largest.state + 7) / 8, kLine);
  l.slot_words =
      l.is_tagged() ? round_up(1 + (largest.message + 3) / 4, 2) : 2 + round_up((largest.message + 7) / 8, 2);
  l.header_bytes = plan.header_bytes();
  l.stamp_at = plan.has_stamps ? 1 + (largest.reply + 3) / 4 : 0;
  l.reply_words = round_up(1 + (largest.reply + 3) / 4 + (plan.has_stamps ? 2 : 0), 2);
  l.timer_words = 4 + round_up((largest.message + 7) / 8, 2);
  const std::uint32_t actors = plan.actors();
  l.inbox_at = actors * kLine;
  l.is_split = plan.flow_bytes != 0 && !l.is_tagged();
  const std::uint32_t window = std::min(plan.slots / 2, plan.flow_bytes / (kFlowStages * l.slot_words * 8));
  l.flow_bytes = l.is_split && window >= kLeastWindow ? plan.flow_bytes : 0;
  const std::uint32_t all_slots = actors * plan.slots;
  l.bodies_at = l.inbox_at + (l.is_split ? round_up(all_slots, kLine) : 2);
  l.urgent_at =
      l.is_split ? l.bodies_at + all_slots * (l.slot_words - 2) : l.inbox_at + all_slots * l.slot_words;
  l.to_device_words = l.urgent_at + actors * plan.urgent_slots * l.slot_words;
  l.status_at = kReportWords;
  l.replies_at = l.status_at + actors * kStatusWords;
  l.events_at = round_up(l.replies_at + plan.replies * l.reply_words, kLine);
  l.expired_at = l.events_at + actors * plan.events * l.reply_words;
  l.to_host_words = l.expired_at + (plan.has_deadlines ? actors * (plan.slots + plan.urgent_slots) : 0);
  l.states_at = actors * kOwnWords;
  l.peers_at = round_up(l.states_at + actors * l.state_words, kLine);
  l.timers_at = round_up(l.peers_at + actors * plan.peer_slots * l.slot_words, kLine);
  l.kept_at = round_up(l.timers_at + actors * plan.timers * l.timer_words, kLine);
  const std::uint32_t scratch_at = l.kept_at + (plan.is_careful ? actors * l.state_words : 0);
  l.own_words = scratch_at + round_up(std::max(l.slot_words + kLine, 32u), kLine) + kLine;
  return l;
}

std::vector<Sizes> verify_layout(const Plan& plan, std::span<const std::uint64_t> report, Layout& layout) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(report[i]); };
  layout = make_layout(plan, {at(0), at(1), at(2)});
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (report[i] == layout.*kFields[i].member) continue;
    fail(ErrorKind::internal,
         message::kLayoutDiffers(kFields[i].name, std::to_string(layout.*kFields[i].member),
                                 std::to_string(report[i])));
  }
  std::vector<Sizes> kinds;
  for (std::size_t k = 0; k < plan.kinds.size(); ++k) {
    const std::size_t first = kNumbers + 3 * k;
    kinds.push_back({at(first), at(first + 1), at(first + 2)});
  }
  return kinds;
}

}  // namespace quern::ring
