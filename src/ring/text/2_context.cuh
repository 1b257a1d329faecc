// The context of a handler. The constants of the group (kActors, kSlots, …) are defined at the end of the
// text: the language looks names up where they are used.
namespace quern {
namespace ring {

constexpr unsigned kShapeThread = 0, kShapeBlock = 1, kShapeGrid = 2, kShapeParallel = 3;
constexpr unsigned kStateWords = round_up((kStateBytes + 7) / 8, kLine);
constexpr unsigned kSlotWords = slot_words(kMessageBytes);
constexpr unsigned kHeaderBytes = kHasStamps || kHasDeadlines ? 16 : 0;  // before a message: Letter
constexpr unsigned kStampAt = 1 + (kReplyBytes + 3) / 4;                 // after a reply: two words
constexpr unsigned kReplyWords = reply_words(kReplyBytes + (kHasStamps ? 8 : 0));
constexpr unsigned kTimerWords = 4 + round_up((kMessageBytes + 7) / 8, 2);

// Strides in words.
constexpr unsigned kControlAt = 0;
constexpr unsigned kInboxAt = kActors * kLine;
// If messages may come in a flow: the first words of all slots, then the messages, so that each message is in
// as few cache lines as possible.
constexpr bool kIsSplit = kFlowBytes != 0 && !is_tagged();
constexpr unsigned kBodyWords = kIsSplit ? kSlotWords - 2 : kSlotWords;
constexpr unsigned kBodiesAt = kIsSplit ? kInboxAt + round_up(kActors * kSlots, kLine) : kInboxAt + 2;
constexpr unsigned kUrgentAt =
    kIsSplit ? kBodiesAt + kActors * kSlots * kBodyWords : kInboxAt + kActors * kSlots * kSlotWords;
constexpr unsigned kToDeviceWords = kUrgentAt + kActors * kUrgentSlots * kSlotWords;
constexpr unsigned kStatusAt = kReportWords;
constexpr unsigned kRepliesAt = kStatusAt + kActors * kStatusWords;
constexpr unsigned kEventsAt = round_up(kRepliesAt + kReplies * kReplyWords, kLine);
constexpr unsigned kExpiredAt = kEventsAt + kActors * kEvents * kReplyWords;
constexpr unsigned kToHostWords = kExpiredAt + (kHasDeadlines ? kActors * (kSlots + kUrgentSlots) : 0);
constexpr unsigned kStatesAt = kActors * kOwnWords;
constexpr unsigned kPeersAt = round_up(kStatesAt + kActors * kStateWords, kLine);
constexpr unsigned kTimersAt = round_up(kPeersAt + kActors * kPeerSlots * kSlotWords, kLine);
constexpr unsigned kKeptAt = round_up(kTimersAt + kActors * kTimers * kTimerWords, kLine);
constexpr unsigned kScratchAt = kKeptAt + (kIsCareful ? kActors * kStateWords : 0);
// The step to execute, and one message or a few short ones; then a line in which the blocks of a grid count
// arrivals, or workers that want to leave.
constexpr unsigned kArrivedAt = kScratchAt + round_up(larger(kSlotWords + kLine, 32), kLine);
constexpr unsigned kOwnTotal = kArrivedAt + kLine;

// Whether one more may count at the same time.
__device__ void bump(word* counter) {
  if (kShape == kShapeParallel && kThreads > 1) {
    atomicAdd((unsigned*)counter, 1u);
  } else {
    *counter += 1;
  }
}

constexpr bool is_tagged() { return kMessageBytes <= kTaggedBytes; }
constexpr word later(word a, word b) { return a > b ? a : b; }

// The header of a message that is stamped or may expire.
template <class M>
struct Letter {
  word stamp, deadline;  // 0: none
  M message;
};

// Converts a value to 32-bit words and back.
template <class T>
struct Words {
  static constexpr unsigned count = (sizeof(T) + 3) / 4;
  unsigned at[count];
  __device__ explicit Words(const T& value) {
    at[count - 1] = 0;
    memcpy(at, &value, sizeof(T));
  }
};

// Words with the same tag: a reader that sees all of them has the whole value.
template <class T>
__device__ void put_tagged(word* to, unsigned tag, unsigned first, const T& value) {
  const Words<T> words(value);
  const word above = (word)tag << 32;
  for (unsigned i = 0; i < Words<T>::count; ++i) put(to + 1 + i, above | words.at[i]);
  put(to, above | first);
}

// Writes a message to a slot of a ring in device memory: all of its words are tagged, even for short
// messages.
template <class T>
__device__ void write_slot(word* slot, word above, const T& value) {
  const Words<T> words(value);
  if (is_tagged()) {
    for (unsigned i = 0; i < (kMessageBytes + 3) / 4; ++i)
      put(slot + 1 + i, above | (i < Words<T>::count ? words.at[i] : 0));
  } else {
    for (unsigned i = 0; i < (kMessageBytes + 3) / 4; ++i)
      put((unsigned*)(slot + 2) + i, i < Words<T>::count ? words.at[i] : 0);
  }
  fence_device();
  put(slot, above);
}

struct Blocks {
  word* to_device;
  word* to_host;
  word* own;
  void* buffer0;
  void* buffer1;
  void* buffer2;
  void* buffer3;

