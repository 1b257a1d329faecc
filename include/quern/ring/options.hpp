/// @file
/// Options and telemetry of actors.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "quern/argument.hpp"
#include "quern/module.hpp"

namespace quern::ring {

/// The threads that handle a message. All but `parallel` handle messages in the order of the ring.
///  - `thread`: one thread.
///  - `block`: all threads of a block together; the handler may use __syncthreads() and shared memory.
///  - `grid`: all threads of the actor's grid together; the handler may use context.sync().
///  - `parallel`: one thread per message, many messages concurrently and in no order; the state is shared,
///  use atomics.
/// The reply of `block` and `grid` is that of their first thread.
enum class Shape : std::uint8_t { thread, block, grid, parallel };

/// What happens to a message if the ring is full.
///  - `block`: the sender waits.
///  - `fail`: send() throws, try_send() returns false.
///  - `drop_oldest`: it waits in a host-side queue; if that is full too, the oldest message in it is dropped.
///  - `spill`: it waits in a host-side queue that grows as needed.
enum class WhenFull : std::uint8_t { block, fail, drop_oldest, spill };

/// `persistent`: a persistent kernel that accesses host memory. `driven`: the host launches a kernel for each
/// batch of messages. `automatic`: persistent if the device supports it.
enum class Engine : std::uint8_t { automatic, persistent, driven };

/// Life cycle of an actor.
enum class Phase : std::uint8_t {
  created,     ///< Rings and state exist.
  launched,    ///< The kernel was launched; its answer is pending.
  active,      ///< It handles messages.
  paused,      ///< It handles no messages until resume().
  draining,    ///< It accepts no new messages and handles those it has.
  terminated,  ///< It was stopped or killed.
  failed,      ///< It ended because of an error; error() says why.
};
/// The name of a phase.
const char* to_string(Phase phase);
/// The name of an engine.
const char* to_string(Engine engine);

/// How often actors are restarted after their kernel failed, with the state after the last completely handled
/// message. The interrupted message becomes a dead letter.
struct Restart {
  std::uint32_t limit = 0;  ///< Restarts within `window`; 0: never.
  /// Time in which restarts are counted.
  std::chrono::nanoseconds window = std::chrono::minutes(1);
};

/// A message that will never be handled.
struct DeadLetter {
  /// Why it is not handled.
  enum class Reason : std::uint8_t { dropped, faulted, stopped, expired };
  /// Why it is not handled.
  Reason reason = Reason::dropped;
  std::uint32_t actor = 0;  ///< Index in the group.
  /// The message.
  std::vector<std::byte> message;
};

/// Delivery of a message.
struct Delivery {
  std::chrono::nanoseconds within{0};  ///< Deadline; a message that is not handled by then expires. 0: none.
  bool urgent = false;                 ///< Handled before messages that are not urgent.
};

/// Options of an actor or a group.
struct Options {
  std::string kind = {};  ///< Namespace of State, Message, Reply and on_message in the source; empty: none.
  /// Threads that handle a message together.
  Shape shape = Shape::thread;
  std::uint32_t threads = 0;      ///< Threads per block; 0: suitable for shape and device.
  std::uint32_t blocks = 0;       ///< Blocks of Shape::grid; 0: suitable for the device.
  std::uint32_t slots = 1024;     ///< Slots of the ring; rounded up to a power of two.
  std::uint32_t replies = 256;    ///< Maximum calls in flight.
  std::uint32_t events = 256;     ///< Maximum events that wait for subscribers.
  std::uint32_t peer_slots = 64;  ///< Slots of the ring for messages of other actors of the group.
  std::uint32_t urgent = 0;       ///< Slots of the ring for urgent messages; 0: none.
  std::uint32_t timers = 0;       ///< Maximum timers that a handler may have set.
  bool deadlines = false;         ///< Enables Delivery::within.
  bool stamps = false;            ///< Messages, replies and events carry stamps of a hybrid logical clock.
  /// What happens to a message if the ring is full.
  WhenFull when_full = WhenFull::block;
  std::uint32_t overflow = 1024;  ///< Size of the host-side queue for drop_oldest.
  bool one_producer = false;      ///< Only one thread at a time sends; slightly faster.
  /// Persistent or driven.
  Engine engine = Engine::automatic;
  std::uint32_t batch = 1024;  ///< Maximum messages per launch (driven).
  /// Idle timeout: a kernel without messages for this long ends, and is launched again when one arrives. 0,
  /// or if a kind has on_idle: never. Negative: 50 ms on CPUs, about half a second otherwise.
  std::chrono::nanoseconds idle_timeout{-1};
  std::chrono::nanoseconds watchdog{
      0};  ///< The actor fails if a message, timer or hook takes longer; 0: unlimited.
  /// How often actors are restarted.
  Restart restart = {};
  std::vector<std::byte> state = {};  ///< Initial state; empty: zeros, then on_start.
  std::vector<Argument> buffers =
      {};  ///< For context.buffer<T>(0), …: at most 4; they must outlive the actor.
  std::function<void(const DeadLetter&)> on_dead_letter = {};  ///< Called on a thread of the library.
  /// Options for compilation.
  ModuleOptions module = {};
};

/// One of several actors that share a kernel. They may have different kinds and send to each other.
struct Member {
  /// As Options::kind.
  std::string kind = {};
  /// As Options::state.
  std::vector<std::byte> state = {};
};

/// Counters since the actor was created. Reading them does not disturb it.
struct Telemetry {
  /// Phase of the life cycle.
  Phase phase = Phase::created;
  std::uint64_t sent = 0;          ///< Messages sent by the host.
  std::uint64_t handled = 0;       ///< Messages handled, from host and peers.
  std::uint64_t errors = 0;        ///< Calls of context.fail().
  std::uint64_t dropped = 0;       ///< Messages dropped by WhenFull::drop_oldest.
  std::uint64_t expired = 0;       ///< Messages that missed their deadline.
  std::uint64_t fired = 0;         ///< Timers of the handler that fired.
  std::uint64_t published = 0;     ///< Events.
  std::uint64_t unpublished = 0;   ///< Events that found no room.
  std::uint64_t peer_sent = 0;     ///< Messages sent to other actors.
  std::uint64_t peer_refused = 0;  ///< Messages to peers that had no room or had ended.
  std::uint64_t depth = 0;         ///< Messages in the ring.
  std::uint64_t peer_depth = 0;    ///< Waiting messages of other actors.
  std::uint64_t overflow = 0;      ///< Messages in the host-side queue.
  std::uint64_t heartbeat = 0;     ///< Increases while the kernel lives.
  std::uint64_t launches = 0;      ///< Launches of its kernel.
  /// Restarts after failures.
  std::uint64_t restarts = 0;
  std::uint64_t recoveries = 0;  ///< Recoveries of persistent actors from losses of a session's device.
  double busy = 0;               ///< Share of the time since the start in which it handled messages.
  /// Histogram of the time per message on the device's clock: element k counts 2^k to 2^(k+1) ns.
  std::array<std::uint64_t, 32> nanoseconds{};
};

}  // namespace quern::ring
