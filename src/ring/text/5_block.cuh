// A worker of one block: its threads read many slots at once, side by side, so that a bus carries them in few
// pieces. Then one thread, all of them together, or each by itself handles them.
namespace quern {
namespace ring {

constexpr unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned kWindow = larger(1, smaller(kSlots, kStageBytes / (kSlotWords * 8)));
// Looked at while little comes.
constexpr unsigned kProbe = smaller(kWindow, larger(1, kThreads / kSlotWords));
constexpr unsigned kPeerWindow = smaller(kProbe, kPeerSlots);

// One ring: `count` is a power of two.
struct Slots {
  const word* first;
  unsigned count;
  unsigned position;

  __device__ const word* at(unsigned i) const {
    return first + ((position + i / kSlotWords) & (count - 1)) * kSlotWords + i % kSlotWords;
  }
};

// Reads up to `window` messages into `stage`; yields how many there are. All threads of the block come.
__device__ unsigned stage_messages(const Slots& slots, unsigned window, word* stage, unsigned* found) {
  if (threadIdx.x == 0) *found = window;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < window * kSlotWords; i += kThreads) {
    const unsigned in_slot = i % kSlotWords;
    if (!is_tagged() && in_slot != 0) continue;
    const word w = look(slots.at(i));
    stage[i] = w;
    const bool is_used = in_slot <= (kMessageBytes + 3) / 4;
    const unsigned slot = i / kSlotWords;
    if (is_used && (unsigned)(w >> 32) != slots.position + slot + 1) atomicMin(found, slot);
  }
  __syncthreads();
  const unsigned n = *found;
  if (!is_tagged() && n != 0) {
    fence_host();
    for (unsigned i = threadIdx.x; i < n * kSlotWords; i += kThreads) {
      if (i % kSlotWords > 1) stage[i] = look(slots.at(i));
    }
    __syncthreads();
  }
  return n;
}

template <class M>
__device__ M unpack(const word* slot) {
  constexpr unsigned count = (sizeof(M) + 3) / 4;
  unsigned words[count];
  for (unsigned i = 0; i < count; ++i) {
    words[i] = is_tagged()  ? (unsigned)slot[1 + i]
               : i % 2 == 0 ? (unsigned)slot[2 + i / 2]
                            : (unsigned)(slot[2 + i / 2] >> 32);
  }
  M message;
  memcpy(&message, words, sizeof(M));
  return message;
}

template <class K>
__device__ void handle_staged(Context& context, const word* stage, unsigned n, word first, bool has_tickets) {
  typename K::S& stored = *(typename K::S*)context.blocks_.state(context.actor_);
  if (kShape == kShapeThread) {
    if (threadIdx.x != 0) return;
    typename K::S state = stored;
    for (unsigned m = 0; m < n; ++m) {
      const word* const slot = stage + m * kSlotWords;
      context.position_ = first + m;
      handle_one<K>(context, state, unpack<typename K::M>(slot), has_tickets ? (unsigned)slot[0] : 0, true);
    }
    stored = state;
  } else if (kShape == kShapeParallel) {
    for (unsigned m = threadIdx.x; m < n; m += kThreads) {
      const word* const slot = stage + m * kSlotWords;
      context.position_ = first + m;
      handle_one<K>(context, stored, unpack<typename K::M>(slot), has_tickets ? (unsigned)slot[0] : 0, true);
    }
  } else {
    for (unsigned m = 0; m < n; ++m) {
      const word* const slot = stage + m * kSlotWords;
      context.position_ = first + m;
      handle_one<K>(context, stored, unpack<typename K::M>(slot), has_tickets ? (unsigned)slot[0] : 0,
                    threadIdx.x == 0);
    }
  }
}

// on_start, on_idle, on_stop: by all threads that handle a message together.
__device__ bool joins_hooks() { return kShape == kShapeBlock || threadIdx.x == 0; }

template <class K>
__device__ unsigned block_work(Context& context, unsigned limit, word* stage, unsigned* found) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(context.actor_);
  typename K::S& stored = *(typename K::S*)blocks.state(context.actor_);
  const bool is_started = mine[kStarted] != 0;
  __syncthreads();
  if (!is_started) {
    if (threadIdx.x == 0) mine[kStarted] = 1;
    if (joins_hooks()) K::start(stored, context);
    __syncthreads();
  }
  const word head = mine[kHead];
  const unsigned peer = (unsigned)mine[kPeerHead];
  const unsigned window = mine[kIsWide] != 0 ? kWindow : kProbe;
  const word begin = now();
  const Slots inbox{blocks.slot(context.actor_, 0), kSlots, (unsigned)head};
  const unsigned n = smaller(stage_messages(inbox, window, stage, found), limit);
  if (n != 0) handle_staged<K>(context, stage, n, head, true);
  __syncthreads();
  const Slots peers{blocks.peer_slot(context.actor_, 0), kPeerSlots, peer};
  const unsigned p = stage_messages(peers, kPeerWindow, stage, found);
  if (p != 0) handle_staged<K>(context, stage, p, head, false);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (p != 0) put((unsigned*)(mine + kPeerHead), peer + p);
    if (n != 0) publish_head(blocks, context.actor_, head + n);
    mine[kIsWide] = n == window ? 1 : 0;
    count(mine, n + p, now() - begin);
  }
  if (n + p == 0 && joins_hooks()) K::idle(stored, context);
  __syncthreads();
  return n + p;
}

template <class K>
__device__ unsigned block_turn(Context& context, unsigned limit) {
  __shared__ word stage[kWindow * kSlotWords];
  __shared__ unsigned found, decision;
  __shared__ word command;
  __shared__ bool stops;
  if (threadIdx.x == 0) {
    command = look(context.blocks_.control(context.actor_));
    decision = before_work(context.blocks_, context.actor_, command);
    stops = is_last(context.blocks_, context.actor_, command);
  }
  __syncthreads();
  const unsigned what = decision;
  const word seen = command;
  const bool is_stop = stops;
  if (what == kWorked) {
    const unsigned done = block_work<K>(context, limit, stage, &found);
    if (done == 0 && is_stop) {
      if (joins_hooks()) K::stop(*(typename K::S*)context.blocks_.state(context.actor_), context);
      __syncthreads();
    }
    if (threadIdx.x == 0) decision = after_work(context.blocks_, context.actor_, seen, done);
    __syncthreads();
  }
  const unsigned became = decision;
  __syncthreads();
  return became;
}

}  // namespace ring
}  // namespace quern
