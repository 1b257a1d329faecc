// The effects of a fault: the previous state, and a dead letter, wherever the message came from and whoever
// handled it.
#include <atomic>
#include <mutex>

#include "ring/engines.hpp"

namespace quern::ring {
namespace {

// `what`: 1 faults in the middle of a change; 2 sends such a message to itself; 3 sets a timer with it.
constexpr const char* kFaults = R"(
struct State { int starts, count, half; };
struct Message { int value, what; };
using Reply = int;
__device__ void on_start(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.starts += 1; c.sync(); }
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) s.half += m.value;
  c.sync();
  if (m.what == 1) assert(m.value == 0);
  if (c.thread() == 0) {
    s.count += m.value;
    if (m.what == 2) c.send(0, Message{m.value, 1});
    if (m.what == 3) c.after_messages(0, Message{m.value, 1});
  }
  c.sync();
  return s.count;
}
)";
struct State {
  int starts, count, half;
};
struct Message {
  int value, what;
};

class Faults : public OnDevices {
 protected:
  // For any actor.
  void count_dead(Options& options) {
    dead_.clear();
    options.on_dead_letter = [this](const DeadLetter& letter) {
      if (letter.reason != DeadLetter::Reason::faulted) return;
      Message message;
      std::memcpy(&message, letter.message.data(), sizeof message);
      const std::lock_guard lock(mutex_);
      dead_.push_back(message.value);
    };
  }
  std::vector<int> dead() {
    const std::lock_guard lock(mutex_);
    return dead_;
  }

 private:
  std::mutex mutex_;
  std::vector<int> dead_;
};

TEST_P(Faults, LeaveTheStateBeforeAndADeadLetter) {
  on_each([&](Options options) {
    options.restart.limit = 8;
    options.timers = 2;
    options.urgent = 8;
    count_dead(options);
    const auto actor = spawn(device_, kFaults, options).as<State, Message, int>();
    // The very first message faults: the effect of on_start stays.
    EXPECT_THROW((void)actor.call({5, 1}).get(), Error);
    EXPECT_EQ(actor.call({1, 0}).get(), 1);
    EXPECT_EQ(actor.call({2, 2}).get(), 3);  // to itself
    actor.drain();
    EXPECT_EQ(actor.call({3, 0}).get(), 6);
    EXPECT_EQ(actor.call({4, 3}).get(), 10);  // by a timer
    actor.drain();
    Delivery urgent;
    urgent.urgent = true;
    EXPECT_THROW((void)actor.call({6, 1}, urgent).get(), Error);
    EXPECT_EQ(actor.call({7, 0}).get(), 17);
    const State state = actor.state();
    EXPECT_EQ(state.starts, 1);
    EXPECT_EQ(state.count, 17);
    EXPECT_EQ(state.half, 17);
    EXPECT_EQ(dead(), (std::vector<int>{5, 2, 4, 6}));
    EXPECT_EQ(actor.telemetry().restarts, 4u);
    EXPECT_TRUE(actor.stop()) << "it has handled all, and yet not";
  });
}

// No later message reports the device's progress to the host.
TEST_P(Faults, OfTheLastMessageOfAllLeaveNothingBehind) {
  on_each([&](Options options) {
    options.restart.limit = 8;
    options.timers = 2;
    options.urgent = 8;
    count_dead(options);
    for (const bool is_urgent : {false, true}) {
      const auto actor = spawn(device_, kFaults, options).as<State, Message, int>();
      EXPECT_EQ(actor.call({1, 0}).get(), 1);
      Delivery how;
      how.urgent = is_urgent;
      EXPECT_THROW((void)actor.call({6, 1}, how).get(), Error);
      actor.drain();
      EXPECT_EQ(actor.telemetry().depth, 0u);
      EXPECT_TRUE(actor.stop());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, Faults, ::testing::Values("cpu"), device_name);

class FaultyHooks : public OnDevices {};

// It is retried up to the limit, and then reported.
TEST_P(FaultyHooks, OnStart) {
  on_each([&](Options options) {
    options.restart.limit = 3;
    const Actor actor = spawn(device_, R"(
struct State { int starts; };
struct Message { int value; };
using Reply = int;
__device__ void on_start(State& s, quern::ring::Context&) { s.starts += 1; assert(s.starts > 9); }
__device__ int on_message(State& s, const Message&, quern::ring::Context&) { return s.starts; }
)",
                              options);
    const auto typed = actor.as<int, int, int>();
    EXPECT_THROW((void)typed.call(1).get(), Error);
    EXPECT_EQ(typed.phase(), Phase::failed);
    EXPECT_EQ(typed.telemetry().restarts, 3u);
    EXPECT_NE(actor.error().find("s.starts > 9"), std::string::npos) << actor.error();
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, FaultyHooks, ::testing::Values("cpu"), device_name);

// Of two actors of one kernel, the one without a fault continues unchanged.
TEST_P(Faults, OfAPeerAreItsOwn) {
  on_each([&](Options options) {
    if (options.shape == Shape::grid) return;
    options.restart.limit = 100;
    count_dead(options);
    const std::string source = R"(
struct Pair { int value, what; };
namespace giver {
struct State { int given, starts; };
using Message = Pair;
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) s.given += c.send(1, m) ? 1 : 0;
  c.sync();
  return s.given;
}
}
namespace taker {
struct State { int sum, half; };
using Message = Pair;
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) s.half += m.value;
  c.sync();
  if (m.what == 1) assert(m.value == 0);
  if (c.thread() == 0) s.sum += m.value;
  c.sync();
  return s.sum;
}
}
)";
    const Member members[] = {{"giver", {}}, {"taker", {}}};
    const auto actors = spawn(device_, source, options, members);
    const auto giver = actors[0].as<Message, Message, int>();
    const auto taker = actors[1].as<Message, Message, int>();
    int expected = 0;
    for (int i = 1; i <= 40; ++i) {
      EXPECT_EQ(giver.call({i, i % 4 == 0 ? 1 : 0}).get(), i);
      if (i % 4 != 0) expected += i;
    }
    giver.drain();
    taker.drain();
    EXPECT_EQ(taker.state().value, expected);
    EXPECT_EQ(taker.state().what, expected);
    EXPECT_EQ(dead(), (std::vector<int>{4, 8, 12, 16, 20, 24, 28, 32, 36, 40}));
  });
}

