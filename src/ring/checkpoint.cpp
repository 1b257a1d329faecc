// Saves and restores an actor while it is at rest.
#include <algorithm>
#include <cstring>

#include "ring/checkpoint_file.hpp"
#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/peers.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

// Time until the deadline; an expired deadline stays one.
std::uint64_t until_deadline(std::uint64_t deadline, std::uint64_t now) {
  if (deadline == 0) return 0;
  return deadline > now ? deadline - now : 1;
}

std::vector<SavedMessage> unhandled(Group& group, ActorState& actor) {
  std::vector<SavedMessage> out;
  const std::uint64_t now = group.clock().now();
  // From the device's own head: with deadlines, the host's lags behind.
  const auto add_ring = [&](const Inbox& inbox, std::uint32_t head, bool is_urgent) {
    const std::uint64_t tail = inbox.tail();
    for (std::uint64_t at = look(group.kernel().status(actor) + head); at < tail; ++at) {
      Patience patience;
      while (!inbox.is_written(at)) patience.wait();
      SavedMessage& saved = out.emplace_back();
      saved.is_urgent = is_urgent;
      saved.left = group.kernel().plan().has_deadlines ? until_deadline(inbox.header(at).deadline, now) : 0;
      saved.bytes.resize(actor.sizes.message);
      inbox.read(at, saved.bytes.data());
    }
  };
  if (group.kernel().plan().urgent_slots != 0) add_ring(actor.urgent, kUrgentHeadOut, true);
  add_ring(actor.inbox, kHead, false);
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    for (const Waiting& w : actor.overflow)
      out.push_back({w.is_urgent, until_deadline(w.header.deadline, now), w.message});
  }
  for (std::vector<std::byte>& message : peer_messages(group.kernel(), actor))
    out.push_back({false, 0, std::move(message)});
  return out;
}

void put_back(Group& group, ActorState& actor, const std::vector<SavedMessage>& messages) {
  const std::uint64_t now = group.clock().now();
  std::vector<Waiting> waiting;
  for (const SavedMessage& saved : messages) {
    Waiting& w = waiting.emplace_back();
    w.message = saved.bytes;
    w.is_urgent =
        saved.is_urgent && group.kernel().plan().urgent_slots != 0;  // otherwise it is among the first anyway
    w.header.deadline = saved.left == 0 ? 0 : now + saved.left;
  }
  if (!waiting.empty()) group.mailbox().put_back(actor, std::move(waiting));
}

std::uint64_t timers_at(const Group& group, const ActorState& actor) {
  return group.kernel().layout().timers_at +
         std::uint64_t{actor.index} * group.kernel().plan().timers * group.kernel().layout().timer_words;
}

std::vector<SavedTimer> timers_of(Group& group, const ActorState& actor) {
  const Layout& l = group.kernel().layout();
  std::vector<std::uint64_t> own(kOwnWords), words(std::size_t{group.kernel().plan().timers} * l.timer_words);
  if (words.empty()) return {};
  group.kernel().engine().read_own(std::uint64_t{actor.index} * kOwnWords, own);
  group.kernel().engine().read_own(timers_at(group, actor), words);
  const std::uint64_t time = group.clock().now();
  std::vector<const std::uint64_t*> set;
  for (std::uint32_t i = 0; i < group.kernel().plan().timers; ++i) {
    const std::uint64_t* const timer = &words[std::size_t{i} * l.timer_words];
    if (timer[kTimerKind] != 0) set.push_back(timer);
  }
  std::sort(set.begin(), set.end(),
            [](const auto* a, const auto* b) { return a[kTimerNumber] < b[kTimerNumber]; });
  std::vector<SavedTimer> out;
  for (const std::uint64_t* const timer : set) {
    const bool is_time = timer[kTimerKind] == SavedTimer::kByTime;
    const std::uint64_t now = is_time ? time : own[kOwnTick], due = timer[kTimerDue];
    const auto* const message = reinterpret_cast<const std::byte*>(timer + kTimerMessage) + l.header_bytes;
    out.push_back({timer[kTimerKind], due > now ? due - now : 0, {message, message + actor.sizes.message}});
  }
  return out;
}

