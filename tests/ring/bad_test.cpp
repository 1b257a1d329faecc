// Handlers and programs with errors: a clear error or a clean end, and the device is free afterwards.
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

// 0: replies; 1: never returns; 2: faults.
constexpr const char* kBadText = R"(
struct State { int n; };
struct Message { int what; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  while (m.what == 1) __nanosleep(1000);
  assert(m.what != 2);
  return ++s.n;
}
)";
using Wrong = Handle<int, int, int>;

Wrong make(const Options& options = {}) { return spawn(open("cpu"), kBadText, options).as<int, int, int>(); }

// One message about the text of the program, none about our surrounding text.
TEST(BadInput, TextsThatAreNoActors) {
  const Device device = open("sim");
  Options options;
  options.module.name = "my.cu";
  const auto said = [&](std::string_view text) {
    return message_of([&] { (void)spawn(device, text, options); });
  };
  EXPECT_EQ(said(""), "my.cu has no 'State'");
  EXPECT_EQ(said("struct State { int a; };"), "my.cu has no 'Message'");
  EXPECT_EQ(said("struct State {}; struct Message {}; using Reply = void;"), "my.cu has no 'on_message'");
  EXPECT_EQ(said(std::string_view("struct State {};\0", 17)), "my.cu is not text: it contains a zero byte");
  options.kind = "outer::adder";
  EXPECT_EQ(said(kBadText), "my.cu has no namespace 'outer::adder'");
  const Wrong actor = make();
  EXPECT_EQ(message_of([&] { actor.replace("struct State { int n; };"); }), "kernels.cu has no 'Message'");
  EXPECT_EQ(actor.call(0).get(), 1);
}

TEST(BadInput, CheckpointsThatCannotBe) {
  const Wrong actor = make();
  const std::string file = "the checkpoint '/nowhere/x' cannot be ";
  EXPECT_EQ(message_of([&] { actor.checkpoint("/nowhere/x"); }), file + "written: No such file or directory");
  EXPECT_EQ(message_of([&] { actor.restore("/nowhere/x"); }), file + "read: No such file or directory");
  EXPECT_EQ(message_of([&] { actor.restore("/"); }), "the checkpoint '/' cannot be read: Is a directory");
  EXPECT_EQ(actor.call(0).get(), 1);
}

TEST(BadInput, MoreBlocksThanFitAreRefused) {
  Options options;
  options.shape = Shape::grid;
  options.threads = 32;
  options.blocks = 1 << 20;
  for (const char* driver : persistent_drivers()) {
    const Device device = open(driver);
    const std::string message = message_of([&] { (void)spawn(device, kBadText, options); });
    EXPECT_NE(message.find("1048576"), std::string::npos) << message;
    EXPECT_NE(message.find("concurrently"), std::string::npos) << message;
  }
}

TEST(BadInput, MoreThreadsThanABlockHas) {
  Options options;
  options.threads = 1 << 20;
  EXPECT_NE(message_of([&] {
              (void)make(options);
            }).find("spawn failed: blocks of 1048576 threads requested, but "),
            std::string::npos);
}

TEST(BadInput, KillGivesUpAHandlerThatNeverReturns) {
  const Wrong wrong = make();
  EXPECT_EQ(wrong.call(0).get(), 1);
  auto call = wrong.call(1);
  auto behind = wrong.call(0);
  EXPECT_FALSE(wrong.stop(std::chrono::milliseconds(100)));  // kills it
  const std::string why =
      "call failed: the actor ended before it replied: its handler did not return and was abandoned";
  EXPECT_EQ(message_of([&] { (void)call.get(); }), why);
  EXPECT_EQ(message_of([&] { (void)behind.get(); }), why);
  EXPECT_EQ(wrong.phase(), Phase::failed);
  EXPECT_EQ(message_of([&] { (void)wrong.state(); }),
            "an actor that has failed cannot show its state: its handler did not return and was abandoned");
  EXPECT_EQ(make().call(0).get(), 1);  // others are not affected
}

TEST(BadInput, StopInEveryPhase) {
  for (const Engine engine : {Engine::persistent, Engine::driven}) {
    SCOPED_TRACE(to_string(engine));
    const Options options{.engine = engine};
    EXPECT_TRUE(make(options).stop());  // launched
    const Wrong active = make(options);
    EXPECT_EQ(active.call(0).get(), 1);
    EXPECT_TRUE(active.stop());
    EXPECT_TRUE(active.stop());  // terminated
    const Wrong paused = make(options);
    paused.pause();
    EXPECT_TRUE(paused.stop());
    const Wrong draining = make(options);
    draining.pause();
    for (int i = 0; i < 500; ++i) draining.send(0);
    std::thread drains([&] {
      try {
        draining.drain();
      } catch (const Error& e) {
        EXPECT_EQ(e.message(), "an actor that is stopped cannot drain");
      }
    });
    EXPECT_TRUE(draining.stop());
    drains.join();
    EXPECT_EQ(draining.state(), 500);
    const Wrong failed = make(options);
    EXPECT_THROW((void)failed.call(2).get(), Error);
    EXPECT_TRUE(failed.stop());
    EXPECT_EQ(failed.phase(), Phase::failed);
    const Wrong killed = make(options);
    killed.kill();
    EXPECT_TRUE(killed.stop());
    EXPECT_EQ(killed.phase(), Phase::terminated);
  }
}

