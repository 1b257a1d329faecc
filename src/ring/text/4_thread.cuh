// A worker of one thread. An actor's state is a local variable during its turn: it can stay in registers.
namespace quern {
namespace ring {

// Urgent messages are handled first, and before each other message.
template <class K>
__device__ unsigned run_urgent(Context& context, typename K::S& state, unsigned limit) {
  word* const mine = context.blocks_.mine(context.actor_);
  word head = mine[kUrgentHead];
  unsigned done = 0, ticket = 0;
  typename K::W message;
  context.is_urgent_ = true;
  while (done < limit && read_slot(context.blocks_.urgent_slot(context.actor_, (unsigned)head), (unsigned)head,
                                   message, ticket)) {
    context.position_ = head;
    if (kIsCareful) begin_urgent(context);
    handle_one<K>(context, state, message, ticket, true);
    ++head;
    ++done;
    publish_urgent(context.blocks_, context.actor_, head);
    if constexpr (kTimers != 0) done += fire<K>(context, state, true);
  }
  context.is_urgent_ = false;
  return done;
}

template <class K>
__device__ unsigned run_messages(Context& context, typename K::S& state, word& head, unsigned limit) {
  word* const mine = context.blocks_.mine(context.actor_);
  unsigned done = 0, ticket = 0;
  typename K::W message;
  while (done < limit &&
         read_slot(context.blocks_.slot(context.actor_, (unsigned)head), (unsigned)head, message, ticket)) {
    if constexpr (kUrgentSlots != 0) done += run_urgent<K>(context, state, limit);
    context.position_ = head;
    if (kIsCareful) put(mine + kUnderWay, head + 1);
    handle_one<K>(context, state, message, ticket, true);
    ++head;
    ++done;
    if (kIsCareful) {
      put(mine + kHead, head);
      put(context.blocks_.status(context.actor_) + kHead, head);
    }
    if constexpr (kTimers != 0) done += fire<K>(context, state, true);
  }
  return done;
}

template <class K>
__device__ unsigned run_peer_messages(Context& context, typename K::S& state, word position) {
  word* const mine = context.blocks_.mine(context.actor_);
  unsigned done = 0, ticket = 0, head = (unsigned)mine[kPeerHead];
  typename K::W message;
  context.position_ = position;
  while (done < kPeerTurn &&
         read_slot(context.blocks_.peer_slot(context.actor_, head), head, message, ticket)) {
    if (kIsCareful) begin_peer(context);
    handle_one<K>(context, state, message, 0, true);
    ++head;
    ++done;
    pass_peers(context.blocks_, context.actor_, 1);
    if constexpr (kTimers != 0) done += fire<K>(context, state, true);
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
  bool has_urgent = false, has_timers = false;
  if constexpr (kUrgentSlots != 0) {
    const unsigned urgent = (unsigned)mine[kUrgentHead];
    has_urgent = has_message(context.blocks_.urgent_slot(context.actor_, urgent), urgent);
  }
  if constexpr (kTimers != 0) {
    if (!has_some && !has_peers && !has_urgent) bound_timers(mine);
    has_timers = due_timer(context) != kTimers;
  }
  if (!has_some && !has_peers && !has_urgent && !has_timers && mine[kStarted] != 0) {
    run_hook<K, kOnIdle>(context, stored, true);
    end_hook<kOnIdle>(context, true);
    return 0;
  }
  const word begin = now();
  typename K::S state = stored;
  if (mine[kStarted] == 0) {
    run_hook<K, kOnStart>(context, state, true);
    end_hook<kOnStart>(context, true);
    mine[kStarted] = 1;
  }
  unsigned done = 0;
  if constexpr (kTimers != 0) done += fire<K>(context, state, !has_some && !has_peers && !has_urgent);
  if constexpr (kUrgentSlots != 0) done += run_urgent<K>(context, state, limit);
  if (has_some) done += run_messages<K>(context, state, head, limit);
  if (has_peers) done += run_peer_messages<K>(context, state, head);
  stored = state;
  publish_due(context.blocks_, context.actor_);
  publish_head(context.blocks_, context.actor_, head);
  count(mine, done, now() - begin);
  return done;
}

template <class K>
__device__ unsigned turn(Context& context, unsigned limit) {
  const word command = look(context.blocks_.control(context.actor_));
  const unsigned what = before_work(context.blocks_, context.actor_, command);
  if (what != kWorked) return what;
  read_clocks(context);
  const unsigned done = work<K>(context, limit);
  if (done == 0 && is_last(context.blocks_, context.actor_, command)) {
    run_hook<K, kOnStop>(context, *(typename K::S*)context.blocks_.state(context.actor_), true);
    end_hook<kOnStop>(context, true);
  }
  return after_work(context.blocks_, context.actor_, command, done);
}

}  // namespace ring
}  // namespace quern
