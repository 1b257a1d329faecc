#include "metal/device/fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

#include "metal/device/objects.hpp"

namespace quern::test_metal {

namespace {

constexpr size_t kStack = 256 << 10;
constexpr size_t kWarp = 32;
enum class State : uint8_t { kReady, kAtBarrier, kInSimd, kDone };

struct Fiber {
  ucontext_t context;
  State state = State::kReady;
  Thread thread;
  const void* site = nullptr;  // of the SIMD operation it waits in
  uint64_t given = 0;
  Lane lane;
};

// Of one thread of this process. Freed when that thread ends.
struct Stacks {
  ~Stacks() {
    if (at != nullptr) ::munmap(at, bytes);
  }
  char* get(size_t fibers) {
    if (fibers * kStack <= bytes) return at;
    if (at != nullptr) ::munmap(at, bytes);
    bytes = fibers * kStack;
    at = static_cast<char*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    return at;
  }
  char* at = nullptr;
  size_t bytes = 0;
};

struct Block {
  const Grid* grid = nullptr;
  std::vector<Fiber> fibers;
  ucontext_t scheduler;
  Fiber* current = nullptr;
};

thread_local Block* running = nullptr;
thread_local Stacks stacks;

[[gnu::noinline]] void wait(State state) {
  Fiber* const me = running->current;
  me->state = state;
  ::swapcontext(&me->context, &running->scheduler);
}

void barrier() { wait(State::kAtBarrier); }

const Lane* exchange(const void* site, uint64_t given) {
  Fiber* const me = running->current;
  me->site = site;
  me->given = given;
  wait(State::kInSimd);
  return &me->lane;
}

void broken(const char* what) { broken_rule(what); }

void start() {
  const Grid& grid = *running->grid;
  grid.function(grid.buffers, grid.shared, &running->current->thread);
  running->current->state = State::kDone;
  ::swapcontext(&running->current->context, &running->scheduler);
}

// Lanes of a warp that wait at the first of their sites continue together.
bool resolve_simd(Block& block) {
  bool any = false;
  for (size_t first = 0; first < block.fibers.size(); first += kWarp) {
    const size_t end = std::min(first + kWarp, block.fibers.size());
    const void* site = nullptr;
    for (size_t i = first; i < end; ++i) {
      const Fiber& f = block.fibers[i];
      if (f.state == State::kInSimd && (site == nullptr || f.site < site)) site = f.site;
    }
    if (site == nullptr) continue;
    any = true;
    uint32_t active = 0;
    for (size_t i = first; i < end; ++i) {
      const Fiber& f = block.fibers[i];
      if (f.state == State::kInSimd && f.site == site) active |= 1u << (i - first);
    }
    for (size_t i = first; i < end; ++i) {
      if ((active >> (i - first) & 1) == 0) continue;
      Fiber& f = block.fibers[i];
      f.lane.active = active;
      f.lane.index = static_cast<uint32_t>(i - first);
      for (size_t k = first; k < end; ++k) f.lane.seen[k - first] = block.fibers[k].given;
      f.state = State::kReady;
    }
  }
  return any;
}

void prepare(Block& block, Uint3 at) {
  const Grid& grid = *block.grid;
  char* const memory = stacks.get(block.fibers.size());
  for (uint32_t i = 0; i < block.fibers.size(); ++i) {
    Fiber& f = block.fibers[i];
    f.state = State::kReady;
    f.thread = {{i % grid.size.x, i / grid.size.x % grid.size.y, i / grid.size.x / grid.size.y},
                at,
                grid.size,
                grid.grid,
                i};
    ::getcontext(&f.context);
    f.context.uc_stack.ss_sp = memory + i * kStack;
    f.context.uc_stack.ss_size = kStack;
    f.context.uc_link = nullptr;
    ::makecontext(&f.context, start, 0);
  }
}

void run_fibers(Block& block, Uint3 at) {
  prepare(block, at);
  for (;;) {
    bool ran = false;
    for (Fiber& f : block.fibers) {
      if (f.state != State::kReady) continue;
      ran = true;
      block.current = &f;
      ::swapcontext(&block.scheduler, &f.context);
    }
    if (ran || resolve_simd(block)) continue;
    bool waits = false;
    for (Fiber& f : block.fibers) {
      if (f.state != State::kAtBarrier) continue;
      waits = true;
      f.state = State::kReady;
    }
    if (!waits) return;
  }
}

void run_plain(const Grid& grid, Uint3 at) {
  Thread thread{{}, at, grid.size, grid.grid, 0};
  for (thread.at.z = 0; thread.at.z < grid.size.z; ++thread.at.z) {
    for (thread.at.y = 0; thread.at.y < grid.size.y; ++thread.at.y) {
      for (thread.at.x = 0; thread.at.x < grid.size.x; ++thread.at.x) {
        grid.function(grid.buffers, grid.shared, &thread);
        ++thread.number;
      }
    }
  }
}

}  // namespace

const HostFunctions& host_functions() {
  static const HostFunctions functions = {barrier, exchange, broken};
  return functions;
}

void run_grid(const Grid& grid) {
  Block block;
  block.grid = &grid;
  if (grid.synchronizes) block.fibers.resize(static_cast<size_t>(grid.size.x) * grid.size.y * grid.size.z);
  running = &block;
  Uint3 at;
  for (at.z = 0; at.z < grid.grid.z; ++at.z) {
    for (at.y = 0; at.y < grid.grid.y; ++at.y) {
      for (at.x = 0; at.x < grid.grid.x; ++at.x) {
        if (grid.synchronizes) {
          run_fibers(block, at);
        } else {
          run_plain(grid, at);
        }
      }
    }
  }
  running = nullptr;
}

}  // namespace quern::test_metal
