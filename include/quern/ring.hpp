/// @file
/// Ring kernels: actors that live on a device. An actor is a state and a message handler in the kernel
/// language. Messages reach it through a ring buffer that host and device can access. If the device supports
/// it, the kernel is persistent: a call takes about a microsecond on the CPU and a few on a GPU, without a
/// launch, a copy or a stream.
///
/// @code
/// QUERN_ACTOR(Counter, (long total), (int add), long, { total += add; return total; })
///
/// auto counter = ring::spawn(quern::open(), Counter{});   // total starts at 0
/// counter.send(2);
/// long t = counter.call(5).get();                         // 7; or co_await counter.call(5)
/// @endcode
///
/// From source text:
///
/// @code
/// struct State { long total; };
/// struct Message { int add; };
/// using Reply = long;
/// __device__ Reply on_message(State& state, const Message& message, quern::ring::Context& context) {
///   return state.total += message.add;
/// }
///
/// auto counter = ring::spawn(gpu, text).as<State, Message, long>();   // with the program's own structs
/// @endcode
///
/// Link quern::ring in addition to quern::quern. See docs/ring.md.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/device.hpp"
#include "quern/ring/actor.hpp"
#include "quern/ring/future.hpp"
#include "quern/ring/inline_actor.hpp"
#include "quern/ring/options.hpp"

namespace quern::ring {

namespace detail {

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}
// Throws if the device's types have other sizes than the program's.
QUERN_API void check_sizes(const Actor& actor, const Sizes& own);

}  // namespace detail

/// A running actor with its types. `Reply` may be void. Copies refer to the same actor. Thread-safe. The
/// functions are those of Actor, with typed messages.
template <typename State, typename Message, typename Reply>
class Handle {
  static_assert(std::is_trivially_copyable_v<State> && std::is_trivially_copyable_v<Message>,
                "states and messages are plain data");

 public:
  /// No actor.
  Handle() = default;
  /// Throws if the sizes of the types differ from the device's.
  explicit Handle(Actor actor) : actor_(std::move(actor)) { detail::check_sizes(actor_, own_sizes()); }

  /// Sends a message. See Actor::send.
  void send(const Message& message) const { actor_.send(detail::bytes_of(message)); }
  /// The same with a deadline or priority.
  void send(const Message& message, const Delivery& delivery) const {
    actor_.send(detail::bytes_of(message), delivery);
  }
  /// Sends consecutive messages.
  void send(std::span<const Message> messages) const { actor_.send(std::as_bytes(messages)); }
  /// Never waits. See Actor::try_send.
  bool try_send(const Message& message) const { return actor_.try_send(detail::bytes_of(message)); }
  /// The same with a deadline or priority.
  bool try_send(const Message& message, const Delivery& delivery) const {
    return actor_.try_send(detail::bytes_of(message), delivery);
  }
  /// Sends a message with a deadline or priority, and returns its future reply.
  Future<Reply> call(const Message& message, const Delivery& delivery) const {
    return Future<Reply>(actor_.call(detail::bytes_of(message), delivery));
  }
  /// Sends a message later.
  Timer send_after(std::chrono::nanoseconds delay, const Message& message) const {
    return actor_.send_after(delay, detail::bytes_of(message));
  }
  /// Sends a message periodically.
  Timer send_every(std::chrono::nanoseconds period, const Message& message) const {
    return actor_.send_every(period, detail::bytes_of(message));
  }
  /// Sends a message and returns its future reply.
  Future<Reply> call(const Message& message) const {
    return Future<Reply>(actor_.call(detail::bytes_of(message)));
  }

  /// These take the message's fields, as QUERN_ACTOR names them.
  template <typename... Fields>
  requires(!(sizeof...(Fields) == 1 && (std::is_convertible_v<const Fields&, const Message&> && ...)) &&
           requires(const Fields&... f) { Message{f...}; }) void send(const Fields&... fields) const {
    send(Message{fields...});
  }
  /// As try_send() with the message's fields.
  template <typename... Fields>
  requires(!(sizeof...(Fields) == 1 && (std::is_convertible_v<const Fields&, const Message&> && ...)) &&
           requires(const Fields&... f) { Message{f...}; }) bool try_send(const Fields&... fields) const {
    return try_send(Message{fields...});
  }
  /// As call() with the message's fields.
  template <typename... Fields>
  requires(!(sizeof...(Fields) == 1 && (std::is_convertible_v<const Fields&, const Message&> && ...)) &&
           requires(const Fields&... f) { Message{f...}; }) Future<Reply> call(const Fields&... fields)
  const { return call(Message{fields...}); }

  /// Calls `function(const Reply&)` with every event that the actor publishes. See Actor::subscribe.
  template <typename Function>
  requires(!std::is_void_v<Reply>) void subscribe(Function function) const {
    actor_.subscribe([function = std::move(function)](std::span<const std::byte> bytes) {
      Reply event;
      std::memcpy(static_cast<void*>(&event), bytes.data(), sizeof(Reply));
      function(event);
    });
  }

