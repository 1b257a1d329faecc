// What persistent actors on the device of a session are brought back from after a loss: what they had when
// their kernel was out last, between two messages. The messages since then are still in the rings, whose
// slots are not used again before the next such point.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern::ring {

struct Point {
  std::vector<std::uint64_t> own;               // the device's own block: states, positions, timers
  std::vector<std::vector<std::byte>> buffers;  // Options::buffers; empty for what is none
  std::vector<std::uint64_t> heads;             // by actor: messages before it are in this
  std::chrono::steady_clock::time_point taken;
};

}  // namespace quern::ring
