// The source text of a group of actors: ours around the user's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/ring/options.hpp"

namespace quern::ring {

// Written in the kernel language; embedded by the build.
struct LibraryFile {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryFile> library_files();

// Long messages pass through this many windows of shared memory; windows of fewer messages are not
// worthwhile.
inline constexpr std::uint32_t kFlowStages = 2, kLeastWindow = 8;

// The configuration that the text is generated for.
struct Plan {
  std::vector<std::string> kinds;      // unique
  std::vector<std::uint32_t> kind_of;  // by actor
  Shape shape = Shape::thread;
  bool is_driven = false;
  bool is_careful = false;  // restartable
  bool is_watched = false;  // reports when user code begins and ends
  bool has_clock = false;
  bool survives_device_loss = false;  // persistent on the device of a session: messages may be handled again
  bool waits_by_flag =
      false;  // Shape::grid: blocks poll memory for the next message instead of waiting at a barrier
  std::uint32_t workers = 1;
  std::uint32_t threads = 1, blocks = 1;  // threads of a worker; blocks of Shape::grid
  std::uint32_t slots = 0, replies = 0, events = 0, peer_slots = 0;  // powers of two
  std::uint32_t urgent_slots = 0, timers = 0;                        // 0: none
  bool has_stamps = false, has_deadlines = false;
  std::uint32_t idle_microseconds = 0;  // the same if the device has a clock
  std::uint32_t idle_polls = 0;         // the kernel leaves after this many unsuccessful checks; 0: never
  std::uint32_t stage_bytes = 0;        // shared memory for messages in transit
  bool is_over_bus = false;             // persistent, and not on the host's CPU
  bool copies_beside = false;           // the device copies to shared memory asynchronously
  bool is_marked = false;               // the host publishes how far the ring is written: one producer
  std::uint32_t flow_bytes = 0;         // dynamic shared memory for a flow of long messages; 0: none
  std::uint32_t spins = 0;              // checks before a worker sleeps
  std::uint32_t longest_sleep = 0;      // ns

  bool has_time() const { return has_stamps || has_deadlines || timers != 0; }
  std::uint32_t header_bytes() const { return has_stamps || has_deadlines ? 16 : 0; }
  std::uint32_t actors() const { return static_cast<std::uint32_t>(kind_of.size()); }
};

bool has_idle_hook(std::string_view source);
// What the source lacks to define actors, as a sentence about `name`; empty: nothing, or headers may define
// it.
std::string lack_of(const Plan& plan, std::string_view source, const std::string& name);
inline constexpr const char* kActorHint =
    "define State, Message, Reply and on_message; see the example in `quern ring --help`";
std::string make_text(const Plan& plan, std::string_view source, const std::string& name);

// A watched batch must end soon. Limits on messages, and on turns per actor: the last turn finds nothing and
// is idle.
inline constexpr std::uint32_t kWatchedBatch = 8, kWatchedTurns = 2;

inline constexpr const char* kRunKernel = "quern_ring_run";
inline constexpr const char* kReportKernel = "quern_ring_report";

}  // namespace quern::ring
