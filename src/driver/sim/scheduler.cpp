// The scheduler. Without a seed, blocks and threads run in order, each as far as it can; with one, threads
// and blocks are picked at random and interrupted after a few memory accesses. A block that does not finish
// may be waiting for another: it yields, and if all running blocks seem to wait, one more is started.
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kThreadTurn = 10'000;  // instructions, without a seed
constexpr uint64_t kBlockTurn = 2'000'000;
constexpr uint64_t kSpinLook = 20'000;      // after which a block that only polls yields
constexpr uint64_t kSoftPatience = 50'000;  // of a soft wait, in instructions of the block
constexpr uint64_t kLookAfter = 1'000'000;  // between readings of the clock
constexpr uint64_t kMaxLiveBytes = uint64_t{1} << 30;
constexpr uint64_t kPatientTurns = 50;  // per block, before one more is started without a sign of waiting
constexpr size_t kSeededBlocks = 4;     // running at the same time with a seed

}  // namespace

uint32_t Machine::pick_warp(BlockState& b) {
  const auto count = static_cast<uint32_t>(b.warps.size());
  uint32_t w = config_.options.seed != 0 ? random_.below(count) : b.next_warp;
  for (uint32_t n = 0; n < count; ++n) {
    if (w >= count) w = 0;
    if (b.warps[w].ready != 0) break;
    ++w;
  }
  b.next_warp = w + 1;
  return w;
}

void Machine::run_thread(BlockState& b, Thread& t) {
  const uint64_t turn =
      config_.options.seed != 0 ? 1 + random_.below(random_.below(8) == 0 ? 400 : 24) : kThreadTurn;
  execute(b, t, turn);
  const uint32_t w = t.index / kWarpSize;
  Warp& warp = b.warps[w];
  if (warp.soft != 0 && (warp.ready == 0 || b.steps - warp.soft_since > kSoftPatience)) release_soft(b, w);
  if (steps_ >= stop_at_) look_at_limits(b, t);
}

void Machine::run_warp(BlockState& b, uint32_t w) {
  const Warp& warp = b.warps[w];
  Thread* const threads = &b.threads[w * kWarpSize];
  if (config_.options.seed != 0) {
    uint32_t lanes = warp.ready;
    for (uint32_t skip = random_.below(static_cast<uint32_t>(std::popcount(lanes))); skip != 0; --skip)
      lanes &= lanes - 1;
    run_thread(b, threads[std::countr_zero(lanes)]);
    return;
  }
  for (uint32_t lanes = warp.ready; lanes != 0 && !stopped_; lanes &= lanes - 1) {
    run_thread(b, threads[std::countr_zero(lanes)]);
  }
}

Machine::Turn Machine::run_block(BlockState& b, uint64_t steps) {
  const uint64_t end = b.steps + steps;
  uint64_t look = b.steps + kSpinLook;
  b.polls = b.changes = 0;
  const auto only_polls = [&] { return b.polls != 0 && b.changes == 0; };
  while (!stopped_ && b.live != 0 && b.steps < end) {
    if (b.ready_warps == 0) return Turn::kStuck;
    run_warp(b, pick_warp(b));
    if (b.steps < look) continue;
    if (only_polls()) return Turn::kSpins;
    look = b.steps + kSpinLook;
    b.polls = b.changes = 0;
  }
  return only_polls() ? Turn::kSpins : Turn::kOver;
}

Result<bool> Machine::admit() {
  if (next_serial_ == block_count_) return false;
  std::unique_ptr<BlockState> b;
  if (!idle_.empty()) {
    b = std::move(idle_.back());
    idle_.pop_back();
  } else {
    QUERN_TRY_ASSIGN(b, make_block());
  }
  start_block(*b, next_serial_++);
  live_.push_back(std::move(b));
  return true;
}

void Machine::retire(size_t index) {
  ++result_.blocks;
  idle_.push_back(std::move(live_[index]));
  live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
}

