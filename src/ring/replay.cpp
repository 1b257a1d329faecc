#include "ring/replay.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ring/failure.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint64_t kReplayCommand = std::uint64_t{1} << 48;  // kRun, with an epoch that no command has

// Suspensions of the group's kernel apply to the kernel that replays too.
class ReplayLines {
 public:
  ReplayLines(KernelControl& control, std::uint64_t* lines) : control_(control) {
    control_.set_replay(lines);
  }
  ~ReplayLines() { control_.set_replay(nullptr); }
  ReplayLines(const ReplayLines&) = delete;
  ReplayLines& operator=(const ReplayLines&) = delete;

 private:
  KernelControl& control_;
};

}  // namespace

Replay::Replay(const ActorKernel& kernel, KernelControl& control, const EventDelivery& events,
               const Point& point, std::uint64_t losses)
    : kernel_(kernel), control_(control), events_(events), point_(point), losses_(losses) {
  for (const auto& actor : kernel_.actors()) until_.push_back(kernel_.head(*actor));
}

bool Replay::run() {
  if (until_ == point_.heads) return true;
  EngineParts parts = kernel_.engine().parts();
  parts.own = kernel_.engine().own();
  parts.to_device = parts.to_host = nullptr;
  parts.options.batch = 1;  // driven: published events must find space
  engine_ = kernel_.is_driven() ? make_driven(std::move(parts)) : make_persistent(std::move(parts));
  engine_->go_on_after(losses_);
  inboxes_ = std::vector<Inbox>(kernel_.actors().size());
  fill();
  for (const Inbox& inbox : inboxes_) pointers_.push_back(&inbox);
  const ReplayLines lines(control_, engine_->to_device());
  engine_->start(pointers_);
  return run_kernel();
}

void Replay::fill() {
  for (const auto& actor : kernel_.actors()) {
    const std::size_t a = actor->index;
    const std::uint64_t* const own = &point_.own[a * kOwnWords];
    const std::uint64_t first = point_.heads[a];
    std::uint64_t* const line = engine_->to_device() + a * kLine;
    for (std::size_t i = 0; i < kLine; ++i) line[i] = look(kernel_.to_device() + a * kLine + i);
    line[0] = until_[a] != first ? kReplayCommand : own[kOwnCommand];
    line[1] = own[kOwnEventTail];
    std::uint64_t* const status = engine_->to_host() + kernel_.layout().status_at + a * kStatusWords;
    status[kAnswer] =
        (own[kOwnCommand] & ~kHold) >> 8 << 8;  // commands that were obeyed are not answered again
    std::uint64_t* const head = status + kHead;
    *head = first;
    inboxes_[a].start(engine_->to_device() + kernel_.layout().inbox_at +
                          a * kernel_.plan().slots * kernel_.layout().slot_words,
                      head, kernel_.plan().slots, kernel_.layout(), actor->sizes.message);
    inboxes_[a].start_at(until_[a]);
    for (std::uint64_t at = first; at < until_[a]; ++at) {
      for (std::uint32_t w = 0; w < kernel_.layout().slot_words; ++w)
        inboxes_[a].slot(at)[w] = look(actor->inbox.slot(at) + w);
    }
  }
}

void Replay::hold(bool is_on) const {
  for (std::size_t a = 0; a < kernel_.actors().size(); ++a) {
    const std::atomic_ref<std::uint64_t> word(engine_->to_device()[a * kLine]);
    if (is_on) {
      word.fetch_or(kHold);
    } else {
      word.fetch_and(~kHold);
    }
  }
}

bool Replay::has_arrived() const {
  const std::uint64_t* const heads = engine_->to_host() + kernel_.layout().status_at + kHead;
  for (std::size_t a = 0; a < until_.size(); ++a) {
    if (look(heads + a * kStatusWords) != until_[a]) return false;
  }
  return true;
}

// Throws if the kernel failed.
void Replay::check_end() const {
  const std::string how = engine_->how_it_ended();
  if (!is_lost() && !how.empty()) fail(ErrorKind::kernel_fault, how);
}

bool Replay::deliver(std::vector<std::uint64_t>& events) const {
  bool did = false;
  for (const auto& actor : kernel_.actors())
    did |= events_.deliver(*actor, engine_->to_host(), engine_->to_device(), events[actor->index],
                           actor->event_head);
  return did;
}

bool Replay::run_kernel() {
  const bool is_driven = kernel_.is_driven();
  std::vector<std::uint64_t> events;
  for (const auto& actor : kernel_.actors())
    events.push_back(point_.own[std::size_t{actor->index} * kOwnWords + kOwnEventTail]);
  bool leaves = false;
  std::uint32_t looks = 0;
  Patience patience;
  Clock::time_point since = Clock::now();
  for (;;) {
    bool did = engine_->step();
    did |= deliver(events);
    const bool is_there = has_arrived();
    // The query is a call of the device.
    const bool asks = leaves || ++looks % 256 == 0;
    const bool is_out = asks && (is_driven ? engine_->is_quiet() : engine_->is_over());
    if (is_lost()) return false;
    if (is_out || (is_driven && engine_->is_over())) {
      check_end();
      if (is_lost()) return false;
      if (is_there) break;
      if (!control_.is_suspended() && !is_driven) {  // it was suspended
        hold(false);
        engine_->start(pointers_);
      }
    }
    if (is_there && !leaves) {
      leaves = true;
      hold(true);
    }
    const Clock::time_point now = Clock::now();
    if (did) since = now;
    if (kernel_.options().watchdog.count() != 0 && now - since > kernel_.options().watchdog) {
      engine_->give_up();
      fail(ErrorKind::kernel_fault, message::kWatchdog());
    }
    if (!did) patience.wait();
  }
  for (const auto& actor : kernel_.actors()) {
    actor->event_head = std::max(actor->event_head, events[actor->index]);
    put(kernel_.control(*actor) + 1, actor->event_head);
  }
  return true;
}

void Replay::take_replies(const Replies& replies) const {
  for (const auto& actor : kernel_.actors()) {
    for (std::uint64_t at = point_.heads[actor->index]; at < until_[actor->index]; ++at) {
      const std::uint32_t ticket = actor->inbox.ticket(at);
      const std::uint64_t* const from =
          engine_->to_host() + kernel_.layout().replies_at +
          std::size_t{ticket & (kernel_.plan().replies - 1)} * kernel_.layout().reply_words;
      if (ticket != 0 && look(from) >> 32 == ticket) replies.put_reply(ticket, from);
    }
  }
}

}  // namespace quern::ring
