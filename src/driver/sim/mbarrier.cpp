// mbarrier objects: phases that complete when all arrivals and all expected bytes have come.
#include <algorithm>

#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

constexpr uint64_t kMaxCount = (1u << 20) - 1;  // of arrivals, and of bytes
constexpr uint64_t kObjectBytes = 8;

// The state that mbarrier.arrive returns: phase and pending arrivals.
uint64_t state_of(const Mbarrier& m) { return uint64_t{m.phase} << 32 | m.pending; }
uint32_t phase_of(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

}  // namespace

// The object that an instruction uses; null: it is wrong, which is reported.
Mbarrier* Machine::find_mbarrier(BlockState& b, Thread& t, uint64_t value, SharedPlace& at) {
  at = shared_place(b, t, value, {kObjectBytes, kObjectBytes, false});
  if (at.owner == nullptr || at.address % kObjectBytes != 0) return nullptr;
  BlockPtx& s = ptx_of(*at.owner);
  const auto found = s.mbarriers.find(at.address);
  if (found == s.mbarriers.end()) {
    report_ptx(ReportKind::kUninitialized, b, t, message::kNoMbarrier(place_name(at.address)));
    return nullptr;
  }
  const View v = view(*at.owner, at.owner->threads[0], t.pc, at.address, {kObjectBytes, 1, false});
  if (v.tracked())
    race_read(*at.owner, t, *v.region, true, at.address, v.offset, kObjectBytes, t.pc | kSiteAtomic);
  return &found->second;
}

void Machine::mbarrier_init(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t count = operand(t, info, 1);
  const SharedPlace at = shared_place(b, t, operand(t, info, 0), {kObjectBytes, kObjectBytes, true});
  if (at.owner == nullptr || at.address % kObjectBytes != 0) return;
  BlockPtx& s = ptx_of(*at.owner);
  if (count == 0 || count > kMaxCount)
    report_ptx(ReportKind::kBarrier, b, t, message::kArrivalCount(std::to_string(count)));
  if (s.mbarriers.contains(at.address))
    report_ptx(ReportKind::kBarrier, b, t, message::kMbarrierAgain(place_name(at.address)));
  const View v = view(*at.owner, at.owner->threads[0], t.pc, at.address, {kObjectBytes, 1, true});
  if (v.tracked()) race_write(*at.owner, t, *v.region, true, at.address, v.offset, kObjectBytes, t.pc, false);
  v.define(kObjectBytes);
  Mbarrier m;
  m.count = m.pending = static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, kMaxCount));
  m.thread = t.id;
  m.pc = t.pc;
  s.mbarriers[at.address] = m;
}

void Machine::mbarrier_invalidate(BlockState& b, Thread& t, const PtxInfo& info) {
  SharedPlace at;
  if (find_mbarrier(b, t, operand(t, info, 0), at) == nullptr) return;
  complete_copies_to(at);
  at.owner->ptx->mbarriers.erase(at.address);
  const View v = view(*at.owner, at.owner->threads[0], t.pc, at.address, {kObjectBytes, 1, true});
  if (v.defined != nullptr) set_undefined(v.defined, v.offset, kObjectBytes);
}