Result<> Machine::run_blocks() {
  const bool seeded = config_.options.seed != 0;
  const uint64_t most = std::max<uint64_t>(2, kMaxLiveBytes / std::max<uint64_t>(1, block_bytes_));
  size_t at = 0;
  uint64_t turns = 0, spins = 0;  // since a block ended or was started
  while (!stopped_) {
    while (live_.size() < (seeded ? std::min<uint64_t>(kSeededBlocks, most) : 1)) {
      QUERN_TRY_ASSIGN(const bool more, admit());
      if (!more) break;
    }
    if (live_.empty()) return {};
    if (seeded) at = random_.below(static_cast<uint32_t>(live_.size()));
    if (at >= live_.size()) at = 0;
    BlockState& b = *live_[at];
    const Turn turn = run_block(b, seeded && live_.size() > 1 ? 50 + random_.below(20'000) : kBlockTurn);
    if (turn == Turn::kStuck && !stopped_ && !resume_stuck(b)) report_stuck(b);
    if (stopped_) break;
    ++at;
    ++turns;
    spins += turn == Turn::kSpins ? 1 : 0;
    if (b.live == 0) {
      retire(--at);
      turns = spins = 0;
    } else if ((spins > live_.size() || turns > live_.size() * kPatientTurns) && live_.size() < most) {
      // All blocks seem to wait for a block that is not running.
      QUERN_TRY(admit());
      turns = spins = 0;
    }
  }
  return {};
}

// All blocks run at the same time, so that they can synchronize at the grid barrier.
Result<> Machine::run_cooperative() {
  if (block_count_ > kMaxLiveBytes * 4 / std::max<uint64_t>(1, block_bytes_)) {
    return Error(ErrorKind::unsupported,
                 message::kCooperativeMemory(code_.kernel->name, std::to_string(block_count_),
                                             base::format_bytes(block_bytes_ * block_count_)));
  }
  for (;;) {
    QUERN_TRY_ASSIGN(const bool more, admit());
    if (!more) break;
  }
  by_number_.resize(block_count_);
  for (const auto& b : live_) by_number_[number_of(b->serial)] = b.get();
  const Dim3& c = config_.cluster;
  const uint64_t cluster_blocks = uint64_t{c.x} * c.y * c.z;
  clusters_.assign(block_count_ / cluster_blocks, {cluster_blocks * block_threads_, 0});
  while (!stopped_ && grid_live_ != 0) {
    bool any = false;
    for (size_t n = 0; n < live_.size() && !stopped_; ++n) {
      const bool seeded = config_.options.seed != 0;
      BlockState& b = *live_[seeded ? random_.below(static_cast<uint32_t>(live_.size())) : n];
      if (b.live == 0 || b.ready_warps == 0) continue;
      any = true;
      run_block(b, seeded ? 50 + random_.below(5'000) : kBlockTurn / 10);
    }
    if (any || stopped_) continue;
    // A random round may have missed threads that can run.
    const auto can_run = [](const auto& b) { return b->live != 0 && b->ready_warps != 0; };
    if (std::any_of(live_.begin(), live_.end(), can_run)) continue;
    for (const auto& b : live_) resume_stuck(*b);
    if (std::any_of(live_.begin(), live_.end(), can_run)) continue;
    for (auto& b : live_) {
      if (b->live != 0 && !stopped_) report_stuck(*b);
    }
  }
  for (const auto& b : live_) result_.blocks += b->live == 0 ? 1 : 0;
  return {};
}

void Machine::look_at_limits(BlockState& b, Thread& t) {
  const LaunchOptions& o = config_.options;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - began_).count();
  if (o.step_limit != 0 && steps_ >= o.step_limit) {
    report_limit(b, t, base::format_count(o.step_limit) + " instructions");
  } else if (o.time_limit_s > 0 && seconds >= o.time_limit_s) {
    report_limit(b, t, base::format_duration(o.time_limit_s));
  } else if (o.poll && !o.poll()) {
    stop();
  }
  stop_at_ = steps_ + kLookAfter;
  if (o.step_limit != 0) stop_at_ = std::min(stop_at_, std::max(o.step_limit, steps_ + 1));
}

void Machine::report_limit(const BlockState& b, const Thread& t, const std::string& limit) {
  stop();
  Report* r = new_report(ReportKind::kLimit, b, t, t.pc < code_.pos.size() ? t.pc : 0);
  if (r == nullptr) return;
  r->set(message::kUnfinished(limit));
  // The innermost loop of the thread is more informative than its current instruction.
  for (const LoopRange& loop : code_.loops) {
    if (t.pc < loop.begin || t.pc >= loop.end || loop.pos.line == 0) continue;
    r->pos = loop.pos;
    r->set(message::kUnfinishedLoop(limit));
  }
}

}  // namespace quern::sim
