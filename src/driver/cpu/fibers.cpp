#include "driver/cpu/fibers.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <thread>
#include <vector>

#include "base/fiber.hpp"
#include "driver/cpu/crash.hpp"
#include "driver/cpu/messages.hpp"
#include "driver/cpu/pool.hpp"
#include "lang/ir/eval_warp.hpp"

namespace quern::cpu {

using ir::Op;
using quern::llvm::BlockContext;

namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kPatientRounds = 64;  // without progress, before another block is started

enum class State : uint8_t { kReady, kBarrier, kGrid, kCluster, kWarp, kDone };

struct Member;

struct Block {
  std::vector<Member*> members;
  std::unique_ptr<std::byte[]> shared;
  uint32_t live = 0;
  uint32_t waiting = 0;  // at the barrier
  uint32_t trues = 0, falses = 0;
  uint32_t site = 0;
  uint64_t cluster = 0;
};

// A thread of the kernel, or a block that waits for others.
struct Member {
  std::unique_ptr<base::Fiber> fiber;
  std::unique_ptr<std::byte[]> scratch;
  uint64_t scratch_bytes = 0;
  BlockContext context;
  Block* block = nullptr;
  Task* task = nullptr;
  Guard* guard = nullptr;
  const std::vector<std::byte*>* shared_of = nullptr;  // by block number
  uint32_t index = 0;                                  // of the thread
  State state = State::kReady;
  bool yielded = false;
  uint32_t result = 0;
  uint32_t kind = 0, mask = 0;  // of its warp operation
  uint64_t value = 0;
  uint64_t lanes[kLanes + 2] = {};  // of its warp: values, group, result
};

Member& of(BlockContext* context) { return *static_cast<Member*>(context->fiber); }

void run_member(void* argument) {
  auto& m = *static_cast<Member*>(argument);
  run_guarded(*m.task, m.context, &m.guard);
  m.state = State::kDone;
  m.fiber->suspend();
}

// `kind`: as the emitter encodes a warp operation.
ir::WarpValues warp_results(uint32_t kind, const ir::WarpValues& values, uint32_t group) {
  const ir::WarpOperation operation = {static_cast<ir::Op>(kind >> 8), static_cast<ir::Rmw>(kind & 127),
                                       (kind & 128) != 0};
  return ir::evaluate_warp(operation, values, group);
}

class Run {
 public:
  Run(Task& task, uint64_t first, uint64_t end) : task_(task), next_(first), end_(end) {}

  void run() {
    if (task_.is_cooperative) {
      while (next_ < end_) {
        if (!admit()) return give_up(message::kNoResidentMemory());
      }
    }
    uint32_t idle = 0;
    while (!task_.stopped.load(std::memory_order_relaxed)) {
      if (blocks_.empty()) {
        if (next_ == end_) return;
        if (!admit()) return give_up(message::kNoBlockMemory());
      }
      progress_ = false;
      ran_ = false;
      polled_ = thread_ended_ = false;
      turn_all();
      retire();
      complete_grid();
      complete_clusters();
      if (is_round_in_vain()) (void)admit();
      if (progress_) {
        idle = 0;
        continue;
      }
      if (!ran_ && !wake_lonely()) return stuck();
      if (++idle % kPatientRounds != 0) continue;
      if (next_ < end_ && !admit()) return give_up(message::kNoBlockMemory());
      std::this_thread::yield();
    }
  }

 private:
  // Threads that poll may reach barriers or votes between two polls without making progress: they may be
  // waiting for a block that is not running.
  bool is_round_in_vain() {
    constexpr uint32_t kPatientPolls = 1024;
    rounds_in_vain_ = thread_ended_ ? 0 : rounds_in_vain_ + (polled_ ? 1 : 0);
    if (rounds_in_vain_ < kPatientPolls || next_ == end_) return false;
    rounds_in_vain_ = 0;
    return true;
  }

