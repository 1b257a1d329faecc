// Stopping, pausing and draining in every phase; handlers that fault or never return; wrong sizes.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Sum, (long total), (int add), long, {
  if (add < 0) assert(add == -1);
  total += add;
  return total;
})

constexpr const char* kHooks = R"(
struct State { int starts, stops, idles, messages; };
struct Message { int what; };
using Reply = void;
__device__ void on_start(State& s, quern::ring::Context&) { s.starts += 1; }
__device__ void on_idle(State& s, quern::ring::Context&) { s.idles = 1; }
__device__ void on_stop(State& s, quern::ring::Context&) { s.stops += 1; }
__device__ void on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.messages += 1;
  if (m.what != 0) c.fail(m.what);
}
)";
struct HookState {
  int starts, stops, idles, messages;
};
struct HookMessage {
  int what;
};

class Life : public ::testing::TestWithParam<Engine> {
 protected:
  static Options options() {
    Options o;
    o.engine = GetParam();
    return o;
  }
  const Device device_ = open("cpu");
};

TEST_P(Life, HooksAreCalledOnce) {
  const auto actor = spawn(device_, kHooks, options()).as<HookState, HookMessage, void>();
  actor.send(HookMessage{0});
  actor.call(HookMessage{0}).get();
  EXPECT_EQ(message_of([&] { actor.call(HookMessage{7}).get(); }),
            "call failed: the actor's handler rejected the message with code 7");
  EXPECT_TRUE(actor.stop());
  const HookState s = actor.state();
  EXPECT_EQ(s.starts, 1);
  EXPECT_EQ(s.stops, 1);
  EXPECT_EQ(s.messages, 3);
  EXPECT_EQ(actor.telemetry().handled, 3u);
  EXPECT_EQ(actor.telemetry().errors, 1u);
  EXPECT_TRUE(actor.stop());
}

TEST_P(Life, PausedActorsHandleNothing) {
  const auto sum = device_.spawn(Sum{}, options());
  EXPECT_EQ(sum.call(1).get(), 1);
  // The reply may arrive before the group's thread has seen that the kernel runs.
  for (int i = 0; i < 1000 && sum.phase() == Phase::launched; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(sum.phase(), Phase::active);
  sum.pause();
  EXPECT_EQ(sum.phase(), Phase::paused);
  auto call = sum.call(1);
  EXPECT_FALSE(call.wait_for(std::chrono::milliseconds(20)));
  EXPECT_EQ(sum.state().total, 1);
  sum.resume();
  EXPECT_EQ(call.get(), 2);
}

TEST_P(Life, StopWhilePausedHandlesWhatIsThere) {
  const auto sum = device_.spawn(Sum{}, options());
  sum.pause();
  auto call = sum.call(5);
  EXPECT_TRUE(sum.stop());
  EXPECT_EQ(call.get(), 5);
  EXPECT_EQ(sum.phase(), Phase::terminated);
  EXPECT_EQ(sum.state().total, 5);
  EXPECT_EQ(message_of([&] { sum.send(1); }), "send failed: the actor is stopped");
  EXPECT_EQ(message_of([&] { sum.pause(); }), "an actor that is stopped cannot pause");
}

TEST_P(Life, KilledActorsLeaveDeadLetters) {
  Options o = options();
  std::vector<int> dead;
  o.on_dead_letter = [&](const DeadLetter& letter) {
    int add = 0;
    std::memcpy(&add, letter.message.data(), sizeof(add));
    dead.push_back(add);
  };
  const auto sum = device_.spawn(Sum{}, o);
  sum.pause();
  sum.send(1);
  auto call = sum.call(2);
  sum.kill();
  EXPECT_EQ(sum.phase(), Phase::terminated);
  EXPECT_EQ(dead, (std::vector<int>{1, 2}));
  EXPECT_EQ(message_of([&] { (void)call.get(); }), "call failed: the actor ended before it replied");
  EXPECT_EQ(sum.state().total, 0);
}

TEST_P(Life, FaultsAreReported) {
  const auto sum = device_.spawn(Sum{}, options());
  EXPECT_EQ(sum.call(3).get(), 3);
  auto call = sum.call(-5);
  const std::string message = message_of([&] { (void)call.get(); });
  EXPECT_NE(message.find("call failed: the actor ended before it replied: "), std::string::npos) << message;
  EXPECT_NE(message.find("add == -1"), std::string::npos) << message;
  EXPECT_EQ(sum.phase(), Phase::failed);
  EXPECT_EQ(message_of([&] { sum.send(1); }), "send failed: the actor has failed");
}

TEST_P(Life, FaultsRestartWithTheStateBefore) {
  Options o = options();
  o.restart.limit = 2;
  std::atomic<int> dead{0};
  o.on_dead_letter = [&](const DeadLetter& letter) {
    if (letter.reason == DeadLetter::Reason::faulted) ++dead;
  };
  const auto sum = device_.spawn(Sum{}, o);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(sum.call(3).get(), 3 + 6 * i);
    auto faults = sum.call(-5);
    auto after = sum.call(3);
    EXPECT_THROW((void)faults.get(), Error);
    EXPECT_EQ(after.get(), 6 + 6 * i);
  }
  EXPECT_EQ(dead, 2);
  EXPECT_EQ(sum.telemetry().restarts, 2u);
  EXPECT_THROW((void)sum.call(-5).get(), Error);
  EXPECT_EQ(sum.phase(), Phase::failed);
}

