#include <algorithm>

#include "driver/sim/machine.hpp"

namespace quern::sim {

namespace {

constexpr size_t kMaxRefs = 64;     // per thread and block; more count as "has acquired everything"
constexpr size_t kMaxLinked = 256;  // releases that are searched transitively
constexpr int kMaxChain = 4;
constexpr uint32_t kLastTime = 0xFFFF'FFF0;

}  // namespace

void Machine::tick() {
  if (++now_ < kLastTime) return;
  // Out of time stamps: without an order, races can no longer be detected.
  now_ = kLastTime;
  track_races_ = false;
  result_.races_checked = false;
  for (Region& r : memory_.regions()) r.tracked = false;
  for (auto& b : live_) {
    for (Region& r : b->shared_regions) r.tracked = false;
  }
}

ThreadSync& Machine::sync_of(BlockState& b, const Thread& t) {
  if (b.sync.empty()) b.sync.resize(b.threads.size());
  return b.sync[t.index];
}

void Machine::learn(std::vector<Ref>& into, bool& overflow, const Ref& ref) {
  for (Ref& known : into) {
    if (known.var != ref.var) continue;
    known.time = std::max(known.time, ref.time);
    return;
  }
  if (into.size() >= kMaxRefs) {
    overflow = true;
  } else {
    into.push_back(ref);
  }
}

void Machine::fence(BlockState& b, Thread& t, ir::Scope scope) {
  if (!track_races_) return;
  ThreadSync& s = sync_of(b, t);
  s.fence_block = now_;
  if (scope != ir::Scope::kBlock) s.fence = now_;
  tick();
}

void Machine::acquire(BlockState& b, Thread& t, Address address, bool is_shared) {
  const auto& index = is_shared ? b.shared_sync : sync_index_;
  if (index.empty() || !track_races_) return;
  const auto it = index.find(address);
  if (it == index.end()) return;
  ThreadSync& s = sync_of(b, t);
  learn(s.refs, s.overflow, {it->second, now_});
}

void Machine::release(BlockState& b, Thread& t, Address address, bool is_shared) {
  if (b.sync.empty() || b.sync[t.index].fence_block == 0 || !track_races_) return;
  const ThreadSync& s = b.sync[t.index];
  auto& index = is_shared ? b.shared_sync : sync_index_;
  const auto [it, is_new] = index.try_emplace(address, static_cast<uint32_t>(sync_vars_.size()));
  if (is_new) sync_vars_.emplace_back();
  SyncVar& var = sync_vars_[it->second];
  const auto [at, first] = var.releases.try_emplace(b.serial);
  Release& r = at->second;
  if (first) r.first = now_;
  r.many = r.many || (!first && r.thread != t.id);
  r.thread = t.id;
  r.time = std::max(r.time, s.fence);
  r.time_block = std::max(r.time_block, s.fence_block);
  // All threads fence, then a barrier, then one thread signals: what the barrier ordered counts as fenced
  // too.
  const uint32_t fence = std::max(s.fence, s.fence_block);
  r.block_time = std::max(r.block_time, fence > b.earlier_time ? b.time : std::min(fence, b.time));
  const Warp& w = b.warps[t.index / kWarpSize];
  uint32_t warp_time = w.time;
  for (uint32_t lane = 0; w.has_known && lane < kWarpSize; ++lane) {
    warp_time = std::max(warp_time, w.known[t.lane * kWarpSize + lane]);
  }
  r.warp_time = std::max(r.warp_time, warp_time);
  const bool had = !r.refs.empty() || r.overflow;
  for (const Ref& ref : s.refs) learn(r.refs, r.overflow, ref);
  for (const Ref& ref : b.refs) learn(r.refs, r.overflow, ref);
  r.overflow = r.overflow || s.overflow || b.refs_overflow;
  if (!had && (!r.refs.empty() || r.overflow)) var.linked.push_back(b.serial);
  tick();
}

bool Machine::released(const Ref& ref, uint32_t who, uint32_t time, bool same_block) const {
  const SyncVar& var = sync_vars_[ref.var];
  const auto it = var.releases.find(who >> id_shift_);
  if (it == var.releases.end() || it->second.first > ref.time) return false;
  const Release& r = it->second;
  const uint32_t covers = same_block ? r.time_block : r.time;
  if (covers == 0) return false;
  if ((r.thread == who || r.many) && time <= covers) return true;
  if (r.thread / kWarpSize == who / kWarpSize && time <= r.warp_time) return true;
  return time <= r.block_time;
}

// Collects what the releasing threads of a location had acquired; false: the search limit was exceeded.
// Visited locations are skipped, because they would be reached again on every path.
bool Machine::follow(const Ref& ref, std::vector<Ref>& into) {
  const SyncVar& var = sync_vars_[ref.var];
  size_t looked = 0;
  for (uint32_t serial : var.linked) {
    if (++looked > kMaxLinked) return false;
    const Release& r = var.releases.at(serial);
    if (r.first > ref.time) continue;
    if (r.overflow) return false;
    for (const Ref& next : r.refs) {
      if (next.var != ref.var && is_new_to_search(next)) into.push_back(next);
    }
  }
  return true;
}

bool Machine::is_new_to_search(const Ref& ref) {
  if (searched_.size() < sync_vars_.size()) searched_.resize(sync_vars_.size());
  Searched& known = searched_[ref.var];
  if (known.search == search_ && known.time >= ref.time) return false;
  known = {search_, ref.time};
  return true;
}

bool Machine::ordered_by_sync(BlockState& b, const Thread& t, uint32_t who, uint32_t time) {
  const bool same_block = (who ^ t.id) >> id_shift_ == 0;
  if (b.refs_overflow || (!b.sync.empty() && b.sync[t.index].overflow)) return true;
  ++search_;
  std::vector<Ref>& refs = search_refs_;
  refs.clear();
  for (const Ref& ref : b.refs) {
    if (is_new_to_search(ref)) refs.push_back(ref);
  }
  for (size_t i = 0; !b.sync.empty() && i < b.sync[t.index].refs.size(); ++i) {
    const Ref& ref = b.sync[t.index].refs[i];
    if (is_new_to_search(ref)) refs.push_back(ref);
  }
  std::vector<Ref>& next = search_next_;
  for (int depth = 0; !refs.empty(); ++depth) {
    for (const Ref& ref : refs) {
      if (released(ref, who, time, same_block)) return true;
    }
    if (depth == kMaxChain) break;
    next.clear();
    for (const Ref& ref : refs) {
      if (!follow(ref, next)) return true;  // in doubt, ordered
    }
    refs.swap(next);
  }
  return false;
}

void Machine::sync_warp(BlockState& b, uint32_t w, uint32_t group) {
  if (!track_races_) return;
  Warp& warp = b.warps[w];
  const uint32_t reached = now_;
  tick();
  if ((group | warp.exited) == warp.all) {
    warp.time = reached;
    warp.has_known = false;
  } else {
    if (!warp.has_known) warp.known.fill(warp.time);
    warp.has_known = true;
    std::array<uint32_t, kWarpSize> all{};
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((group >> lane & 1) == 0) continue;
      for (uint32_t k = 0; k < kWarpSize; ++k) all[k] = std::max(all[k], warp.known[lane * kWarpSize + k]);
    }
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((group >> lane & 1) != 0) all[lane] = reached;
    }
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((group >> lane & 1) != 0) std::copy(all.begin(), all.end(), warp.known.begin() + lane * kWarpSize);
    }
  }
  if (b.sync.empty()) return;
  std::vector<Ref> refs;
  bool overflow = false;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    const ThreadSync& s = b.sync[w * kWarpSize + lane];
    for (const Ref& ref : s.refs) learn(refs, overflow, ref);
    overflow = overflow || s.overflow;
  }
  if (refs.empty() && !overflow) return;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    b.sync[w * kWarpSize + lane].refs = refs;
    b.sync[w * kWarpSize + lane].overflow = overflow;
  }
}

void Machine::sync_block(BlockState& b) {
  if (!track_races_) return;
  b.earlier_time = b.time;
  b.time = now_;
  tick();
  for (Warp& w : b.warps) w.has_known = false;
  for (ThreadSync& s : b.sync) {
    for (const Ref& ref : s.refs) learn(b.refs, b.refs_overflow, ref);
    b.refs_overflow = b.refs_overflow || s.overflow;
    s.refs.clear();
    s.overflow = false;
  }
}

}  // namespace quern::sim
