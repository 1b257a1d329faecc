// One instruction of inline PTX that the simulator executes (lang/ir/simulated_ptx.hpp): what it does, and
// which operands it has. Tensor copies (cp.async.bulk.tensor) are not among them: the front end refuses them
// for the simulator (lang/parse/ptx_table.cpp), and this is where they are to be added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern::sim {

enum class PtxKind : uint8_t {
  kBarrierSync,
  kBarrierArrive,
  kBarrierReduce,
  kClusterArrive,
  kClusterWait,
  kMapShared,
  kClusterRank,
  kMbarrierInit,
  kMbarrierInvalidate,
  kMbarrierArrive,
  kMbarrierExpect,
  kMbarrierComplete,
  kMbarrierWait,
  kMbarrierPending,
  kAsyncArrive,  // cp.async.mbarrier.arrive
  kFenceInit,
  kFenceProxy,
  kBulkLoad,   // to shared memory, completion by an mbarrier
  kBulkStore,  // to global memory, completion by groups
  kBulkCommit,
  kBulkWait,
  kBulkPrefetch,
  kWgmma,
  kWgmmaFence,
  kWgmmaCommit,
  kWgmmaWait,
  kSetRegisters,
};

enum class Reduction : uint8_t { kCount, kAnd, kOr };

enum class WgmmaType : uint8_t { kF16, kBF16, kTF32, kE4M3, kE5M2, kS8, kU8, kF32, kS32 };

struct WgmmaInfo {
  uint32_t n = 0, k = 0;
  WgmmaType d = WgmmaType::kF32, a = WgmmaType::kF16, b = WgmmaType::kF16;
  bool is_saturating = false;
  bool has_a_registers = false;
};

struct PtxInfo {
  PtxKind kind = PtxKind::kBarrierSync;
  std::string name;                    // as the user wrote it, for messages
  std::vector<uint32_t> slots;         // of all operands
  std::vector<uint32_t> arguments{0};  // index of the first operand of each argument, and the total
  Reduction reduction = Reduction::kCount;
  bool is_parity = false;       // wait: for a parity, otherwise for a state
  bool expects = false;         // arrive.expect_tx
  bool drops = false;           // arrive_drop
  bool no_complete = false;     // arrive.noComplete
  bool is_read = false;         // wait_group.read
  bool is_multicast = false;    // to several blocks of the cluster
  bool from_shared = false;     // bulk load from shared memory
  bool is_async_proxy = false;  // fence.proxy.async
  WgmmaInfo wgmma;

  size_t count() const { return arguments.size() - 1; }
  uint32_t operand(size_t argument) const { return slots[arguments[argument]]; }
  size_t width(size_t argument) const { return arguments[argument + 1] - arguments[argument]; }
};

// Parses "mbarrier.arrive.shared::cta.b64 %0, [%1]"; nothing if the simulator does not execute it. `slots` is
// left empty.
std::optional<PtxInfo> parse_ptx(std::string_view text, bool has_result);

}  // namespace quern::sim
