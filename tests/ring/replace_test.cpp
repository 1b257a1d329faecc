// Replacing the handler of running actors: no message is lost or handled twice, and incompatible handlers are
// rejected.
#include <atomic>
#include <thread>

#include "ring/engines.hpp"

namespace quern::ring {
namespace {

struct State {
  long long sum;
  int first, second, starts, wrong;
};
struct Message {
  int number, add;
};

// Counts in the field of its version; the numbers must have no gaps.
std::string handler(int version, const char* more = "") {
  return std::string("struct State { long long sum; int first, second, starts, wrong; ") + more + R"( };
struct Message { int number, add; };
using Reply = int;
__device__ void on_start(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.starts += 1; }
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    if (m.number != s.first + s.second) s.wrong += 1;
    s.)" +
         (version == 1 ? "first" : "second") +
         R"( += 1;
    s.sum += m.add;
  }
  c.sync();
  return )" +
         std::to_string(version) + ";\n}\n";
}

class Replace : public OnQuickDevices {};

TEST_P(Replace, TakesOverBetweenTwoMessages) {
  on_each([&](Options options) {
    const auto actor = spawn(device_, handler(1), options).as<State, Message, int>();
    EXPECT_EQ(actor.call(Message{0, 1}).get(), 1);
    actor.replace(handler(2));
    EXPECT_EQ(actor.call(Message{1, 1}).get(), 2);
    actor.pause();
    auto waits = actor.call(Message{2, 1});
    actor.replace(handler(1));
    EXPECT_EQ(actor.phase(), Phase::paused);
    EXPECT_FALSE(waits.wait_for(std::chrono::milliseconds(20)));
    actor.resume();
    EXPECT_EQ(waits.get(), 1);
    EXPECT_TRUE(actor.stop());
    const State s = actor.state();
    EXPECT_EQ(s.sum, 3);
    EXPECT_EQ(s.starts, 1);
    EXPECT_EQ(s.wrong, 0);
    EXPECT_EQ(message_of([&] { actor.replace(handler(2)); }), "replace failed: the actors have ended");
  });
}

TEST_P(Replace, WhileMessagesFlow) {
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device_.info().has(Feature::persistent)) continue;
    Options options;
    options.engine = engine;
    options.slots = 32;
    const auto actor = spawn(device_, handler(1), options).as<State, Message, int>();
    std::atomic<bool> ends{false};
    int sent = 0;
    std::thread producer([&] {
      while (!ends) {
        actor.send(Message{sent, 3});
        ++sent;
        if (sent % 10 == 0) {
          const int by = actor.call(Message{sent, 3}).get();
          EXPECT_TRUE(by == 1 || by == 2);
          ++sent;
        }
      }
    });
    for (int i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      actor.replace(handler(1 + (i + 1) % 2));
    }
    ends = true;
    producer.join();
    EXPECT_TRUE(actor.stop());
    const State s = actor.state();
    EXPECT_EQ(s.first + s.second, sent);
    EXPECT_GT(s.first, 0);
    EXPECT_GT(s.second, 0);
    EXPECT_EQ(s.sum, 3ll * sent);
    EXPECT_EQ(s.wrong, 0);
    EXPECT_EQ(s.starts, 1);
  }
}

TEST_P(Replace, RefusesWhatDoesNotFit) {
  const auto actor = spawn(device_, handler(1)).as<State, Message, int>();
  EXPECT_EQ(actor.call(Message{0, 1}).get(), 1);
  EXPECT_EQ(message_of([&] { actor.replace(handler(2, "int more[2];")); }),
            "replace failed: the new handler's State has 32 bytes, but the actor's has 24");
  EXPECT_EQ(message_of([&] { actor.replace("no text"); }), "kernels.cu has no 'State'");
  std::string misspelt = handler(1);
  misspelt.replace(misspelt.find("return"), 6, "retrun");
  EXPECT_NE(message_of([&] { actor.replace(misspelt); }).find("compile"), std::string::npos);
  EXPECT_EQ(actor.call(Message{1, 1}).get(), 1);  // it continues unchanged
}

INSTANTIATE_TEST_SUITE_P(Devices, Replace, ::testing::ValuesIn(ring_drivers()), device_name);

QUERN_ACTOR(Plus, (long total), (int add), long, { return total += add; })
QUERN_ACTOR(Minus, (long total), (int add), long, { return total -= add; })

TEST(ReplaceInline, ByAnotherActor) {
  const auto actor = open("cpu").spawn(Plus{});
  EXPECT_EQ(actor.call(5).get(), 5);
  actor.replace(Minus{});
  EXPECT_EQ(actor.call(2).get(), 3);
}

}  // namespace
}  // namespace quern::ring
