// A recovery point of persistent actors on the device of a session: their data when their kernel last left,
// between two messages. The messages since then are still in the rings, whose slots are not reused before the
// next point.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern::ring {

struct Point {
  std::vector<std::uint64_t> own;               // the device's own block: states, positions, timers
  std::vector<std::vector<std::byte>> buffers;  // Options::buffers; empty for absent ones
  std::vector<std::uint64_t> heads;             // by actor: earlier messages are included
  std::chrono::steady_clock::time_point taken;
};

}  // namespace quern::ring
