// A worker of one block: its threads read many adjacent slots concurrently, so that the bus transfers them in
// few pieces. Then one thread, all threads together, or each thread independently handles them.
namespace quern {
namespace ring {

constexpr unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned kWindow = larger(1, smaller(kSlots, kStageBytes / (kSlotWords * 8)));
// Polled while few messages arrive: the tagged messages of one line.
constexpr unsigned kLineSlots = kSlotWords <= 2 ? 8 : kSlotWords <= 4 ? 4 : kSlotWords <= 8 ? 2 : 1;
constexpr unsigned kProbe = smaller(kWindow, is_tagged() ? kLineSlots : larger(1, kThreads / kSlotWords));
constexpr unsigned kPeerWindow = smaller(smaller(kWindow, larger(1, kThreads / kSlotWords)), kPeerTurn);

// A block of one warp has no others to wait for.
constexpr bool kIsWarp = kCopiesBeside && kThreads == 32;

__device__ void sync_block() {
  if constexpr (kIsWarp) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// The first slot without a message. All threads report their slots; each thread's slot is not before those of
// the preceding threads.
struct Found {
  unsigned* first;  // in shared memory, and at most the first one

  // One thread of a warp is enough to report it, if a vote is cheap.
  __device__ void miss(bool is_missing, unsigned slot) {
    if constexpr (kCopiesBeside && kThreads % 32 == 0) {
      const unsigned lanes = __ballot_sync(0xffffffffu, is_missing);
      if (lanes != 0 && (threadIdx.x & 31u) == (unsigned)__ffs((int)lanes) - 1) atomicMin(first, slot);
    } else {
      if (is_missing) atomicMin(first, slot);
    }
  }
};

// The same for one warp, whose threads all get the result.
struct FoundByWarp {
  unsigned first;

  __device__ void miss(bool is_missing, unsigned slot) {
    const unsigned lanes = __ballot_sync(0xffffffffu, is_missing);
    if (lanes != 0) first = smaller(first, __shfl_sync(0xffffffffu, slot, __ffs((int)lanes) - 1));
  }
};

// One ring: `count` is a power of two.
struct Slots {
  const word* first;
  unsigned count;
  unsigned position;

  __device__ const word* at(unsigned i) const {
    return first + ((position + i / kSlotWords) & (count - 1)) * kSlotWords + i % kSlotWords;
  }
  __device__ const word* first_word(unsigned k) const { return at(k * kSlotWords); }
};

// The ring of the host: the first words of its slots and the messages may be separate.
struct Inbox {
  Slots slots;
  const word* bodies;

  __device__ unsigned place(unsigned k) const { return (slots.position + k) & (slots.count - 1); }
  __device__ const word* first_word(unsigned k) const { return slots.first + place(k) * (kIsSplit ? 1 : kSlotWords); }
  __device__ const word* body(unsigned k) const { return bodies + place(k) * kBodyWords; }
  // Two words of the slot as it is staged; in a split slot, the header of the message is one of a pair.
  __device__ ulonglong2 piece(unsigned i) const {
    const unsigned k = i / (kSlotWords / 2), part = i % (kSlotWords / 2);
    if (!kIsSplit) return *(const ulonglong2*)slots.at(2 * i);
    const bool is_first = part == 0;
    ulonglong2 out = *(const ulonglong2*)(is_first ? slots.first + (place(k) & ~1u) : body(k) + 2 * (part - 1));
    if (is_first && (place(k) & 1u) != 0) out.x = out.y;
    return out;
  }
};

// A read over a bus takes long, but many concurrent ones take no longer: each thread issues all of its reads
// before it uses the first.
constexpr unsigned kStageReads = smaller(16, (kWindow * kSlotWords + kThreads - 1) / kThreads);
constexpr unsigned kScanReads = (kWindow + kThreads - 1) / kThreads;
constexpr unsigned kProbeReads = (kProbe * kSlotWords + kThreads - 1) / kThreads;
constexpr unsigned kPeerReads = (kPeerWindow * kSlotWords + kThreads - 1) / kThreads;

// Words of the ring from word `base` on, of `total`: the part of this thread.
template <unsigned Reads>
struct Piece {
  word words[Reads];
  __device__ void read(const Slots& slots, unsigned base, unsigned total) {
#pragma unroll
    for (unsigned k = 0; k < Reads; ++k)
      words[k] = look(slots.at(smaller(base + k * kThreads + threadIdx.x, total - 1)));
  }
  // If they are tagged, reports whose message is missing.
  template <class F>
  __device__ void keep(const Slots& slots, unsigned base, unsigned total, word* stage, F& found) const {
#pragma unroll
    for (unsigned k = 0; k < Reads; ++k) {
      const unsigned i = base + k * kThreads + threadIdx.x;
      const unsigned slot = i / kSlotWords;
      if (i < total) stage[i] = words[k];
      if (is_tagged())
        found.miss(i < total && i % kSlotWords <= (kMessageBytes + 3) / 4 &&
                       (unsigned)(words[k] >> 32) != slots.position + slot + 1,
                   slot);
    }
  }
};

// Copies the first `total` words of the ring to `stage`.
template <unsigned Reads>
__device__ void stage_words(const Slots& slots, unsigned total, word* stage, unsigned* first) {
  Found found{first};
  for (unsigned base = 0; base < total; base += kThreads * Reads) {
    Piece<Reads> piece;
    piece.read(slots, base, total);
    piece.keep(slots, base, total, stage, found);
  }
}

// Plain messages that are known to be complete, in pieces of two words.
constexpr unsigned kPieceReads = smaller(8, (kWindow * kSlotWords / 2 + kThreads - 1) / kThreads);

__device__ void stage_pieces(const Inbox& inbox, unsigned total, word* stage) {
  for (unsigned base = 0; base < total; base += kThreads * kPieceReads) {
    ulonglong2 pieces[kPieceReads];
#pragma unroll
    for (unsigned k = 0; k < kPieceReads; ++k)
      pieces[k] = inbox.piece(smaller(base + k * kThreads + threadIdx.x, total - 1));
#pragma unroll
    for (unsigned k = 0; k < kPieceReads; ++k) {
      const unsigned i = base + k * kThreads + threadIdx.x;
      if (i < total) ((ulonglong2*)stage)[i] = pieces[k];
    }
  }
}

// The first words of `window` slots from slot `from` on: the part of this thread.
template <unsigned Reads>
struct Scan {
  word words[Reads];
  template <class Ring>
  __device__ void read(const Ring& slots, unsigned from, unsigned window) {
#pragma unroll
    for (unsigned k = 0; k < Reads; ++k)
      words[k] = look(slots.first_word(from + smaller(k * kThreads + threadIdx.x, window - 1)));
  }
  // `position`: of the slot `from`.
  template <class F>
  __device__ void examine(unsigned position, unsigned window, F& found) const {
#pragma unroll
    for (unsigned k = 0; k < Reads; ++k) {
      const unsigned slot = k * kThreads + threadIdx.x;
      found.miss(slot < window && (unsigned)(words[k] >> 32) != position + slot + 1, slot);
    }
  }
};

template <unsigned Reads, class Ring>
__device__ void scan(const Ring& slots, unsigned position, unsigned window, unsigned* first) {
  Scan<Reads> part;
  Found found{first};
  part.read(slots, 0, window);
  part.examine(position, window, found);
}

// The results of a turn are reported to the host when nobody waits any more: during the next poll, or before
// anything else is done. A restartable actor reports each message immediately.
constexpr bool kOwes = kHasRhythm && !kIsCareful && !kSurvivesDeviceLoss;

__device__ void settle(Context& context) {
  if (!context.owes_) return;
  context.owes_ = false;
  if (kOwes) publish_head(context.blocks_, context.actor_, context.head_);
  count(context.blocks_.mine(context.actor_), context.owed_, context.owed_time_);
}

// Reads messages that may have arrived: tagged messages, or the first words of plain ones.
__device__ void look_far(const Inbox& inbox, unsigned window, word* stage, unsigned* found) {
  if (is_tagged()) {
    stage_words<kStageReads>(inbox.slots, window * kSlotWords, stage, found);
  } else {
    scan<kScanReads>(inbox, inbox.slots.position, window, found);
  }
}

// The same while few messages arrive.
template <class F>
__device__ void look_near(Context& context, const Inbox& inbox, unsigned window, word* stage, F& found) {
  context.rhythm_.wait();
  if (is_tagged()) {
    Piece<kProbeReads> piece;
    piece.read(inbox.slots, 0, window * kSlotWords);
    settle(context);
    piece.keep(inbox.slots, 0, window * kSlotWords, stage, found);
  } else {
    Scan<(kProbe + kThreads - 1) / kThreads> firsts;
    firsts.read(inbox, 0, window);
    settle(context);
    firsts.examine(inbox.slots.position, window, found);
  }
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

// The shared memory of a block during a turn.
struct __align__(16) Shared {
  word order[2];  // in transit: kAsksBeside
  word command;
  unsigned found, ahead, decision;
  bool stops, is_same;
  bool has_sent;  // a single actor sent to itself
  word time, wall;
  unsigned which;
  // Of a flow: three of each, because some threads may still read the last one.
  unsigned more[3], flow_ends[3], sizes[kFlowStages];
  word flow_time[3], flow_wall[3];
};

// Polling another line costs another bus round trip. So commands are polled only occasionally; with
// asynchronous copies, each poll finds the result of the one before.
constexpr bool kAsksBeside = kCopiesBeside && kIsAlone && !kHasTime;
constexpr unsigned kAskTurns = kAsksBeside ? 64 : 256;

// Called by one thread.
__device__ word look_for_order(Context& context, Shared& shared) {
  const word* const control = context.blocks_.control(context.actor_);
  if (!kAsksBeside) return look(control);
  if (context.has_asked_) __pipeline_wait_prior(0);
  if (!context.is_running_) {  // data in transit is older than what it sees here
    context.has_asked_ = false;
    return look(control);
  }
  // A copy guarantees nothing about words that change meanwhile: it only indicates that there is a new
  // command.
  const bool is_new = context.has_asked_ && shared.order[0] != context.command_;
  const word command = is_new ? look(control) : context.command_;
  __pipeline_memcpy_async(shared.order, control, 16);
  __pipeline_commit();
  context.has_asked_ = true;
  return command;
}

// Timers that are due, by all threads together: after each message, as fire() does for one thread.
template <class K>
__device__ unsigned fire_together(Context& context, typename K::S& stored, Shared* shared, bool bounds) {
  unsigned done = 0;
  for (;; ++done) {
    sync_block();
    if (threadIdx.x == 0) {
      if (bounds && done == 0) bound_timers(context.blocks_.mine(context.actor_));
      shared->which = due_timer(context);
      context.blocks_.mine(context.actor_)[kTimerUnderWay] = shared->which + 1;
    }
    sync_block();
    const unsigned which = shared->which;
    if (which == kTimers) break;
    if (kShape == kShapeBlock || threadIdx.x == 0)
      handle_one<K>(context, stored, timer_message<typename K::W>(context, which), 0, threadIdx.x == 0);
    sync_block();
    if (threadIdx.x == 0) free_timer(context, which);
  }
  if (threadIdx.x == 0) context.blocks_.mine(context.actor_)[kTimerUnderWay] = 0;
  sync_block();
  return done;
}

// Before and after a staged message: of the host, or of a peer.
__device__ void begin_staged(Context& context, word first, unsigned m, bool is_host) {
  context.position_ = is_host ? first + m : first;
  if (!kIsCareful || threadIdx.x != 0) return;
  if (is_host) {
    begin_message(context);
  } else {
    begin_peer(context);
  }
}

__device__ void end_staged(const Context& context, bool is_host) {
  if (!kIsCareful || threadIdx.x != 0) return;
  if (is_host) {
    publish_head(context.blocks_, context.actor_, context.position_ + 1);
  } else {
    pass_peers(context.blocks_, context.actor_, 1);
  }
}

template <class K>
__device__ void handle_staged(Context& context, const word* stage, unsigned n, word first, bool has_tickets,
                              Shared* shared) {
  typename K::S& stored = *(typename K::S*)context.blocks_.state(context.actor_);
  if (kShape == kShapeThread) {
    if (threadIdx.x != 0) return;
    typename K::S state = stored;
    for (unsigned m = 0; m < n; ++m) {
      const word* const slot = stage + m * kSlotWords;
      begin_staged(context, first, m, has_tickets);
      handle_one<K>(context, state, unpack<typename K::W>(slot), has_tickets ? (unsigned)slot[0] : 0, true);
      end_staged(context, has_tickets);
      if constexpr (kTimers != 0) (void)fire<K>(context, state, true);
    }
    stored = state;
  } else if (kShape == kShapeParallel) {
    if (threadIdx.x == 0) step(context, true);
    for (unsigned m = threadIdx.x; m < n; m += kThreads) {
      const word* const slot = stage + m * kSlotWords;
      context.position_ = has_tickets ? first + m : first;
      handle_one<K>(context, stored, unpack<typename K::W>(slot), has_tickets ? (unsigned)slot[0] : 0, true);
    }
    if (kIsWatched) sync_block();
    if (threadIdx.x == 0) step(context, false);
  } else {
    for (unsigned m = 0; m < n; ++m) {
      const word* const slot = stage + m * kSlotWords;
      begin_staged(context, first, m, has_tickets);
      handle_one<K>(context, stored, unpack<typename K::W>(slot), has_tickets ? (unsigned)slot[0] : 0,
                    threadIdx.x == 0);
      end_staged(context, has_tickets);
      if constexpr (kTimers != 0) (void)fire_together<K>(context, stored, shared, true);
    }
  }
}

// on_start, on_idle, on_stop: by all threads that handle a message together.
__device__ bool joins_hooks() { return kShape == kShapeBlock || threadIdx.x == 0; }

// A single actor has no peer but itself: it checks for their messages after it has sent some. All threads
// synchronize afterwards.
__device__ void signal_sent(Context& context, Shared* shared) {
  if (context.has_sent_) shared->has_sent = true;
  context.has_sent_ = false;
}

// Messages of peers, as many as fit the stage.
template <class K>
__device__ unsigned handle_peers(Context& context, word position, word* stage, Shared* shared) {
  word* const mine = context.blocks_.mine(context.actor_);
  const unsigned head = (unsigned)mine[kPeerHead];
  const Slots peers{context.blocks_.peer_slot(context.actor_, 0), kPeerSlots, head};
  if (threadIdx.x == 0) {
    shared->found = kPeerWindow;
    shared->ahead = has_message(peers.at(0), head) ? 1 : 0;
  }
  sync_block();
  if (shared->ahead == 0) {
    if (threadIdx.x == 0) shared->has_sent = false;
    return 0;
  }
  if (is_tagged()) {
    stage_words<kPeerReads>(peers, kPeerWindow * kSlotWords, stage, &shared->found);
  } else {
    scan<(kPeerWindow + kThreads - 1) / kThreads>(peers, head, kPeerWindow, &shared->found);
  }
  sync_block();
  const unsigned n = shared->found;
  if (!is_tagged() && n != 0) {
    fence_device();
    stage_words<kPeerReads>(peers, n * kSlotWords, stage, nullptr);
    sync_block();
  }
  if (n != 0) handle_staged<K>(context, stage, n, position, false, shared);
  sync_block();
  if (!kIsCareful && threadIdx.x == 0) pass_peers(context.blocks_, context.actor_, n);
  return n;
}

// Sequentially, and read by each thread itself: there are few of them.
template <class K>
__device__ unsigned handle_urgent(Context& context, Shared* shared) {
  const Blocks& blocks = context.blocks_;
  typename K::S& stored = *(typename K::S*)blocks.state(context.actor_);
  word head = blocks.mine(context.actor_)[kUrgentHead];
  unsigned done = 0;
  for (; done < kUrgentSlots; ++done, ++head) {
    const word* const slot = blocks.urgent_slot(context.actor_, (unsigned)head);
    typename K::W wire;
    unsigned ticket = 0;
    sync_block();
    if (threadIdx.x == 0) shared->which = read_slot(slot, (unsigned)head, wire, ticket) ? 1 : 0;
    sync_block();
    if (shared->which == 0) break;
    context.position_ = head;
    context.is_urgent_ = true;
    if (joins_hooks()) {
      while (threadIdx.x != 0 && !read_slot(slot, (unsigned)head, wire, ticket)) {
      }
      if (kIsCareful && threadIdx.x == 0) begin_urgent(context);
      handle_one<K>(context, stored, wire, ticket, threadIdx.x == 0);
    }
    context.is_urgent_ = false;
    sync_block();
    if (threadIdx.x == 0) publish_urgent(blocks, context.actor_, head + 1);
    if constexpr (kTimers != 0) (void)fire_together<K>(context, stored, shared, true);
  }
  sync_block();
  return done;
}

// The payloads of `n` plain messages; concurrently polls the following ones for the next turn.
__device__ void stage_plain(const Inbox& inbox, unsigned n, word* stage, Shared* shared) {
  if (threadIdx.x == 0) shared->ahead = kWindow;
  sync_block();
  fence_host();
  Scan<kScanReads> behind;
  behind.read(inbox, n, kWindow);
  stage_pieces(inbox, n * kSlotWords / 2, stage);
  Found ahead{&shared->ahead};
  behind.examine(inbox.slots.position + n, kWindow, ahead);
  sync_block();
}

template <class K>
__device__ unsigned block_work(Context& context, const Inbox& inbox, word head, unsigned n, bool flows, word* stage,
                               Shared* shared) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(context.actor_);
  typename K::S& stored = *(typename K::S*)blocks.state(context.actor_);
  const bool is_started = (kIsAlone && context.is_running_) || mine[kStarted] != 0;
  const word begin = n != 0 || flows ? now() : 0;
  sync_block();
  if (!is_started) {
    if (joins_hooks()) run_hook<K, kOnStart>(context, stored, threadIdx.x == 0);
    sync_block();
    end_hook<kOnStart>(context, threadIdx.x == 0);
    if (threadIdx.x == 0) mine[kStarted] = 1;
    sync_block();
  }
  unsigned more = 0;
  const word ticks = mine[kTick];
  if constexpr (kTimers != 0) more += fire_together<K>(context, stored, shared, n == 0);
  if constexpr (kUrgentSlots != 0) more += handle_urgent<K>(context, shared);
  if constexpr (kFlows) {
    if (flows) {
      n = flow<K>(context, inbox, head, quern_ring_windows(), shared);
      context.head_ = head + n;
    }
  }
  if (n != 0 && !flows) {
    if (!is_tagged()) {
      stage_plain(inbox, n, stage, shared);
      context.known_ = shared->ahead;
    }
    handle_staged<K>(context, stage, n, head, true, shared);
    signal_sent(context, shared);
    sync_block();
    if (n == 1 && (unsigned)stage[0] != 0) context.rhythm_.answer();
    if (!kOwes && threadIdx.x == 0) publish_head(blocks, context.actor_, head + n);
  }
  const bool may_have_peers = kActors > 1 || shared->has_sent;
  const unsigned p = (may_have_peers ? handle_peers<K>(context, head + n, stage, shared) : 0) + more;
  if (kTimers != 0 && threadIdx.x == 0) publish_due(blocks, context.actor_);
  if (threadIdx.x == 0 && n + p != 0) {
    context.owes_ = true;
    context.owed_ = kTimers != 0 ? (unsigned)(mine[kTick] - ticks) : n + p;
    context.owed_time_ = n != 0 ? now() - begin : 0;
    if (!kOwes) settle(context);
  }
  const bool is_idle = n + p == 0 && !flows;
  if (is_idle && joins_hooks()) run_hook<K, kOnIdle>(context, stored, threadIdx.x == 0);
  sync_block();
  if (is_idle) end_hook<kOnIdle>(context, threadIdx.x == 0);
  return n + p;
}

// Evaluates the command for this turn, by one thread for all.
__device__ void decide(const Context& context, Shared& shared, word command) {
  shared.command = command;
  if (kHasTime) {
    shared.time = context.time_;
    shared.wall = context.wall_;
  }
  // The command of the last turn needs no memory access.
  shared.is_same = kIsAlone && context.is_running_ && command == context.command_;
  shared.decision = shared.is_same ? kWorked : before_work(context.blocks_, context.actor_, command);
  shared.stops = !shared.is_same && is_last(context.blocks_, context.actor_, command);
}

// Polls for messages, and returns their number.
__device__ unsigned look_for_messages(Context& context, const Inbox& inbox, bool flows, word* stage, Shared& shared) {
  const unsigned head = (unsigned)context.head_, known = context.known_;
  const bool is_near = known == 0 && !context.is_wide_;
  const unsigned window = context.is_wide_ ? kWindow : is_tagged() ? kProbe - (head & (kProbe - 1)) : kProbe;
  if constexpr (kIsWarp) {
    if (is_near) {
      FoundByWarp found{window};
      look_near(context, inbox, window, stage, found);
      return found.first;
    }
  }
  if (threadIdx.x == 0) shared.found = window;
  sync_block();
  if (!kIsWarp && is_near) {
    Found found{&shared.found};
    look_near(context, inbox, window, stage, found);
  } else {
    settle(context);
    if (known == 0 && !flows) look_far(inbox, window, stage, &shared.found);
  }
  sync_block();
  return flows ? 0 : known != 0 ? known : shared.found;
}

template <class K>
__device__ unsigned block_turn(Context& context, unsigned limit, word* stage, Shared& shared) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(context.actor_);
  if (!kIsAlone || !context.is_loaded_) {
    context.head_ = mine[kHead];
    context.known_ = (unsigned)mine[kKnown];
    context.is_wide_ = mine[kIsWide] != 0;
    context.is_loaded_ = true;
    if (threadIdx.x == 0) shared.has_sent = true;  // there may be earlier ones
  }
  signal_sent(context, &shared);
  const word head = context.head_;
  const bool is_wide = context.is_wide_, flows = kFlows && is_wide;
  const Inbox inbox{{blocks.slot(context.actor_, 0), kSlots, (unsigned)head},
                    blocks.to_device + kBodiesAt + context.actor_ * kSlots * kBodyWords};
  const bool asks = !kIsAlone || kHasTime || !context.is_running_ || flows ||
                    context.turns_ % kAskTurns == 0;
  const bool decides = asks || !kHasRhythm;  // otherwise all threads know that nothing has changed
  word command = context.command_;
  if (asks && threadIdx.x == 0) command = look_for_order(context, shared);
  if (kHasTime && threadIdx.x == 0) read_clocks(context);
  const unsigned n = smaller(look_for_messages(context, inbox, flows, stage, shared), limit);
  context.rhythm_.learn(n);
  if (decides && threadIdx.x == 0) decide(context, shared, command);
  sync_block();
  const bool is_same = !decides || shared.is_same, is_stop = decides && shared.stops;
  const unsigned what = decides ? shared.decision : kWorked;
  const word seen = decides ? shared.command : command;
  if (kHasTime) {
    context.time_ = shared.time;
    context.wall_ = shared.wall;
  }
  sync_block();
  if (what != kWorked) {
    context.is_loaded_ = context.is_running_ = false;  // any later change by the host is seen afterwards
    return what;
  }
  context.head_ = head + n;
  context.known_ = 0;
  context.is_wide_ = n >= (is_wide ? kWindow : kProbe);
  context.turns_ += 1;
  const unsigned done = block_work<K>(context, inbox, head, n, flows, stage, &shared);
  const bool is_empty = done == 0 && !flows;  // a flow leaves messages whose senders wait for replies
  if (is_empty && is_stop) {
    if (joins_hooks())
      run_hook<K, kOnStop>(context, *(typename K::S*)blocks.state(context.actor_), threadIdx.x == 0);
    sync_block();
    end_hook<kOnStop>(context, threadIdx.x == 0);
  }
  context.command_ = seen;
  context.is_running_ = ((unsigned)seen & 255u) == kRun;
  if (is_same) return is_empty ? kIdle : kWorked;
  if (threadIdx.x == 0) {
    shared.decision = is_empty ? after_work(blocks, context.actor_, seen, 0) : kWorked;
    if (!kIsAlone) {
      mine[kKnown] = context.known_;
      mine[kIsWide] = context.is_wide_ ? 1 : 0;
    }
  }
  sync_block();
  const unsigned became = shared.decision;
  sync_block();
  return became;
}

}  // namespace ring
}  // namespace quern
