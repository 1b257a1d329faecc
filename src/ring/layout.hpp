// Offsets in the three blocks of a group, as computed by the host. They must match ring/text/1_layout.cuh and
// 2_context.cuh, which is verified on the device before anything runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "quern/ring/actor.hpp"
#include "ring/text.hpp"

namespace quern::ring {

inline constexpr std::uint64_t kHold = std::uint64_t{1} << 63;  // in a command: the kernel leaves for a while
inline constexpr std::uint32_t kLine = 16, kReportWords = 80, kStatusWords = 64, kOwnWords = 64;
inline constexpr std::uint32_t kTaggedBytes = 28;

enum class Command : std::uint8_t { kRun, kPause, kDrain, kStop, kKill, kLeave };
enum class Answer : std::uint8_t { kNothing, kActive, kPaused, kDrained, kStopped, kGone };

// Words of a status, and of an actor's own memory.
inline constexpr std::uint32_t kHead = 0, kAnswer = 16, kHeartbeat = 17, kHandled = 18, kErrors = 19,
                               kPublished = 20, kUnpublished = 21, kPeerSent = 22, kPeerRefused = 23,
                               kBusy = 24, kPeerDepth = 25, kExpired = 26, kFired = 27, kStep = 28,
                               kHistogram = 32;
inline constexpr std::uint32_t kUrgentHeadOut = 1, kNextDue = 2;  // only in a status
inline constexpr std::uint32_t kOwnPeerTail = 1, kOwnPeerHead = 2, kOwnEventTail = 3, kOwnStarted = 4,
                               kOwnCommand = 5, kOwnUnderWay = 6, kOwnUrgentHead = 9, kOwnUrgentUnderWay = 10,
                               kOwnTick = 12, kOwnNextTick = 13, kOwnNextTime = 14, kOwnTimerCount = 15,
                               kOwnIsKept = 16, kOwnTimerUnderWay = 29, kOwnPeerUnderWay = 31;
inline constexpr std::uint32_t kPeerMask = 0x7fffffff;  // of a position in a peer ring
// Words of a timer in the device's memory, and the offset of its message.
inline constexpr std::uint32_t kTimerKind = 0, kTimerDue = 1, kTimerNumber = 2, kTimerMessage = 4;
// Words of a control line, next to the command and the head of the event ring.
inline constexpr std::uint32_t kControlTime = 2, kControlWall = 3, kControlMark = 4;
inline constexpr std::uint32_t kExpiredCode = 0xffffffff;

struct Layout {
  std::uint32_t state_bytes = 0, message_bytes = 0, reply_bytes = 0;  // the largest of all kinds
  std::uint32_t state_words = 0, slot_words = 0, reply_words = 0;
  std::uint32_t inbox_at = 0, bodies_at = 0, to_device_words = 0;  // bodies_at: if it is split
  std::uint32_t status_at = 0, replies_at = 0, events_at = 0, to_host_words = 0;
  std::uint32_t states_at = 0, peers_at = 0, own_words = 0;
  std::uint32_t urgent_at = 0, expired_at = 0, timers_at = 0, kept_at = 0;
  std::uint32_t header_bytes = 0, timer_words = 0, stamp_at = 0;  // stamp_at: 0 for replies without one
  std::uint32_t word_bytes = 8;

  std::uint32_t flow_bytes = 0;  // dynamic shared memory of the kernel, see kFlows in 5_flow.cuh

  bool is_split = false;  // the first words of all inboxes are adjacent, followed by the messages

  bool is_tagged() const { return message_bytes <= kTaggedBytes; }
};

Layout make_layout(const Plan& plan, const Sizes& largest);

// Throws if the device reports other values; returns the sizes of each kind.
std::vector<Sizes> verify_layout(const Plan& plan, std::span<const std::uint64_t> report, Layout& layout);

}  // namespace quern::ring
