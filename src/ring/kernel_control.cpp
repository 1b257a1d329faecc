#include "ring/kernel_control.hpp"

#include "quern/error.hpp"
#include "ring/words.hpp"

namespace quern::ring {

void KernelControl::register_with_device() {
  registration_ = extension::register_persistent_kernel(
      kernel_.device(), [this] { suspend(); }, [this] { resume(); });
}

bool KernelControl::has_work(const ActorState& actor) const {
  const std::uint64_t* const s = kernel_.status(actor);
  const std::uint64_t answer = look(s + kAnswer);
  const std::uint64_t command = look(kernel_.control(actor)) & ~kHold;
  const auto said = static_cast<Answer>(answer & 255);
  if (command >> 8 != answer >> 8) return true;
  if (said != Answer::kActive && said != Answer::kDrained) return false;
  if (kernel_.has_idle_hook() || actor.has_peers_waiting) return true;
  if (actor.inbox.is_written(look(s + kHead))) return true;
  if (kernel_.plan().urgent_slots != 0 && actor.urgent.is_written(look(s + kUrgentHeadOut))) return true;
  const std::uint64_t due = kernel_.plan().timers != 0 ? look(s + kNextDue) : 0;
  return due != 0 && due <= clock_.now();
}

bool KernelControl::has_work() const {
  for (const auto& actor : kernel_.actors()) {
    if (has_work(*actor)) return true;
  }
  return false;
}

void KernelControl::suspend() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_;
  was_suspended_ = true;
  for (std::size_t a = 0; a < kernel_.actors().size(); ++a)
    std::atomic_ref<std::uint64_t>(kernel_.to_device()[a * kLine]).fetch_or(kHold);
  for (std::size_t a = 0; a < kernel_.actors().size() && replay_ != nullptr; ++a)
    std::atomic_ref<std::uint64_t>(replay_[a * kLine]).fetch_or(kHold);
}

void KernelControl::resume() {
  --requests_;
  thread_.wake();
}

void KernelControl::launch() {
  is_idle_ = false;
  allow();
  clock_.write();
  kernel_.engine().start(kernel_.inboxes());
}

void KernelControl::set_idle() {
  knows_peers_ = false;
  is_idle_ = true;
}

bool KernelControl::launch_if_needed() {
  if (is_suspended()) return false;
  look_for_peers();
  if (!has_work()) return false;
  launch();
  return true;
}

void KernelControl::set_replay(std::uint64_t* lines) {
  const std::lock_guard<std::mutex> lock(mutex_);
  replay_ = lines;
}

// Before the kernel is launched.
void KernelControl::allow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  was_suspended_ = requests_ != 0;
  for (std::size_t a = 0; a < kernel_.actors().size() && !was_suspended_; ++a)
    std::atomic_ref<std::uint64_t>(kernel_.to_device()[a * kLine]).fetch_and(~kHold);
}

// The count that a worker reports when it leaves may be outdated: another worker may still send to its
// actors.
void KernelControl::look_for_peers() {
  if (knows_peers_ || kernel_.plan().survives_device_loss) return;
  std::vector<std::uint64_t> own(kernel_.actors().size() * kOwnWords);
  kernel_.engine().read_own(0, own);
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t* const mine = &own[std::size_t{actor->index} * kOwnWords];
    actor->has_peers_waiting = ((mine[kOwnPeerTail] ^ mine[kOwnPeerHead]) & kPeerMask) != 0;
  }
  knows_peers_ = true;
}

}  // namespace quern::ring
