// Barriers of a block and of the grid, and the end of threads. A barrier is complete when every thread of the
// block that has not ended waits at one. CUDA requires all of them to wait at the same one: other cases are
// reported, and the threads continue. A thread that returned before the barrier is valid on current hardware;
// one that skipped the barrier is not.
#include "base/text.hpp"
#include "driver/interface/messages.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::format;

void Machine::set_wait(BlockState& b, Thread& t, Wait wait) {
  Warp& w = b.warps[t.index / kWarpSize];
  const uint32_t bit = 1u << t.lane;
  const bool was_ready = w.ready != 0;
  w.ready &= ~bit;
  switch (t.wait) {
    case Wait::kBarrier: w.barrier &= ~bit; break;
    case Wait::kWarp: w.waiting &= ~bit; break;
    case Wait::kSoft: w.soft &= ~bit; break;
    case Wait::kGrid:
    case Wait::kCluster:
    case Wait::kNamed:
    case Wait::kMbarrier:
    case Wait::kClusterWait:
    case Wait::kWarpgroup: w.grid &= ~bit; break;
    default: break;
  }
  switch (wait) {
    case Wait::kReady: w.ready |= bit; break;
    case Wait::kBarrier: w.barrier |= bit; break;
    case Wait::kWarp: w.waiting |= bit; break;
    case Wait::kSoft: w.soft |= bit; break;
    case Wait::kGrid:
    case Wait::kCluster:
    case Wait::kNamed:
    case Wait::kMbarrier:
    case Wait::kClusterWait:
    case Wait::kWarpgroup: w.grid |= bit; break;
    case Wait::kExited: w.exited |= bit; break;
  }
  t.wait = wait;
  if (was_ready != (w.ready != 0)) b.ready_warps += was_ready ? ~0u : 1u;
}

void Machine::arrive_barrier(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  set_wait(b, t, Wait::kBarrier);
  if (b.at_barrier == 0) {
    b.barrier_pc = pc;
    b.barrier_thread = t.index;
  } else if (b.barrier_pc != pc) {
    report_divergent(b, pc, t.index, b.barrier_pc, b.barrier_thread, false);
  }
  ++b.at_barrier;
  const bool counts = i.op != OpCode::kBarrier && i.op != OpCode::kPtx;
  if (counts && t.slots[i.a] != 0) ++b.barrier_true;
  if (b.at_barrier == b.live) complete_barrier(b);
}

void Machine::complete_barrier(BlockState& b) {
  if (b.passed_pc > b.barrier_pc) {
    report_divergent(b, b.barrier_pc, b.barrier_thread, b.passed_pc, b.passed_thread, true);
  }
  sync_block(b);
  const uint32_t count = b.at_barrier, yes = b.barrier_true;
  b.at_barrier = b.barrier_true = 0;
  b.barrier_pc = kNoSlot;
  for (Warp& w : b.warps) {
    uint32_t lanes = w.barrier;
    if (lanes == 0) continue;
    if (w.ready == 0) ++b.ready_warps;
    w.ready |= lanes;
    w.barrier = 0;
    const size_t first = static_cast<size_t>(&w - b.warps.data()) * kWarpSize;
    for (; lanes != 0; lanes &= lanes - 1) {
      Thread& t = b.threads[first + static_cast<uint32_t>(std::countr_zero(lanes))];
      const Ins& i = code_.code[t.pc];
      if (i.op == OpCode::kBarrierCount) t.slots[i.dst] = yes;
      if (i.op == OpCode::kBarrierAnd) t.slots[i.dst] = yes == count ? 1 : 0;
      if (i.op == OpCode::kBarrierOr) t.slots[i.dst] = yes != 0 ? 1 : 0;
      t.wait = Wait::kReady;
      ++t.pc;
    }
  }
}

void Machine::report_divergent(BlockState& b, uint32_t pc, uint32_t thread, uint32_t other_pc, uint32_t other,
                               bool ended) {
  if ((checks_ & kCheckBarriers) == 0) return;
  Report* r = new_report(ReportKind::kDivergentBarrier, b, b.threads[thread], pc);
  if (r == nullptr) return;
  r->other = party(b.threads[other].id, other_pc);
  r->set(ended ? driver::message::kSkippedBarrier() : message::kDifferentBarriers());
}

void Machine::arrive_grid(BlockState& b, Thread& t) {
  set_wait(b, t, Wait::kGrid);
  ++grid_waiting_;
  if (grid_waiting_ == grid_live_) complete_grid();
}

// A block waits for its own live threads only, but the grid waits for every block.
void Machine::check_grid_barrier() {
  if ((checks_ & kCheckBarriers) == 0) return;
  BlockState* block = nullptr;
  Thread* first = nullptr;
  const auto report = [&](const Thread& other, uint32_t pc, const base::MessageText& what) {
    if (Report* r = new_report(ReportKind::kDivergentBarrier, *block, *first, first->pc)) {
      r->other = party(other.id, pc);
      r->set(what);
    }
  };
  for (auto& live : live_) {
    for (Thread& t : live->threads) {
      if (t.wait != Wait::kGrid) continue;
      if (first == nullptr) {
        block = live.get();
        first = &t;
      } else if (t.pc != first->pc) {
        return report(t, t.pc, message::kDifferentGridBarriers());
      }
    }
  }
  for (const auto& live : live_) {
    if (live->live == 0) {
      return report(live->threads[live->passed_thread], live->passed_pc, message::kSkippedGridBarrier());
    }
  }
}

