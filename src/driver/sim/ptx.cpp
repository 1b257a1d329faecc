// Inline PTX: executes one instruction, and what several of them need.
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

BlockPtx& Machine::ptx_of(BlockState& b) {
  if (b.ptx == nullptr) {
    b.ptx = std::make_unique<BlockPtx>();
    b.ptx->threads.resize(b.threads.size());
  }
  return *b.ptx;
}

uint64_t Machine::operand(const Thread& t, const PtxInfo& info, size_t argument) {
  return t.slots[info.operand(argument)];
}

void Machine::set_result(Thread& t, uint64_t value) const {
  const uint32_t dst = code_.code[t.pc].dst;
  if (dst != kNoSlot) t.slots[dst] = value;
}

void Machine::resume(BlockState& b, Thread& t) {
  set_wait(b, t, Wait::kReady);
  ++t.pc;
}

void Machine::report_at(ReportKind kind, const BlockState& b, const Thread& t, uint32_t pc,
                        base::MessageText text) {
  uint32_t check = 0;
  if (kind == ReportKind::kBarrier) check = kCheckBarriers;
  if (kind == ReportKind::kAsync) check = kCheckRaces;
  if (check != 0 && (checks_ & check) == 0) return;
  if (Report* r = new_report(kind, b, t, pc)) r->set(std::move(text));
}

void Machine::report_ptx(ReportKind kind, const BlockState& b, const Thread& t, base::MessageText text) {
  report_at(kind, b, t, t.pc, std::move(text));
}

std::string Machine::place_name(Address address) const {
  Report r;
  describe(r, address, 0);
  return r.place;
}

// What the thread did before is ordered before what others do after await_sync of the same object.
void Machine::signal_sync(BlockState& b, Thread& t, Address object) {
  fence(b, t, ir::Scope::kDevice);
  release(b, t, object, false);
}

void Machine::await_sync(BlockState& b, Thread& t, Address object) { acquire(b, t, object, false); }

// A number for synchronization through an object of a block: unlike every address of global memory.
Address Machine::sync_object(const BlockState& b, Address address) {
  constexpr uint32_t kLow = 12;
  const uint64_t serial = b.serial;
  return address ^ (serial & ((1u << kLow) - 1)) << 24 ^ serial >> kLow << (kObjectShift + kRankShift);
}

// A 32-bit address of the shared window, or a generic address; reported if it is not in shared memory.
SharedPlace Machine::shared_place(BlockState& b, Thread& t, uint64_t value, const Touch& touch) {
  const bool is_number = value >> 32 == 0;
  const Address address = is_number ? shared_at(static_cast<uint32_t>(value)) : value;
  const View v = view(b, t, t.pc, address, touch);
  if (!v) return {};
  if (!v.is_shared) {
    report_ptx(ReportKind::kOutOfBounds, b, t, message::kNotShared(place_name(address)));
    return {};
  }
  const Place p = place_of(address);
  if (p.object <= kOwnObjectMask) return {&b, address};
  return {block_of(b, (p.object >> kRankShift) - 1), own_address(address)};
}

// The work of an instruction; true: the thread waits, or continues where the instruction has set.
bool Machine::execute_ptx(BlockState& b, Thread& t) {
  const PtxInfo& info = code_.ptx[code_.code[t.pc].c];
  switch (info.kind) {
    case PtxKind::kBarrierSync:
    case PtxKind::kBarrierArrive:
    case PtxKind::kBarrierReduce: return named_barrier(b, t, info);
    case PtxKind::kClusterArrive: cluster_arrive(b, t); return false;
    case PtxKind::kClusterWait: return cluster_wait(b, t);
    case PtxKind::kMapShared: map_shared(b, t, info); return false;
    case PtxKind::kClusterRank: cluster_rank(b, t, info); return false;
    case PtxKind::kMbarrierWait: return mbarrier_wait(b, t, info);
    case PtxKind::kMbarrierInit:
    case PtxKind::kMbarrierInvalidate:
    case PtxKind::kMbarrierArrive:
    case PtxKind::kMbarrierExpect:
    case PtxKind::kMbarrierComplete:
    case PtxKind::kMbarrierPending:
    case PtxKind::kAsyncArrive: mbarrier(b, t, info); return false;
    case PtxKind::kFenceInit:
    case PtxKind::kFenceProxy: proxy_fence(b, t, info); return false;
    case PtxKind::kBulkLoad:
    case PtxKind::kBulkStore:
    case PtxKind::kBulkPrefetch: bulk_copy(b, t, info); return false;
    case PtxKind::kBulkCommit: ++ptx_of(b).threads[t.index].bulk_group; return false;
    case PtxKind::kBulkWait: bulk_wait(b, t, info); return false;
    case PtxKind::kWgmma: return arrive_wgmma(b, t);
    case PtxKind::kWgmmaFence: wgmma_fence(b, t); return false;
    case PtxKind::kWgmmaCommit: ++ptx_of(b).threads[t.index].wgmma_group; return false;
    case PtxKind::kWgmmaWait: wgmma_wait(b, t, info); return false;
    case PtxKind::kSetRegisters: set_registers(b, t, info); return false;
  }
  return false;
}

// Nothing in the launch or the block can run: copies are completed, and then waits time out, as try_wait may.
// Returns whether a thread can run now.
bool Machine::resume_stuck(BlockState& b) {
  if (b.ptx == nullptr) return false;
  for (const Thread& t : b.threads) {
    if (t.wait == Wait::kMbarrier) complete_copies_to({&b, b.ptx->threads[t.index].barrier});
  }
  if (b.ready_warps != 0) return true;
  constexpr uint32_t kMostTimeouts = 3;
  if (++b.ptx->timeouts > kMostTimeouts) return false;
  for (Thread& t : b.threads) {
    if (t.wait != Wait::kMbarrier) continue;
    set_result(t, 0);
    resume(b, t);
  }
  return b.ready_warps != 0;
}

// The deadlock of threads that wait at a barrier of inline PTX.
base::MessageText Machine::stuck_ptx(const BlockState& b, const Thread& t) const {
  if (t.wait == Wait::kNamed) {
    const NamedBarrier& n = b.ptx->barriers[t.mask];
    return message::kBarrierNeverCompletes(std::to_string(t.mask), std::to_string(n.arrived),
                                           std::to_string(n.expected));
  }
  if (t.wait == Wait::kMbarrier) {
    const ThreadPtx& s = b.ptx->threads[t.index];
    const auto found = b.ptx->mbarriers.find(s.barrier);
    const bool is_there = found != b.ptx->mbarriers.end();
    return message::kPhaseNeverCompletes(place_name(s.barrier),
                                         std::to_string(is_there ? found->second.pending : 0),
                                         std::to_string(is_there ? found->second.tx : 0));
  }
  return message::kPartOfWarpgroup();
}

void Machine::set_registers(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t count = operand(t, info, 0);
  if (count < 24 || count > 256 || count % 8 != 0)
    report_ptx(ReportKind::kAsync, b, t, message::kRegisterCount(std::to_string(count)));
}

}  // namespace quern::sim
