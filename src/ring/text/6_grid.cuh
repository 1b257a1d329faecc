// All blocks of a grid handle each message together. The first thread looks for it and puts it where all see
// it; two barriers a message keep them together, and all leave in the same round.
namespace quern {
namespace ring {

constexpr unsigned kHandle = 4, kStart = 5, kFinish = 6;
// Words of the scratch line; the message is behind it.
constexpr unsigned kWhat = 0, kPosition = 1, kFromPeer = 2, kRound = 3;

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

// What the grid does next. Orders and messages are asked for at once.
__device__ unsigned look_for_work(const Blocks& blocks, word& command, word* scratch) {
  word* const mine = blocks.mine(0);
  const word head = mine[kHead];
  command = look(blocks.control(0));
  const bool has_message = copy_message(blocks.slot(0, (unsigned)head), (unsigned)head, scratch);
  const unsigned what = before_work(blocks, 0, command);
  if (what != kWorked) return what;
  if (mine[kStarted] == 0) {
    mine[kStarted] = 1;
    return kStart;
  }
  scratch[kPosition] = head;
  scratch[kFromPeer] = 0;
  if (has_message) return kHandle;
  const unsigned peer = (unsigned)mine[kPeerHead];
  if (copy_message(blocks.peer_slot(0, peer), peer, scratch)) {
    scratch[kFromPeer] = 1;
    return kHandle;
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

template <class K>
__device__ void run_grid(const Blocks& blocks, unsigned limit) {
  Context context = first_context(blocks, blockIdx.x * kThreads + threadIdx.x, kBlocks * kThreads);
  const bool leads = context.thread_ == 0;
  word* const mine = blocks.mine(0);
  word* const scratch = blocks.own + kScratchAt;
  typename K::S& state = *(typename K::S*)blocks.state(0);
  unsigned idle = 0;
  if constexpr (kWaitsByFlag) {  // an earlier launch may have left a number there
    if (leads) put(scratch + kRound, 0);
    sync_handlers();
  }
  for (unsigned round = 0; !kIsDriven || round < limit; ++round) {
    word command = 0, begin = 0;
    if (leads) {
      unsigned what = kIdle;
      for (unsigned looks = 0; looks < 64 && (what == kIdle || what == kRests); ++looks) {
        what = look_for_work(blocks, command, scratch);
        if (kIsDriven) break;
        if (what == kIdle || what == kRests) back_off(++idle);
      }
      put(scratch + kWhat, what);
      begin = now();
    }
    wait_for_round(scratch, round, leads, idle);
    const unsigned what = (unsigned)look(scratch + kWhat);
    if (what == kHandle) {
      context.position_ = look(scratch + kPosition);
      const bool is_peer = look(scratch + kFromPeer) != 0;
      if (kIsCareful && leads && !is_peer) begin_message(context);
      const unsigned ticket = is_peer ? 0 : (unsigned)look(scratch + kLine);
      handle_one<K>(context, state, unpack<typename K::M>(scratch + kLine), ticket, leads);
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
        if (scratch[kFromPeer] != 0) {
          put((unsigned*)(mine + kPeerHead), (unsigned)mine[kPeerHead] + 1);
        } else {
          publish_head(blocks, 0, mine[kHead] + 1);
        }
        count(mine, 1, now() - begin);
      }
      if (what == kFinish) (void)after_work(blocks, 0, command, 0);
      if (what == kIdle || (round & 1023u) == 0) beat(blocks, 0);
    }
    if (what == kEnded || what == kFinish) break;
    if (kIsDriven && (what == kIdle || what == kRests)) break;
  }
  if (leads && kIsDriven) beat(blocks, 0);
}

}  // namespace ring
}  // namespace quern
