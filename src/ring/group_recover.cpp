// Recovery after the loss of a session's device. The session has recreated the buffers. The group restores
// their content from the last point, and replays the handled messages since then with a separate kernel that
// the host does not observe. Then it continues. The host sees no effect twice: replies that have arrived are
// not written again, and events are numbered.
#include <algorithm>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint64_t kReplayCommand = std::uint64_t{1} << 48;  // kRun, with an epoch that no command has
constexpr std::uint64_t kMostFutile = 4;

}  // namespace

void Group::recover() {
  is_recovering_ = true;
  const std::vector<std::uint64_t> obeyed = obeyed_orders();
  for (;;) {
    const std::uint64_t losses = extension::losses(device_);
    try {
      if (!has_moved_on())
        fail(ErrorKind::device_lost, "the device was lost " + std::to_string(kMostFutile) +
                                         " times in a row without handling a message in between");
      if (recover_once(losses, obeyed)) break;
    } catch (const Error& e) {
      if (extension::losses(device_) != losses) continue;
      is_dead_ = true;
      fail_all(e.message());
      break;
    }
  }
  ++recoveries_;
  is_recovering_ = false;
}

// A message that causes device losses would do so forever.
bool Group::has_moved_on() {
  bool has_work = false, has_moved = false;
  for (const auto& actor : actors_) {
    const std::uint64_t now = head(*actor);
    has_moved = has_moved || now > furthest_[actor->index];
    has_work = has_work || now != actor->inbox.tail() || now != point_.heads[actor->index];
    furthest_[actor->index] = std::max(furthest_[actor->index], now);
  }
  futile_ = has_moved || !has_work ? 0 : futile_ + 1;
  return futile_ < kMostFutile;
}

// False: the device was lost again.
bool Group::recover_once(std::uint64_t losses, std::span<const std::uint64_t> obeyed) {
  for (const auto& actor : actors_) (void)deliver(*actor);
  // Until the session has a device again, queries refer to the lost one.
  std::uint64_t word = 0;
  engine().read_own(0, std::span(&word, 1));
  if (!is_driven_ && (!extension::survives_device_loss(device_) || device_.driver() != driver_))
    become_driven();
  engine().go_on_after(losses);
  engine().write_own(0, point_.own);
  if (!is_open_) copy_buffers(false, point_.buffers);
  drop_old_tickets();
  if (!replay(losses)) return false;
  end_hold();
  for (const auto& actor : actors_) {
    const std::uint64_t order = obeyed[actor->index];
    if (order != 0 && !had_obeyed(*actor, order))
      put(to_host_ + layout_.status_at + std::size_t{actor->index} * kStatusWords + kAnswer, 0);
  }
  allow();
  write_time();
  is_idle_ = false;
  engine().start(inboxes());
  if (!obey_again(losses, obeyed)) return false;
  losses_ = losses;
  if (is_driven_) {
    survives_device_loss_ = false;  // nobody waits for a point any more, with or without the lock
    const std::lock_guard<std::mutex> lock(exclusive_access_mutex_);
    is_open_ = false;
    exclusive_access_.reset();
  }
  return true;
}

// By actor: the answers to commands to rest or to end that the host has seen.
std::vector<std::uint64_t> Group::obeyed_orders() const {
  std::vector<std::uint64_t> all;
  for (const auto& actor : actors_) {
    const std::uint64_t answer = look(status(*actor) + kAnswer);
    const std::uint64_t command = look(to_device_ + std::size_t{actor->index} * kLine) & ~kHold;
    const auto said = static_cast<Answer>(answer & 255);
    const bool rests = said == Answer::kPaused || said == Answer::kStopped || said == Answer::kGone;
    all.push_back(rests && answer >> 8 == command >> 8 ? answer : 0);
  }
  return all;
}

// Whether the command was obeyed at the point and nothing was replayed since: then it is not answered again.
bool Group::had_obeyed(const ActorState& actor, std::uint64_t order) const {
  const std::uint64_t own = point_.own[std::size_t{actor.index} * kOwnWords + kOwnCommand];
  return head(actor) == point_.heads[actor.index] && (own & ~kHold) >> 8 == order >> 8;
}

