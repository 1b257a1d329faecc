// Order between threads that comes from memory itself: a fence followed by an atomic (or volatile) write
// releases what the thread did and knew; an atomic or volatile read of the same place takes that over. Kept
// coarse on purpose: per place and block, and in doubt a pair of accesses counts as ordered, so that a right
// kernel is never reported.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace quern::sim {

// "Knows what was released to this place until then."
struct Ref {
  uint32_t var = 0;
  uint32_t time = 0;
};

// Until when a search for what is known has followed a place.
struct Searched {
  uint64_t search = 0;
  uint32_t time = 0;
};

// What a thread's fences and acquiring reads amount to.
struct ThreadSync {
  uint32_t fence = 0;        // time of the last fence for the device (0: none)
  uint32_t fence_block = 0;  // … for at least the block
  std::vector<Ref> refs;
  bool overflow = false;  // too many to keep
};

// What the threads of one block released to a place.
struct Release {
  uint32_t thread = 0;      // id of the last one
  bool many = false;        // there were several
  bool overflow = false;    // it knew more than was kept
  uint32_t first = 0;       // when the first release happened
  uint32_t time = 0;        // covers the thread's own accesses up to here, to other blocks
  uint32_t time_block = 0;  // … to its own block
  uint32_t warp_time = 0;   // covers those of its warp
  uint32_t block_time = 0;  // covers those of its block
  std::vector<Ref> refs;    // what it had learned itself
};

struct SyncVar {
  std::unordered_map<uint32_t, Release> releases;  // by serial of the block
  std::vector<uint32_t> linked;                    // blocks whose release carries refs
};

}  // namespace quern::sim
