// A running actor without its types: messages are bytes whose sizes are checked when they are sent.
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

// Bytes of an actor's three types on the device.
struct Sizes {
  std::uint32_t state = 0, message = 0, reply = 0;
  bool operator==(const Sizes&) const = default;
};

// A stamp of the host's hybrid logical clock: larger than every stamp that this process has made or has got
// with a reply or an event. The upper 52 bits are microseconds since 1970, the others order what is nearer.
QUERN_API std::uint64_t stamp();

// A message that is sent later, or again and again.
class QUERN_API Timer {
 public:
  Timer() = default;
  void cancel() const;  // what was sent before is handled

 private:
  friend class Actor;
  explicit Timer(std::shared_ptr<detail::HostTimer> timer) : timer_(std::move(timer)) {}
  std::shared_ptr<detail::HostTimer> timer_;
};

template <typename State, typename Message, typename Reply>
class Handle;

// Copies refer to the same actor; it is stopped when the last one of its group is gone. Any thread may call.
class QUERN_API Actor {
 public:
  Actor() = default;
  explicit operator bool() const { return state_ != nullptr; }

  // The same with types; throws when they have other sizes than the device's.
  template <typename State, typename Message, typename Reply>
  Handle<State, Message, Reply> as() const;

  const Sizes& sizes() const;
  std::uint32_t index() const;  // its place in the group: what peers send to
  Engine engine() const;        // persistent or driven
  Phase phase() const;
  std::string error() const;  // why it failed; empty: it did not
  Telemetry telemetry() const;

  // Nothing comes back. `message` may be several, one after the other; they stay together and in order.
  void send(std::span<const std::byte> message, const Delivery& delivery = {}) const;
  // False when the ring is full and `when_full` is fail or block; it never waits.
  bool try_send(std::span<const std::byte> message, const Delivery& delivery = {}) const;
  detail::Call call(std::span<const std::byte> message, const Delivery& delivery = {}) const;

  // By a thread of the library. When the ring is full then, they wait for room; when the actor ends, they are
  // dead letters.
  Timer send_after(std::chrono::nanoseconds delay, std::span<const std::byte> message) const;
  Timer send_every(std::chrono::nanoseconds period, std::span<const std::byte> message) const;

  // Calls `function` with every event that the actor publishes, in order, on a thread of the library. Events
  // that come while nobody listens are only counted. It must not throw, and of a driven actor it must not
  // wait for a reply: that thread drives it.
  void subscribe(std::function<void(std::span<const std::byte>)> function) const;
  // The same with the event's stamp, which is 0 without Options::stamps.
  void subscribe_stamped(std::function<void(std::span<const std::byte>, std::uint64_t)> function) const;

  // These wait until the actor has answered.
  void pause() const;
  void resume() const;
  // Until all that was sent before is handled; more is refused until it is over. Then it is active again.
  void drain() const;
  // Handles what is in the ring, calls on_stop, ends. False: it did not within `limit`, and was killed.
  bool stop(std::chrono::nanoseconds limit = std::chrono::seconds(10)) const;
  // Ends after the message under way, without on_stop. What is in the ring becomes dead letters. A handler
  // that never returns is given up: where the device cannot end it, its thread is lost to the process.
  void kill() const;

  // Handles messages by another text from now on, between two messages: none is lost, none is handled twice,
  // states stay. It is for all actors of the group, and must have the same kinds, with types of the same
  // sizes. Throws when it cannot be; then the actors go on as they were.
  void replace(std::string_view source) const;

  // A copy of the state between two messages.
  std::vector<std::byte> state() const;
  // The state, the messages that were not handled, timers and, of an actor alone in its group, the buffers,
  // as a file that is there whole or not at all.
  void checkpoint(const std::string& path) const;
  // Of an actor of the same sizes, on any device: its state becomes this one's, and its messages are sent
  // again. Messages must not wait for this one.
  void restore(const std::string& path) const;

 private:
  friend struct detail::ActorState;
  explicit Actor(std::shared_ptr<detail::ActorState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ActorState> state_;
};

// Compiles the text, verifies on the device that both sides have the same layouts, and starts it.
QUERN_API Actor spawn(const Device& device, std::string_view source, const Options& options = {});

// Several actors in one kernel. `common.kind` and `common.state` are not used.
QUERN_API std::vector<Actor> spawn(const Device& device, std::string_view source, const Options& common,
                                   std::span<const Member> members);

/// Reads a `.cu` file and spawns the actors in it, as spawn() does with a source text.
/// Throws Error with ErrorKind::not_found or ErrorKind::io if the file cannot be read.
QUERN_API Actor spawn_file(const Device& device, const std::string& path, const Options& options = {});
QUERN_API std::vector<Actor> spawn_file(const Device& device, const std::string& path, const Options& common,
                                        std::span<const Member> members);

}  // namespace quern::ring
