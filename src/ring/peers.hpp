// Messages between actors. They are in the device's own memory, which the host reads while nobody works on
// it.
#pragma once

#include <cstddef>
#include <vector>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Messages of other actors that wait for this one, in the order of the ring. Thread-safe.
std::vector<std::vector<std::byte>> peer_messages(const ActorKernel& kernel, const ActorState& actor);

}  // namespace quern::ring
