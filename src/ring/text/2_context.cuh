// What a handler is given. The numbers of the group (kActors, kSlots, …) stand at the end of the text: the
// language looks names up where they are used.
namespace quern {
namespace ring {

constexpr unsigned kShapeThread = 0, kShapeBlock = 1, kShapeGrid = 2, kShapeParallel = 3;
constexpr unsigned kStateWords = round_up((kStateBytes + 7) / 8, kLine);
constexpr unsigned kSlotWords = slot_words(kMessageBytes);
constexpr unsigned kReplyWords = reply_words(kReplyBytes);

// Distances in words.
constexpr unsigned kControlAt = 0;
constexpr unsigned kInboxAt = kActors * kLine;
constexpr unsigned kToDeviceWords = kInboxAt + kActors * kSlots * kSlotWords;
constexpr unsigned kStatusAt = kReportWords;
constexpr unsigned kRepliesAt = kStatusAt + kActors * kStatusWords;
constexpr unsigned kEventsAt = round_up(kRepliesAt + kReplies * kReplyWords, kLine);
constexpr unsigned kToHostWords = kEventsAt + kActors * kEvents * kReplyWords;
constexpr unsigned kStatesAt = kActors * kOwnWords;
constexpr unsigned kPeersAt = round_up(kStatesAt + kActors * kStateWords, kLine);
constexpr unsigned kScratchAt = round_up(kPeersAt + kActors * kPeerSlots * kSlotWords, kLine);
constexpr unsigned kOwnTotal = kScratchAt + round_up(kSlotWords + kLine, kLine);  // one message, and what to do

// Where one more may count at the same time.
__device__ void bump(word* counter) {
  if (kShape == kShapeParallel && kThreads > 1) {
    atomicAdd((unsigned*)counter, 1u);
  } else {
    *counter += 1;
  }
}

constexpr bool is_tagged() { return kMessageBytes <= kTaggedBytes; }

// A value as words of 32 bits, and back.
template <class T>
struct Words {
  static constexpr unsigned count = (sizeof(T) + 3) / 4;
  unsigned at[count];
  __device__ explicit Words(const T& value) {
    at[count - 1] = 0;
    memcpy(at, &value, sizeof(T));
  }
};

// Words with the same tag: whoever sees them all has seen the value.
template <class T>
__device__ void put_tagged(word* to, unsigned tag, unsigned first, const T& value) {
  const Words<T> words(value);
  const word above = (word)tag << 32;
  for (unsigned i = 0; i < Words<T>::count; ++i) put(to + 1 + i, above | words.at[i]);
  put(to, above | first);
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
    return to_device + kInboxAt + (actor * kSlots + (position & (kSlots - 1))) * kSlotWords;
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
  __device__ word* peer_slot(unsigned actor, unsigned position) const {
    return own + kPeersAt + (actor * kPeerSlots + (position & (kPeerSlots - 1))) * kSlotWords;
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
  // What a block knows from its last turn, where it has only one actor.
  word head_, command_;
  unsigned known_, turns_;
  bool is_wide_, is_loaded_, is_running_;

  __device__ unsigned index() const { return actor_; }
  __device__ word position() const { return position_; }
  __device__ unsigned thread() const { return thread_; }
  __device__ unsigned threads() const { return threads_; }
  __device__ void acquire() { fence_host(); }
  __device__ void fail(unsigned code) { error_ = code == 0 ? 1 : code; }
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
    static_assert(sizeof(R) <= kReplyBytes, "publish() takes what is no larger than the Reply");
    word* const mine = blocks_.mine(actor_);
    const unsigned tail = kShape == kShapeParallel ? atomicAdd((unsigned*)(mine + kEventTail), 1u)
                                                   : (unsigned)mine[kEventTail];
    for (unsigned tries = 0; tail - (unsigned)look(blocks_.control(actor_) + 1) >= kEvents; ++tries) {
      if (kIsDriven || tries == 1000) {
        if (kShape == kShapeParallel) atomicSub((unsigned*)(mine + kEventTail), 1u);
        bump(mine + kUnpublished);
        return false;
      }
      __nanosleep(1000);
    }
    put_tagged(blocks_.event(actor_, tail), tail + 1, 0, event);
    if (kShape != kShapeParallel) mine[kEventTail] = tail + 1;
    bump(mine + kPublished);
    return true;
  }

  template <class M>
  __device__ bool send(unsigned to, const M& message) {
    static_assert(sizeof(M) <= kMessageBytes, "send() takes what is no larger than the group's largest Message");
    if (to >= kActors) return false;
    word* const mine = blocks_.mine(actor_);
    unsigned* const tail = (unsigned*)(blocks_.mine(to) + kPeerTail);
    unsigned* const head = (unsigned*)(blocks_.mine(to) + kPeerHead);
    unsigned at = look(tail);
    for (;;) {
      if (at - look(head) >= kPeerSlots) {
        bump(mine + kPeerRefused);
        return false;
      }
      if (kIsDriven && kShape != kShapeParallel) {
        *tail = at + 1;
        break;
      }
      const unsigned seen = atomicCAS(tail, at, at + 1);
      if (seen == at) break;
      at = seen;
    }
    word* const slot = blocks_.peer_slot(to, at);
    const word above = (word)(at + 1) << 32;
    const Words<M> words(message);
    if (is_tagged()) {
      for (unsigned i = 0; i < Words<M>::count; ++i) put(slot + 1 + i, above | words.at[i]);
    } else {
      for (unsigned i = 0; i < Words<M>::count; ++i) put((unsigned*)(slot + 2) + i, words.at[i]);
    }
    __threadfence();
    put(slot, above);
    bump(mine + kPeerSent);
    return true;
  }
};

// One that has seen no message yet; its actor is the first.
__device__ Context first_context(const Blocks& blocks, unsigned thread, unsigned threads) {
  Context context;
  context.blocks_ = blocks;
  context.actor_ = 0;
  context.thread_ = thread;
  context.threads_ = threads;
  context.error_ = 0;
  context.position_ = 0;
  context.turns_ = 0;
  context.is_loaded_ = false;
  context.is_running_ = false;
  return context;
}

// Yields whether the slot has the message of that position; then it is in `message`, and its ticket.
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

// Threads that handle a message together: the reply must not overtake any of them.
__device__ void sync_handlers() {
  if constexpr (kShape == kShapeGrid && kBlocks > 1) {
    __threadfence();
    cooperative_groups::this_grid().sync();
  } else if constexpr (kShape == kShapeGrid || kShape == kShapeBlock) {
    __threadfence();
    __syncthreads();
  }
}

// `answers`: this thread writes the reply.
template <class K, class S, class M>
__device__ void handle_one(Context& context, S& state, const M& message, unsigned ticket, bool answers) {
  context.error_ = 0;
  if constexpr (K::is_silent) {
    K::message(state, message, context);
    sync_handlers();
    if (answers && ticket != 0) put(context.blocks_.reply(ticket), (word)ticket << 32 | context.error_);
  } else {
    const auto reply = K::message(state, message, context);
    sync_handlers();
    if (answers && ticket != 0) put_tagged(context.blocks_.reply(ticket), ticket, context.error_, reply);
  }
  if (answers && context.error_ != 0) bump(context.blocks_.mine(context.actor_) + kErrors);
}

// Tells the host what the actor has counted.
__device__ void publish_counters(const Blocks& blocks, unsigned actor) {
  word* const mine = blocks.mine(actor);
  word* const status = blocks.status(actor);
  for (unsigned i = kHandled; i <= kBusy; ++i) put(status + i, mine[i]);
  put(status + kPeerDepth, (word)((unsigned)mine[kPeerTail] - (unsigned)mine[kPeerHead]));
  for (unsigned i = kHistogram; i < kStatusWords; ++i) {
    if (mine[i] != 0) put(status + i, mine[i]);
  }
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

// Used by an actor that has none of its own.
template <class S>
__device__ void on_start(S&, quern::ring::Context&) {}
template <class S>
__device__ void on_idle(S&, quern::ring::Context&) {}
template <class S>
__device__ void on_stop(S&, quern::ring::Context&) {}
