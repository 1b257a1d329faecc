// Offsets in the three blocks of a group (docs/ring.md). The host computes the same numbers in
// ring/layout.cpp and compares them with the output of quern_ring_report before anything else is launched.
namespace quern {
namespace ring {

using word = unsigned long long;

constexpr unsigned kLine = 16;         // words
constexpr unsigned kReportWords = 80;  //
constexpr unsigned kStatusWords = 64;
constexpr unsigned kOwnWords = 64;
constexpr unsigned kExpiredCode = 0xffffffffu;  // of a message that was not handled in time
constexpr unsigned kTaggedBytes = 28;  // the longest message that is sent in tagged words

constexpr unsigned round_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }
constexpr unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

template <class T> struct BytesOf { static constexpr unsigned value = sizeof(T); };
template <> struct BytesOf<void> { static constexpr unsigned value = 0; };

constexpr unsigned slot_words(unsigned bytes) {
  return bytes <= kTaggedBytes ? round_up(1 + (bytes + 3) / 4, 2) : 2 + round_up((bytes + 7) / 8, 2);
}
constexpr unsigned reply_words(unsigned bytes) { return round_up(1 + (bytes + 3) / 4, 2); }

// Commands of the host, in the low byte of a control line's first word; the epoch is above it.
constexpr unsigned kRun = 0, kPause = 1, kDrain = 2, kStop = 3, kKill = 4, kLeave = 5;
constexpr word kHold = 1ull << 63;  // additional flag: the kernel leaves for a while
// Answers of the device, with the same epoch.
constexpr unsigned kNothing = 0, kActive = 1, kPaused = 2, kDrained = 3, kStopped = 4, kGone = 5;

// Words of a status.
constexpr unsigned kHead = 0, kAnswer = 16, kHeartbeat = 17, kHandled = 18, kErrors = 19, kPublished = 20,
                   kUnpublished = 21, kPeerSent = 22, kPeerRefused = 23, kBusy = 24, kPeerDepth = 25,
                   kExpired = 26, kFired = 27, kStep = 28, kHistogram = 32;
constexpr unsigned kUrgentHeadOut = 1, kNextDue = 2;  // next to the head
// Words that exist only in an actor's own memory; the counters have the same numbers as above.
constexpr unsigned kPeerTail = 1, kPeerHead = 2, kEventTail = 3, kStarted = 4, kCommand = 5, kUnderWay = 6, kIsWide = 7,
                   kKnown = 8, kUrgentHead = 9, kUrgentUnderWay = 10, kClock = 11, kTick = 12, kNextTick = 13,
                   kNextTime = 14, kTimerCount = 15, kIsKept = 16, kTimerUnderWay = 29, kTimerBound = 30,
                   kPeerUnderWay = 31;
// Positions of a peer ring have 31 bits; the last bit of the tail means that the actor accepts no more.
constexpr unsigned kPeerMask = 0x7fffffffu, kPeerClosed = 0x80000000u;
// Words of a control line, next to the command and the head of the event ring: the host's clocks.
constexpr unsigned kTime = 2, kWall = 3;
constexpr unsigned kMark = 4;  // kIsMarked: Inbox::mark_in

// A driven kernel of one block needs no fences: its start and its end order memory with the host, and barriers
// order memory in the block. Some devices have no fences beyond a block (WebGPU).
constexpr bool kHasFences = !kIsDriven || kBlocks > 1;

// Between blocks that synchronize: a block that sees what another one wrote after its fence sees everything
// before it.
__device__ void fence_blocks() {
  if constexpr (kHasFences) __quern_fast_fence(1);
}
__device__ void fence_device() {
  if constexpr (kHasFences) __threadfence();
}
__device__ void fence_host() {
  if constexpr (!kIsDriven) {
    __threadfence_system();
  } else {
    fence_device();
  }
}

// While a driven kernel runs nobody else accesses its blocks, and one worker has all actors.
__device__ word look(const word* at) { return kIsDriven ? *at : *(const volatile word*)at; }
__device__ unsigned look(const unsigned* at) { return kIsDriven ? *at : *(const volatile unsigned*)at; }
__device__ void put(word* at, word value) {
  if (kIsDriven) {
    *at = value;
  } else {
    *(volatile word*)at = value;
  }
}
__device__ void put(unsigned* at, unsigned value) {
  if (kIsDriven) {
    *at = value;
  } else {
    *(volatile unsigned*)at = value;
  }
}

}  // namespace ring
}  // namespace quern
