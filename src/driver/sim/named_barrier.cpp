// Barriers with a number: bar.sync, bar.arrive and bar.red with a count of threads.
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

// Unlike every address.
Address barrier_object(uint64_t id) { return (uint64_t{5} << kTagShift) + id; }

}  // namespace

// The threads that the barrier waits for; 0: the instruction is wrong, which is reported.
uint32_t Machine::barrier_count(BlockState& b, Thread& t, uint64_t id, std::optional<uint64_t> given) {
  const uint32_t all = warps_per_block_ * kWarpSize;
  const uint64_t count = given.value_or(all);
  const auto wrong = [&](base::MessageText text) {
    report_ptx(ReportKind::kBarrier, b, t, std::move(text));
    return 0u;
  };
  if (id >= kNamedBarriers) return wrong(message::kBarrierNumber(std::to_string(id)));
  const std::string number = std::to_string(id), text = std::to_string(count);
  if (count == 0 || count % kWarpSize != 0) return wrong(message::kBarrierCount(number, text));
  if (count > all) return wrong(message::kBarrierTooMany(number, text, std::to_string(block_threads_)));
  const NamedBarrier& n = ptx_of(b).barriers[id];
  if (n.expected != 0 && n.expected != count)
    return wrong(message::kBarrierCounts(number, text, std::to_string(n.expected)));
  // The last warp of the block may have fewer threads.
  return count == all ? block_threads_ : static_cast<uint32_t>(count);
}

bool Machine::named_barrier(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t id = operand(t, info, 0);
  const bool reduces = info.kind == PtxKind::kBarrierReduce;
  const size_t given = info.count() - (reduces ? 1 : 0);  // the last argument is the predicate
  set_result(t, 0);
  const uint32_t count =
      barrier_count(b, t, id, given > 1 ? std::optional(operand(t, info, 1)) : std::nullopt);
  if (count == 0) return false;
  if (id == 0 && count == block_threads_ && info.kind == PtxKind::kBarrierSync) {
    arrive_barrier(b, t, t.pc);  // __syncthreads() is barrier 0
    return true;
  }
  NamedBarrier& n = ptx_of(b).barriers[id];
  if (n.expected == 0) {
    n.expected = count;
    n.pc = t.pc;
    n.thread = t.index;
  }
  ++n.arrived;
  if (reduces && operand(t, info, info.count() - 1) != 0) ++n.yes;
  signal_sync(b, t, sync_object(b, barrier_object(id)));
  const bool waits = info.kind != PtxKind::kBarrierArrive;
  if (waits) {
    t.mask = static_cast<uint32_t>(id);
    set_wait(b, t, Wait::kNamed);
  }
  if (n.arrived >= n.expected) complete_named(b, static_cast<uint32_t>(id));
  return waits;
}

void Machine::complete_named(BlockState& b, uint32_t id) {
  NamedBarrier& n = b.ptx->barriers[id];
  const uint32_t yes = n.yes, count = n.arrived;
  n = {};
  ++b.changes;
  b.ptx->timeouts = 0;
  for (Thread& t : b.threads) {
    if (t.wait != Wait::kNamed || t.mask != id) continue;
    const PtxInfo& info = code_.ptx[code_.code[t.pc].c];
    if (info.kind == PtxKind::kBarrierReduce) {
      const bool all = yes == count, any = yes != 0;
      set_result(t, info.reduction == Reduction::kCount ? yes
                    : info.reduction == Reduction::kAnd ? (all ? 1u : 0u)
                                                        : (any ? 1u : 0u));
    }
    await_sync(b, t, sync_object(b, barrier_object(id)));
    resume(b, t);
  }
}

}  // namespace quern::sim
