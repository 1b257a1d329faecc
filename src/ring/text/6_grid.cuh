// All blocks of a grid handle each message together. The first warp, or thread, polls for it and distributes
// it to all blocks; all leave in the same round.
namespace quern {
namespace ring {

constexpr unsigned kHandle = 4, kStart = 5, kFinish = 6, kIdle = 7;
// Words of a block's view of a round; the message follows them.
constexpr unsigned kWhat = 0, kPosition = 1, kFrom = 2, kRound = 3, kScratchTime = 4, kScratchWall = 5, kMany = 6;
// The source of a message.
constexpr unsigned kFromHost = 0, kFromPeer = 1, kFromUrgent = 2, kFromTimer = 3;

// The poller: a warp reads in one access what would take one thread one bus round trip per word.
constexpr unsigned kSearchers = kWaitsByFlag && kThreads >= 32 ? 32 : 1;

template <class T>
__device__ T from_first(T value) {
  return kSearchers == 1 ? value : __shfl_sync(~0u, value, 0);
}
__device__ bool is_for_all(bool value) { return kSearchers == 1 ? value : __all_sync(~0u, value) != 0; }

__device__ bool copy_message(const word* slot, unsigned position, word* seen) {
  constexpr unsigned kReads = kSearchers == 1 ? smaller(8, kSlotWords) : 1;
  bool is_whole = true;
  if (!is_tagged()) {
    if (!is_for_all(has_message(slot, position))) return false;
    fence_host();
  }
  for (unsigned base = 0; base < kSlotWords; base += kReads * kSearchers) {
    const unsigned first = base + threadIdx.x % kSearchers;
    word words[kReads];
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) words[k] = look(slot + smaller(first + k, kSlotWords - 1));
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) {
      const unsigned i = first + k;
      if (i >= kSlotWords) continue;
      if (is_tagged() && i <= (kMessageBytes + 3) / 4 && (unsigned)(words[k] >> 32) != position + 1)
        is_whole = false;
      seen[kLine + i] = words[k];
    }
  }
  return is_for_all(is_whole);
}

// Messages that a warp has read along with the previous one, a word in each lane.
struct Ahead {
  word words;
  unsigned first, count;
};
constexpr unsigned kAhead = kSearchers == 32 && is_tagged() ? 32 / kSlotWords : 1;
// This many of them are announced in one round, if nothing else may come between two: blocks that know the
// next messages wait only for each other.
constexpr unsigned kToldBatch = 3;  // words before the messages
constexpr unsigned kBatch = kAhead == 1 || kTimers != 0 || kUrgentSlots != 0 || kHasTime || kIsCareful
                                ? 1
                                : smaller(kAhead, (32 - kToldBatch) / kSlotWords);

__device__ bool copy_next(Context& context, unsigned position, word* seen, Ahead& ahead) {
  const Blocks& blocks = context.blocks_;
  if constexpr (kAhead == 1) {
    context.rhythm_.wait();
    const bool is_there = copy_message(blocks.slot(0, position), position, seen);
    context.rhythm_.learn(is_there ? 1 : 0);
    return is_there;
  } else {
    const unsigned lane = threadIdx.x, part = lane % kSlotWords;
    if (position - ahead.first >= ahead.count) {
      context.rhythm_.wait();
      const unsigned slot = smaller(lane / kSlotWords, kAhead - 1);
      ahead.words = look(blocks.slot(0, position + slot) + part);
      const bool is_there = part > (kMessageBytes + 3) / 4 || (unsigned)(ahead.words >> 32) == position + slot + 1;
      const unsigned missing = ~__ballot_sync(~0u, is_there || lane >= kAhead * kSlotWords);
      ahead.first = position;
      ahead.count = missing == 0 ? kAhead : (unsigned)(__ffs((int)missing) - 1) / kSlotWords;
      context.rhythm_.learn(ahead.count);
      if (ahead.count == 0) return false;
    }
    const unsigned skipped = position - ahead.first;
    const word mine = __shfl_sync(~0u, ahead.words, (int)(skipped * kSlotWords + lane) & 31);
    if (lane < kBatch * kSlotWords) seen[kLine + lane] = mine;
    if (lane == 0) seen[kMany] = smaller(kBatch, ahead.count - skipped);
    return true;
  }
}