  bool admit() {
    auto block = std::make_unique<Block>();
    block->shared.reset(new (std::nothrow)
                            std::byte[task_.shared_bytes() + 64 + 2 * quern::llvm::kSharedMargin]);
    if (block->shared == nullptr) return false;
    auto* shared = reinterpret_cast<std::byte*>(
        (reinterpret_cast<uint64_t>(block->shared.get()) + quern::llvm::kSharedMargin + 63) & ~uint64_t{63});
    shared_of_.resize(end_);
    shared_of_[next_] = shared;
    const uint32_t count = task_.is_thread ? task_.threads() : 1;
    const uint64_t records = task_.is_thread ? 1 : task_.bundles();
    block->live = count;
    for (uint32_t t = 0; t < count; ++t) {
      Member* m = make_member(task_.record_bytes * records + 64);
      if (m == nullptr) return false;
      m->context = task_.context(next_);
      m->context.shared = shared;
      m->context.scratch =
          reinterpret_cast<std::byte*>((reinterpret_cast<uint64_t>(m->scratch.get()) + 63) & ~uint64_t{63});
      m->context.fiber = m;
      if (task_.is_thread) m->context.first_bundle = t, m->context.end_bundle = t + 1;
      m->index = t;
      m->block = block.get();
      m->task = &task_;
      m->shared_of = &shared_of_;
      m->state = State::kReady;
      m->fiber->start(&run_member, m);
      block->members.push_back(m);
    }
    block->cluster = cluster_of(block->members[0]->context);
    blocks_.push_back(std::move(block));
    ++next_;
    return true;
  }

  Member* make_member(uint64_t scratch) {
    std::unique_ptr<Member> m;
    if (!idle_.empty()) {
      m = std::move(idle_.back());
      idle_.pop_back();
    } else {
      m = std::make_unique<Member>();
      m->fiber = base::Fiber::create();
      if (m->fiber == nullptr) return nullptr;
    }
    if (m->scratch_bytes < scratch) {
      m->scratch.reset(new (std::nothrow) std::byte[scratch]);
      if (m->scratch == nullptr) return nullptr;
      m->scratch_bytes = scratch;
    }
    members_.push_back(std::move(m));
    return members_.back().get();
  }

  // Blocks that run as a whole synchronize at grid barriers only: between those, all pool threads work on
  // them. If threads of the kernel poll for each other, a single thread schedules them.
  void turn_all() {
    if (task_.is_thread || task_.maps_shared || task_.pool == nullptr) {
      for (const auto& block : blocks_) turn(*block);
      return;
    }
    task_.pool->run(blocks_.size(),
                    [](void* run, uint64_t first, uint64_t end) {
                      for (uint64_t b = first; b < end; ++b)
                        static_cast<Run*>(run)->turn(*static_cast<Run*>(run)->blocks_[b]);
                    },
                    this, {});
  }

  void turn(Block& block) {
    for (Member* m : block.members) {
      if (m->state != State::kReady) continue;
      ran_ = true;
      m->yielded = false;
      if (m->guard != nullptr) enter_guard(m->guard);
      m->fiber->resume();
      if (task_.is_guarded) enter_guard(nullptr);
      if (task_.stopped.load(std::memory_order_relaxed)) return;
      if (!m->yielded) progress_ = true;
      if (m->yielded) polled_ = true;
      if (m->state == State::kDone) {
        --block.live;
        thread_ended_ = true;
      }
      if (m->state == State::kWarp || m->state == State::kDone) complete_warp(block, m->index / kLanes);
      if (block.waiting != 0 && block.waiting == block.live) complete_barrier(block);
    }
  }

  void complete_barrier(Block& block) {
    progress_ = true;
    for (Member* m : block.members) {
      if (m->state != State::kBarrier) continue;
      m->result = block.trues | block.falses << 16;
      m->state = State::kReady;
    }
    block.waiting = block.trues = block.falses = 0;
  }

