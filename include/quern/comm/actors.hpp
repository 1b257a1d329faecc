/// @file
/// Actors on other ranks: messages between the ring kernels of a job. Programs that include this header also
/// link quern::ring.
///
/// @code
/// comm::ActorNode node(comm::mpi(gpu));                       // on every rank
/// auto counter = gpu.spawn(Counter{});
/// node.publish("counter", counter);
/// auto remote = node.remote<Counter>(1, "counter");           // the actor of rank 1
/// remote.send({5});
/// long total = remote.call({1}).get();
/// @endcode
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/comm/communicator.hpp"
#include "quern/export.hpp"
#include "quern/ring.hpp"

namespace quern::comm {

/// A message to an actor of another rank that was not handled, as far as this rank knows.
struct LostMessage {
  int rank = 0;                    ///< The rank that it was sent to.
  std::string actor;               ///< The name of the actor.
  std::vector<std::byte> message;  ///< The message.
  std::string reason;              ///< Why it is lost, as a sentence.
};

/// Options of an ActorNode, equal on all ranks.
struct NodeOptions {
  /// The most bytes that a rank sends to another one in one exchange.
  std::size_t frame_bytes = std::size_t{64} << 10;
  /// Limit on the bytes to a rank that its actors have yet to accept. Further sends wait.
  std::size_t window_bytes = std::size_t{1} << 20;
  /// Time limit of an exchange. After it, a rank that does not take part counts as dead.
  std::chrono::nanoseconds timeout = std::chrono::seconds(5);
  /// Called with messages that are lost, on a thread of the library. It must not use the node.
  std::function<void(const LostMessage&)> on_dead_letter = {};
};

namespace detail {

// A call to an actor of this process, until its reply.
class LocalCall {
 public:
  LocalCall() = default;
  virtual ~LocalCall() = default;
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;
  virtual bool wait_for(std::chrono::nanoseconds limit) = 0;  // whether take() returns immediately
  virtual std::vector<std::byte> take() = 0;                  // throws the error of the call
};

// An actor of this process. The functions throw Error if it has ended.
struct LocalActor {
  std::size_t message_bytes = 0, reply_bytes = 0;
  std::function<void(std::span<const std::byte>)> send;
  std::function<std::unique_ptr<LocalCall>(std::span<const std::byte>)> call;
};

class Node;

// A call to an actor of another rank.
class QUERN_API RemoteCall {
 public:
  struct State;
  RemoteCall() = default;
  explicit RemoteCall(std::shared_ptr<State> state) : state_(std::move(state)) {}
  bool valid() const { return state_ != nullptr; }
  bool wait_for(std::chrono::nanoseconds limit) const;
  void take(void* reply, std::size_t bytes);

 private:
  std::shared_ptr<State> state_;
};

class RingCall final : public LocalCall {
 public:
  RingCall(ring::detail::Call call, std::size_t bytes) : call_(std::move(call)), bytes_(bytes) {}
  bool wait_for(std::chrono::nanoseconds limit) override { return call_.wait_for(limit); }
  std::vector<std::byte> take() override {
    std::vector<std::byte> reply(bytes_);
    call_.take(reply.data(), reply.size());
    return reply;
  }

 private:
  ring::detail::Call call_;
  std::size_t bytes_;
};

inline LocalActor local_actor(const ring::Actor& actor) {
  const std::size_t reply = actor.sizes().reply;
  return {actor.sizes().message, reply, [actor](std::span<const std::byte> bytes) { actor.send(bytes); },
          [actor, reply](std::span<const std::byte> bytes) -> std::unique_ptr<LocalCall> {
            return std::make_unique<RingCall>(actor.call(bytes), reply);
          }};
}

}  // namespace detail

/// The future reply of a call to an actor of another rank. Move-only; destroying it discards the reply.
template <typename Reply>
class [[nodiscard]] RemoteFuture {
 public:
  /// No call.
  RemoteFuture() = default;
  /// Used by the library.
  explicit RemoteFuture(detail::RemoteCall call) : call_(std::move(call)) {}
  RemoteFuture(RemoteFuture&&) noexcept = default;
  RemoteFuture& operator=(RemoteFuture&&) noexcept = default;
  RemoteFuture(const RemoteFuture&) = delete;
  RemoteFuture& operator=(const RemoteFuture&) = delete;
  ~RemoteFuture() = default;