  __device__ word* control(unsigned actor) const { return to_device + kControlAt + actor * kLine; }
  __device__ word* slot(unsigned actor, unsigned position) const {
    return to_device + kInboxAt + (actor * kSlots + (position & (kSlots - 1))) * (kIsSplit ? 1 : kSlotWords);
  }
  __device__ word* urgent_slot(unsigned actor, unsigned position) const {
    return to_device + kUrgentAt + (actor * kUrgentSlots + (position & (kUrgentSlots - 1))) * kSlotWords;
  }
  __device__ word* timer(unsigned actor, unsigned which) const {
    return own + kTimersAt + (actor * kTimers + which) * kTimerWords;
  }
  __device__ word* status(unsigned actor) const { return to_host + kStatusAt + actor * kStatusWords; }
  __device__ word* reply(unsigned ticket) const {
    return to_host + kRepliesAt + (ticket & (kReplies - 1)) * kReplyWords;
  }
  __device__ word* event(unsigned actor, unsigned position) const {
    return to_host + kEventsAt + (actor * kEvents + (position & (kEvents - 1))) * kReplyWords;
  }
  __device__ word* mine(unsigned actor) const { return own + actor * kOwnWords; }
  __device__ word* state(unsigned actor) const { return own + kStatesAt + actor * kStateWords; }
  __device__ word* kept(unsigned actor) const { return own + kKeptAt + actor * kStateWords; }
  __device__ word* peer_slot(unsigned actor, unsigned position) const {
    return own + kPeersAt + (actor * kPeerSlots + (position & (kPeerSlots - 1))) * kSlotWords;
  }
};

constexpr bool kHasRhythm = kIsOverBus && kIsAlone;

// A caller that calls again as soon as it has its reply writes the next message when the reply has crossed
// the bus, and a little later. A poll of the device that arrives just before that is wasted, and the next one
// arrives a whole round trip later. So a worker delays after a reply: longer if its first poll was too early,
// shorter if no poll was early for long. If messages do not follow this pattern, it waits no longer than a
// poll takes.
struct Rhythm {
  static constexpr unsigned kLongest = 2048, kLonger = 64, kShorter = 16, kGood = 64;  // ticks; consecutive polls

  unsigned gap, good, looks;
  bool is_due;  // the last event was a reply
  long long answered;

  __device__ Rhythm() : gap(0), good(0), looks(0), is_due(false), answered(0) {}
  __device__ void answer() {
    if constexpr (!kHasRhythm) return;
    answered = clock64();
    looks = 0;
    is_due = true;
  }
  __device__ void wait() const {
    if constexpr (!kHasRhythm) return;
    if (!is_due || looks != 0) return;
    while ((unsigned long long)(clock64() - answered) < gap) {
    }
  }
  // After a poll that found this many messages.
  __device__ void learn(unsigned found) {
    if constexpr (!kHasRhythm) return;
    ++looks;
    if (!is_due || found == 0) return;
    is_due = false;
    if (found > 1) {
      gap /= 2;  // other callers are active
    } else if (looks == 2) {
      gap = gap < kLongest ? gap + kLonger : gap;
    } else if (looks == 1 && ++good == kGood) {
      gap = gap > kShorter ? gap - kShorter : 0;
      good = 0;
    }
  }
};

class Context {
 public:
  Blocks blocks_;
  unsigned actor_;
  unsigned thread_;
  unsigned threads_;
  unsigned error_;
  word position_;
  // State kept from the last turn, if the block has only one actor.
  word head_, command_;
  unsigned known_, turns_;
  bool is_wide_, is_loaded_, is_running_;
  bool has_asked_;  // a command is being copied to shared memory
  unsigned arrived_;  // kWaitsByFlag: number of arrivals when all blocks have arrived
  word time_, wall_, stamp_;  // the host's clocks as of this turn; of the message
  bool is_urgent_;
  bool has_sent_;  // this thread sent to an actor since the last check
  bool owes_;      // settle()
  unsigned owed_;
  word owed_time_;
  Rhythm rhythm_;

