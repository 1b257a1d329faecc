// What blocks and threads hold while they execute inline PTX: barriers with numbers, mbarrier objects, copies
// and matrix products that are still running.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "driver/sim/bytecode.hpp"

namespace quern::sim {

struct BlockState;

inline constexpr uint32_t kNamedBarriers = 16;

// bar.sync 1, 64
struct NamedBarrier {
  uint32_t expected = 0;  // threads; 0: none has arrived
  uint32_t arrived = 0;
  uint32_t yes = 0;       // of bar.red: with a true predicate
  uint32_t pc = kNoSlot;  // of the first arrival
  uint32_t thread = 0;
};

// An object of mbarrier.init.
struct Mbarrier {
  uint32_t count = 0;    // arrivals of each phase
  uint32_t pending = 0;  // of the current phase
  int64_t tx = 0;        // bytes that are expected, less those that have come
  uint32_t phase = 0;
  bool is_fenced = false;  // asynchronous copies see its initialization
  uint32_t thread = 0;     // that initialized it
  uint32_t pc = 0;
};

// Shared memory of a block of the cluster, as an address of that block.
struct SharedPlace {
  BlockState* owner = nullptr;
  uint64_t address = 0;
};

// A bulk copy that is not complete.
struct BulkCopy {
  PtxKind kind = PtxKind::kBulkLoad;
  BlockState* block = nullptr;  // that issued it
  uint32_t thread = 0;
  uint32_t pc = 0;
  uint32_t size = 0;
  bool from_shared = false;
  bool is_read = false;  // the source has been read into `bytes`
  uint64_t from = 0;     // shared memory: of the issuing block
  uint64_t to = 0;       // global memory, or shared memory of to_block
  BlockState* to_block = nullptr;
  SharedPlace barrier;         // load
  uint32_t phase = 0;          // … of the barrier when the copy was issued
  uint32_t group = 0;          // store
  std::vector<uint8_t> bytes;  // what is copied, once the source was read
};

// Shared memory that a matrix product reads until its group is waited for.
struct WgmmaRead {
  uint32_t thread = 0;  // a thread of its warpgroup
  uint32_t group = 0;
  uint32_t pc = 0;
  uint64_t from = 0;
  uint32_t size = 0;
};

// A register that a matrix product will write: a variable in the thread's local memory.
struct Accumulator {
  uint64_t at = 0;  // offset in the thread's local memory
  uint32_t value = 0;
  uint32_t group = 0;
  uint32_t pc = 0;
};

struct ThreadPtx {
  uint32_t proxy_time = 0;  // of the last fence.proxy.async
  // The mbarrier it waits at, or the last one it did not have to wait at.
  uint64_t barrier = 0;
  uint32_t phase = 0;
  uint32_t parity = 0;
  bool passed_immediately = false;
  bool has_arrived = false;  // at the cluster's barrier
  uint64_t cluster_phase = 0;
  uint32_t bulk_group = 0;  // number of groups committed
  uint32_t wgmma_group = 0;
  bool has_wgmma_fence = false;
  std::vector<uint8_t> fenced;  // local memory at the last wgmma.fence
  std::vector<Accumulator> accumulators;
};

struct BlockPtx {
  std::array<NamedBarrier, kNamedBarriers> barriers;
  std::unordered_map<uint64_t, Mbarrier> mbarriers;  // by address
  std::vector<ThreadPtx> threads;
  std::vector<WgmmaRead> reads;
  uint32_t timeouts = 0;  // of try_wait, since a barrier was completed
};

}  // namespace quern::sim