TEST_P(Life, CheckpointMovesToTheOtherEngine) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("quern_ring_" + std::to_string(::getpid()))).string();
  const auto sum = device_.spawn(Sum{}, options());
  EXPECT_EQ(sum.call(40).get(), 40);
  sum.pause();
  for (int i = 0; i < 10; ++i) sum.send(i);
  sum.checkpoint(path);
  Options other;
  other.engine = GetParam() == Engine::driven ? Engine::persistent : Engine::driven;
  const auto again = device_.spawn(Sum{}, other);
  again.restore(path);
  EXPECT_EQ(again.call(0).get(), 85);
  EXPECT_EQ(sum.state().total, 40);
  const auto wrong = spawn(device_, kHooks, options());
  EXPECT_EQ(message_of([&] { wrong.restore(path); }),
            "the checkpoint '" + path +
                "' is of an actor with a State of 8 and a Message of 4 bytes, but this one has 16 and 4");
  // A file of the version before timers.
  std::string old = "QRNRING1";
  for (const std::uint64_t word : {8, 4, 1, 100}) old.append(reinterpret_cast<const char*>(&word), 8);
  old.append("\x07\0\0\0", 4);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : old) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  old.append(reinterpret_cast<const char*>(&hash), 8);
  std::ofstream(path, std::ios::binary) << old;
  const auto older = device_.spawn(Sum{}, options());
  older.restore(path);
  EXPECT_EQ(older.call(0).get(), 107);
  std::filesystem::resize_file(path, 40);
  EXPECT_EQ(message_of([&] { again.restore(path); }),
            "'" + path + "' is not a checkpoint of an actor, or is incomplete");
  std::filesystem::remove(path);
}

TEST_P(Life, RandomOrdersLoseNothing) {
  const auto sum = device_.spawn(Sum{}, options());
  std::atomic<bool> ends{false};
  std::atomic<long> sent{0};
  std::vector<std::thread> producers;
  for (int p = 0; p < 2; ++p) {
    producers.emplace_back([&] {
      while (!ends) {
        try {
          sum.send(1);
          ++sent;
        } catch (const Error&) {  // it is draining
          std::this_thread::yield();
        }
      }
    });
  }
  std::mt19937 random(3);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < until) {
    switch (random() % 4) {
      case 0: sum.pause(); break;
      case 1: sum.resume(); break;
      case 2: sum.drain(); break;
      default: (void)sum.state();
    }
  }
  sum.resume();
  ends = true;
  for (std::thread& t : producers) t.join();
  EXPECT_TRUE(sum.stop());
  EXPECT_EQ(sum.state().total, sent);
}

TEST_P(Life, WrongSizesAreRefused) {
  const Actor actor = spawn(device_, kHooks, options());
  EXPECT_EQ(message_of([&] { (void)actor.as<int, HookMessage, void>(); }),
            "spawn failed: the actor's State has 16 bytes on the device and 4 in the program");
  EXPECT_EQ(message_of([&] { (void)actor.as<HookState, HookMessage, int>(); }),
            "spawn failed: the actor's Reply has 0 bytes on the device and 4 in the program");
  const std::vector<std::byte> bytes(6);
  EXPECT_EQ(message_of([&] { actor.send(bytes); }),
            "send failed: the message has 6 bytes, the actor's Message has 4");
  Options o = options();
  o.state = bytes;
  EXPECT_EQ(message_of([&] { (void)spawn(device_, kHooks, o); }),
            "spawn failed: the initial state has 6 bytes, the actor's State has 16");
}

INSTANTIATE_TEST_SUITE_P(Engines, Life, ::testing::Values(Engine::persistent, Engine::driven),
                         [](const auto& p) { return std::string(to_string(p.param)); });

TEST(Endless, HandlersAreAbandoned) {
  const Device device = open("cpu");
  Options o;
  o.watchdog = std::chrono::milliseconds(200);
  const auto actor = spawn(device, R"(
struct State { int n; };
struct Message { int what; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  while (m.what != 0) __nanosleep(1000);
  return ++s.n;
}
)",
                           o)
                         .as<int, HookMessage, int>();
  EXPECT_EQ(actor.call(HookMessage{0}).get(), 1);
  auto call = actor.call(HookMessage{1});
  EXPECT_EQ(
      message_of([&] { (void)call.get(); }),
      "call failed: the actor ended before it replied: its handler took longer than the watchdog allows");
  EXPECT_EQ(actor.phase(), Phase::failed);
}

}  // namespace
}  // namespace quern::ring
