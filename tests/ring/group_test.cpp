// Several actors in one kernel, of one kind and of several; messages between them; events; coroutines.
#include <atomic>
#include <coroutine>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

constexpr const char* kPipeline = R"(
struct Item { int value, hops; };
namespace first {
struct State { int seen; };
using Message = Item;
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.seen += 1;
  if (!c.send(1, Item{m.value * 2, m.hops + 1})) c.fail(9);
  return s.seen;
}
}
namespace second {
struct State { int seen, refused; };
using Message = Item;
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.seen += 1;
  if (!c.send(2, Item{m.value + 1, m.hops + 1})) s.refused += 1;
  return 0;
}
}
namespace last {
struct State { long long sum; int seen, hops; };
using Message = Item;
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.sum += m.value;
  s.seen += 1;
  s.hops = m.hops;
  c.publish(m.value);
  return s.seen;
}
}
)";
struct Item {
  int value, hops;
};
struct LastState {
  long long sum;
  int seen, hops;
};

class Groups : public ::testing::TestWithParam<const char*> {};

TEST_P(Groups, PipelineOfThreeKinds) {
  Device device;
  try {
    device = open(GetParam());
  } catch (const Error& e) {
    GTEST_SKIP() << e.what();
  }
  const Member members[] = {{"first", {}}, {"second", {}}, {"last", {}}};
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device.info().has(Feature::persistent)) continue;
    Options common;
    common.engine = engine;
    std::vector<Actor> actors = spawn(device, kPipeline, common, members);
    const auto first = actors[0].as<int, Item, int>();
    const auto last = actors[2].as<LastState, Item, int>();
    std::atomic<long> events{0};
    last.subscribe([&](int value) { events += value; });
    long long expected = 0;
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(first.call(Item{i, 0}).get(), i + 1);
      expected += 2 * i + 1;
    }
    for (int tries = 0; tries < 10'000 && (last.state().seen < 100 || events != expected); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(last.state().sum, expected);
    EXPECT_EQ(last.state().hops, 2);
    EXPECT_EQ(events, expected);
    actors[1].drain();
    EXPECT_EQ(last.telemetry().handled, 100u);
    EXPECT_EQ(actors[1].telemetry().peer_sent, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Groups, ::testing::ValuesIn(ring_drivers()),
                         [](const auto& p) { return std::string(p.param); });

QUERN_ACTOR(Counter, (long total), (int add), long, {
  total += add;
  return total;
})

// A coroutine that starts immediately and reports its end.
struct Task {
  struct promise_type {
    std::promise<long> done;
    Task get_return_object() { return {done.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(long value) { done.set_value(value); }
    void unhandled_exception() { done.set_exception(std::current_exception()); }
  };
  std::future<long> result;
};

Task add_up(Handle<Counter, Counter::Message, long> counter, int times) {
  long last = 0;
  for (int i = 0; i < times; ++i) last = co_await counter.call(1);
  co_return last;
}

TEST(Awaiting, CoroutinesContinueWithTheReply) {
  const auto counter = open("cpu").spawn(Counter{});
  Task one = add_up(counter, 50), two = add_up(counter, 50);
  const long a = one.result.get(), b = two.result.get();
  EXPECT_EQ(std::max(a, b), 100);
  EXPECT_EQ(counter.state().total, 100);
}

class Beside : public ::testing::TestWithParam<const char*> {};

// While an actor runs, the device compiles, allocates, frees, launches, waits and spawns more actors.
TEST_P(Beside, OtherWorkGoesOn) {
  const Device device = open_if_here(GetParam());
  if (!device) GTEST_SKIP() << "there is no device '" << GetParam() << "' here";
  if (!device.info().has(Feature::persistent)) GTEST_SKIP() << GetParam() << " has no persistent kernels";
  const auto first = device.spawn(Counter{});
  EXPECT_EQ(first.call(1).get(), 1);
  const Module module = device.compile("__global__ void twice(int* x) { x[threadIdx.x] *= 2; }");
  for (int i = 0; i < 3; ++i) {
    Buffer<int> numbers = device.upload(std::vector<int>(64, i));
    Buffer<int> large = device.allocate<int>(1 << 20);
    device.launch(module.kernel("twice"), grid(1, 64), numbers);
    device.synchronize();
    EXPECT_EQ(numbers.download(), std::vector<int>(64, 2 * i));
  }
  const auto second = device.spawn(Counter{.total = 10});
  EXPECT_EQ(second.call(1).get(), 11);
  EXPECT_EQ(first.call(1).get(), 2);
  EXPECT_TRUE(second.stop());
  EXPECT_EQ(first.call(1).get(), 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Beside, ::testing::ValuesIn(ring_drivers()),
                         [](const auto& p) { return std::string(p.param); });

TEST(Many, ActorsOfOneKernelKeepTheirStates) {
  const Device device = open("cpu");
  const std::vector<Member> members(40);
  const std::vector<Actor> actors = spawn(device, R"(
struct State { long long total; };
struct Message { int add; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  return s.total += m.add * (int)(c.index() + 1);
}
)",
                                          Options{.slots = 16}, members);
  for (int round = 0; round < 20; ++round) {
    for (const Actor& a : actors) {
      const int add = round;
      a.send(std::as_bytes(std::span<const int, 1>(&add, 1)));
    }
  }
  for (const Actor& a : actors) {
    a.drain();
    long long total = 0;
    std::memcpy(&total, a.state().data(), sizeof(total));
    EXPECT_EQ(total, 190ll * (a.index() + 1));
  }
}

TEST(Parallel, HandlesEachMessageOnce) {
  for (const char* driver : {"cpu", "sim"}) {
    const Device device = open(driver);
    Options options;
    options.shape = Shape::parallel;
    options.slots = 256;
    options.threads = 64;
    const auto actor = spawn(device, R"(
struct State { unsigned sum, count; };
struct Message { unsigned add; };
using Reply = unsigned;
__device__ unsigned on_message(State& s, const Message& m, quern::ring::Context& c) {
  atomicAdd(&s.count, 1u);
  atomicAdd(&s.sum, m.add);
  return m.add * 2;
}
)",
                             options)
                           .as<std::uint64_t, std::uint32_t, std::uint32_t>();
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      actor.send(i);
      sum += i;
    }
    EXPECT_EQ(actor.call(4).get(), 8u);
    actor.drain();
    EXPECT_EQ(actor.state(), (std::uint64_t{1001} << 32 | (sum + 4))) << driver;
  }
}

TEST(Buffers, AreThereByNumber) {
  for (const char* driver : {"cpu", "sim"}) {
    const Device device = open(driver);
    Buffer<float> field = device.upload(std::vector<float>(64, 1.0f));
    Options options;
    options.shape = Shape::grid;
    options.threads = 32;
    options.blocks = 2;
    options.buffers = {Argument(field)};
    const auto actor = spawn(device, R"(
struct State { int steps; };
struct Message { float factor; };
using Reply = float;
__device__ float on_message(State& s, const Message& m, quern::ring::Context& c) {
  float* field = c.buffer<float>(0);
  const unsigned i = c.thread();
  const float left = field[(i + c.threads() - 1) % c.threads()];
  c.sync();
  field[i] = field[i] + m.factor * left;
  if (i == 0) s.steps += 1;
  c.sync();
  return field[5];
}
)",
                             options)
                           .as<int, float, float>();
    EXPECT_EQ(actor.call(1.0f).get(), 2.0f);
    EXPECT_EQ(actor.call(0.5f).get(), 3.0f);
    actor.stop();
    EXPECT_EQ(field.download(), std::vector<float>(64, 3.0f)) << driver;
  }
}

}  // namespace
}  // namespace quern::ring