  __device__ unsigned index() const { return actor_; }
  __device__ word position() const { return position_; }
  __device__ unsigned thread() const { return thread_; }
  __device__ unsigned threads() const { return threads_; }
  __device__ word time() const { return time_; }
  __device__ word stamp() const { return stamp_; }
  __device__ bool is_urgent() const { return is_urgent_; }
  __device__ void acquire() { fence_host(); }
  __device__ void fail(unsigned code) { error_ = code == 0 || code == kExpiredCode ? 1 : code; }
  __device__ void sync() {
    if constexpr (kShape == kShapeBlock || (kShape == kShapeGrid && kBlocks == 1)) __syncthreads();
    if constexpr (kShape == kShapeGrid && kBlocks > 1) cooperative_groups::this_grid().sync();
  }

  template <class T>
  __device__ T* buffer(int which) const {
    void* const p = which == 0   ? blocks_.buffer0
                    : which == 1 ? blocks_.buffer1
                    : which == 2 ? blocks_.buffer2
                                 : blocks_.buffer3;
    return (T*)p;
  }

  template <class R>
  __device__ bool publish(const R& event) {
    static_assert(sizeof(R) <= kReplyBytes, "publish() requires a type no larger than Reply");
    word* const mine = blocks_.mine(actor_);
    const unsigned tail = kShape == kShapeParallel ? atomicAdd((unsigned*)(mine + kEventTail), 1u)
                                                   : (unsigned)mine[kEventTail];
    // If messages are handled again after a loss, the host may know more events than exist yet, and each must
    // get its position.
    for (unsigned tries = 0; (int)(tail - (unsigned)look(blocks_.control(actor_) + 1)) >= (int)kEvents; ++tries) {
      if (kIsDriven || (!kSurvivesDeviceLoss && tries == 1000)) {
        if (kShape == kShapeParallel) atomicSub((unsigned*)(mine + kEventTail), 1u);
        bump(mine + kUnpublished);
        return false;
      }
      __nanosleep(1000);
    }
    put_stamp(blocks_.event(actor_, tail), tail + 1);
    put_tagged(blocks_.event(actor_, tail), tail + 1, 0, event);
    if (kShape != kShapeParallel) mine[kEventTail] = tail + 1;
    bump(mine + kPublished);
    return true;
  }

  template <class M>
  __device__ bool send(unsigned to, const M& message) {
    static_assert(sizeof(M) + kHeaderBytes <= kMessageBytes, "send() requires a type no larger than the group's largest Message");
    static_assert(!kSurvivesDeviceLoss, "persistent actors of a session cannot send to other actors: after a device loss, messages might arrive in another order; use Engine::driven");
    if (to >= kActors) return false;
    word* const mine = blocks_.mine(actor_);
    if (sizeof(M) > quern_ring_message_bytes(to)) {
      bump(mine + kPeerRefused);
      return false;
    }
    unsigned* const tail = (unsigned*)(blocks_.mine(to) + kPeerTail);
    unsigned* const head = (unsigned*)(blocks_.mine(to) + kPeerHead);
    unsigned at = look(tail);
    for (;;) {
      if ((at & kPeerClosed) != 0 || ((at - look(head)) & kPeerMask) >= kPeerSlots) {
        bump(mine + kPeerRefused);
        return false;
      }
      if (kIsDriven && kShape != kShapeParallel) {
        *tail = (at + 1) & kPeerMask;
        break;
      }
      const unsigned seen = atomicCAS(tail, at, (at + 1) & kPeerMask);
      if (seen == at) break;
      at = seen;
    }
    word* const slot = blocks_.peer_slot(to, at);
    const word above = (word)(at + 1) << 32;
    if constexpr (kHeaderBytes != 0) {
      write_slot(slot, above, Letter<M>{next_stamp(), 0, message});
    } else {
      write_slot(slot, above, message);
    }
    bump(mine + kPeerSent);
    has_sent_ = true;
    return true;
  }