class Ended : public OnDevices {};

// Messages of peers to an actor that ends become dead letters, and later senders are notified.
TEST_P(Ended, ActorsTakeNothingOfPeers) {
  on_each([&](Options options) {
    if (options.shape == Shape::grid) return;
    for (const bool kills : {false, true}) {
      SCOPED_TRACE(kills);
      std::mutex mutex;
      std::vector<int> dead;
      options.on_dead_letter = [&](const DeadLetter& letter) {
        int value = 0;
        std::memcpy(&value, letter.message.data(), sizeof value);
        const std::lock_guard lock(mutex);
        if (letter.actor == 1 && letter.reason == DeadLetter::Reason::stopped) dead.push_back(value);
      };
      const Member members[] = {{{}, {}}, {{}, {}}};
      const auto actors = spawn(device_, R"(
struct State { int sum; };
struct Message { int value; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  int sent = 0;
  if (c.thread() == 0) {
    if (c.index() == 0) sent = c.send(1, m) ? 1 : 0;
    s.sum += m.value;
  }
  c.sync();
  return sent;
}
)",
                                options, members);
      const auto giver = actors[0].as<int, int, int>();
      const auto taker = actors[1].as<int, int, int>();
      taker.pause();
      for (int i = 1; i <= 5; ++i) EXPECT_EQ(giver.call(i).get(), 1);
      EXPECT_EQ(taker.telemetry().handled, 0u);
      if (kills) {
        taker.kill();
        EXPECT_EQ(dead, (std::vector<int>{1, 2, 3, 4, 5}));
      } else {
        EXPECT_TRUE(taker.stop());
        EXPECT_EQ(taker.state(), 15);  // they came before the end
        EXPECT_TRUE(dead.empty());
      }
      EXPECT_EQ(giver.call(6).get(), 0);
      EXPECT_EQ(giver.call(7).get(), 0);
      EXPECT_TRUE(giver.stop());
      EXPECT_EQ(giver.telemetry().peer_refused, 2u);
      EXPECT_EQ(giver.telemetry().peer_sent, 5u);
      EXPECT_EQ(taker.telemetry().peer_depth, kills ? 5u : 0u);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, Ended, ::testing::ValuesIn(ring_drivers()), device_name);

// A message that is too long for the receiver is not truncated; a shorter one is padded with zeros.
TEST_P(Ended, MessagesOfOtherSizesAreNotCut) {
  on_each([&](const Options& options) {
    if (options.shape == Shape::grid) return;
    const Member members[] = {{"far", {}}, {"near", {}}};
    const auto actors = spawn(device_, R"(
namespace near {
struct State { int sum; };
struct Message { int a; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    s.sum += m.a;
    if (m.a == 1) c.send(0, m);
  }
  c.sync();
  return s.sum;
}
}
namespace far {
struct State { long long sum; };
struct Message { int a; int pad[9]; long long b; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  int sent = 0;
  if (c.thread() == 0) {
    s.sum += m.a + m.b;
    if (m.a == 7) sent = c.send(1, m) ? 1 : 0;
    if (m.a == 8) sent = c.send(1, near::Message{m.a}) ? 1 : 0;
  }
  c.sync();
  return sent;
}
}
)",
                              options, members);
    struct Far {
      int a;
      int pad[9];
      long long b;
    };
    const auto far = actors[0].as<long long, Far, int>();
    const auto near = actors[1].as<int, int, int>();
    for (int i = 0; i < 200; ++i) (void)far.call({7, {}, 1000}).get();  // leaves no slot unused
    EXPECT_EQ(far.state(), 200 * 1007);
    EXPECT_EQ(far.call({7, {}, 1000}).get(), 0);
    EXPECT_EQ(far.call({8, {}, 1000}).get(), 1);
    near.drain();
    EXPECT_EQ(near.call(1).get(), 9);
    far.drain();
    EXPECT_EQ(far.state(), 201 * 1007 + 1008 + 1);
  });
}

}  // namespace
}  // namespace quern::ring