// Replaces the existing timers.
void set_timers(Group& group, const ActorState& actor, const std::vector<SavedTimer>& timers) {
  const Layout& l = group.kernel().layout();
  std::vector<std::uint64_t> own(kOwnWords), words(std::size_t{group.kernel().plan().timers} * l.timer_words);
  if (words.empty()) return;
  const std::uint64_t own_at = std::uint64_t{actor.index} * kOwnWords;
  group.kernel().engine().read_own(own_at, own);
  const std::uint64_t time = group.clock().now();
  own[kOwnNextTime] = own[kOwnNextTick] = 0;
  for (std::size_t i = 0; i < timers.size(); ++i) {
    std::uint64_t* const timer = &words[i * l.timer_words];
    const bool is_time = timers[i].kind == SavedTimer::kByTime;
    timer[kTimerKind] = timers[i].kind;
    timer[kTimerDue] = (is_time ? time : own[kOwnTick]) + timers[i].left;
    timer[kTimerNumber] = ++own[kOwnTimerCount];
    std::memcpy(reinterpret_cast<char*>(timer + kTimerMessage) + l.header_bytes, timers[i].message.data(),
                timers[i].message.size());
    std::uint64_t& next = own[is_time ? kOwnNextTime : kOwnNextTick];
    if (next == 0 || timer[kTimerDue] < next) next = timer[kTimerDue];
  }
  group.kernel().engine().write_own(timers_at(group, actor), words);
  group.kernel().engine().write_own(own_at, own);
}

std::uint64_t state_at(const Group& group, const ActorState& actor) {
  return group.kernel().layout().states_at + std::uint64_t{actor.index} * group.kernel().layout().state_words;
}

// A single actor owns its buffers; those of a group are shared, and no member restores them.
bool has_own_buffers(const Group& group) { return group.kernel().actors().size() == 1; }

// The requirements of the file.
void check_room(const Group& group, const Checkpoint& saved, const std::string& path) {
  const std::string name = "the checkpoint '" + path + "'";
  if (saved.timers.size() > group.kernel().plan().timers)
    fail(ErrorKind::invalid_use, message::kTimerCount(name, std::to_string(saved.timers.size()),
                                                      std::to_string(group.kernel().plan().timers)));
  const bool has_deadlines =
      std::any_of(saved.messages.begin(), saved.messages.end(), [](const auto& m) { return m.left != 0; });
  if (has_deadlines && !group.kernel().plan().has_deadlines)
    fail(ErrorKind::invalid_use, message::kRestoreDeadlines(name));
  if (!saved.buffers.empty()) group.buffers().check(saved.buffers, name);
}

}  // namespace

void Actor::checkpoint(const std::string& path) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, message::kEmptyActor());
  ActorState& actor = *state_;
  Group& group = *actor.group;
  Checkpoint saved;
  group.lifecycle().at_rest(actor, [&] {
    std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
    group.kernel().engine().read_own(state_at(group, actor), words);
    saved.state.resize(actor.sizes.state);
    std::memcpy(saved.state.data(), words.data(), saved.state.size());
    saved.messages = unhandled(group, actor);
    saved.timers = timers_of(group, actor);
    if (has_own_buffers(group)) group.buffers().download(saved.buffers);
  });
  write_checkpoint(path, saved, actor.sizes);
}

void Actor::restore(const std::string& path) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, message::kEmptyActor());
  ActorState& actor = *state_;
  Group& group = *actor.group;
  Checkpoint saved = read_checkpoint(path, actor.sizes);
  check_room(group, saved, path);
  std::vector<std::uint64_t> words((actor.sizes.state + 7) / 8);
  std::memcpy(words.data(), saved.state.data(), actor.sizes.state);
  group.lifecycle().at_rest(actor, [&] {
    if (!group.mailbox().is_empty(actor)) fail(ErrorKind::invalid_use, message::kMessagesWait());
    group.kernel().engine().write_own(state_at(group, actor), words);
    const std::uint64_t started = 1;
    group.kernel().engine().write_own(std::uint64_t{actor.index} * kOwnWords + kOwnStarted,
                                      std::span<const std::uint64_t>(&started, 1));
    set_timers(group, actor, saved.timers);
    if (!saved.buffers.empty()) group.buffers().upload(saved.buffers);
    group.recovery().keep_changes();
  });
  put_back(group, actor, saved.messages);
}

}  // namespace quern::ring
