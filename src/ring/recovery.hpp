// Recovery after the loss of a session's device. The session has recreated the buffers. The group restores
// their content from the last point, and replays the handled messages since then with a separate kernel that
// the host does not observe. Then it continues. The host sees no effect twice: replies that have arrived are
// not written again, and events are numbered.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ring/event_delivery.hpp"
#include "ring/recovery_points.hpp"

namespace quern::ring {

// Owns the progress of recoveries, and whether others may use the actors' buffers; `buffers_mutex_` guards
// the latter. step() and start() are called by the service thread, or before it runs; the others may be
// called from any thread.
class Recovery {
 public:
  Recovery(ActorKernel& kernel, ServiceThread& thread, KernelControl& control, Mailbox& mailbox,
           const EventDelivery& events, ActorBuffers& buffers, Termination& termination)
      : kernel_(kernel),
        thread_(thread),
        control_(control),
        mailbox_(mailbox),
        events_(events),
        buffers_(buffers),
        termination_(termination),
        losses_(kernel),
        points_(kernel, thread, control, buffers, losses_, termination) {}

  void start();
  // Takes points, and recovers from a loss. Returns whether there was something to do.
  bool step();
  bool is_lost() const { return losses_.is_lost(); }
  bool is_recovering() const { return is_recovering_; }
  std::uint64_t recoveries() const { return recoveries_; }

  // Repeats `work` after a device loss: data that was read is then invalid, and data that was written is
  // lost. False: there is no recovery any more.
  bool between_losses(const std::function<void()>& work) const;
  // The host has written to the device's own memory: a recoverable group must know.
  void keep_changes();
  // If all actors rest, others may use their buffers. From here on, the session's log contains the buffers'
  // content.
  void open_buffers();
  // Before the actor works again.
  void close_buffers(ActorState& actor);

 private:
  void recover();
  bool recover_once(std::uint64_t losses, std::span<const std::uint64_t> obeyed);
  bool replay(std::uint64_t losses);
  std::vector<std::uint64_t> obeyed_orders() const;
  bool had_obeyed(const ActorState& actor, std::uint64_t order);
  bool obey_again(std::uint64_t losses, std::span<const std::uint64_t> obeyed);
  bool has_moved_on();
  void drop_old_tickets();

  ActorKernel& kernel_;
  ServiceThread& thread_;
  KernelControl& control_;
  Mailbox& mailbox_;
  const EventDelivery& events_;
  ActorBuffers& buffers_;
  Termination& termination_;
  DeviceLosses losses_;
  RecoveryPoints points_;
  std::string driver_;
  std::mutex buffers_mutex_;
  std::atomic<bool> are_buffers_open_{false};
  std::atomic<std::uint64_t> recoveries_{0};
  std::atomic<bool> is_recovering_{false};
  std::uint64_t futile_ = 0;             // consecutive losses without a handled message in between
  std::vector<std::uint64_t> furthest_;  // heads at the last device loss
};

}  // namespace quern::ring