  void complete_grid() {
    for (const auto& b : blocks_) {
      for (const Member* m : b->members) {
        if (m->state != State::kGrid && m->state != State::kDone) return;
      }
    }
    if (next_ < end_) return;
    for (const auto& b : blocks_) {
      for (Member* m : b->members) {
        if (m->state != State::kGrid) continue;
        m->state = State::kReady;
        progress_ = true;
      }
    }
  }

  // Resumes the members of a cluster if all of them wait or have finished.
  void complete_clusters() {
    const auto waits = [](const auto& b) {
      return std::ranges::any_of(b->members, [](const Member* m) { return m->state == State::kCluster; });
    };
    if (std::ranges::none_of(blocks_, waits)) return;
    running_.assign(end_, 0);
    for (const auto& b : blocks_) {
      for (const Member* m : b->members)
        running_[b->cluster] += m->state != State::kCluster && m->state != State::kDone ? 1 : 0;
    }
    for (const auto& b : blocks_) {
      if (running_[b->cluster] != 0) continue;
      for (Member* m : b->members) {
        if (m->state != State::kCluster) continue;
        m->state = State::kReady;
        progress_ = true;
      }
    }
  }

  // A number below the number of blocks in the grid.
  static uint64_t cluster_of(const BlockContext& c) {
    const uint64_t x = c.block_id[0] / c.cluster[0], y = c.block_id[1] / c.cluster[1],
                   z = c.block_id[2] / c.cluster[2];
    return (z * c.grid[1] + y) * c.grid[0] + x;
  }

  // Members of a warp that wait with the same mask at the same kind of operation resume together.
  void complete_warp(Block& block, uint32_t warp) {
    const size_t first = size_t{warp} * kLanes, end = std::min(block.members.size(), first + kLanes);
    for (size_t k = first; k < end; ++k) {
      const Member& m = *block.members[k];
      if (m.state != State::kWarp || static_cast<Op>(m.kind >> 8) == Op::kActiveMask) continue;
      uint32_t group = 0;
      bool complete = true;
      for (size_t j = first; j < end; ++j) {
        const Member& other = *block.members[j];
        if ((m.mask >> (j - first) & 1) == 0 || other.state == State::kDone) continue;
        group |= 1u << (j - first);
        complete = complete && other.state == State::kWarp && other.kind == m.kind && other.mask == m.mask;
      }
      if (complete) release(block, first, group);
    }
  }

  void release(Block& block, size_t first, uint32_t group) {
    progress_ = true;
    ir::WarpValues values = {};
    for (uint32_t l = 0; l < kLanes; ++l) {
      if ((group >> l & 1) != 0) values[l] = block.members[first + l]->value;
    }
    const auto kind = block.members[first + static_cast<size_t>(std::countr_zero(group))]->kind;
    const ir::WarpValues results = warp_results(kind, values, group);
    for (uint32_t l = 0; l < kLanes; ++l) {
      if ((group >> l & 1) == 0) continue;
      Member& m = *block.members[first + l];
      std::copy(values.begin(), values.end(), m.lanes);
      m.lanes[kLanes] = group;
      m.lanes[kLanes + 1] = results[l];
      m.state = State::kReady;
    }
  }

  // No thread can run: those that query the active mask are active.
  bool wake_lonely() {
    bool woke = false;
    for (const auto& b : blocks_) {
      for (size_t first = 0; first < b->members.size(); first += kLanes) {
        uint32_t group = 0;
        for (size_t k = first; k < std::min(b->members.size(), first + kLanes); ++k) {
          const Member& m = *b->members[k];
          if (m.state == State::kWarp && static_cast<Op>(m.kind >> 8) == Op::kActiveMask)
            group |= 1u << (k - first);
        }
        if (group != 0) release(*b, first, group), woke = true;
      }
    }
    return woke;
  }

