namespace quern {
namespace ring {

// Several workers leave together, when all of them have been idle long enough. An idle worker increments a
// count, and the last one announces that all leave. A worker that finds work decrements the count, unless
// leaving was announced: then it leaves too, and the host sees the waiting work when the kernel has left.
class Company {
 public:
  unsigned* idle_;
  unsigned* gone_;
  unsigned workers_;
  bool is_in_;

  __device__ Company(const Blocks& blocks, unsigned workers)
      : idle_((unsigned*)(blocks.own + kArrivedAt + 1)),
        gone_((unsigned*)(blocks.own + kArrivedAt + 2)),
        workers_(workers),
        is_in_(false) {}

  // Called by one thread after a turn; returns whether the worker leaves.
  __device__ bool leaves(bool is_tired, bool has_worked) {
    if (workers_ == 1) return is_tired;
    if (is_in_) return has_worked ? !count_out() : (look(idle_) & kAllGo) != 0;
    if (is_tired) count_in();
    return is_in_ && (look(idle_) & kAllGo) != 0;
  }
  // The worker has left, for any reason. The last one prepares for another launch.
  __device__ void leave() {
    if (workers_ == 1) return;
    if (!is_in_) count_in();
    fence_device();
    if (atomicAdd(gone_, 1u) + 1 != workers_) return;
    fence_device();
    put(idle_, 0u);
    put(gone_, 0u);
  }

 private:
  static constexpr unsigned kAllGo = 1u << 31;

  __device__ void count_in() {
    is_in_ = true;
    if (atomicAdd(idle_, 1u) + 1 == workers_) atomicCAS(idle_, workers_, workers_ | kAllGo);
  }
  __device__ bool count_out() {
    unsigned now = look(idle_);
    while ((now & kAllGo) == 0) {
      const unsigned seen = atomicCAS(idle_, now, now - 1);
      if (seen == now) {
        is_in_ = false;
        return true;
      }
      now = seen;
    }
    return false;
  }
};

// Gives each of its actors a turn, until all have ended.
__device__ void run_worker(const Blocks& blocks, unsigned worker, unsigned workers, unsigned limit) {
  constexpr bool has_block = kShape == kShapeBlock;
  Context context = first_context(blocks, has_block ? threadIdx.x : 0, has_block ? kThreads : 1);
  const bool leads = threadIdx.x == 0;
  unsigned idle = 0;
  word since = 0;
  Company company(blocks, workers);
  for (unsigned turns = 1; !kIsDriven || turns <= kDrivenTurns; ++turns) {
    unsigned alive = 0, worked = 0;
    for (unsigned actor = worker; actor < kActors; actor += workers) {
      context.actor_ = actor;
      const unsigned became = quern_ring_turn(context, limit);
      if (became != kEnded) ++alive;
      if (became == kWorked) ++worked;
    }
    if (kIsDriven) {
      if (worked == 0) break;
      continue;
    }
    if (alive == 0) break;
    const bool was_asleep = idle >= kSpins;
    idle = worked != 0 ? 0 : idle + 1;
    if (leads && (idle == 64 || (idle >= kSpins && (idle & 15u) == 0) || (turns & 4095u) == 0)) {
      for (unsigned actor = worker; actor < kActors; actor += workers) beat(blocks, actor);
    }
    if (kIdlePolls != 0 && (was_asleep || idle >= kSpins)) {
      bool leaves = leads && company.leaves(has_idled(idle, since), worked != 0);
      if (kThreads > 1) leaves = __syncthreads_or(leaves) != 0;
      if (leaves) break;
    }
    if (worked != 0) continue;
    if (idle >= kSpins) context.turns_ = 0;  // it sleeps between polls, so it may poll commands too
    back_off(idle);
  }
  if (kCopiesBeside && leads) __pipeline_wait_prior(0);  // nothing may arrive after it has left
  for (unsigned actor = worker; leads && actor < kActors; actor += workers) beat(blocks, actor);
  if (kIdlePolls != 0 && leads) company.leave();
}

}  // namespace ring
}  // namespace quern
