// Warp operations. A thread waits at its operation until every running thread of its mask waits at
// an operation of the same kind with the same mask; then all get their results.
//
// Soft waits: __activemask and accesses to volatile shared memory need the lanes that run together. A lane
// waits until no other lane of its warp can run (or has run for long enough); then the lanes that wait at the
// foremost position of the program continue, and they are the active ones. In `if (c) m = __activemask();`
// these are all lanes for which c holds.
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"
#include "lang/ir/eval_warp.hpp"

namespace quern::sim {

using base::format;

namespace {

uint32_t kind_of(const Ins& i) {
  // A signed and an unsigned reduction may meet.
  const uint32_t variant = i.op == OpCode::kShuffle     ? i.sub & 15u
                           : i.op == OpCode::kWarpValue ? i.sub & ~64u
                                                        : 0;
  return (static_cast<uint32_t>(i.op) << 16) | variant;
}

template <typename Fn>
void each_lane(uint32_t lanes, Fn&& fn) {
  for (; lanes != 0; lanes &= lanes - 1) fn(static_cast<uint32_t>(std::countr_zero(lanes)));
}

// The source lane of a shuffle, as PTX defines shfl.sync; its own lane if that is outside of the segment.
uint32_t source_lane(ir::ShuffleKind kind, uint32_t lane, uint32_t by, uint32_t width) {
  const uint32_t segment = (kWarpSize - width) & 31u;
  by &= 31;
  const uint32_t first = lane & segment, last = first | (31u & ~segment);
  switch (kind) {
    case ir::ShuffleKind::kIndex: return first | (by & ~segment & 31u);
    case ir::ShuffleKind::kUp:
      return static_cast<int32_t>(lane - by) >= static_cast<int32_t>(first) ? lane - by : lane;
    case ir::ShuffleKind::kDown: return lane + by <= last ? lane + by : lane;
    case ir::ShuffleKind::kXor: return (lane ^ by) <= last ? lane ^ by : lane;
  }
  return lane;
}

}  // namespace

void Machine::arrive_warp(BlockState& b, Thread& t, uint32_t pc) {
  const Ins& i = code_.code[pc];
  t.mask = static_cast<uint32_t>(t.slots[i.a]);
  if ((t.mask >> t.lane & 1) == 0) {
    Report* r = (checks_ & kCheckWarps) != 0 ? new_report(ReportKind::kWarp, b, t, pc) : nullptr;
    if (r != nullptr) {
      r->value = format("0x%08x", t.mask);
      r->set(message::kNotInMask(std::to_string(t.lane), r->value));
    }
    t.mask |= 1u << t.lane;
  }
  set_wait(b, t, Wait::kWarp);
  try_complete(b, t.index / kWarpSize, t);
}

bool Machine::try_complete(BlockState& b, uint32_t w, const Thread& t) {
  const Warp& warp = b.warps[w];
  const uint32_t group = t.mask & warp.all & ~warp.exited;
  if ((warp.waiting & group) != group) return false;
  const uint32_t kind = kind_of(code_.code[t.pc]);
  bool same = true;
  each_lane(group, [&](uint32_t lane) {
    const Thread& other = b.threads[w * kWarpSize + lane];
    same = same && other.mask == t.mask && kind_of(code_.code[other.pc]) == kind;
  });
  if (same) complete_warp(b, w, group);
  return same;
}

void Machine::retry_warp(BlockState& b, uint32_t w) {
  uint32_t lanes = b.warps[w].waiting;
  for (; lanes != 0; lanes &= lanes - 1) {
    const Thread& t = b.threads[w * kWarpSize + static_cast<uint32_t>(std::countr_zero(lanes))];
    if (t.wait == Wait::kWarp) try_complete(b, w, t);
  }
}

void Machine::complete_warp(BlockState& b, uint32_t w, uint32_t group) {
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(group));
  switch (code_.code[b.threads[w * kWarpSize + first].pc].op) {
    case OpCode::kShuffle: shuffle(b, w, group); break;
    case OpCode::kWarpValue: warp_value(b, w, group); break;
    default: break;
  }
  sync_warp(b, w, group);
  each_lane(group, [&](uint32_t lane) {
    Thread& t = b.threads[w * kWarpSize + lane];
    set_wait(b, t, Wait::kReady);
    ++t.pc;
  });
}

