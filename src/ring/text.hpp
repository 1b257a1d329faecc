// The text that a group of actors is compiled from: ours around the user's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/ring/options.hpp"

namespace quern::ring {

// Written in the kernel language; the build carries them.
struct LibraryFile {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryFile> library_files();

// Long messages flow through so many windows of shared memory; windows of fewer are not worth it.
inline constexpr std::uint32_t kFlowStages = 2, kLeastWindow = 8;

// What the text is made for.
struct Plan {
  std::vector<std::string> kinds;      // each once
  std::vector<std::uint32_t> kind_of;  // by actor
  Shape shape = Shape::thread;
  bool is_driven = false;
  bool is_careful = false;  // it may be started again
  bool is_watched = false;  // it tells when something of the user's begins and ends
  bool has_clock = false;
  bool survives_device_loss = false;  // persistent on the device of a session: messages may be handled again
  bool waits_by_flag = false;  // Shape::grid: blocks look for the next message in memory, not at a barrier
  std::uint32_t workers = 1;
  std::uint32_t threads = 1, blocks = 1;                             // of a worker; Shape::grid
  std::uint32_t slots = 0, replies = 0, events = 0, peer_slots = 0;  // powers of two
  std::uint32_t urgent_slots = 0, timers = 0;                        // 0: there are none
  bool has_stamps = false, has_deadlines = false;
  std::uint32_t idle_microseconds = 0;  // the same where the device has a clock
  std::uint32_t idle_polls = 0;         // after so many in vain the kernel leaves; 0: it never does
  std::uint32_t stage_bytes = 0;        // of shared memory, for messages on their way
  bool is_over_bus = false;             // persistent, and not on the host's own processor
  bool copies_beside = false;           // the device copies to shared memory beside its threads
  bool is_marked = false;               // the host says how far the ring is written: one producer
  std::uint32_t flow_bytes = 0;         // of dynamic shared memory, for a flow of long messages; 0: none
  std::uint32_t spins = 0;              // looks before a worker sleeps
  std::uint32_t longest_sleep = 0;      // ns

  bool has_time() const { return has_stamps || has_deadlines || timers != 0; }
  std::uint32_t header_bytes() const { return has_stamps || has_deadlines ? 16 : 0; }
  std::uint32_t actors() const { return static_cast<std::uint32_t>(kind_of.size()); }
};

bool has_idle_hook(std::string_view source);
// What the source lacks to be actors, in a sentence about `name`; empty: nothing, or its headers may have it.
std::string lack_of(const Plan& plan, std::string_view source, const std::string& name);
inline constexpr const char* kActorHint =
    "an actor has State, Message, Reply and on_message; quern ring --help shows one";
std::string make_text(const Plan& plan, std::string_view source, const std::string& name);

// What is launched for each batch and watched must come back soon. So many messages, and so many turns of
// each actor: the last one finds nothing, and is idle.
inline constexpr std::uint32_t kWatchedBatch = 8, kWatchedTurns = 2;

inline constexpr const char* kRunKernel = "quern_ring_run";
inline constexpr const char* kReportKernel = "quern_ring_report";

}  // namespace quern::ring