TEST(BadInput, MessagesThatAreTooLong) {
  const std::string text =
      "struct State { int n; }; struct Message { char text[5000]; }; using Reply = void;"
      "__device__ void on_message(State&, const Message&, quern::ring::Context&) {}";
  EXPECT_EQ(message_of([&] { (void)spawn(open("cpu"), text); }),
            "spawn failed: a Message has 5000 bytes, but the limit is 4096");
  const Wrong wrong = make();
  const std::vector<std::byte> two(8), none;
  EXPECT_EQ(message_of([&] { (void)wrong.actor().call(two); }),
            "call failed: a call takes one message, got 2");
  EXPECT_EQ(message_of([&] { wrong.actor().send(none); }),
            "send failed: the message has 0 bytes, the actor's Message has 4");
  EXPECT_EQ(message_of([] { (void)Actor().phase(); }), "using an actor failed: it is empty (never spawned)");
}

// Runs in a separate process, which is killed.
TEST(Killed, DISABLED_Child) {
  const char* const driver = std::getenv("RING_TEST_DRIVER");
  const Wrong wrong = spawn(open(driver != nullptr ? driver : "cpu"), kBadText).as<int, int, int>();
  (void)wrong.call(0).get();
  wrong.send(1);  // never returns
  (void)!::write(STDOUT_FILENO, "!", 1);
  std::this_thread::sleep_for(std::chrono::seconds(60));
}

TEST(Killed, ProcessLeavesTheDeviceFree) {
  for (const char* driver : persistent_drivers()) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::setenv("RING_TEST_DRIVER", driver, 1);
      for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"})
        ::unsetenv(name);  // all parts have it
      ::execl("/proc/self/exe", "test_ring", "--gtest_also_run_disabled_tests",
              "--gtest_filter=Killed.DISABLED_Child", static_cast<char*>(nullptr));
      ::_exit(1);
    }
    ASSERT_GT(child, 0);
    ::close(ends[1]);  // otherwise a failed child would be waited for forever
    char c = 0;
    while (c != '!') ASSERT_EQ(::read(ends[0], &c, 1), 1);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    ::close(ends[0]);
    const Wrong after = spawn(open(driver), kBadText).as<int, int, int>();
    EXPECT_EQ(after.call(0).get(), 1) << driver;
    EXPECT_TRUE(after.stop());
  }
}

// A tagged union, and data that is too large for a slot in a buffer whose number and offset are in the
// message.
TEST(Messages, OfSeveralKindsAndLargePayloads) {
  const Device device = open("cpu");
  Buffer<float> large = device.upload(std::vector<float>(10'000, 0.5f));
  Options options;
  options.buffers = {Argument(large)};
  struct Move {
    float dx, dy;
  };
  struct Block {
    unsigned at, count;
  };
  struct Message {
    int tag;
    union {
      Move move;
      Block block;
    };
  };
  struct State {
    float x, y, sum;
  };
  const auto actor = spawn(device, R"(
struct Move { float dx, dy; };
struct Block { unsigned at, count; };
struct Message { int tag; union { Move move; Block block; }; };
struct State { float x, y, sum; };
using Reply = float;
__device__ float on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (m.tag == 0) {
    s.x += m.move.dx;
    s.y += m.move.dy;
    return s.x;
  }
  if (m.tag != 1) { c.fail(7); return 0; }
  const float* from = c.buffer<float>(0) + m.block.at;
  for (unsigned i = 0; i < m.block.count; ++i) s.sum += from[i];
  return s.sum;
}
)",
                           options)
                         .as<State, Message, float>();
  Message move{0, {}}, block{1, {}}, other{2, {}};
  move.move = {2, 3};
  block.block = {100, 9'000};
  EXPECT_EQ(actor.call(move).get(), 2.0f);
  EXPECT_EQ(actor.call(block).get(), 4500.0f);
  EXPECT_EQ(message_of([&] { (void)actor.call(other).get(); }),
            "call failed: the actor's handler rejected the message with code 7");
}

// Blocks read slots without knowing the actor.
TEST(Messages, OfDifferentSizesInOneGroup) {
  for (const std::uint32_t threads : {1u, 32u}) {
    Options options;
    options.threads = threads;
    const Member members[] = {{"small", {}}, {"large", {}}};
    const std::vector<Actor> actors = spawn(open("cpu"), R"(
namespace large {
struct State { int sum; };
struct Message { int values[6]; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  for (int i = 0; i < 6; ++i) s.sum += m.values[i];
  return s.sum;
}
}
namespace small {
struct State { int sum; };
struct Message { int value; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.sum += m.value;
  if (m.value < 5) c.send(0, Message{m.value + 10});
  return s.sum;
}
}
)",
                                            options, members);
    struct Large {
      int values[6];
    };
    const auto small = actors[0].as<int, int, int>();
    auto call = small.call(1);
    ASSERT_TRUE(call.wait_for(std::chrono::seconds(20))) << threads;
    EXPECT_EQ(call.get(), 1);
    EXPECT_EQ((actors[1].as<int, Large, int>().call(Large{{1, 2, 3, 4, 5, 6}}).get()), 21);
    for (int i = 0; i < 5000 && small.state() != 12; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(small.state(), 12);
  }
}

}  // namespace
}  // namespace quern::ring
