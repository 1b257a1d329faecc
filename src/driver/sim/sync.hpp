// Order between threads through memory: a fence followed by an atomic (or volatile) write releases what the
// thread did and has acquired; an atomic or volatile read of the same location acquires it. Coarse on
// purpose: per location and block, and in doubt two accesses count as ordered, so that a correct kernel is
// never reported.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace quern::sim {

// "Has acquired what was released to this location until then."
struct Ref {
  uint32_t var = 0;
  uint32_t time = 0;
};

// Time up to which a search has followed a location.
struct Searched {
  uint64_t search = 0;
  uint32_t time = 0;
};

// The combined effect of a thread's fences and acquiring reads.
struct ThreadSync {
  uint32_t fence = 0;        // time of the last device-scope fence (0: none)
  uint32_t fence_block = 0;  // … with at least block scope
  std::vector<Ref> refs;
  bool overflow = false;  // too many to keep
};

// What the threads of one block have released to a location.
struct Release {
  uint32_t thread = 0;      // id of the last one
  bool many = false;        // by several threads
  bool overflow = false;    // it had acquired more than was kept
  uint32_t first = 0;       // time of the first release
  uint32_t time = 0;        // covers the thread's own accesses up to here, to other blocks
  uint32_t time_block = 0;  // … to its own block
  uint32_t warp_time = 0;   // covers those of its warp
  uint32_t block_time = 0;  // covers those of its block
  std::vector<Ref> refs;    // what it had acquired itself
};

struct SyncVar {
  std::unordered_map<uint32_t, Release> releases;  // by serial of the block
  std::vector<uint32_t> linked;                    // blocks whose release carries refs
};

}  // namespace quern::sim