// Those that precede the messages of the ring.
__device__ bool look_for_first(Context& context, word* seen, bool leads) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  if constexpr (kTimers != 0) {
    const unsigned which = from_first(leads ? due_timer(context) : 0u);
    if (which != kTimers) {
      if (leads) {
        mine[kTimerUnderWay] = which + 1;
        seen[kPosition] = which;
        seen[kFrom] = kFromTimer;
      }
      return true;
    }
  }
  if constexpr (kUrgentSlots != 0) {
    const word head = from_first(mine[kUrgentHead]);
    if (copy_message(blocks.urgent_slot(0, (unsigned)head), (unsigned)head, seen)) {
      seen[kPosition] = head;
      seen[kFrom] = kFromUrgent;
      return true;
    }
  }
  return false;
}

// The effect of commands on this turn; kWorked: none.
__device__ unsigned look_for_orders(Context& context, bool leads) {
  const Blocks& blocks = context.blocks_;
  const word command = from_first(look(blocks.control(0)));
  const unsigned what = from_first(leads ? before_work(blocks, 0, command) : 0u);
  context.command_ = command;
  context.is_running_ = what == kWorked && ((unsigned)command & 255u) == kRun;
  return what;
}

// The next step of the grid. Commands are polled only occasionally while there is work: another line costs
// another bus round trip.
__device__ unsigned look_for_work(Context& context, word* seen, bool leads, Ahead& ahead) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  const word head = from_first(mine[kHead]);
  if (kHasTime) {
    read_clocks(context);
    seen[kScratchTime] = context.time_;
    seen[kScratchWall] = context.wall_;
  }
  const bool asks = kSearchers == 1 || kHasTime || !context.is_running_ || (context.turns_++ & 255u) == 0;
  const unsigned what = asks ? look_for_orders(context, leads) : kWorked;
  if (what != kWorked) return what;
  if (from_first(mine[kStarted]) == 0) return kStart;
  if ((kTimers != 0 || kUrgentSlots != 0) && look_for_first(context, seen, leads)) return kHandle;
  if (leads) {
    seen[kPosition] = head;
    seen[kFrom] = kFromHost;
  }
  if (copy_next(context, (unsigned)head, seen, ahead)) return kHandle;
  const unsigned peer = from_first((unsigned)mine[kPeerHead]);
  if (copy_message(blocks.peer_slot(0, peer), peer, seen)) {
    if (leads) {
      seen[kFrom] = kFromPeer;
      seen[kMany] = 1;
    }
    return kHandle;
  }
  if constexpr (kTimers != 0) {
    if (leads) bound_timers(mine);
    if (look_for_first(context, seen, leads)) return kHandle;
  }
  if (from_first(leads && is_last(blocks, 0, context.command_) ? 1u : 0u) != 0) return kFinish;
  return from_first(leads ? after_work(blocks, 0, context.command_, 0) : 0u);
}

// A block's step of this round is in its shared memory, `seen`; it is passed to the others as words of
// `scratch`.
constexpr unsigned kRoundWords = kLine + kBatch * kSlotWords;

// Short messages are passed as 32-bit words that all contain the number of the round: a reader that sees all
// of them has the whole step. Others are complete when the number of the round is.
constexpr bool kTellsByTags = kSearchers == 32 && is_tagged();
constexpr unsigned kToldSlot = kBatch > 1 ? kToldBatch : 7, kTold = kToldSlot + kBatch * kSlotWords;

__device__ void send_round(word* scratch, const word* seen, unsigned round) {
  if constexpr (kTellsByTags) {
    const unsigned lane = threadIdx.x;
    if (lane >= kTold) return;
    const unsigned* const halves = (const unsigned*)seen;
    const unsigned said = lane == 0          ? (unsigned)seen[kWhat] | (unsigned)seen[kFrom] << 16 | (unsigned)seen[kMany] << 24
                          : lane < 3         ? halves[2 * kPosition + lane - 1]
                          : lane < kToldSlot ? halves[2 * kScratchTime + lane - 3]
                                             : (unsigned)seen[kLine + lane - kToldSlot];
    put(scratch + lane, (word)(round + 1) << 32 | said);
  } else {
    for (unsigned i = threadIdx.x; i < kRoundWords; i += kSearchers) {
      if (i != kRound) put(scratch + i, seen[i]);
    }
    if (!kWaitsByFlag) return;
    fence_blocks();
    if (kSearchers != 1) __syncwarp();
    if (threadIdx.x == 0) put(scratch + kRound, round + 1);
  }
}

