#include "ring/group.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "ring/failure.hpp"
#include "ring/words.hpp"

namespace quern::ring {

std::shared_ptr<Group> Group::create(const Device& device, std::string_view source, const Options& options,
                                     std::span<const Member> members) {
  // The last handle may be released on the group's own thread, in a callback: another thread must then end
  // the group.
  std::shared_ptr<Group> group(new Group(options, members), [](Group* g) {
    if (g->thread_.is_current()) {
      std::thread([g] { delete g; }).detach();
    } else {
      delete g;
    }
  });
  try {
    group->kernel_.compile(device, source, group.get());
    group->start_actors(members);
    group->launch();
  } catch (const Error& error) {
    group->kernel_.explain_failure(error, source);
    throw;
  }
  return group;
}

void Group::start_actors(std::span<const Member> members) {
  const Layout& layout = kernel_.layout();
  mailbox_.start();
  for (const auto& actor : kernel_.actors()) {
    const std::vector<std::byte>& state = members[actor->index].state;
    if (state.empty()) continue;
    if (state.size() != actor->sizes.state)
      fail(ErrorKind::invalid_use,
           message::kStateSize(std::to_string(state.size()), std::to_string(actor->sizes.state)));
    std::vector<std::uint64_t> words((state.size() + 7) / 8);
    std::memcpy(words.data(), state.data(), state.size());
    kernel_.engine().write_own(layout.states_at + std::size_t{actor->index} * layout.state_words, words);
  }
}

void Group::launch() {
  const Plan& plan = kernel_.plan();
  for (const auto& actor : kernel_.actors()) {
    actor->epoch = 1;
    put(kernel_.control(*actor), std::uint64_t{1} << 8);
    actor->phase = Phase::launched;
    actor->is_open = true;
  }
  if (plan.survives_device_loss) recovery_.start();
  const bool is_cpu = kernel_.device().info().kind == DeviceKind::cpu;
  if (!plan.is_driven && (plan.survives_device_loss || !is_cpu)) control_.register_with_device();
  clock_.start();
  try {
    control_.launch();
  } catch (const Error&) {
    if (!recovery_.is_lost()) throw;  // otherwise the thread recovers it
  }
  thread_.start(*this);
}

Group::~Group() {
  if (thread_.is_running()) {
    for (const auto& actor : kernel_.actors()) {
      try {
        (void)lifecycle_.stop(*actor, std::chrono::seconds(10));
      } catch (const Error&) {  // it failed before, and nobody is left to notify
      }
    }
    thread_.stop();
  }
  control_.release();
}

bool Group::step() {
  clock_.write();
  bool did = !termination_.is_dead() && kernel_.engine().step();
  if (!termination_.is_dead()) did |= recovery_.step();
  did |= timers_.fire();
  for (const auto& actor : kernel_.actors()) {
    did |= mailbox_.pump(*actor);
    did |= events_.deliver(*actor);
    did |= dead_letters_.sweep_expired(*actor);
  }
  watchdog_.check();
  did |= awaiters_.resume_ready();
  mailbox_.replies().sweep(termination_.is_dead());
  if (!termination_.is_dead()) did |= watch_kernel();
  return did;
}

ServiceThread::Pace Group::pace() const {
  const Plan& plan = kernel_.plan();
  if (plan.is_driven) return {patient_looks() / 8, std::chrono::microseconds(1000)};
  return {0, std::chrono::microseconds(plan.has_time() ? 200 : 500)};
}

bool Group::is_quiet() const {
  if (termination_.is_dead()) return true;
  return control_.is_idle() ? !control_.has_work() : kernel_.engine().is_quiet();
}

// Launches an idle kernel, or handles the end of one. Returns whether there was something to do.
bool Group::watch_kernel() {
  if (control_.is_idle()) {
    try {
      return control_.launch_if_needed();
    } catch (const Error& e) {
      if (!recovery_.is_lost()) termination_.fail_all(e.message());
      return true;
    }
  }
  // An abandoned kernel is over, too.
  return kernel_.engine().is_over() && !recovery_.is_lost() && !termination_.is_dead() && see_end();
}

// Returns whether the group continues.
bool Group::see_end() {
  if (kernel_.have_all_ended()) return false;
  const std::string how = kernel_.engine().how_it_ended();
  if (recovery_.is_lost()) return true;
  // It may have ended just now because the last actor was stopped.
  const auto& actors = kernel_.actors();
  const bool all_answered = std::all_of(actors.begin(), actors.end(), [&](const auto& a) {
    const auto answer = static_cast<Answer>(look(kernel_.status(*a) + kAnswer) & 255);
    return answer == Answer::kStopped || answer == Answer::kGone;
  });
  if (how.empty() && all_answered) return false;
  if (how.empty() && (kernel_.plan().idle_polls != 0 || control_.was_suspended())) {
    control_.set_idle();
    return true;
  }
  if (!supervisor_.restart()) termination_.fail_all(how.empty() ? "its kernel ended" : how);
  return true;
}

Telemetry Group::telemetry(const ActorState& actor) const {
  const std::uint64_t* const s = kernel_.status(actor);
  Telemetry t;
  t.phase = actor.phase;
  t.sent = actor.inbox.tail() + actor.urgent.tail();
  t.handled = look(s + kHandled);
  t.errors = look(s + kErrors);
  t.dropped = actor.dropped;
  t.expired = look(s + kExpired);
  t.fired = look(s + kFired);
  t.published = look(s + kPublished);
  t.unpublished = look(s + kUnpublished);
  t.peer_sent = look(s + kPeerSent);
  t.peer_refused = look(s + kPeerRefused);
  t.depth = actor.inbox.tail() - kernel_.head(actor);
  t.peer_depth = look(s + kPeerDepth);
  if (kernel_.plan().urgent_slots != 0) t.depth += actor.urgent.tail() - actor.urgent.head();
  t.recoveries = recovery_.recoveries();
  t.heartbeat = look(s + kHeartbeat);
  t.launches = kernel_.engine().launches();
  t.restarts = supervisor_.restarts();
  const std::chrono::duration<double, std::nano> since = clock_.elapsed();
  t.busy = static_cast<double>(look(s + kBusy)) / since.count();
  for (std::size_t i = 0; i < t.nanoseconds.size(); ++i) t.nanoseconds[i] = look(s + kHistogram + i);
  return t;
}

}  // namespace quern::ring