  void retire() {
    for (size_t b = 0; b < blocks_.size();) {
      if (blocks_[b]->live != 0) {
        ++b;
        continue;
      }
      progress_ = true;
      for (auto& m : members_) {
        if (m != nullptr && m->block == blocks_[b].get()) idle_.push_back(std::move(m));
      }
      members_.erase(std::remove(members_.begin(), members_.end(), nullptr), members_.end());
      if (task_.maps_shared) ended_.push_back(std::move(blocks_[b]));  // others may still access it
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
    }
  }

  void stuck() {
    for (const auto& b : blocks_) {
      for (const Member* m : b->members) {
        if (m->state == State::kBarrier) return task_.fault(b->site, m->index, m->context);
      }
    }
    give_up(message::kDeadlock());
  }

  void give_up(const base::MessageText& why) {
    task_.stopped = true;
    const std::lock_guard<std::mutex> lock(task_.messages->mutex);
    if (task_.messages->fault.empty()) task_.messages->fault = why.text;
  }

  Task& task_;
  uint64_t next_, end_;
  std::vector<std::unique_ptr<Block>> blocks_, ended_;
  std::vector<std::byte*> shared_of_;  // by block number
  std::vector<uint32_t> running_;      // by cluster: members that do not wait
  std::vector<std::unique_ptr<Member>> members_, idle_;
  std::atomic<bool> progress_{false};  // in this round
  std::atomic<bool> ran_{false};
  std::atomic<bool> polled_{false}, thread_ended_{false};  // in this round
  uint32_t rounds_in_vain_ = 0;
};

}  // namespace

void run_fibers(Task& task, uint64_t first, uint64_t end) { Run(task, first, end).run(); }

uint32_t qn_barrier(BlockContext* context, uint32_t site, uint32_t predicate) {
  Member& m = of(context);
  Block& block = *m.block;
  if (block.waiting != 0 && block.site != site) {
    m.task->fault(site, m.index, *context);
    leave_fiber(context);
  }
  block.site = site;
  ++block.waiting;
  (predicate != 0 ? block.trues : block.falses) += 1;
  m.state = State::kBarrier;
  m.fiber->suspend();
  return m.result;
}

void qn_grid_barrier(BlockContext* context) {
  if (context->fiber == nullptr) return;
  of(context).state = State::kGrid;
  of(context).fiber->suspend();
}

void qn_cluster_barrier(BlockContext* context) {
  if (context->fiber == nullptr) return;
  of(context).state = State::kCluster;
  of(context).fiber->suspend();
}

// Null if this block is not in the cluster, or if the address is not in shared memory.
void* qn_map_shared(BlockContext* context, void* own, uint32_t rank) {
  const BlockContext& c = *context;
  auto* const at = static_cast<std::byte*>(own);
  const bool is_there = rank < c.cluster[0] * c.cluster[1] * c.cluster[2];
  if (context->fiber == nullptr || !is_there || at < c.shared || at >= c.shared + c.shared_bytes)
    return nullptr;
  const uint64_t x = c.block_id[0] / c.cluster[0] * c.cluster[0] + rank % c.cluster[0],
                 y = c.block_id[1] / c.cluster[1] * c.cluster[1] + rank / c.cluster[0] % c.cluster[1],
                 z = c.block_id[2] / c.cluster[2] * c.cluster[2] + rank / c.cluster[0] / c.cluster[1];
  return (*of(context).shared_of)[(z * c.grid[1] + y) * c.grid[0] + x] + (at - c.shared);
}

void qn_yield(BlockContext* context) {
  if (context->fiber == nullptr) return;
  of(context).yielded = true;
  of(context).fiber->suspend();
}

const uint64_t* qn_warp(BlockContext* context, uint32_t kind, uint32_t mask, uint64_t value) {
  Member& m = of(context);
  m.kind = kind;
  m.mask = mask | 1u << (m.index % kLanes);
  m.value = value;
  m.state = State::kWarp;
  m.fiber->suspend();
  return m.lanes;
}

void leave_fiber(BlockContext* context) {
  of(context).state = State::kDone;
  of(context).fiber->suspend();
}

}  // namespace quern::cpu