__device__ void receive_round(const word* scratch, word* seen, unsigned round, unsigned& idle) {
  if constexpr (kTellsByTags) {
    const unsigned lane = threadIdx.x, mine = smaller(lane, kTold - 1);
    unsigned* const halves = (unsigned*)seen;
    word said = look(scratch + mine);
    while (!is_for_all((unsigned)(said >> 32) == round + 1)) {
      if (++idle > kSpins) __nanosleep(smaller(kLongestSleep, 200 + (idle - kSpins) * 20));
      said = look(scratch + mine);
    }
    if (lane == 0) {
      seen[kWhat] = (unsigned)said & 0xffffu;
      seen[kFrom] = (unsigned)said >> 16 & 0xffu;
      seen[kMany] = (unsigned)said >> 24;
    } else if (lane < 3) {
      halves[2 * kPosition + lane - 1] = (unsigned)said;
    } else if (lane < kToldSlot) {
      halves[2 * kScratchTime + lane - 3] = (unsigned)said;
    } else if (lane < kTold) {
      seen[kLine + lane - kToldSlot] = (unsigned)said;
    }
  } else {
    while (kWaitsByFlag && (unsigned)look(scratch + kRound) != round + 1) {
      if (++idle > kSpins) __nanosleep(smaller(kLongestSleep, 200 + (idle - kSpins) * 20));
    }
    fence_blocks();
    for (unsigned i = threadIdx.x; i < kRoundWords; i += kSearchers) seen[i] = look(scratch + i);
  }
  fence_blocks();  // earlier writes to buffers
}

// Waits until the first block has announced the step of this round. A grid barrier would keep all blocks
// spinning while no messages arrive; here their first warps sleep, in growing steps.
__device__ void wait_for_round(Context& context, const word* scratch, word* seen, unsigned round, unsigned& idle) {
  if constexpr (!kWaitsByFlag) sync_handlers(context);
  if (blockIdx.x != 0 && threadIdx.x < kSearchers) receive_round(scratch, seen, round, idle);
  __syncthreads();
}

// Polls until there is something to do, or until the idle hook is due or the kernel leaves.
__device__ void say_what(Context& context, word* scratch, word* seen, unsigned round, unsigned& idle, word& since,
                         Ahead& ahead) {
  const bool leads = threadIdx.x == 0;
  unsigned what = kIdle;
  for (unsigned looks = 0; !kHasIdle || kIsDriven || looks < 64; ++looks) {
    what = look_for_work(context, seen, leads, ahead);
    if (kIsDriven || (what != kIdle && what != kRests)) break;
    if (++idle >= kSpins) context.turns_ = 0;  // it sleeps between polls, so it may poll commands too
    if (from_first(leads && has_idled(idle, since) ? 1u : 0u) != 0) {
      what = kIdle;
      break;
    }
    if (leads && (looks & 63u) == 63u) beat(context.blocks_, 0);
    back_off(idle);
  }
  if (leads) seen[kWhat] = what;
  if (kSearchers != 1) __syncwarp();
  if (kBlocks > 1) send_round(scratch, seen, round);
}

__device__ unsigned many_of(const word* seen) { return kBatch > 1 ? (unsigned)seen[kMany] : 1; }

__device__ bool is_one_call(const word* seen) {
  return seen[kFrom] == kFromHost && many_of(seen) == 1 && (unsigned)seen[kLine] != 0;
}

// After one or more messages: they are consumed.
__device__ void finish_message(Context& context, const word* seen) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  const unsigned from = (unsigned)seen[kFrom];
  if (from == kFromPeer) {
    pass_peers(blocks, 0, 1);
  } else if (kUrgentSlots != 0 && from == kFromUrgent) {
    publish_urgent(blocks, 0, mine[kUrgentHead] + 1);
  } else if (kTimers == 0 || from != kFromTimer) {
    publish_head(blocks, 0, mine[kHead] + many_of(seen));
  }
  if constexpr (kTimers != 0) {
    if (from == kFromTimer) {
      free_timer(context, (unsigned)seen[kPosition]);
    } else {
      bound_timers(mine);
    }
    publish_due(blocks, 0);
  }
}

