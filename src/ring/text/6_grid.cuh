// All blocks of a grid handle each message together. The first thread looks for it and puts it where all see
// it; two barriers a message keep them together, and all leave in the same round.
namespace quern {
namespace ring {

constexpr unsigned kHandle = 4, kStart = 5, kFinish = 6, kDoze = 7;
// Words of the scratch line; the message is behind it.
constexpr unsigned kWhat = 0, kPosition = 1, kFrom = 2, kRound = 3, kScratchTime = 4, kScratchWall = 5;
// Where a message is from.
constexpr unsigned kFromHost = 0, kFromPeer = 1, kFromUrgent = 2, kFromTimer = 3;

__device__ bool copy_message(const word* slot, unsigned position, word* scratch) {
  constexpr unsigned kReads = smaller(8, kSlotWords);
  bool is_whole = true;
  if (!is_tagged()) {
    if (!has_message(slot, position)) return false;
    fence_host();
  }
  for (unsigned base = 0; base < kSlotWords; base += kReads) {
    word words[kReads];
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) words[k] = look(slot + smaller(base + k, kSlotWords - 1));
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) {
      const unsigned i = base + k;
      if (i >= kSlotWords) continue;
      if (is_tagged() && i <= (kMessageBytes + 3) / 4 && (unsigned)(words[k] >> 32) != position + 1)
        is_whole = false;
      scratch[kLine + i] = words[k];
    }
  }
  return is_whole;
}

// Those that come before the messages of the ring.
__device__ bool look_for_first(Context& context, word* scratch) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  if constexpr (kTimers != 0) {
    const unsigned which = due_timer(context);
    if (which != kTimers) {
      mine[kTimerUnderWay] = which + 1;
      scratch[kPosition] = which;
      scratch[kFrom] = kFromTimer;
      return true;
    }
  }
  if constexpr (kUrgentSlots != 0) {
    const word head = mine[kUrgentHead];
    if (copy_message(blocks.urgent_slot(0, (unsigned)head), (unsigned)head, scratch)) {
      scratch[kPosition] = head;
      scratch[kFrom] = kFromUrgent;
      return true;
    }
  }
  return false;
}

// What the grid does next. Orders and messages are asked for at once.
__device__ unsigned look_for_work(Context& context, word& command, word* scratch) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  const word head = mine[kHead];
  command = look(blocks.control(0));
  if (kHasTime) {
    read_clocks(context);
    scratch[kScratchTime] = context.time_;
    scratch[kScratchWall] = context.wall_;
  }
  const bool has_message = copy_message(blocks.slot(0, (unsigned)head), (unsigned)head, scratch);
  const unsigned what = before_work(blocks, 0, command);
  if (what != kWorked) return what;
  if (mine[kStarted] == 0) {
    mine[kStarted] = 1;
    return kStart;
  }
  if ((kTimers != 0 || kUrgentSlots != 0) && look_for_first(context, scratch)) return kHandle;
  scratch[kPosition] = head;
  scratch[kFrom] = kFromHost;
  if ((kUrgentSlots != 0 ? copy_message(blocks.slot(0, (unsigned)head), (unsigned)head, scratch) : has_message))
    return kHandle;
  const unsigned peer = (unsigned)mine[kPeerHead];
  if (copy_message(blocks.peer_slot(0, peer), peer, scratch)) {
    scratch[kFrom] = kFromPeer;
    return kHandle;
  }
  if constexpr (kTimers != 0) {
    bound_timers(mine);
    if (look_for_first(context, scratch)) return kHandle;
  }
  return is_last(blocks, 0, command) ? kFinish : after_work(blocks, 0, command, 0);
}

// Until the leader has said what to do in this round. A grid barrier would keep all blocks spinning while
// nothing comes; here their first threads sleep, in growing steps.
__device__ void wait_for_round(word* scratch, unsigned round, bool leads, unsigned& idle) {
  if constexpr (kWaitsByFlag) {
    if (leads) {
      __threadfence();
      put(scratch + kRound, round + 1);
    } else if (threadIdx.x == 0) {
      while ((unsigned)look(scratch + kRound) != round + 1) {
        if (++idle > kSpins) __nanosleep(smaller(kLongestSleep, 200 + (idle - kSpins) * 20));
      }
      __threadfence();
    }
    __syncthreads();
  } else {
    sync_handlers();
  }
}

