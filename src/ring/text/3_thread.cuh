// A worker of one thread, which gives each of its actors a turn. An actor's state is a local variable during
// its turn where it is small: then it stays in registers.
namespace quern {
namespace ring {

// What became of a turn.
constexpr unsigned kIdle = 0, kWorked = 1, kEnded = 2, kRests = 3;

template <class K>
__device__ unsigned run_messages(Context& context, typename K::S& state, word& head, unsigned limit) {
  word* const mine = context.blocks_.mine(context.actor_);
  unsigned done = 0, ticket = 0;
  typename K::M message;
  while (done < limit &&
         read_slot(context.blocks_.slot(context.actor_, (unsigned)head), (unsigned)head, message, ticket)) {
    context.position_ = head;
    if (kIsCareful) put(mine + kUnderWay, 1);
    handle_one<K>(context, state, message, ticket, true);
    ++head;
    ++done;
    if (kIsCareful) {
      *(typename K::S*)context.blocks_.state(context.actor_) = state;
      put(mine + kHead, head);
      put(mine + kUnderWay, 0);
      put(context.blocks_.status(context.actor_) + kHead, head);
    }
  }
  return done;
}

template <class K>
__device__ unsigned run_peer_messages(Context& context, typename K::S& state, unsigned limit) {
  word* const mine = context.blocks_.mine(context.actor_);
  unsigned done = 0, ticket = 0, head = (unsigned)mine[kPeerHead];
  typename K::M message;
  while (done < limit && read_slot(context.blocks_.peer_slot(context.actor_, head), head, message, ticket)) {
    handle_one<K>(context, state, message, 0, true);
    ++head;
    ++done;
    *(volatile unsigned*)(mine + kPeerHead) = head;
  }
  return done;
}

template <class K>
__device__ unsigned work(Context& context, unsigned limit) {
  typename K::S& stored = *(typename K::S*)context.blocks_.state(context.actor_);
  word* const mine = context.blocks_.mine(context.actor_);
  word head = mine[kHead];
  const bool has_some = has_message(context.blocks_.slot(context.actor_, (unsigned)head), (unsigned)head);
  const unsigned peer = (unsigned)mine[kPeerHead];
  const bool has_peers = has_message(context.blocks_.peer_slot(context.actor_, peer), peer);
  if (!has_some && !has_peers && mine[kStarted] != 0) {
    K::idle(stored, context);
    return 0;
  }
  const word begin = now();
  typename K::S state = stored;
  if (mine[kStarted] == 0) {
    mine[kStarted] = 1;
    K::start(state, context);
  }
  unsigned done = has_some ? run_messages<K>(context, state, head, limit) : 0;
  if (has_peers) done += run_peer_messages<K>(context, state, kPeerSlots);
  stored = state;
  mine[kHead] = head;
  put(context.blocks_.status(context.actor_) + kHead, head);
  count(mine, done, now() - begin);
  return done;
}

template <class K>
__device__ unsigned turn(Context& context, unsigned limit) {
  word* const mine = context.blocks_.mine(context.actor_);
  const word command = look(context.blocks_.control(context.actor_));
  const unsigned wanted = (unsigned)command & 255u;
  const bool is_new = command != mine[kCommand];
  if (is_new || wanted == kPause) {
    if (!is_new) return kRests;
    // Orders are obeyed between two turns; those that let it work on are answered after the next one.
    if (wanted == kPause || wanted == kKill || wanted == kLeave) {
      mine[kCommand] = command;
      answer(context.blocks_, context.actor_, command, wanted == kPause ? kPaused : kGone);
      return wanted == kPause ? kRests : kEnded;
    }
    if (wanted == kRun) {
      mine[kCommand] = command;
      answer(context.blocks_, context.actor_, command, kActive);
    }
  }
  if (!is_new && (wanted == kKill || wanted == kLeave || wanted == kStop)) return kEnded;
  const unsigned done = work<K>(context, limit);
  if (done != 0) return kWorked;
  if (!is_new || wanted == kRun) return kIdle;
  mine[kCommand] = command;
  if (wanted == kStop) K::stop(*(typename K::S*)context.blocks_.state(context.actor_), context);
  answer(context.blocks_, context.actor_, command, wanted == kStop ? kStopped : kDrained);
  return wanted == kStop ? kEnded : kIdle;
}

// Looks again at once for a while, then sleeps in growing steps.
__device__ void back_off(unsigned idle) {
  if (idle < kSpins) return;
  unsigned shift = (idle - kSpins) / kStepLooks;
  __nanosleep(shift >= 8 ? kLongestSleep : (kLongestSleep >> 8) << shift);
}

__device__ void beat(const Blocks& blocks, unsigned actor) {
  word* const mine = blocks.mine(actor);
  mine[kHeartbeat] += 1;
  put(blocks.status(actor) + kHeartbeat, mine[kHeartbeat]);
  publish_counters(blocks, actor);
}

__device__ void run_worker(const Blocks& blocks, unsigned worker, unsigned workers, unsigned limit) {
  Context context;
  context.blocks_ = blocks;
  context.thread_ = 0;
  context.threads_ = 1;
  context.error_ = 0;
  context.position_ = 0;
  unsigned idle = 0, turns = 0, worked_turns = 0;
  for (;;) {
    unsigned alive = 0, worked = 0;
    for (unsigned actor = worker; actor < kActors; actor += workers) {
      context.actor_ = actor;
      const unsigned became = quern_ring_turn(context, limit);
      if (became != kEnded) ++alive;
      if (became == kWorked) ++worked;
    }
    ++turns;
    if (kIsDriven) {
      worked_turns += worked;
      if (worked == 0 || turns == kDrivenTurns) break;
      continue;
    }
    if (alive == 0) return;
    idle = worked != 0 ? 0 : idle + 1;
    if ((idle >= kSpins && (idle & 15u) == 0) || (turns & 4095u) == 0) {
      for (unsigned actor = worker; actor < kActors; actor += workers) beat(blocks, actor);
    }
    if (worked == 0) back_off(idle);
  }
  for (unsigned actor = worker; actor < kActors; actor += workers) beat(blocks, actor);
}

}  // namespace ring
}  // namespace quern