  /// The same with the event's stamp (Options::stamps).
  template <typename Function>
  requires(!std::is_void_v<Reply>) void subscribe_stamped(Function function) const {
    actor_.subscribe_stamped(
        [function = std::move(function)](std::span<const std::byte> bytes, std::uint64_t stamp) {
          Reply event;
          std::memcpy(static_cast<void*>(&event), bytes.data(), sizeof(Reply));
          function(event, stamp);
        });
  }

  /// Replaces the handler by another one for the same state, message and reply: source text or an inline
  /// actor.
  void replace(std::string_view source) const { actor_.replace(source); }
  /// The same by an inline actor.
  template <InlineActor A>
  void replace(const A&) const {
    static_assert(sizeof(A) == sizeof(State) && sizeof(typename A::Message) == sizeof(Message),
                  "another handler needs a state and messages of the same layout");
    actor_.replace(detail::source_of(detail::text_of<A>()));
  }

  /// A copy of the state between two messages.
  State state() const {
    const std::vector<std::byte> bytes = actor_.state();
    State state;
    std::memcpy(static_cast<void*>(&state), bytes.data(), sizeof(State));
    return state;
  }

  /// As Actor::pause.
  void pause() const { actor_.pause(); }
  /// As Actor::resume.
  void resume() const { actor_.resume(); }
  /// As Actor::drain.
  void drain() const { actor_.drain(); }
  /// As Actor::stop.
  bool stop(std::chrono::nanoseconds limit = std::chrono::seconds(10)) const { return actor_.stop(limit); }
  /// As Actor::kill.
  void kill() const { actor_.kill(); }
  /// As Actor::checkpoint.
  void checkpoint(const std::string& path) const { actor_.checkpoint(path); }
  /// As Actor::restore.
  void restore(const std::string& path) const { actor_.restore(path); }
  /// As Actor::engine.
  Engine engine() const { return actor_.engine(); }
  /// As Actor::phase.
  Phase phase() const { return actor_.phase(); }
  /// As Actor::telemetry.
  Telemetry telemetry() const { return actor_.telemetry(); }
  /// The actor without types.
  const Actor& actor() const { return actor_; }
  /// Whether it is an actor.
  explicit operator bool() const { return static_cast<bool>(actor_); }

 private:
  static constexpr Sizes own_sizes() {
    Sizes s{sizeof(State), sizeof(Message), 0};
    if constexpr (!std::is_void_v<Reply>) s.reply = sizeof(Reply);
    return s;
  }
  Actor actor_;
};

template <typename State, typename Message, typename Reply>
Handle<State, Message, Reply> Actor::as() const {
  return Handle<State, Message, Reply>(*this);
}

/// The handle of an inline actor.
template <InlineActor A>
using HandleOf = Handle<A, typename A::Message, typename A::Reply>;

namespace detail {

template <InlineActor A>
Member member_of(const A& actor) {
  const std::span<const std::byte> bytes = bytes_of(actor);
  return {text_of<A>().name, {bytes.begin(), bytes.end()}};
}

template <InlineActor... A, std::size_t... Place>
std::tuple<HandleOf<A>...> handles_of(const std::vector<Actor>& actors, std::index_sequence<Place...>) {
  return {HandleOf<A>(actors[Place])...};
}

}  // namespace detail

/// Spawns an inline actor; `actor` is its initial state.
template <InlineActor A>
HandleOf<A> spawn(const Device& device, const A& actor, Options options = {}) {
  options.kind.clear();
  options.state = detail::member_of(actor).state;
  return HandleOf<A>(spawn(device, detail::source_of(detail::text_of<A>()), options));
}

/// Spawns several inline actors in one kernel. They can send to each other by their index in the list:
///
/// @code
/// QUERN_ACTOR(Sink, (long sum), (int value), long, { return sum += value; })
/// QUERN_ACTOR(Source, (int n), (int value), void, { context.send(1, Sink::Message{value * 2}); })
///
/// auto [source, sink] = ring::spawn_group(gpu, {}, Source{}, Sink{});
/// @endcode
template <InlineActor... A>
requires(sizeof...(A) > 0) std::tuple<HandleOf<A>...> spawn_group(const Device& device, const Options& common,
                                                                  const A&... actors) {
  const detail::ActorText kinds[] = {detail::text_of<A>()...};
  const Member members[] = {detail::member_of(actors)...};
  const std::vector<Actor> spawned = spawn(device, detail::source_of(kinds), common, members);
  return detail::handles_of<A...>(spawned, std::index_sequence_for<A...>());
}

/// Spawns one actor of a kind for each initial state.
template <InlineActor A>
std::vector<HandleOf<A>> spawn_group(const Device& device, const Options& common,
                                     const std::vector<A>& actors) {
  const detail::ActorText kinds[] = {detail::text_of<A>()};
  std::vector<Member> members;
  for (const A& actor : actors) members.push_back(detail::member_of(actor));
  std::vector<HandleOf<A>> handles;
  for (const Actor& actor : spawn(device, detail::source_of(kinds), common, members))
    handles.emplace_back(actor);
  return handles;
}

}  // namespace quern::ring

namespace quern {

/// Implements Device::spawn.
template <ring::InlineActor A>
auto spawn_actor(const Device& device, const A& actor, const ring::Options& options = {}) {
  return ring::spawn(device, actor, options);
}

}  // namespace quern
