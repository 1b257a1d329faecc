// The same log of messages through both engines, every shape and every available device: the states must be
// identical.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

struct State {
  std::uint32_t hash, count;
  std::int32_t table[16];
};
struct Message {
  std::int32_t what, key, value;
};
struct Wide {
  Message message;
  std::uint32_t more[12];
};
using Reply = std::uint32_t;

constexpr const char* kHandler = R"(
struct State { unsigned hash, count; int table[16]; };
struct Message { int what, key, value; };
using Reply = unsigned;
__device__ unsigned handle(State& s, const Message& m) {
  s.count += 1;
  s.hash = s.hash * 1664525u + (unsigned)m.value;
  int& cell = s.table[m.key & 15];
  if (m.what == 0) cell += m.value;
  if (m.what == 1) cell ^= m.value;
  if (m.what == 2) cell = (int)(s.hash >> 7);
  return s.hash ^ (unsigned)cell;
}
)";
constexpr const char* kPlain = R"(
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) { return handle(s, m); }
)";
constexpr const char* kTogether = R"(
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  unsigned reply = 0;
  if (c.thread() == 0) reply = handle(s, m);
  c.sync();
  return reply;
}
)";
constexpr const char* kWide = R"(
namespace wide {
using ::State;
using ::Reply;
struct Message { ::Message message; unsigned more[12]; };
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  for (int i = 0; i < 12; ++i) s.hash ^= m.more[i];
  return handle(s, m.message);
}
}
)";

std::uint32_t handle(State& s, const Message& m) {
  s.count += 1;
  s.hash = s.hash * 1664525u + static_cast<std::uint32_t>(m.value);
  std::int32_t& cell = s.table[m.key & 15];
  if (m.what == 0) cell += m.value;
  if (m.what == 1) cell ^= m.value;
  if (m.what == 2) cell = static_cast<std::int32_t>(s.hash >> 7);
  return s.hash ^ static_cast<std::uint32_t>(cell);
}

Message random_message(std::mt19937& random) {
  return {static_cast<std::int32_t>(random() % 3), static_cast<std::int32_t>(random() % 16),
          static_cast<std::int32_t>(random() % 1000)};
}

// `threads`: per block; 0: suitable for the device.
void run_log(const Device& device, Engine engine, Shape shape, int messages, std::uint32_t threads) {
  SCOPED_TRACE(device.info().id() + " " + to_string(engine) + " shape " +
               std::to_string(static_cast<int>(shape)));
  Options options;
  options.engine = engine;
  options.shape = shape;
  options.slots = 64;
  if (shape != Shape::thread) options.threads = threads;
  if (shape == Shape::grid) options.blocks = device.info().has(Feature::grid_barrier) ? 2 : 1;
  const std::string text = std::string(kHandler) + (shape == Shape::thread ? kPlain : kTogether);
  const auto actor = spawn(device, text, options).as<State, Message, Reply>();
  if (engine != Engine::automatic) {
    EXPECT_EQ(actor.engine(), engine);
  }
  std::mt19937 random(7);
  State expected{};
  for (int i = 0; i < messages; ++i) {
    const Message m = random_message(random);
    const std::uint32_t reply = handle(expected, m);
    if (i % 5 == 0) {
      ASSERT_EQ(actor.call(m).get(), reply) << "message " << i;
    } else {
      actor.send(m);
    }
  }
  actor.drain();
  const State state = actor.state();
  EXPECT_EQ(std::memcmp(&state, &expected, sizeof(State)), 0);
  EXPECT_EQ(state.count, static_cast<std::uint32_t>(messages));
  EXPECT_TRUE(actor.stop());
}

class Log : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string which = GetParam();
    // llvmpipe compiles at the first launch, which may take longer than a minute on a busy machine.
    if (which == "opengl" || which == "gles") which += ",patience=900";
    device_ = open_if_here(which);
    if (!device_) GTEST_SKIP() << "there is no device '" << which << "' here";
  }
  // Compilation takes seconds on these, and handling a message takes long too.
  bool is_slow() const {
    const std::string driver = GetParam();
    return driver == "opengl" || driver == "gles" || driver == "std.gpu";
  }
  Device device_;
};

TEST_P(Log, IsTheSameOnEveryEngineAndShape) {
  const bool persists = device_.info().has(Feature::persistent);
  for (const Shape shape : {Shape::thread, Shape::block, Shape::grid}) {
    // Fewer threads compile faster; RING_TEST_SHAPES=1 enables all.
    const bool is_short = is_slow() && std::getenv("RING_TEST_SHAPES") == nullptr;
    const int messages = is_slow() ? 30 : 200;
    const std::uint32_t threads = is_short ? 8 : 0;
    try {
      run_log(device_, Engine::driven, shape, messages, threads);
      if (persists) run_log(device_, Engine::persistent, shape, shape == Shape::thread ? 2000 : 200, threads);
    } catch (const Error& e) {
      ADD_FAILURE() << "shape " << static_cast<int>(shape) << ": " << e.what();
    }
  }
}

TEST_P(Log, OfLongMessagesIsTheSame) {
  if (is_slow()) GTEST_SKIP();
  Options options;
  options.kind = "wide";
  options.slots = 16;
  const auto actor = spawn(device_, std::string(kHandler) + kWide, options).as<State, Wide, Reply>();
  std::mt19937 random(8);
  State expected{};
  for (int i = 0; i < 200; ++i) {
    Wide m{random_message(random), {}};
    for (std::uint32_t& more : m.more) more = static_cast<std::uint32_t>(random());
    for (const std::uint32_t more : m.more) expected.hash ^= more;
    const std::uint32_t reply = handle(expected, m.message);
    if (i % 7 == 0) {
      ASSERT_EQ(actor.call(m).get(), reply);
    } else {
      actor.send(m);
    }
  }
  actor.drain();
  const State state = actor.state();
  EXPECT_EQ(std::memcmp(&state, &expected, sizeof(State)), 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, Log, ::testing::ValuesIn(test::each_driver({"native", "webgl2"})),
                         [](const auto& p) {
                           const std::string name = p.param;
                           return name == "std.gpu" ? "std_gpu" : name;
                         });

}  // namespace
}  // namespace quern::ring