// Only then is the actor where it was. False: the device was lost again.
bool Group::obey_again(std::uint64_t losses, std::span<const std::uint64_t> obeyed) {
  Patience patience;
  for (std::uint32_t looks = 1;; ++looks) {
    (void)engine().step();
    bool is_done = true;
    for (const auto& actor : actors_) {
      (void)deliver(*actor);
      is_done = is_done && look(status(*actor) + kAnswer) >> 8 >= obeyed[actor->index] >> 8;
    }
    if (extension::losses(device_) != losses) return false;
    if (is_done) return true;
    if (looks % 256 == 0 && engine().is_over()) {
      const std::string how = engine().how_it_ended();
      if (extension::losses(device_) != losses) return false;
      if (!how.empty()) fail(ErrorKind::kernel_fault, how);
      if (holds_ == 0 && !is_driven_) {  // it was suspended
        allow();
        engine().start(inboxes());
      }
    }
    patience.wait();
  }
}

// On a device without persistent kernels, or for which this kernel was not planned.
void Group::become_driven() {
  const DeviceInfo info = device_.info();
  plan_.is_driven = true;
  plan_.has_clock = plan_.waits_by_flag = plan_.copies_beside = plan_.is_over_bus = false;
  plan_.workers = 1;
  plan_.idle_polls = plan_.idle_microseconds = 0;
  plan_.threads = std::min(plan_.threads, info.limits.block_threads);
  if (plan_.shape == Shape::grid && !info.has(Feature::grid_barrier)) plan_.blocks = options_.blocks = 1;
  plan_.stage_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.stage_bytes, info.limits.shared_bytes / 2));
  EngineParts parts;
  parts.device = device_;
  parts.plan = plan_;
  parts.layout = layout_;
  parts.options = options_;
  parts.module = compile_text(source_);
  parts.to_device = to_device_;
  parts.to_host = to_host_;
  Layout there;
  (void)verify(parts.module, there);
  adopt(make_driven(std::move(parts)));
  if (exclusive_access_ != nullptr)
    exclusive_access_->open(true);  // from here on the session's log has all uses of them
}

// Calls whose replies the host has, or does not need any more: another call may have the slot by now.
void Group::drop_old_tickets() {
  for (const auto& actor : actors_) {
    const std::uint64_t tail = actor->inbox.tail();
    for (std::uint64_t at = point_.heads[actor->index]; at < tail; ++at) {
      if (!actor->inbox.is_written(at)) continue;
      const std::uint32_t ticket = actor->inbox.ticket(at);
      if (ticket != 0 && !replies_.is_wanted(ticket, actor->sizes.reply)) actor->inbox.drop_ticket(at);
    }
  }
}

// Replays the messages from the point up to the actors' positions, no further: the host may know their states
// there.
bool Group::replay(std::uint64_t losses) {
  std::vector<std::uint64_t> until;
  for (const auto& actor : actors_) until.push_back(head(*actor));
  if (until == point_.heads) return true;
  EngineParts parts = engine().parts();
  parts.own = engine().own();
  parts.to_device = parts.to_host = nullptr;
  parts.options.batch = 1;  // driven: published events must find space
  const std::unique_ptr<KernelEngine> engine =
      is_driven_ ? make_driven(std::move(parts)) : make_persistent(std::move(parts));
  engine->go_on_after(losses);
  std::vector<Inbox> inboxes(actors_.size());
  fill_replay(*engine, inboxes, until);
  std::vector<const Inbox*> pointers;
  for (const Inbox& inbox : inboxes) pointers.push_back(&inbox);
  {
    const std::lock_guard<std::mutex> lock(hold_mutex_);
    replayed_ = engine->to_device();
  }
  bool is_done = false;
  try {
    engine->start(pointers);
    is_done = run_replay(*engine, pointers, until, losses);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(hold_mutex_);
    replayed_ = nullptr;
    throw;
  }
  {
    const std::lock_guard<std::mutex> lock(hold_mutex_);
    replayed_ = nullptr;
  }
  if (is_done) take_replies(engine->to_host(), until);
  return is_done;
}

