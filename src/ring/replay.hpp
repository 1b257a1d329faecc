// One replay of the messages between a recovery point and the actors' positions, with a separate kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ring/event_delivery.hpp"
#include "ring/kernel_control.hpp"
#include "ring/recovery_point.hpp"
#include "ring/replies.hpp"

namespace quern::ring {

// Owns the engine and the rings of the replay. Used by the service thread only.
class Replay {
 public:
  // `losses`: number of losses of the device that it is for.
  Replay(const ActorKernel& kernel, KernelControl& control, const EventDelivery& events, const Point& point,
         std::uint64_t losses);

  // Replays the messages up to the actors' positions, no further: the host may know their states there.
  // False: the device was lost again. Throws if a handler fails.
  bool run();
  // Afterwards: stores the replies that the host does not have.
  void take_replies(const Replies& replies) const;

 private:
  void fill();
  bool run_kernel();
  void check_end() const;
  bool deliver(std::vector<std::uint64_t>& events) const;  // `events`: positions by actor
  bool has_arrived() const;                                // all actors are at their positions
  void hold(bool is_on) const;                             // makes the kernel leave
  bool is_lost() const { return extension::losses(kernel_.device()) != losses_; }

  const ActorKernel& kernel_;
  KernelControl& control_;
  const EventDelivery& events_;
  const Point& point_;
  std::uint64_t losses_;
  std::vector<std::uint64_t> until_;  // by actor
  std::unique_ptr<KernelEngine> engine_;
  std::vector<Inbox> inboxes_;
  std::vector<const Inbox*> pointers_;
};

}  // namespace quern::ring
