// Inline PTX of clusters: addresses of other blocks' shared memory, and the barrier in two steps.
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

namespace {

constexpr uint32_t kWindowBits = 24;  // of a block's shared memory in the window of the cluster

}  // namespace

// Bytes from the beginning of the block's shared memory; dynamic shared memory is last. Above them: 1 + the
// rank of another block of the cluster.
uint64_t Machine::shared_number(Address address) const {
  const Place p = place_of(address);
  const uint32_t object = p.object & kOwnObjectMask, rank = p.object >> kRankShift;
  if (p.tag != Tag::kShared || object >= shared_offsets_.size()) return 0xFFFF'FFFFu;
  const uint32_t own = static_cast<uint32_t>(shared_offsets_[object] + static_cast<uint64_t>(p.offset));
  return rank == 0 ? own : (own & ((1u << kWindowBits) - 1)) | rank << kWindowBits;
}

// An address beyond a variable belongs to that variable, so that its use is reported.
Address Machine::shared_at(uint32_t value) const {
  const uint32_t rank = value >> kWindowBits;
  const bool is_other =
      rank != 0 && rank <= uint64_t{config_.cluster.x} * config_.cluster.y * config_.cluster.z;
  const uint32_t number = is_other ? value & ((1u << kWindowBits) - 1) : value;
  size_t best = 0;
  bool found = false;
  for (size_t k = 0; k < shared_offsets_.size(); ++k) {
    if (k == 0 && !code_.has_dynamic_shared) continue;
    if (shared_offsets_[k] > number || (found && shared_offsets_[k] < shared_offsets_[best])) continue;
    best = k;
    found = true;
  }
  const Address own = shared_address(best, number - shared_offsets_[best]);
  return is_other ? mapped_address(own, rank - 1) : own;
}

// mapa: the address of the same variable in another block.
void Machine::map_shared(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t value = operand(t, info, 0), rank = operand(t, info, 1);
  const bool is_number = value >> 32 == 0;
  const uint64_t blocks = uint64_t{config_.cluster.x} * config_.cluster.y * config_.cluster.z;
  if (rank >= blocks)
    report_ptx(ReportKind::kOutOfBounds, b, t,
               message::kNoSuchRank(std::to_string(rank), std::to_string(blocks)));
  const Address own = is_number ? shared_at(static_cast<uint32_t>(value)) : value;
  const Address mapped = mapped_address(own, static_cast<uint32_t>(std::min(rank, blocks - 1)));
  set_result(t, is_number ? shared_number(mapped) : mapped);
}

void Machine::cluster_rank(BlockState& b, Thread& t, const PtxInfo& info) {
  const uint64_t value = operand(t, info, 0);
  const Address address = value >> 32 == 0 ? shared_at(static_cast<uint32_t>(value)) : value;
  const uint32_t rank = place_of(address).object >> kRankShift;
  const Dim3 &c = config_.cluster, &i = b.index;
  const uint32_t own = (i.z % c.z * c.y + i.y % c.y) * c.x + i.x % c.x;
  set_result(t, rank == 0 ? own : rank - 1);
}

void Machine::cluster_arrive(BlockState& b, Thread& t) {
  ThreadPtx& s = ptx_of(b).threads[t.index];
  if (s.has_arrived) {
    report_ptx(ReportKind::kBarrier, b, t, message::kArrivesTwice());
    return;
  }
  const uint64_t number = cluster_of(b);
  Cluster& cluster = clusters_[number];
  s.has_arrived = true;
  s.cluster_phase = cluster.phase;
  if (++cluster.arrived == cluster.live) complete_arrivals(number);
}

bool Machine::cluster_wait(BlockState& b, Thread& t) {
  ThreadPtx& s = ptx_of(b).threads[t.index];
  if (!s.has_arrived) {
    report_ptx(ReportKind::kBarrier, b, t, message::kWaitsWithoutArrival());
    return false;
  }
  s.has_arrived = false;
  if (clusters_[cluster_of(b)].phase != s.cluster_phase) return false;
  set_wait(b, t, Wait::kClusterWait);
  return true;
}

// Accesses made before count as ordered for all threads, as in complete_cluster.
void Machine::complete_arrivals(uint64_t number) {
  tick();
  grid_time_ = now_ - 1;
  ++clusters_[number].phase;
  clusters_[number].arrived = 0;
  for (auto& live : live_) {
    if (cluster_of(*live) == number) meet(*live, Wait::kClusterWait);
  }
}

void Machine::leave_cluster(BlockState& b, const Thread& t) {
  Cluster& cluster = clusters_[cluster_of(b)];
  if (b.ptx != nullptr && b.ptx->threads[t.index].has_arrived &&
      b.ptx->threads[t.index].cluster_phase == cluster.phase && cluster.arrived != 0)
    --cluster.arrived;
  if (cluster.arrived != 0 && cluster.arrived == cluster.live) complete_arrivals(cluster_of(b));
}

}  // namespace quern::sim