template <class K>
__device__ void handle_timer(Context& context, typename K::S& state, bool leads) {
  if constexpr (kTimers != 0) {
    handle_one<K>(context, state, timer_message<typename K::W>(context, (unsigned)context.position_), 0, leads);
  }
}

// The messages of a round, in sequence.
template <class K>
__device__ void handle_round(Context& context, typename K::S& state, const word* seen, bool leads) {
  const unsigned from = (unsigned)seen[kFrom], many = many_of(seen);
  context.position_ = seen[kPosition];
  if (kHasTime) {
    context.time_ = seen[kScratchTime];
    context.wall_ = seen[kScratchWall];
  }
  context.is_urgent_ = kUrgentSlots != 0 && from == kFromUrgent;
  if (kIsCareful && leads && from == kFromHost) begin_message(context);
  if (kIsCareful && leads && from == kFromPeer) begin_peer(context);
  if (kIsCareful && leads && context.is_urgent_) begin_urgent(context);
  if (kTimers != 0 && from == kFromTimer) return handle_timer<K>(context, state, leads);
  for (unsigned m = 0; m < many; ++m) {
    const word* const slot = seen + kLine + m * kSlotWords;
    const unsigned ticket = from == kFromHost || context.is_urgent_ ? (unsigned)slot[0] : 0;
    handle_one<K>(context, state, unpack<typename K::W>(slot), ticket, leads);
    if (m + 1 == many) break;
    context.position_ += 1;
    if (blockIdx.x != 0 && threadIdx.x == 0) wait_for_arrivals(context);
    __syncthreads();
  }
}

template <class K>
__device__ void run_grid(const Blocks& blocks, unsigned limit) {
  __shared__ word seen[kRoundWords];
  Context context = first_context(blocks, blockIdx.x * kThreads + threadIdx.x, kBlocks * kThreads);
  const bool leads = context.thread_ == 0, searches = blockIdx.x == 0 && threadIdx.x < kSearchers;
  word* const mine = blocks.mine(0);
  word* const scratch = blocks.own + kScratchAt;
  typename K::S& state = *(typename K::S*)blocks.state(0);
  unsigned idle = 0;
  word since = 0;
  Ahead ahead{0, 0, 0};
  for (unsigned i = threadIdx.x; i < kRoundWords; i += kThreads) seen[i] = 0;
  __syncthreads();
  if constexpr (kWaitsByFlag) {  // an earlier launch may have left numbers there
    for (unsigned i = threadIdx.x; blockIdx.x == 0 && i < kRoundWords; i += kThreads) put(scratch + i, 0);
    if (leads) put(blocks.own + kArrivedAt, 0);
    fence_device();
    cooperative_groups::this_grid().sync();
  }
  for (unsigned round = 0; !kIsDriven || round < limit; ++round) {
    if (searches) say_what(context, scratch, seen, round, idle, since, ahead);
    const word begin = leads ? now() : 0;
    wait_for_round(context, scratch, seen, round, idle);
    const unsigned what = (unsigned)seen[kWhat];
    if (what == kHandle) {
      handle_round<K>(context, state, seen, leads);
    } else if (what == kStart) {
      run_hook<K, kOnStart>(context, state, leads);
    } else if (what == kFinish) {
      run_hook<K, kOnStop>(context, state, leads);
    } else if (what == kIdle) {
      run_hook<K, kOnIdle>(context, state, leads);
    }
    if (what != kHandle) sync_handlers(context);  // otherwise handle_one() did it
    if (what == kStart || what == kFinish) end_hook<kOnStart>(context, leads);
    if (what == kIdle) end_hook<kOnIdle>(context, leads);
    if (what == kHandle) idle = 0;
    if (leads) {
      if (what == kHandle) {
        finish_message(context, seen);
        count(mine, many_of(seen), now() - begin);
      }
      if (what == kStart) mine[kStarted] = 1;
      if (what == kFinish) (void)after_work(blocks, 0, context.command_, 0);
      if (what == kIdle || (round & 1023u) == 0) beat(blocks, 0);
    }
    if (what == kEnded || what == kFinish || (kIdlePolls != 0 && what == kIdle)) break;
    if (kIsDriven && (what == kIdle || what == kRests)) break;
    __syncthreads();  // the first warp may announce the next step
    if (searches && what == kHandle && is_one_call(seen)) context.rhythm_.answer();
  }
  if (leads) beat(blocks, 0);
}

}  // namespace ring
}  // namespace quern