  /// Whether a reply can still be taken.
  bool valid() const { return call_.valid(); }
  /// Whether get() returns immediately.
  bool ready() const { return call_.wait_for(std::chrono::nanoseconds(0)); }
  /// Waits for the reply, at most `limit`. Returns whether it has arrived.
  bool wait_for(std::chrono::nanoseconds limit) const { return call_.wait_for(limit); }
  /// Waits for the reply. Throws Error if the actor has ended, does not exist, or its rank has died.
  Reply get() {
    if constexpr (std::is_void_v<Reply>) {
      call_.take(nullptr, 0);
    } else {
      Reply reply;
      call_.take(&reply, sizeof(Reply));
      return reply;
    }
  }

 private:
  detail::RemoteCall call_;
};

/// An actor of another rank, without types. Copies refer to the same actor. Thread-safe. It keeps the
/// connection of its ActorNode, which must be closed on all ranks.
class QUERN_API RemoteActor {
 public:
  /// No actor.
  RemoteActor() = default;
  /// The rank of the actor.
  int rank() const { return rank_; }
  /// The name of the actor.
  const std::string& name() const { return name_; }

  /// Sends one or several messages of `message_bytes` each, which stay together and in order. Waits while the
  /// window is full. Throws Error if a rank has died, or if the messages exceed the window.
  void send(std::span<const std::byte> messages, std::size_t message_bytes) const;
  /// Sends a message and returns its future reply.
  detail::RemoteCall call(std::span<const std::byte> message) const;

 private:
  friend class ActorNode;
  RemoteActor(std::shared_ptr<detail::Node> node, int rank, std::string name);
  std::shared_ptr<detail::Node> node_;
  int rank_ = 0;
  std::uint64_t id_ = 0;
  std::string name_;
};

/// An actor of another rank, with types. Copies refer to the same actor. Thread-safe.
template <typename Message, typename Reply>
class RemoteHandle {
 public:
  /// No actor.
  RemoteHandle() = default;
  /// An actor with messages and replies of these types.
  explicit RemoteHandle(RemoteActor actor) : actor_(std::move(actor)) {}

  /// Sends a message. Messages of one sender are handled in the order of the calls.
  void send(const Message& message) const {
    actor_.send(std::as_bytes(std::span<const Message>(&message, 1)), sizeof(Message));
  }
  /// Sends consecutive messages.
  void send(std::span<const Message> messages) const {
    actor_.send(std::as_bytes(messages), sizeof(Message));
  }
  /// Sends a message and returns its future reply.
  RemoteFuture<Reply> call(const Message& message) const {
    return RemoteFuture<Reply>(actor_.call(std::as_bytes(std::span<const Message>(&message, 1))));
  }
  /// The actor without types.
  const RemoteActor& actor() const { return actor_; }

 private:
  RemoteActor actor_;
};

/// The connection of this rank's actors with those of the other ranks. All ranks of the communicator create
/// one. It uses the communicator on its own thread, so the program must not use it for anything else.
///
/// Messages of one sender to one actor are accepted in order and exactly once. If a rank dies or does not
/// respond within NodeOptions::timeout, the node fails on all ranks: messages that were not confirmed are
/// dead letters, calls without a reply throw, and sends throw. A dead letter may have been handled if the
/// node failed before the confirmation arrived. Thread-safe.
class QUERN_API ActorNode {
 public:
  /// Connects the ranks.
  explicit ActorNode(const Communicator& ranks, const NodeOptions& options = {});
  /// Calls close().
  ~ActorNode();
  ActorNode(const ActorNode&) = delete;
  ActorNode& operator=(const ActorNode&) = delete;

  /// Makes an actor of this process available under a name. Publish it before other ranks send to it:
  /// messages to an unknown name are dead letters on the sender.
  void publish(const std::string& name, const ring::Actor& actor) const {
    add(name, detail::local_actor(actor));
  }
  /// The same for an actor with types.
  template <typename State, typename Message, typename Reply>
  void publish(const std::string& name, const ring::Handle<State, Message, Reply>& actor) const {
    publish(name, actor.actor());
  }

  /// The actor that rank `rank` publishes under this name. It may be this rank.
  RemoteActor actor(int rank, const std::string& name) const;
  /// The same with the types of an inline actor.
  template <ring::InlineActor A>
  RemoteHandle<typename A::Message, typename A::Reply> remote(int rank, const std::string& name) const {
    return RemoteHandle<typename A::Message, typename A::Reply>(actor(rank, name));
  }

  /// Waits until the actors have accepted all messages that this rank sent before. Throws Error if the node
  /// has failed.
  void flush() const;
  /// Waits until all ranks have called it, all calls have their replies, and all messages are accepted. Does
  /// nothing if the node has failed or is closed.
  void close() const;

 private:
  void add(const std::string& name, detail::LocalActor actor) const;
  std::shared_ptr<detail::Node> node_;
};

}  // namespace quern::comm