void Machine::complete_grid() {
  check_grid_barrier();
  tick();
  grid_time_ = now_ - 1;
  grid_waiting_ = 0;
  for (auto& live : live_) meet(*live, Wait::kGrid);
}

void Machine::meet(BlockState& b, Wait wait) {
  b.earlier_time = b.time;
  b.time = grid_time_;
  b.refs.clear();
  for (ThreadSync& s : b.sync) s.refs.clear();
  for (Thread& t : b.threads) {
    if (t.wait != wait) continue;
    set_wait(b, t, Wait::kReady);
    ++t.pc;
  }
}

uint64_t Machine::cluster_of(const BlockState& b) const {
  const Dim3 &c = config_.cluster, &g = config_.grid;
  return (uint64_t{b.index.z / c.z} * (g.y / c.y) + b.index.y / c.y) * (g.x / c.x) + b.index.x / c.x;
}

BlockState* Machine::block_of(const BlockState& b, uint32_t rank) const {
  const Dim3 &c = config_.cluster, &g = config_.grid;
  if (by_number_.empty() || rank >= uint64_t{c.x} * c.y * c.z) return nullptr;
  const uint64_t x = b.index.x / c.x * c.x + rank % c.x, y = b.index.y / c.y * c.y + rank / c.x % c.y,
                 z = b.index.z / c.z * c.z + rank / c.x / c.y;
  return by_number_[(z * g.y + y) * g.x + x];
}

void Machine::arrive_cluster(BlockState& b, Thread& t) {
  set_wait(b, t, Wait::kCluster);
  const uint64_t cluster = cluster_of(b);
  if (++clusters_[cluster].waiting == clusters_[cluster].live) complete_cluster(cluster);
}

// Accesses made before count as ordered for all threads: a correct kernel is never reported.
void Machine::complete_cluster(uint64_t cluster) {
  tick();
  grid_time_ = now_ - 1;
  clusters_[cluster].waiting = 0;
  for (auto& live : live_) {
    if (cluster_of(*live) == cluster) meet(*live, Wait::kCluster);
  }
}

void Machine::thread_ended(BlockState& b, Thread& t, uint32_t pc) {
  set_wait(b, t, Wait::kExited);
  --b.live;
  --grid_live_;
  ++result_.threads;
  if (pc >= b.passed_pc) {
    b.passed_pc = pc;
    b.passed_thread = t.index;
  }
  Warp& w = b.warps[t.index / kWarpSize];
  if (w.waiting != 0) retry_warp(b, t.index / kWarpSize);
  if (b.live == 0) finish_ptx(b);
  if (b.live != 0 && b.at_barrier == b.live) complete_barrier(b);
  if (grid_waiting_ != 0 && grid_waiting_ == grid_live_) complete_grid();
  if (clusters_.empty()) return;
  Cluster& cluster = clusters_[cluster_of(b)];
  --cluster.live;
  if (cluster.waiting != 0 && cluster.waiting == cluster.live) complete_cluster(cluster_of(b));
  leave_cluster(b, t);
}

// No thread of the block can run and no barrier is complete: a deadlock.
void Machine::report_stuck(BlockState& b) {
  const Thread* first = nullptr;
  const Thread* second = nullptr;
  for (const Thread& t : b.threads) {
    if (t.wait == Wait::kReady || t.wait == Wait::kExited) continue;
    if (first == nullptr) {
      first = &t;
    } else if (second == nullptr && (t.pc != first->pc || t.wait != first->wait)) {
      second = &t;
    }
  }
  if (first == nullptr) return;
  // The warp operation is more informative than the barrier: it names the threads it waits for.
  if (second != nullptr && second->wait == Wait::kWarp && first->wait != Wait::kWarp)
    std::swap(first, second);
  // So are the barriers of inline PTX.
  const auto is_ptx = [](const Thread* t) {
    return t != nullptr &&
           (t->wait == Wait::kNamed || t->wait == Wait::kMbarrier || t->wait == Wait::kWarpgroup);
  };
  if (is_ptx(second) && !is_ptx(first)) std::swap(first, second);
  if (is_ptx(first)) {
    if (Report* r = new_report(ReportKind::kDeadlock, b, *first, first->pc)) {
      r->set(stuck_ptx(b, *first));
      if (second != nullptr) r->other = party(second->id, second->pc);
    }
    return stop();
  }
  const auto what = [](Wait wait) {
    return wait == Wait::kBarrier                                 ? "the block's barrier"
           : wait == Wait::kGrid                                  ? "the grid's barrier"
           : wait == Wait::kCluster || wait == Wait::kClusterWait ? "the cluster's barrier"
                                                                  : "a warp operation";
  };
  if (Report* r = new_report(ReportKind::kDeadlock, b, *first, first->pc)) {
    r->set(second == nullptr ? message::kNeverArrive(what(first->wait))
                             : message::kWaitForEachOther(what(first->wait), what(second->wait)));
    if (first->wait == Wait::kWarp) r->value = format("mask 0x%08x", first->mask);
    if (second != nullptr) r->other = party(second->id, second->pc);
  }
  stop();
}

}  // namespace quern::sim