void Machine::shuffle(BlockState& b, uint32_t w, uint32_t group) {
  uint64_t values[kWarpSize] = {};
  uint32_t flags[kWarpSize] = {};
  Thread* const threads = &b.threads[w * kWarpSize];
  each_lane(group, [&](uint32_t lane) {
    const Ins& i = code_.code[threads[lane].pc];
    values[lane] = threads[lane].slots[i.b];
    flags[lane] = (i.sub & 16) != 0 ? threads[lane].flags[i.b] : 0;
  });
  each_lane(group, [&](uint32_t lane) {
    Thread& t = threads[lane];
    const Ins& i = code_.code[t.pc];
    const auto width = static_cast<uint32_t>(t.slots[static_cast<uint32_t>(i.d)]);
    uint32_t from = source_lane(static_cast<ir::ShuffleKind>(i.sub & 15), lane,
                                static_cast<uint32_t>(t.slots[i.c]), width);
    if ((checks_ & kCheckWarps) != 0 && (width == 0 || width > kWarpSize || !std::has_single_bit(width))) {
      if (Report* r = new_report(ReportKind::kWarp, b, t, t.pc)) {
        r->value = std::to_string(width);
        r->set(message::kShuffleWidth(r->value));
      }
    }
    const bool there = (group >> from & 1) != 0;
    uint32_t flag = there ? flags[from] : (found_origin({t.pc, 0, from}) << kOriginShift) | kUndefinedBytes;
    if (!there) from = lane;
    t.slots[i.dst] = values[from];
    if ((checks_ & kCheckUninitialized) == 0) flag = 0;
    t.flags[i.dst] = flag;
    if ((i.sub & 32) == 0 && flag != 0) check_defined(b, t, t.pc, i.dst);
  });
}

void Machine::warp_value(BlockState& b, uint32_t w, uint32_t group) {
  Thread* const threads = &b.threads[w * kWarpSize];
  const auto ins = [&](uint32_t lane) -> const Ins& { return code_.code[threads[lane].pc]; };
  ir::WarpValues values = {};
  each_lane(group, [&](uint32_t lane) { values[lane] = threads[lane].slots[ins(lane).b]; });
  const uint32_t sub = ins(static_cast<uint32_t>(std::countr_zero(group))).sub;
  const ir::WarpOperation operation = {static_cast<ir::Op>(sub >> 8), static_cast<ir::Rmw>(sub & 63),
                                       (sub & 64) != 0};
  const ir::WarpValues results = ir::evaluate_warp(operation, values, group);
  each_lane(group, [&](uint32_t lane) { threads[lane].slots[ins(lane).dst] = results[lane]; });
}

bool Machine::wait_soft(BlockState& b, Thread& t, uint32_t pc) {
  if (t.soft_done) return false;
  Warp& w = b.warps[t.index / kWarpSize];
  if (w.soft == 0) w.soft_since = b.steps;
  t.pc = pc;
  set_wait(b, t, Wait::kSoft);
  return true;
}

void Machine::release_soft(BlockState& b, uint32_t w) {
  Warp& warp = b.warps[w];
  Thread* const threads = &b.threads[w * kWarpSize];
  uint32_t foremost = kNoSlot;
  each_lane(warp.soft, [&](uint32_t lane) { foremost = std::min(foremost, threads[lane].pc); });
  uint32_t group = 0;
  each_lane(warp.soft, [&](uint32_t lane) { group |= threads[lane].pc == foremost ? 1u << lane : 0; });
  each_lane(group, [&](uint32_t lane) {
    Thread& t = threads[lane];
    const Ins& i = code_.code[t.pc];
    if (i.op == OpCode::kActiveMask) {
      t.slots[i.dst] = group;
      ++t.pc;
    } else {
      t.soft_done = true;
    }
    set_wait(b, t, Wait::kReady);
  });
  warp.soft_since = b.steps;
}

}  // namespace quern::sim