  // Sends a message to itself at the given time; false: all timers of the actor are in use.
  template <class M>
  __device__ bool after(word nanoseconds, const M& message) {
    return set_timer(1, time_ + nanoseconds, clock() + nanoseconds, message);
  }
  // After it has handled this many more messages.
  template <class M>
  __device__ bool after_messages(unsigned count, const M& message) {
    return set_timer(2, blocks_.mine(actor_)[kTick] + count, 0, message);
  }

  __device__ word clock() const { return kHasClock ? __globaltimer() : 0; }
  // The actor's clock advances with every event.
  __device__ word next_stamp() {
    if constexpr (!kHasStamps) return 0;
    word* const mine = blocks_.mine(actor_);
    mine[kClock] = later(mine[kClock] + 1, wall_);
    return mine[kClock];
  }
  __device__ void put_stamp(word* slot, unsigned tag) {
    if constexpr (kHasStamps) {
      const word stamp = next_stamp(), above = (word)tag << 32;
      put(slot + kStampAt, above | (unsigned)stamp);
      put(slot + kStampAt + 1, above | (stamp >> 32));
    }
  }
  template <class M>
  __device__ bool set_timer(unsigned kind, word due, word not_before, const M& message) {
    static_assert(kTimers != 0, "timers require Options::timers, which is 0");
    static_assert(sizeof(M) + kHeaderBytes <= kMessageBytes, "a timer requires a type no larger than Message");
    word* const mine = blocks_.mine(actor_);
    for (unsigned i = 0; i < kTimers; ++i) {
      word* const timer = blocks_.timer(actor_, i);
      if (timer[0] != 0) continue;
      if constexpr (kHeaderBytes != 0) {
        fill_timer(timer, Letter<M>{next_stamp(), 0, message});
      } else {
        fill_timer(timer, message);
      }
      timer[1] = due;
      timer[3] = not_before;
      mine[kTimerCount] += 1;
      timer[2] = mine[kTimerCount];
      timer[0] = kind;
      word* const next = mine + (kind == 1 ? kNextTime : kNextTick);
      if (*next == 0 || due < *next) *next = due;
      return true;
    }
    return false;
  }
  template <class T>
  __device__ void fill_timer(word* timer, const T& value) {
    const Words<T> words(value);
    for (unsigned i = 0; i < Words<T>::count; ++i) ((unsigned*)(timer + 4))[i] = words.at[i];
  }
};

// A context before the first message; its actor is the first.
__device__ Context first_context(const Blocks& blocks, unsigned thread, unsigned threads) {
  Context context;
  context.blocks_ = blocks;
  context.actor_ = 0;
  context.thread_ = thread;
  context.threads_ = threads;
  context.error_ = 0;
  context.position_ = 0;
  context.turns_ = 0;
  context.command_ = 0;
  context.arrived_ = 0;
  context.is_loaded_ = false;
  context.is_running_ = false;
  context.has_asked_ = false;
  context.is_urgent_ = context.has_sent_ = context.owes_ = false;
  context.time_ = context.wall_ = context.stamp_ = 0;
  return context;
}

// Returns whether the slot contains the message of that position; if so, stores it in `message`, and its
// ticket.
template <class M>
__device__ bool read_slot(const word* slot, unsigned position, M& message, unsigned& ticket) {
  const unsigned wanted = position + 1;
  const word first = look(slot);
  unsigned words[(sizeof(M) + 3) / 4];
  if (is_tagged()) {
    bool is_whole = (unsigned)(first >> 32) == wanted;
    for (unsigned i = 0; i < (sizeof(M) + 3) / 4; ++i) {
      const word w = look(slot + 1 + i);
      is_whole = is_whole && (unsigned)(w >> 32) == wanted;
      words[i] = (unsigned)w;
    }
    if (!is_whole) return false;
  } else {
    if ((unsigned)(first >> 32) != wanted) return false;
    fence_host();
    for (unsigned i = 0; i < (sizeof(M) + 3) / 4; ++i) words[i] = look((const unsigned*)(slot + 2) + i);
  }
  memcpy(&message, words, sizeof(M));
  ticket = (unsigned)first;
  return true;
}

__device__ bool has_message(const word* slot, unsigned position) {
  return (unsigned)(look(slot) >> 32) == position + 1;
}

__device__ void wait_for_arrivals(const Context& context) {
  const unsigned* const arrived = (const unsigned*)(context.blocks_.own + kArrivedAt);
  if constexpr (kBlocks > 1) {  // a single block has arrived; devices without forward progress between blocks have one
    while ((int)(look(arrived) - context.arrived_) < 0) {  // some may be ahead, in a batch
    }
  }
  fence_blocks();
}

// All blocks have reached the end of a common step: the first thread of all waits for that; the others
// continue and wait for the next step that it announces.
__device__ void meet(Context& context) {
  __syncthreads();
  context.arrived_ += kBlocks;
  if (threadIdx.x != 0) return;
  unsigned* const arrived = (unsigned*)(context.blocks_.own + kArrivedAt);
  fence_blocks();
  atomicAdd(arrived, 1u);
  if (blockIdx.x == 0) wait_for_arrivals(context);
}

// Threads that handle a message together: the reply must not be written before all of them are done.
__device__ void sync_handlers(Context& context) {
  if constexpr (kWaitsByFlag) {
    meet(context);
  } else if constexpr (kShape == kShapeGrid && kBlocks > 1) {
    fence_device();
    cooperative_groups::this_grid().sync();
  } else if constexpr (kShape == kShapeGrid || kShape == kShapeBlock) {
    fence_device();
    __syncthreads();
  }
}

// An error instead of a reply.
template <class K>
__device__ void refuse(Context& context, unsigned ticket, unsigned code) {
  word* const slot = context.blocks_.reply(ticket);
  const word above = (word)ticket << 32;
  context.put_stamp(slot, ticket);
  for (unsigned i = (BytesOf<typename K::R>::value + 3) / 4; i > 0; --i) put(slot + i, above);
  put(slot, above | code);
}

// The host finds the message of a dead letter by this.
template <class K>
__device__ void expire(Context& context, unsigned ticket) {
  const Blocks& blocks = context.blocks_;
  const unsigned slot = context.is_urgent_ ? kSlots + ((unsigned)context.position_ & (kUrgentSlots - 1))
                                           : (unsigned)context.position_ & (kSlots - 1);
  put(blocks.to_host + kExpiredAt + context.actor_ * (kSlots + kUrgentSlots) + slot, context.position_ + 1);
  fence_host();
  if (ticket != 0) refuse<K>(context, ticket, kExpiredCode);
  bump(blocks.mine(context.actor_) + kExpired);
}

// Processes the header of a message; returns whether the message must be handled.
template <class K, class W>
__device__ bool open_letter(Context& context, const W& wire, unsigned ticket, bool answers) {
  if constexpr (kTimers != 0) {
    if (answers) context.blocks_.mine(context.actor_)[kTick] += 1;
  }
  if constexpr (kHasStamps) {
    context.stamp_ = wire.stamp;
    word* const clock = context.blocks_.mine(context.actor_) + kClock;
    if (answers) *clock = later(later(*clock, wire.stamp) + 1, context.wall_);
  }
  if constexpr (kHasDeadlines) {
    if (wire.deadline != 0 && wire.deadline < context.time_) {
      if (answers) expire<K>(context, ticket);
      sync_handlers(context);
      return false;
    }
  }
  return true;
}

// For the watchdog: odd while user code runs. Called by one thread.
__device__ void step(const Context& context, bool begins) {
  if constexpr (kIsWatched) {
    word* const mine = context.blocks_.mine(context.actor_);
    mine[kStep] += begins ? 1 + (mine[kStep] & 1) : 1;
    put(context.blocks_.status(context.actor_) + kStep, mine[kStep]);
  }
}

// Saves the state before user code runs: a kernel that faults is restarted with it. Called by all threads
// that run the code.
template <class S>
__device__ void keep_state(Context& context, const S& state, bool leads) {
  if constexpr (kIsCareful) {
    word* const kept = context.blocks_.kept(context.actor_);
    if constexpr (kShape == kShapeThread) {
      *(S*)kept = state;
    } else {
      const word* const now = context.blocks_.state(context.actor_);
      for (unsigned i = context.thread_; i < (sizeof(S) + 7) / 8; i += context.threads_) kept[i] = now[i];
    }
    if (leads) put(context.blocks_.mine(context.actor_) + kIsKept, 1);
    fence_device();
    context.sync();
  }
}

// Threads of a block that handle messages independently are watched together.
constexpr bool kStepsEach = kShape != kShapeParallel || kThreads == 1;

template <class S>
__device__ void begin_work(Context& context, const S& state, bool leads) {
  if (kStepsEach && leads) step(context, true);
  keep_state(context, state, leads);
}

__device__ void end_work(const Context& context, bool leads) {
  if (kIsCareful && leads) put(context.blocks_.mine(context.actor_) + kIsKept, 0);
  if (kStepsEach && leads) step(context, false);
}

// Hooks other than the message handler; the caller synchronizes the threads, and then ends the step.
constexpr unsigned kOnStart = 0, kOnIdle = 1, kOnStop = 2;

template <class K, unsigned Hook>
__device__ void run_hook(Context& context, typename K::S& state, bool leads) {
  if constexpr (Hook == kOnIdle && !kHasIdle) return;
  begin_work(context, state, leads);
  if constexpr (Hook == kOnStart) K::start(state, context);
  if constexpr (Hook == kOnIdle) K::idle(state, context);
  if constexpr (Hook == kOnStop) K::stop(state, context);
}

template <unsigned Hook>
__device__ void end_hook(const Context& context, bool leads) {
  if constexpr (Hook != kOnIdle || kHasIdle) end_work(context, leads);
}

// `answers`: this thread writes the reply.
template <class K, class S, class W>
__device__ void handle_one(Context& context, S& state, const W& wire, unsigned ticket, bool answers) {
  context.error_ = 0;
  if constexpr (kHeaderBytes != 0 || kTimers != 0) {
    if (!open_letter<K>(context, wire, ticket, answers)) return;
  }
  begin_work(context, state, answers);
  if constexpr (K::is_silent) {
    K::message(state, K::open(wire), context);
    sync_handlers(context);
    if (answers && ticket != 0) {
      context.put_stamp(context.blocks_.reply(ticket), ticket);
      put(context.blocks_.reply(ticket), (word)ticket << 32 | context.error_);
    }
  } else {
    const auto reply = K::message(state, K::open(wire), context);
    sync_handlers(context);
    if (answers && ticket != 0) {
      context.put_stamp(context.blocks_.reply(ticket), ticket);
      put_tagged(context.blocks_.reply(ticket), ticket, context.error_, reply);
    }
  }
  if (answers && context.error_ != 0) bump(context.blocks_.mine(context.actor_) + kErrors);
  end_work(context, answers);
}

// When the host must check the actor again.
__device__ void put_next_due(const word* mine, word* status) {
  const bool is_now = mine[kNextTick] != 0 && mine[kNextTick] <= mine[kTick];
  put(status + kNextDue, is_now ? 1 : mine[kNextTime]);
}

// Reports the actor's counters to the host.
__device__ void publish_counters(const Blocks& blocks, unsigned actor) {
  word* const mine = blocks.mine(actor);
  word* const status = blocks.status(actor);
  for (unsigned i = kHandled; i <= kBusy; ++i) put(status + i, mine[i]);
  // Other actors send to it concurrently.
  put(status + kPeerDepth,
      (word)((look((const unsigned*)(mine + kPeerTail)) - (unsigned)mine[kPeerHead]) & kPeerMask));
  if constexpr (kHasDeadlines) put(status + kExpired, mine[kExpired]);
  if constexpr (kTimers != 0) {
    put(status + kFired, mine[kFired]);
    put_next_due(mine, status);
  }
  for (unsigned i = kHistogram; i < kStatusWords; ++i) {
    if (mine[i] != 0) put(status + i, mine[i]);
  }
}

// Reads the host's clocks, once per turn.
__device__ void read_clocks(Context& context) {
  if constexpr (kHasTime) context.time_ = look(context.blocks_.control(context.actor_) + kTime);
  if constexpr (kHasStamps) context.wall_ = look(context.blocks_.control(context.actor_) + kWall);
}

__device__ word now() { return kHasClock ? __globaltimer() : 0; }

__device__ void count(word* mine, unsigned messages, word nanoseconds) {
  mine[kHandled] += messages;
  if (!kHasClock || messages == 0) return;
  mine[kBusy] += nanoseconds;
  unsigned each = (unsigned)(nanoseconds / messages), bucket = 0;
  while (each > 1 && bucket < 31) each >>= 1, ++bucket;
  mine[kHistogram + bucket] += messages;
}

__device__ void answer(const Blocks& blocks, unsigned actor, word command, unsigned with) {
  publish_counters(blocks, actor);
  fence_host();
  put(blocks.status(actor) + kAnswer, (command & ~(word)255) | with);
}

}  // namespace ring
}  // namespace quern

// Used by actors that do not define the hook.
template <class S>
__device__ void on_start(S&, quern::ring::Context&) {}
template <class S>
__device__ void on_idle(S&, quern::ring::Context&) {}
template <class S>
__device__ void on_stop(S&, quern::ring::Context&) {}
