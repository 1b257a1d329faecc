// What an actor is made with, and what it tells of itself.
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

// Who handles a message. All but `parallel` handle the messages of an actor one after the other, in the order
// of its ring.
//  thread    one thread
//  block     all threads of a block together: the handler may use __syncthreads() and shared memory
//  grid      all threads of the actor's grid together: the handler may use context.sync()
//  parallel  one thread each, many messages at once and in no order: state is shared, use atomics
// The Reply of block and grid is that of their first thread.
enum class Shape : std::uint8_t { thread, block, grid, parallel };

// What a message does that finds its ring full.
//  block        its sender waits
//  fail         send() throws, try_send() says false
//  drop_oldest  it waits in a queue beside the ring; when that is full too, the oldest in it is dropped
//  spill        it waits in a queue beside the ring that grows as it must
enum class WhenFull : std::uint8_t { block, fail, drop_oldest, spill };

// persistent: a kernel that never returns and sees the host's memory. driven: the host launches a kernel for
// each batch of messages. automatic: persistent where the device can.
enum class Engine : std::uint8_t { automatic, persistent, driven };

enum class Phase : std::uint8_t {
  created,     // rings and state are there
  launched,    // the kernel was asked for and has not answered yet
  active,      // it handles messages
  paused,      // it handles none until resume()
  draining,    // it takes no new ones and handles those it has
  terminated,  // it was stopped
  failed,      // it ended by itself: error() says why
};
const char* to_string(Phase phase);
const char* to_string(Engine engine);

// How often the actors of a kernel that ended by itself are started again, with the state they had after the
// last message that was handled whole. The message that was under way is a dead letter.
struct Restart {
  std::uint32_t limit = 0;  // times within `window`; 0: never
  std::chrono::nanoseconds window = std::chrono::minutes(1);
};

// A message that will never be handled.
struct DeadLetter {
  enum class Reason : std::uint8_t { dropped, faulted, stopped, expired };
  Reason reason = Reason::dropped;
  std::uint32_t actor = 0;  // its place in the group
  std::vector<std::byte> message;
};

// How a message is to be delivered.
struct Delivery {
  std::chrono::nanoseconds within{0};  // not handled after that: it expires; 0: it never does
  bool urgent = false;                 // before all that are not
};

struct Options {
  std::string kind =
      {};  // the namespace in the text that has State, Message, Reply and on_message; empty: none
  Shape shape = Shape::thread;
  std::uint32_t threads = 0;      // of a block; 0: what suits shape and device
  std::uint32_t blocks = 0;       // Shape::grid; 0: what suits the device
  std::uint32_t slots = 1024;     // of the ring; rounded up to a power of two
  std::uint32_t replies = 256;    // calls that may be under way at once
  std::uint32_t events = 256;     // that may wait for the subscribers
  std::uint32_t peer_slots = 64;  // of the ring that other actors of the group send to
  std::uint32_t urgent = 0;       // slots of the ring for urgent messages; 0: it has none
  std::uint32_t timers = 0;       // that an actor's handler may have set at once
  bool deadlines = false;         // messages may have one: Delivery::within
  bool stamps = false;            // messages, replies and events carry stamps of a hybrid logical clock
  WhenFull when_full = WhenFull::block;
  std::uint32_t overflow = 1024;  // of the queue beside the ring, for drop_oldest
  bool one_producer = false;      // only one thread at a time sends: a little faster
  Engine engine = Engine::automatic;
  std::uint32_t batch = 1024;  // messages of one launch, at most (driven)
  // A kernel that has had nothing to do for so long leaves, and is launched again when something comes: it
  // takes no time of the device meanwhile. 0, or where a kind has an on_idle: it never does; less: 50 ms on
  // processors, else about half a second.
  std::chrono::nanoseconds doze{-1};
  std::chrono::nanoseconds watchdog{0};  // fails when a message, timer or hook takes longer; 0: it may
  Restart restart = {};                  //
  std::vector<std::byte> state = {};     // at the beginning; empty: zeros, then on_start
  std::vector<Argument> buffers = {};    // context.buffer<T>(0), …: at most 4; they must outlive the actor
  std::function<void(const DeadLetter&)> on_dead_letter = {};  // on a thread of the library
  ModuleOptions module = {};
};

// One of several actors that share a kernel: they may be of different kinds and send to each other.
struct Member {
  std::string kind = {};
  std::vector<std::byte> state = {};
};

// Since the actor was made; read without disturbing it.
struct Telemetry {
  Phase phase = Phase::created;
  std::uint64_t sent = 0;          // by the host
  std::uint64_t handled = 0;       // messages of host and peers
  std::uint64_t errors = 0;        // context.fail()
  std::uint64_t dropped = 0;       // by WhenFull::drop_oldest
  std::uint64_t expired = 0;       // messages that were not handled in time
  std::uint64_t fired = 0;         // timers of the handler
  std::uint64_t published = 0;     // events
  std::uint64_t unpublished = 0;   // events that found no room
  std::uint64_t peer_sent = 0;     // to other actors
  std::uint64_t peer_refused = 0;  // sends to a peer that had no room or had ended
  std::uint64_t depth = 0;         // messages in the ring
  std::uint64_t peer_depth = 0;    // messages of other actors that wait
  std::uint64_t overflow = 0;      // messages in the queue beside it
  std::uint64_t heartbeat = 0;     // grows while the kernel lives
  std::uint64_t launches = 0;      // of its kernel
  std::uint64_t restarts = 0;
  std::uint64_t recoveries = 0;  // from losses of a session's device, of persistent actors
  double busy = 0;               // share of the time since the start in which it handled messages
  // Time that batches of messages took on the device's clock, per message: [k] counts those of 2^k … 2^(k+1)
  // ns.
  std::array<std::uint64_t, 32> nanoseconds{};
};

}  // namespace quern::ring