// Behind a message: it is not there any more.
__device__ void finish_message(Context& context, const word* scratch) {
  const Blocks& blocks = context.blocks_;
  word* const mine = blocks.mine(0);
  const unsigned from = (unsigned)scratch[kFrom];
  if (from == kFromPeer) {
    put((unsigned*)(mine + kPeerHead), (unsigned)mine[kPeerHead] + 1);
  } else if (kUrgentSlots != 0 && from == kFromUrgent) {
    publish_urgent(blocks, 0, mine[kUrgentHead] + 1);
  } else if (kTimers == 0 || from != kFromTimer) {
    publish_head(blocks, 0, mine[kHead] + 1);
  }
  if constexpr (kTimers != 0) {
    if (from == kFromTimer) {
      free_timer(context, (unsigned)scratch[kPosition]);
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

template <class K>
__device__ void run_grid(const Blocks& blocks, unsigned limit) {
  Context context = first_context(blocks, blockIdx.x * kThreads + threadIdx.x, kBlocks * kThreads);
  const bool leads = context.thread_ == 0;
  word* const mine = blocks.mine(0);
  word* const scratch = blocks.own + kScratchAt;
  typename K::S& state = *(typename K::S*)blocks.state(0);
  unsigned idle = 0;
  word since = 0;
  if constexpr (kWaitsByFlag) {  // an earlier launch may have left a number there
    if (leads) put(scratch + kRound, 0);
    sync_handlers();
  }
  for (unsigned round = 0; !kIsDriven || round < limit; ++round) {
    word command = 0, begin = 0;
    if (leads) {
      unsigned what = kIdle;
      for (unsigned looks = 0; looks < 64 && (what == kIdle || what == kRests); ++looks) {
        what = look_for_work(context, command, scratch);
        if (kIsDriven) break;
        if (what == kIdle || what == kRests) back_off(++idle);
      }
      if (is_dozing(idle, since) && (what == kIdle || what == kRests)) what = kDoze;
      put(scratch + kWhat, what);
      begin = now();
    }
    wait_for_round(scratch, round, leads, idle);
    const unsigned what = (unsigned)look(scratch + kWhat);
    if (what == kHandle) {
      context.position_ = look(scratch + kPosition);
      const unsigned from = (unsigned)look(scratch + kFrom);
      if (kHasTime) {
        context.time_ = look(scratch + kScratchTime);
        context.wall_ = look(scratch + kScratchWall);
      }
      context.is_urgent_ = kUrgentSlots != 0 && from == kFromUrgent;
      if (kIsCareful && leads && from == kFromHost) begin_message(context);
      if (kIsCareful && leads && context.is_urgent_) begin_urgent(context);
      const unsigned ticket = from == kFromHost || context.is_urgent_ ? (unsigned)look(scratch + kLine) : 0;
      if (kTimers != 0 && from == kFromTimer) {
        handle_timer<K>(context, state, leads);
      } else {
        handle_one<K>(context, state, unpack<typename K::W>(scratch + kLine), ticket, leads);
      }
    } else if (what == kStart) {
      K::start(state, context);
    } else if (what == kFinish) {
      K::stop(state, context);
    } else if (what == kIdle) {
      K::idle(state, context);
    }
    if (what != kHandle) sync_handlers();  // else handle_one() did it
    if (what == kHandle) idle = 0;
    if (leads) {
      if (what == kHandle) {
        finish_message(context, scratch);
        count(mine, 1, now() - begin);
      }
      if (what == kFinish) (void)after_work(blocks, 0, command, 0);
      if (what == kIdle || (round & 1023u) == 0) beat(blocks, 0);
    }
    if (what == kEnded || what == kFinish || (kDozeLooks != 0 && what == kDoze)) break;
    if (kIsDriven && (what == kIdle || what == kRests)) break;
  }
  if (leads && (kIsDriven || kDozeLooks != 0)) beat(blocks, 0);
}

}  // namespace ring
}  // namespace quern
