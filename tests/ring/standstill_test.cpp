// Situations that must not block forever: commands to an actor whose handler never returns, replies that
// nobody takes, messages of a checkpoint for a paused actor, callbacks that wait for their own thread.
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

// 0: replies; 1: never returns; others: publishes it.
constexpr const char* kStandstillText = R"(
struct State { int n; };
struct Message { int what; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  while (m.what == 1) __nanosleep(1000);
  if (m.what > 1) c.publish(m.what);
  return ++s.n;
}
)";
using Counter = Handle<int, int, int>;
constexpr const char* kNothing = "nothing is thrown";  // returned by message_of then

class Standstill : public ::testing::TestWithParam<Engine> {
 protected:
  static Counter make(Options options = {}) {
    options.engine = GetParam();
    return spawn(open("cpu"), kStandstillText, options).as<int, int, int>();
  }
};

TEST_P(Standstill, WhoStopsDoesNotWaitForWhoPauses) {
  const Counter actor = make();
  actor.send(1);
  std::string said;
  std::thread pauses([&] { said = message_of([&] { actor.pause(); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(actor.stop(std::chrono::milliseconds(300)));
  pauses.join();
  // If the kernel was between two messages, the actor is paused.
  EXPECT_TRUE(said == kNothing || said == "an actor that another thread is stopping cannot pause") << said;
  EXPECT_EQ(actor.phase(), Phase::failed);
}

TEST_P(Standstill, WhoKillsDoesNotWaitForWhoDrains) {
  const Counter actor = make();
  actor.send(1);
  std::string said;
  std::thread drains([&] { said = message_of([&] { actor.drain(); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  actor.kill();
  drains.join();
  EXPECT_EQ(said, "an actor that another thread is stopping cannot drain");
}

// Each message has its own time limit, however many are queued.
TEST(Watchdog, CountsMessagesOneByOne) {
  Options options;
  options.watchdog = std::chrono::seconds(1);
  const auto actor = spawn(open("cpu"), R"(
struct State { int n; };
struct Message { int milliseconds; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context&) {
  const unsigned long long begin = __globaltimer();
  while (__globaltimer() - begin < m.milliseconds * 1000000ull) {}
  return ++s.n;
}
)",
                           options)
                         .as<int, int, int>();
  actor.pause();
  for (int i = 0; i < 60; ++i) actor.send(30);
  actor.resume();
  EXPECT_EQ(actor.call(0).get(), 61);
}

TEST_P(Standstill, RepliesThatNobodyTakes) {
  Options options;
  options.replies = 16;
  const Counter actor = make(options);
  std::vector<Future<int>> futures;
  for (int i = 0; i < 16; ++i) futures.push_back(actor.call(0));
  EXPECT_EQ(message_of([&] { futures.push_back(actor.call(0)); }),
            "call failed: all 16 reply slots hold replies that have not been taken");
  for (int i = 0; i < 16; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), i + 1);
  EXPECT_EQ(actor.call(0).get(), 17);
}

TEST_P(Standstill, ABatchStaysTogether) {
  Options options;
  options.slots = 16;
  options.when_full = WhenFull::fail;
  const Counter actor = make(options);
  actor.pause();
  const std::vector<int> some(12, 0), many(17, 0);
  actor.send(std::span<const int>(some).first(6));
  EXPECT_EQ(message_of([&] { actor.send(some); }),
            "send failed: the actor's ring has no room for 12 messages: it has 16 slots");
  EXPECT_EQ(message_of([&] { actor.send(many); }),
            "send failed: a batch of 17 messages does not fit a ring of 16 slots");
  actor.resume();
  actor.drain();
  EXPECT_EQ(actor.state(), 6);
  actor.send(some);
  actor.drain();
  EXPECT_EQ(actor.state(), 18);
}

TEST_P(Standstill, ACheckpointIsRestoredWhateverTheRingHolds) {
  const std::string path = testing::TempDir() + "standstill_" + std::to_string(::getpid());
  {
    Options options;
    options.slots = 128;
    const Counter actor = make(options);
    actor.pause();
    for (int i = 0; i < 100; ++i) actor.send(0);
    actor.checkpoint(path);
  }
  for (const WhenFull policy : {WhenFull::block, WhenFull::fail, WhenFull::drop_oldest, WhenFull::spill}) {
    Options options;
    options.slots = 16;
    options.when_full = policy;
    const Counter actor = make(options);
    actor.pause();
    actor.restore(path);
    actor.resume();
    actor.drain();
    EXPECT_EQ(actor.state(), 100);
  }
  std::remove(path.c_str());
}

TEST_P(Standstill, CallbacksDoNotWaitForTheirOwnThread) {
  const Counter actor = make();
  std::atomic<int> called{0};
  std::string call, stop;
  actor.subscribe([&](int) {
    call = message_of([&] { (void)actor.call(0).get(); });
    stop = message_of([&] { (void)actor.pause(); });
    if (stop == kNothing) actor.resume();
    ++called;
  });
  actor.send(7);
  while (called == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bool is_driven = actor.engine() == Engine::driven;
  EXPECT_EQ(call, is_driven ? "deadlock: a callback waits for the reply of a driven actor of its own group"
                            : kNothing);
  EXPECT_EQ(stop, is_driven ? "deadlock: a callback controls a driven actor of its own group" : kNothing);
  EXPECT_TRUE(actor.stop());
}

INSTANTIATE_TEST_SUITE_P(Engines, Standstill, ::testing::Values(Engine::persistent, Engine::driven),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace quern::ring