void Machine::expect_bytes(BlockState& b, Thread& t, Mbarrier& m, uint64_t bytes, Address at) {
  m.tx += static_cast<int64_t>(bytes & 0xFFFF'FFFF);
  if (m.tx > static_cast<int64_t>(kMaxCount))
    report_ptx(ReportKind::kBarrier, b, t, message::kTxOverflow(place_name(at), std::to_string(m.tx)));
}

void Machine::mbarrier_arrive(BlockState& b, Thread& t, const PtxInfo& info) {
  SharedPlace at;
  set_result(t, 0);
  Mbarrier* const m = find_mbarrier(b, t, operand(t, info, 0), at);
  if (m == nullptr) return;
  set_result(t, state_of(*m));
  if (info.expects) expect_bytes(b, t, *m, operand(t, info, 1), at.address);
  const uint64_t count = info.count() > 1 && !info.expects ? operand(t, info, 1) : 1;
  if (count == 0 || count > m->pending) {
    report_ptx(ReportKind::kBarrier, b, t,
               message::kTooManyArrivals(place_name(at.address), std::to_string(count),
                                         std::to_string(m->pending), std::to_string(m->count)));
    return;
  }
  if (info.no_complete && count == m->pending) {
    report_ptx(ReportKind::kBarrier, b, t, message::kCompletes(place_name(at.address)));
    return;
  }
  signal_sync(b, t, sync_object(*at.owner, at.address));
  if (info.drops) m->count -= static_cast<uint32_t>(std::min<uint64_t>(count, m->count));
  m->pending -= static_cast<uint32_t>(count);
  advance_mbarrier(at, *m);
}

// Completes the phase if nothing is pending.
void Machine::advance_mbarrier(const SharedPlace& at, Mbarrier& m) {
  BlockState& b = *at.owner;
  if (m.pending != 0 || m.tx != 0) return;
  ++m.phase;
  m.pending = m.count;
  ++b.changes;
  b.ptx->timeouts = 0;
  for (Thread& t : b.threads) {
    if (t.wait != Wait::kMbarrier) continue;
    const ThreadPtx& s = b.ptx->threads[t.index];
    if (s.barrier != at.address || s.phase == m.phase) continue;
    set_result(t, 1);
    await_sync(b, t, sync_object(b, at.address));
    resume(b, t);
  }
}

// Bytes have come. Those who wait for them see what their sender did.
void Machine::complete_bytes(BlockState& b, Thread& t, uint32_t pc, const SharedPlace& at, Mbarrier& m,
                             uint64_t bytes) {
  signal_sync(b, t, sync_object(*at.owner, at.address));
  m.tx -= static_cast<int64_t>(bytes);
  if (m.tx < 0 && (m.pending == 0 || m.tx < -static_cast<int64_t>(kMaxCount))) {
    report_at(ReportKind::kBarrier, b, t, pc,
              message::kTxUnderflow(place_name(at.address), std::to_string(-m.tx)));
    m.tx = 0;  // so that others do not wait forever
  }
  advance_mbarrier(at, m);
}

void Machine::mbarrier(BlockState& b, Thread& t, const PtxInfo& info) {
  SharedPlace at;
  switch (info.kind) {
    case PtxKind::kMbarrierInit: mbarrier_init(b, t, info); return;
    case PtxKind::kMbarrierInvalidate: mbarrier_invalidate(b, t, info); return;
    case PtxKind::kMbarrierArrive: mbarrier_arrive(b, t, info); return;
    case PtxKind::kMbarrierPending: set_result(t, operand(t, info, 0) & kMaxCount); return;
    case PtxKind::kAsyncArrive:  // this thread's copies are waited for here
      async_commit(b, t);
      async_wait(b, t, 0);
      mbarrier_arrive(b, t, info);
      return;
    case PtxKind::kMbarrierExpect:
      if (Mbarrier* m = find_mbarrier(b, t, operand(t, info, 0), at))
        expect_bytes(b, t, *m, operand(t, info, 1), at.address);
      return;
    default:
      if (Mbarrier* m = find_mbarrier(b, t, operand(t, info, 0), at))
        complete_bytes(b, t, t.pc, at, *m, operand(t, info, 1));
  }
}

// Whether the phase that the thread waits for is over; `phase`: the current one.
bool Machine::is_phase_over(BlockState& b, Thread& t, const PtxInfo& info, const Mbarrier& m, Address at) {
  const uint64_t given = operand(t, info, 1);
  if (info.is_parity) return (m.phase & 1) != (given & 1);
  const uint32_t phase = phase_of(given);
  if (phase != m.phase && phase + 1 != m.phase)
    report_ptx(ReportKind::kBarrier, b, t,
               message::kForeignState(place_name(at), std::to_string(phase), std::to_string(m.phase)));
  return phase != m.phase;
}

// test_wait and try_wait: the thread waits, and continues with false if nothing else can run.
bool Machine::mbarrier_wait(BlockState& b, Thread& t, const PtxInfo& info) {
  SharedPlace at;
  set_result(t, 1);
  Mbarrier* m = find_mbarrier(b, t, operand(t, info, 0), at);
  if (m == nullptr) return false;
  if (at.owner != &b) {
    report_ptx(ReportKind::kBarrier, b, t, message::kForeignWait(place_name(at.address)));
    return false;
  }
  ThreadPtx& s = ptx_of(b).threads[t.index];
  s.barrier = at.address;
  s.phase = m->phase;
  s.parity = static_cast<uint32_t>(operand(t, info, 1) & 1);
  s.passed_immediately = is_phase_over(b, t, info, *m, at.address);
  if (!s.passed_immediately) {
    complete_copies_to(at);
    if (m->phase == s.phase) {
      set_wait(b, t, Wait::kMbarrier);
      return true;
    }
  }
  await_sync(b, t, sync_object(b, at.address));
  return false;
}

}  // namespace quern::sim
