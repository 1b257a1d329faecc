// Delivers the events of actors to their subscribers.
#pragma once

#include <cstdint>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Owns nothing. Called by the service thread; subscribers are called without a lock.
class EventDelivery {
 public:
  explicit EventDelivery(const ActorKernel& kernel) : kernel_(kernel) {}

  // Returns whether there were events.
  bool deliver(ActorState& actor) const;
  // From other blocks, from the `at`-th event on; those before `known` were delivered earlier.
  bool deliver(ActorState& actor, const std::uint64_t* to_host, std::uint64_t* to_device, std::uint64_t& at,
               std::uint64_t known) const;

 private:
  const ActorKernel& kernel_;
};

}  // namespace quern::ring