void Group::fill_replay(KernelEngine& engine, std::vector<Inbox>& inboxes,
                        std::span<const std::uint64_t> until) {
  for (const auto& actor : actors_) {
    const std::size_t a = actor->index;
    const std::uint64_t* const own = &point_.own[a * kOwnWords];
    const std::uint64_t first = point_.heads[a];
    std::uint64_t* const line = engine.to_device() + a * kLine;
    for (std::size_t i = 0; i < kLine; ++i) line[i] = look(to_device_ + a * kLine + i);
    line[0] = until[a] != first ? kReplayCommand : own[kOwnCommand];
    line[1] = own[kOwnEventTail];
    std::uint64_t* const status = engine.to_host() + layout_.status_at + a * kStatusWords;
    status[kAnswer] =
        (own[kOwnCommand] & ~kHold) >> 8 << 8;  // commands that were obeyed are not answered again
    std::uint64_t* const head = status + kHead;
    *head = first;
    inboxes[a].start(engine.to_device() + layout_.inbox_at + a * plan_.slots * layout_.slot_words, head,
                     plan_.slots, layout_, actor->sizes.message);
    inboxes[a].start_at(until[a]);
    for (std::uint64_t at = first; at < until[a]; ++at) {
      for (std::uint32_t w = 0; w < layout_.slot_words; ++w)
        inboxes[a].slot(at)[w] = look(actor->inbox.slot(at) + w);
    }
  }
}

// False: the device was lost again.
bool Group::run_replay(KernelEngine& engine, std::span<const Inbox* const> inboxes,
                       std::span<const std::uint64_t> until, std::uint64_t losses) {
  std::vector<std::uint64_t> events;
  for (const auto& actor : actors_)
    events.push_back(point_.own[std::size_t{actor->index} * kOwnWords + kOwnEventTail]);
  bool leaves = false;
  std::uint32_t looks = 0;
  Patience patience;
  Clock::time_point since = Clock::now();
  for (;;) {
    bool did = engine.step(), is_there = true;
    for (const auto& actor : actors_) {
      const std::size_t a = actor->index;
      did |= deliver(*actor, engine.to_host(), engine.to_device(), events[a], actor->event_head);
      is_there =
          is_there && look(engine.to_host() + layout_.status_at + a * kStatusWords + kHead) == until[a];
    }
    // The query is a call of the device.
    const bool asks = leaves || ++looks % 256 == 0;
    const bool is_out = asks && (is_driven_ ? engine.is_quiet() : engine.is_over());
    if (extension::losses(device_) != losses) return false;
    if (is_out || (is_driven_ && engine.is_over())) {
      const std::string how = engine.how_it_ended();
      if (extension::losses(device_) != losses) return false;
      if (!how.empty()) fail(ErrorKind::kernel_fault, how);
      if (is_there) break;
      if (holds_ == 0 && !is_driven_) {  // it was suspended
        for (std::size_t a = 0; a < actors_.size(); ++a)
          std::atomic_ref<std::uint64_t>(engine.to_device()[a * kLine]).fetch_and(~kHold);
        engine.start(inboxes);
      }
    }
    if (is_there && !leaves) {
      leaves = true;
      for (std::size_t a = 0; a < actors_.size(); ++a)
        std::atomic_ref<std::uint64_t>(engine.to_device()[a * kLine]).fetch_or(kHold);
    }
    const Clock::time_point now = Clock::now();
    if (did) since = now;
    if (options_.watchdog.count() != 0 && now - since > options_.watchdog) {
      engine.give_up();
      fail(ErrorKind::kernel_fault, "its handler took longer than the watchdog allows");
    }
    if (!did) patience.wait();
  }
  for (const auto& actor : actors_) {
    actor->event_head = std::max(actor->event_head, events[actor->index]);
    put(to_device_ + std::size_t{actor->index} * kLine + 1, actor->event_head);
  }
  return true;
}

void Group::take_replies(const std::uint64_t* to_host, std::span<const std::uint64_t> until) {
  for (const auto& actor : actors_) {
    for (std::uint64_t at = point_.heads[actor->index]; at < until[actor->index]; ++at) {
      const std::uint32_t ticket = actor->inbox.ticket(at);
      const std::uint64_t* const from =
          to_host + layout_.replies_at + std::size_t{ticket & (plan_.replies - 1)} * layout_.reply_words;
      if (ticket != 0 && look(from) >> 32 == ticket) replies_.put_reply(ticket, from);
    }
  }
}

void Group::adopt(std::unique_ptr<KernelEngine> engine) {
  engines_.push_back(std::move(engine));
  engine_.store(engines_.back().get(), std::memory_order_release);
  is_driven_ = plan_.is_driven;
}

}  // namespace quern::ring
