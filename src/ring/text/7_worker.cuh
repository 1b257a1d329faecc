namespace quern {
namespace ring {

// Gives each of its actors a turn, until all have ended.
__device__ void run_worker(const Blocks& blocks, unsigned worker, unsigned workers, unsigned limit) {
  constexpr bool has_block = kShape == kShapeBlock;
  Context context = first_context(blocks, has_block ? threadIdx.x : 0, has_block ? kThreads : 1);
  const bool leads = threadIdx.x == 0;
  unsigned idle = 0;
  bool is_over = false;
  word since = 0;
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
    is_over = alive == 0;
    if (is_over) break;
    idle = worked != 0 ? 0 : idle + 1;
    if (leads && (idle == 64 || (idle >= kSpins && (idle & 15u) == 0) || (turns & 4095u) == 0)) {
      for (unsigned actor = worker; actor < kActors; actor += workers) beat(blocks, actor);
    }
    bool dozes = is_dozing(idle, since);
    if (kThreads > 1 && kDozeLooks != 0 && idle >= kSpins) dozes = __syncthreads_or(leads && dozes) != 0;
    if (dozes) break;
    if (worked != 0) continue;
    if (idle >= kSpins) context.turns_ = 0;  // it sleeps between its looks: it may look for orders too
    back_off(idle);
  }
  if (kCopiesBeside && leads) __pipeline_wait_prior(0);  // nothing may arrive when nobody is there
  if (is_over) return;
  for (unsigned actor = worker; leads && actor < kActors; actor += workers) beat(blocks, actor);
}

}  // namespace ring
}  // namespace quern
