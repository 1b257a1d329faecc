// Runs the threads of a grid, block by block, on the calling thread. Kernels that synchronize run as fibers:
// threads of a block take turns, and a SIMD-group is the 32 neighbors that wait at the same call.
#pragma once

#include <cstdint>

namespace quern::test_metal {

// Shared with include/metal_stdlib.
struct Uint3 {
  uint32_t x = 0, y = 0, z = 0;
};
struct Thread {
  Uint3 at, block, size, grid;
  uint32_t number = 0;
};
struct Lane {
  uint64_t seen[32] = {};
  uint32_t active = 0, index = 0;
};
struct HostFunctions {
  void (*barrier)();
  const Lane* (*exchange)(const void* site, uint64_t given);
  void (*broken)(const char* what);  // ends the program
};
const HostFunctions& host_functions();

using ThreadFunction = void (*)(void* const* buffers, void* shared, const Thread* thread);

struct Grid {
  ThreadFunction function = nullptr;
  void* const* buffers = nullptr;
  void* shared = nullptr;
  Uint3 grid, size;
  bool synchronizes = false;
};
void run_grid(const Grid& grid);

}  // namespace quern::test_metal
