// Executes commands of the host. Commands are read before a turn; those that let the actor work are answered
// after it, when it found nothing to do.
namespace quern {
namespace ring {

// The result of a turn.
constexpr unsigned kIdle = 0, kWorked = 1, kEnded = 2, kRests = 3;

// An actor that ends accepts no more messages of peers; the host finds those that were sent before.
__device__ void close_to_peers(const Blocks& blocks, unsigned actor) {
  unsigned* const tail = (unsigned*)(blocks.mine(actor) + kPeerTail);
  if (kIsDriven && kShape != kShapeParallel) {
    *tail |= kPeerClosed;
  } else {
    atomicOr(tail, kPeerClosed);
  }
}

// Messages of peers that were handled.
__device__ void pass_peers(const Blocks& blocks, unsigned actor, unsigned count) {
  unsigned* const head = (unsigned*)(blocks.mine(actor) + kPeerHead);
  put(head, (*head + count) & kPeerMask);
}

// kWorked: continue to work.
__device__ unsigned before_work(const Blocks& blocks, unsigned actor, word command) {
  word* const mine = blocks.mine(actor);
  const unsigned wanted = (unsigned)command & 255u;
  if ((command & kHold) != 0) return kEnded;  // temporarily: nobody waits for an answer
  // A launch after one that has faulted: the host must act first.
  if (kIsCareful && mine[kIsKept] != 0) return kRests;
  // After a restart the host has moved it.
  if (kIsCareful && look(blocks.status(actor) + kHead) != mine[kHead])
    put(blocks.status(actor) + kHead, mine[kHead]);
  if (command == mine[kCommand]) {
    if (wanted == kPause) return kRests;
    return wanted == kKill || wanted == kLeave || wanted == kStop ? kEnded : kWorked;
  }
  if (wanted == kDrain || wanted == kStop) return kWorked;
  mine[kCommand] = command;
  if (wanted == kKill) close_to_peers(blocks, actor);
  const unsigned with = wanted == kRun ? kActive : wanted == kPause ? kPaused : kGone;
  answer(blocks, actor, command, with);
  return wanted == kRun ? kWorked : wanted == kPause ? kRests : kEnded;
}

// Whether the actor's on_stop must run.
__device__ bool is_last(const Blocks& blocks, unsigned actor, word command) {
  return command != blocks.mine(actor)[kCommand] && ((unsigned)command & 255u) == kStop;
}

__device__ unsigned after_work(const Blocks& blocks, unsigned actor, word command, unsigned done) {
  if (done != 0) return kWorked;
  word* const mine = blocks.mine(actor);
  if (command == mine[kCommand]) return kIdle;
  mine[kCommand] = command;
  const bool stops = ((unsigned)command & 255u) == kStop;
  if (stops) close_to_peers(blocks, actor);
  answer(blocks, actor, command, stops ? kStopped : kDrained);
  return stops ? kEnded : kIdle;
}

// Polls for a while, then sleeps in growing steps; after about a second even longer.
__device__ void back_off(unsigned idle) {
  if (idle < kSpins) return;
  const unsigned step = (idle - kSpins) / kStepLooks;
  __nanosleep(step < 8 ? (kLongestSleep >> 8) << step : step < 500 ? kLongestSleep : 4 * kLongestSleep);
}

// Whether the kernel has been idle long enough to leave; the host launches it again when work arrives.
// `since`: when it began to sleep.
__device__ bool has_idled(unsigned idle, word& since) {
  if constexpr (kIdlePolls == 0) return false;
  if (idle < kSpins) {
    since = 0;
    return false;
  }
  if (since == 0) since = now();
  return kHasClock ? now() - since > (word)kIdleMicroseconds * 1000 : idle >= kIdlePolls;
}

__device__ void beat(const Blocks& blocks, unsigned actor) {
  word* const mine = blocks.mine(actor);
  mine[kHeartbeat] += 1;
  put(blocks.status(actor) + kHeartbeat, mine[kHeartbeat]);
  publish_counters(blocks, actor);
}

// Records which message is being handled, for a restart.
__device__ void begin_message(const Context& context) {
  put(context.blocks_.mine(context.actor_) + kUnderWay, context.position_ + 1);
}

__device__ void begin_peer(const Context& context) {
  word* const mine = context.blocks_.mine(context.actor_);
  put(mine + kPeerUnderWay, (word)(unsigned)mine[kPeerHead] + 1);
}

__device__ void begin_urgent(const Context& context) {
  put(context.blocks_.mine(context.actor_) + kUrgentUnderWay, context.position_ + 1);
}

__device__ void publish_urgent(const Blocks& blocks, unsigned actor, word head) {
  blocks.mine(actor)[kUrgentHead] = head;
  put(blocks.status(actor) + kUrgentHeadOut, head);
}

__device__ void publish_head(const Blocks& blocks, unsigned actor, word head) {
  blocks.mine(actor)[kHead] = head;
  put(blocks.status(actor) + kHead, head);
}

}  // namespace ring
}  // namespace quern
