// Many consecutive messages that are too long to be tagged. Windows of them are copied to shared memory
// asynchronously while the previous window is handled. Messages are requested only when they are known to be
// complete: from the first words of their slots or, with a single producer, from the position that the host
// publishes.
namespace quern {
namespace ring {

// Afterwards, commands, peers, the host's counters and the other actors of the worker have their turn.
constexpr unsigned kFlowTurns = kIsAlone ? 64 : 8;
constexpr unsigned kFlowPatience = kIsAlone ? 8 : 2;  // unsuccessful polls before it ends
constexpr unsigned kFlowWindow = smaller(kSlots / 2, kFlowBytes / (kFlowStages * kSlotWords * 8));
constexpr bool kFlows = kIsSplit && kFlowWindow >= kLeastWindow;
constexpr unsigned kFlowReads = kFlows && !kIsMarked ? (kFlowWindow + kThreads - 1) / kThreads : 1;
constexpr unsigned kFlowEnds = ~0u;

// In addition, the first lanes read other words, one each: that takes no longer than one of them.
constexpr bool kFlowAsks = kIsMarked || kHasTime || kUrgentSlots != 0;
constexpr unsigned kAsksMark = 0, kAsksOrder = 1, kAsksTime = 2, kAsksWall = 3, kAsksUrgent = 4, kFlowAskers = 5;

// Messages that may be requested next.
struct FlowLook {
  Scan<kFlowReads> firsts;
  word told;

  __device__ static const word* asked(const Context& context, unsigned urgent) {
    const word* const control = context.blocks_.control(context.actor_);
    if (kUrgentSlots != 0 && threadIdx.x == kAsksUrgent) return context.blocks_.urgent_slot(context.actor_, urgent);
    return control + (threadIdx.x == kAsksMark   ? kMark
                      : threadIdx.x == kAsksTime ? kTime
                      : threadIdx.x == kAsksWall ? kWall
                                                 : 0);
  }
  __device__ void look_at(const Context& context, const Inbox& inbox, unsigned urgent) {
    if (!kIsMarked) firsts.read(inbox, 0, kFlowWindow);
    if (kFlowAsks && threadIdx.x < kFlowAskers) told = look(asked(context, urgent));
  }
  // `more`: was kFlowWindow, and becomes the number of messages.
  __device__ void examine(const Inbox& inbox, unsigned* more) const {
    const unsigned position = inbox.slots.position;
    if (!kIsMarked) {
      Found found{more};
      firsts.examine(position, kFlowWindow, found);
      fence_host();
    } else if (threadIdx.x == kAsksMark) {
      const unsigned written = (unsigned)told - position, since_call = position - (unsigned)(told >> 32);
      fence_host();
      if (written > kSlots || written == 0) {  // it may be smaller than before
        *more = 0;
      } else if ((int)since_call < 0) {  // a sender waits for a reply
        *more = kFlowEnds;
      } else {
        *more = smaller(written, kFlowWindow);
      }
    }
  }
  // Other conditions; commands and urgent messages end a flow.
  __device__ void tell(Shared* shared, unsigned now, unsigned urgent) const {
    if (!kFlowAsks) return;
    if (threadIdx.x == kAsksOrder && told != shared->command) shared->flow_ends[now] = 1;
    if (kHasTime && threadIdx.x == kAsksTime) shared->flow_time[now] = told;
    if (kHasTime && threadIdx.x == kAsksWall) shared->flow_wall[now] = told;
    if (kUrgentSlots != 0 && threadIdx.x == kAsksUrgent && (unsigned)(told >> 32) == urgent + 1)
      shared->flow_ends[now] = 1;
  }
  // Of `n` messages: the first words, as they were read.
  __device__ void keep(unsigned n, word* window) const {
    if (kIsMarked) {
      for (unsigned m = threadIdx.x; m < n; m += kThreads) window[m * kSlotWords] = 0;
      return;
    }
#pragma unroll
    for (unsigned k = 0; k < kFlowReads; ++k) {
      const unsigned m = k * kThreads + threadIdx.x;
      if (m < n) window[m * kSlotWords] = firsts.words[k];
    }
  }
};

// Requests `n` complete messages.
__device__ void ask_for(const Inbox& inbox, unsigned n, word* window) {
  constexpr unsigned pieces = kSlotWords / 2 - 1;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < n * pieces; i += kThreads) {
    const unsigned m = i / pieces, part = 2 * (i % pieces);
    __pipeline_memcpy_async(window + m * kSlotWords + 2 + part, inbox.body(m) + part, 16);
  }
  __pipeline_commit();
}

// Handles messages from `head` on while there are more; returns their number.
template <class K>
__device__ unsigned flow(Context& context, const Inbox& inbox, word head, word* windows, Shared* shared) {
  constexpr unsigned stride = kFlowWindow * kSlotWords;
  Inbox ahead = inbox;  // from the first message that was not requested
  word at = head;
  unsigned first = 0, count = 0, in_vain = 0;  // windows in flight
  bool was_full = true;
  const unsigned urgent = kUrgentSlots != 0 ? (unsigned)context.blocks_.mine(context.actor_)[kUrgentHead] : 0;
  unsigned now = 0;  // which of three numbers this turn's poll writes: some threads may still read the last one
  bool is_wanted = false;  // by commands or urgent messages
  if (threadIdx.x < 3) {
    shared->more[threadIdx.x] = kFlowWindow;
    shared->flow_ends[threadIdx.x] = 0;
  }
  sync_block();
  for (unsigned turn = 0;; ++turn) {
    const bool looks = turn < kFlowTurns && !is_wanted;
    const unsigned next = now == 2 ? 0 : now + 1;
    FlowLook seen;
    if (looks) seen.look_at(context, ahead, urgent);
    unsigned n = 0;
    if (count == kFlowStages || (count != 0 && !was_full)) {
      __pipeline_wait_prior(count - 1);
      sync_block();
      n = shared->sizes[first];
      handle_staged<K>(context, windows + first * stride, n, at, true, shared);
      at += n;
      first = first + 1 == kFlowStages ? 0 : first + 1;
      count -= 1;
    }
    if (looks) {
      seen.examine(ahead, shared->more + now);
      seen.tell(shared, now, urgent);
    }
    if (threadIdx.x == 0) {
      shared->more[next] = kFlowWindow;
      shared->flow_ends[next] = 0;
    }
    sync_block();
    unsigned more = looks ? shared->more[now] : 0;
    if (kFlowAsks && shared->flow_ends[now] != 0) {
      is_wanted = true;
      more = 0;
    }
    if (kHasTime && looks) {
      context.time_ = shared->flow_time[now];
      context.wall_ = shared->flow_wall[now];
    }
    const bool ends = !looks || more == kFlowEnds || is_wanted;
    if (more == kFlowEnds) more = 0;
    if (threadIdx.x == 0 && n != 0) publish_head(context.blocks_, context.actor_, at);
    if (more != 0) {
      const unsigned place = first + count < kFlowStages ? first + count : first + count - kFlowStages;
      seen.keep(more, windows + place * stride);
      ask_for(ahead, more, windows + place * stride);
      if (threadIdx.x == 0) shared->sizes[place] = more;
      ahead.slots.position += more;
      count += 1;
      in_vain = 0;
    } else if (count == 0 && (ends || ++in_vain == kFlowPatience)) {
      context.is_wide_ = !looks || is_wanted;
      return (unsigned)(at - head);
    }
    was_full = more == kFlowWindow;
    now = next;
  }
}

}  // namespace ring
}  // namespace quern
