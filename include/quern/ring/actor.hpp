/// @file
/// Untyped actors: messages are bytes whose sizes are checked when they are sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/ring/future.hpp"
#include "quern/ring/options.hpp"

namespace quern::ring {

/// Sizes of an actor's types on the device, in bytes.
struct Sizes {
  std::uint32_t state = 0;    ///< Size of the state.
  std::uint32_t message = 0;  ///< Size of a message.
  std::uint32_t reply = 0;    ///< Size of a reply; 0: there is none.
  /// Whether all sizes are equal.
  bool operator==(const Sizes&) const = default;
};

/// A stamp of the host's hybrid logical clock: larger than every stamp that this process has created or
/// received with a reply or an event. The upper 52 bits are microseconds since 1970; the lower 12 order
/// stamps within one. Thread-safe.
QUERN_API std::uint64_t stamp();

/// A message that is sent later or periodically.
class QUERN_API Timer {
 public:
  /// No message.
  Timer() = default;
  void cancel() const;  ///< Messages that were already sent are still handled.

 private:
  friend class Actor;
  explicit Timer(std::shared_ptr<detail::HostTimer> timer) : timer_(std::move(timer)) {}
  std::shared_ptr<detail::HostTimer> timer_;
};

template <typename State, typename Message, typename Reply>
class Handle;

/// A running actor. Copies refer to the same actor, which stops when the last handle of its group is
/// destroyed. Thread-safe. Errors are thrown as quern::Error.
class QUERN_API Actor {
 public:
  /// No actor.
  Actor() = default;
  /// Whether it is an actor.
  explicit operator bool() const { return state_ != nullptr; }

  /// The same actor with types. Throws if their sizes differ from the device's.
  template <typename State, typename Message, typename Reply>
  Handle<State, Message, Reply> as() const;

  /// Sizes of state, message and reply.
  const Sizes& sizes() const;
  std::uint32_t index() const;  ///< Index in the group; peers send to it.
  Engine engine() const;        ///< Persistent or driven.
  /// Phase of its life cycle.
  Phase phase() const;
  std::string error() const;  ///< Why it failed; empty if it did not.
  /// Counters.
  Telemetry telemetry() const;

  /// Sends one message, or several consecutive ones, which stay together and in order. There is no reply.
  /// Throws if the actor has ended, or if the ring is full and Options::when_full is `fail`.
  void send(std::span<const std::byte> message, const Delivery& delivery = {}) const;
  /// Never waits. Returns false if the ring is full and Options::when_full is `fail` or `block`.
  bool try_send(std::span<const std::byte> message, const Delivery& delivery = {}) const;
  /// Sends a message and returns its future reply.
  detail::Call call(std::span<const std::byte> message, const Delivery& delivery = {}) const;

  /// Sends later or periodically, from a thread of the library. If the ring is full, messages wait for room;
  /// when the actor ends, they become dead letters.
  Timer send_after(std::chrono::nanoseconds delay, std::span<const std::byte> message) const;
  /// The same periodically, until the timer is cancelled.
  Timer send_every(std::chrono::nanoseconds period, std::span<const std::byte> message) const;

  /// Calls `function` with every event that the actor publishes, in order, on a thread of the library. Events
  /// without a subscriber are only counted. The function must not throw. For a driven actor it must not wait
  /// for a reply, because the same thread drives the actor.
  void subscribe(std::function<void(std::span<const std::byte>)> function) const;
  /// The same with the event's stamp, which is 0 without Options::stamps.
  void subscribe_stamped(std::function<void(std::span<const std::byte>, std::uint64_t)> function) const;

  /// Stops handling messages until resume(). Blocks until the actor has confirmed.
  void pause() const;
  /// Continues after pause(). Blocks until the actor has confirmed.
  void resume() const;
  /// Blocks until all messages sent before are handled. New ones are rejected meanwhile.
  void drain() const;
  /// Handles the messages in the ring, calls on_stop and ends. Returns false if this took longer than `limit`
  /// and the actor was killed.
  bool stop(std::chrono::nanoseconds limit = std::chrono::seconds(10)) const;
  /// Ends after the current message, without on_stop. Messages in the ring become dead letters. A handler
  /// that never returns is abandoned; if the device cannot end it, its thread runs until the process ends.
  void kill() const;

  /// Replaces the handler of all actors of the group, between two messages. No message is lost or handled
  /// twice, and states are kept. The source must have the same kinds, with types of the same sizes; otherwise
  /// this throws, and the actors continue unchanged.
  void replace(std::string_view source) const;

  /// A copy of the state between two messages.
  std::vector<std::byte> state() const;
  /// Writes the state, unhandled messages, timers and, for an actor that is alone in its group, the buffers
  /// to a file. The file is written completely or not at all.
  void checkpoint(const std::string& path) const;
  /// Restores the state of an actor with the same sizes, saved on any device, and sends its messages again.
  /// This actor must have no waiting messages.
  void restore(const std::string& path) const;

 private:
  friend struct detail::ActorState;
  explicit Actor(std::shared_ptr<detail::ActorState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ActorState> state_;
};

/// Compiles the source, verifies that host and device agree on the layouts, and starts the actor.
QUERN_API Actor spawn(const Device& device, std::string_view source, const Options& options = {});

/// Spawns several actors in one kernel. `common.kind` and `common.state` are ignored.
QUERN_API std::vector<Actor> spawn(const Device& device, std::string_view source, const Options& common,
                                   std::span<const Member> members);

/// Reads a `.cu` file and spawns the actors in it, as spawn() does with a source text.
/// Throws Error with ErrorKind::not_found or ErrorKind::io if the file cannot be read.
QUERN_API Actor spawn_file(const Device& device, const std::string& path, const Options& options = {});
/// The same with several actors in one kernel.
QUERN_API std::vector<Actor> spawn_file(const Device& device, const std::string& path, const Options& common,
                                        std::span<const Member> members);

}  // namespace quern::ring
