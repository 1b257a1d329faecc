/// @file
/// Inline actors:
///
/// @code
/// QUERN_ACTOR(Counter, (long total), (int add), long, { total += add; return total; })
/// @endcode
///
/// defines the type Counter, which is the state (here one long, `total`), with the types Counter::Message
/// (one int, `add`) and Counter::Reply. The body uses state and message by name, and `context`
/// (docs/ring.md). As in QUERN_KERNEL, the host compiler checks it, and it can use what QUERN_CODE declares.
/// Optional hooks follow directly; their bodies use the state and `context`:
///
/// @code
/// QUERN_ON_START(Counter, { total = 100; })    // before its first message
/// QUERN_ON_IDLE(Counter, { … })                // when its rings contain no message
/// QUERN_ON_STOP(Counter, { … })                // when it is stopped
/// @endcode
///
/// State and message have at most 16 fields each; put an array, or a template with commas, in a struct of
/// QUERN_CODE.
#pragma once

#include <concepts>
#include <span>
#include <string>

#include "quern/export.hpp"
#include "quern/inline.hpp"
#include "quern/kernel_names.hpp"

namespace quern::ring {

namespace detail {

// Text between braces, with its location.
struct Body {
  const char* text = nullptr;  // "{ … }"
  const char* file = "";
  int line = 0;
};
struct ActorHooks {
  Body start, idle, stop;
};
struct ActorText {
  const char* name;     // "Counter"
  const char* state;    // "(long total)"
  const char* message;  // "(int add)"
  const char* reply;    // "long"
  Body body;
  ActorHooks hooks = {};
};
// The source that spawn() takes; several actors are each in a namespace with their name.
QUERN_API std::string source_of(const ActorText& text);
QUERN_API std::string source_of(std::span<const ActorText> kinds);

// QUERN_ON_START and the others declare a function of this name for their actor, which is preferred.
struct OnStart {};
struct OnIdle {};
struct OnStop {};
template <typename A, typename Hook>
Body quern_hook_of_(const A*, Hook) {
  return {};
}

}  // namespace detail

template <typename A>
concept InlineActor = requires {
  typename A::Message;
  typename A::Reply;
  { A::quern_actor_text_() } -> std::same_as<detail::ActorText>;
};

namespace detail {

template <InlineActor A>
ActorText text_of() {
  ActorText text = A::quern_actor_text_();
  constexpr const A* kActor = nullptr;
  text.hooks = {quern_hook_of_(kActor, OnStart{}), quern_hook_of_(kActor, OnIdle{}),
                quern_hook_of_(kActor, OnStop{})};
  return text;
}

}  // namespace detail

/// The context of a handler, as the host compiler sees it in an inline actor; the device has the real one.
/// docs/ring.md describes the functions.
class Context {
 public:
  /// A buffer of Options::buffers.
  template <typename T>
  T* buffer(int) {
    return nullptr;
  }
  /// Sends to another actor of the group.
  template <typename M>
  bool send(unsigned, const M&) {
    return false;
  }
  /// Publishes an event.
  template <typename R>
  bool publish(const R&) {
    return false;
  }
  /// Sends to itself after a time in nanoseconds.
  template <typename M>
  bool after(unsigned long long, const M&) {
    return false;
  }
  /// Sends to itself after a number of messages.
  template <typename M>
  bool after_messages(unsigned, const M&) {
    return false;
  }
  /// Time in nanoseconds.
  unsigned long long time() const { return 0; }
  /// Stamp of the message.
  unsigned long long stamp() const { return 0; }
  /// Whether the message is urgent.
  bool is_urgent() const { return false; }
  /// Reports an error for this message.
  void fail(unsigned) {}
  /// Barrier of Shape::grid.
  void sync() {}
  /// Makes writes of the host visible.
  void acquire() {}
  /// Index of the actor in its group.
  unsigned index() const { return 0; }
  /// Index of the thread.
  unsigned thread() const { return 0; }
  /// Number of threads.
  unsigned threads() const { return 1; }
  /// Number of the message.
  unsigned long long position() const { return 0; }
};

}  // namespace quern::ring

// (long total, int n) → long total; int n;
#define QUERN_RING_FIELDS_(...) __VA_OPT__(QUERN_EXPAND_(QUERN_RING_FIELD_(__VA_ARGS__)))
#define QUERN_RING_FIELD_(FIRST, ...) \
  FIRST;                              \
  __VA_OPT__(QUERN_RING_AGAIN_ QUERN_PAREN_(__VA_ARGS__))
#define QUERN_RING_AGAIN_() QUERN_RING_FIELD_

/// An inline actor: its name, the fields of its state and of its messages in parentheses, the type of its
/// reply, and the body of its handler. See docs/ring.md.
#define QUERN_ACTOR(NAME, STATE, MESSAGE, REPLY, ...)                                 \
  QUERN_OPEN_SCOPE_                                                                   \
  namespace quern_actor_##NAME {                                                      \
    struct NAME {                                                                     \
      QUERN_RING_FIELDS_ STATE struct Message { QUERN_RING_FIELDS_ MESSAGE };         \
      using Reply = REPLY;                                                            \
      REPLY quern_on_message_ MESSAGE {                                               \
        [[maybe_unused]] ::quern::ring::Context context;                              \
        __VA_ARGS__                                                                   \
      }                                                                               \
      static ::quern::ring::detail::ActorText quern_actor_text_() {                   \
        return {#NAME, #STATE, #MESSAGE, #REPLY, {#__VA_ARGS__, __FILE__, __LINE__}}; \
      }                                                                               \
    };                                                                                \
  }                                                                                   \
  }                                                                                   \
  using quern_code::quern_actor_##NAME::NAME;

/// Body of the hook that runs before the first message.
#define QUERN_ON_START(NAME, ...) QUERN_RING_HOOK_(NAME, OnStart, __VA_ARGS__)
/// Body of the hook that runs while there are no messages.
#define QUERN_ON_IDLE(NAME, ...) QUERN_RING_HOOK_(NAME, OnIdle, __VA_ARGS__)
/// Body of the hook that runs before the actor ends.
#define QUERN_ON_STOP(NAME, ...) QUERN_RING_HOOK_(NAME, OnStop, __VA_ARGS__)

#define QUERN_RING_HOOK_(NAME, HOOK, ...)                                                         \
  namespace quern_code {                                                                          \
  namespace quern_actor_##NAME {                                                                  \
    struct quern_##HOOK##_ : NAME {                                                               \
      void quern_body_() {                                                                        \
        [[maybe_unused]] ::quern::ring::Context context;                                          \
        __VA_ARGS__                                                                               \
      }                                                                                           \
    };                                                                                            \
    inline ::quern::ring::detail::Body quern_hook_of_(const NAME*, ::quern::ring::detail::HOOK) { \
      return {#__VA_ARGS__, __FILE__, __LINE__};                                                  \
    }                                                                                             \
  }                                                                                               \
  }
