// Messages of an actor to itself that wait for a time or for a number of messages. They are checked after
// each message, so that they have the same position in the order on every engine. Between two messages only
// those fire that were set before (kTimerBound), so that timers that set timers do not block others. A timer
// has a kind (0: free; 1: time; 2: messages), when it is due, its number in the order of setting, and the
// message.
namespace quern {
namespace ring {

__device__ bool is_due(const word* timer, const Context& context, word tick) {
  // The host's reported clock may be outdated: if the device has a clock, it must agree.
  if (timer[0] == 1) return timer[1] <= context.time_ && (!kHasClock || timer[3] <= now());
  return timer[0] == 2 && timer[1] <= tick;
}

// The earliest timer that is due: those that count messages first, because they do not depend on clocks.
// kTimers: none is due.
__device__ unsigned due_timer(const Context& context) {
  const word* const mine = context.blocks_.mine(context.actor_);
  const word tick = mine[kTick];
  const bool by_tick = mine[kNextTick] != 0 && mine[kNextTick] <= tick;
  const bool by_time = mine[kNextTime] != 0 && mine[kNextTime] <= context.time_;
  if (!by_tick && !by_time) return kTimers;
  unsigned best = kTimers;
  for (unsigned i = 0; i < kTimers; ++i) {
    const word* const timer = context.blocks_.timer(context.actor_, i);
    if (timer[2] > mine[kTimerBound] || !is_due(timer, context, tick)) continue;
    if (best == kTimers) {
      best = i;
      continue;
    }
    const word* const other = context.blocks_.timer(context.actor_, best);
    const bool is_before = timer[0] != other[0]   ? timer[0] == 2
                           : timer[1] != other[1] ? timer[1] < other[1]
                                                  : timer[2] < other[2];
    if (is_before) best = i;
  }
  return best;
}

__device__ void free_timer(Context& context, unsigned which) {
  word* const mine = context.blocks_.mine(context.actor_);
  context.blocks_.timer(context.actor_, which)[0] = 0;
  mine[kTimerUnderWay] = 0;
  mine[kFired] += 1;
  word next[3] = {0, 0, 0};
  for (unsigned i = 0; i < kTimers; ++i) {
    const word* const timer = context.blocks_.timer(context.actor_, i);
    const unsigned kind = (unsigned)timer[0];
    if (next[kind] == 0 || timer[1] < next[kind]) next[kind] = timer[1];
  }
  mine[kNextTime] = next[1];
  mine[kNextTick] = next[2];
}

template <class W>
__device__ W timer_message(const Context& context, unsigned which) {
  const unsigned* const from = (const unsigned*)(context.blocks_.timer(context.actor_, which) + 4);
  unsigned words[(sizeof(W) + 3) / 4];
  for (unsigned i = 0; i < (sizeof(W) + 3) / 4; ++i) words[i] = from[i];
  W wire;
  memcpy(&wire, words, sizeof(W));
  return wire;
}

// After a message, or when none waits: all timers that are set may fire.
__device__ void bound_timers(word* mine) { mine[kTimerBound] = mine[kTimerCount]; }

// Called by one thread.
template <class K>
__device__ unsigned fire(Context& context, typename K::S& state, bool bounds) {
  unsigned done = 0;
  if (bounds) bound_timers(context.blocks_.mine(context.actor_));
  for (unsigned which = due_timer(context); which != kTimers; which = due_timer(context)) {
    context.blocks_.mine(context.actor_)[kTimerUnderWay] = which + 1;
    handle_one<K>(context, state, timer_message<typename K::W>(context, which), 0, true);
    free_timer(context, which);
    ++done;
  }
  return done;
}

__device__ void publish_due(const Blocks& blocks, unsigned actor) {
  if constexpr (kTimers != 0) put_next_due(blocks.mine(actor), blocks.status(actor));
}

}  // namespace ring
}  // namespace quern
