// Sessions as programs use them.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/api_case.hpp"
#include "base/file.hpp"
#include "base/from_environment.hpp"
#include "base/temporary_folder.hpp"
#include "session/scenarios.hpp"

namespace quern::test {
namespace {

class FaultVariable {
 public:
  explicit FaultVariable(const char* plan) { ::setenv("QUERN_FAULTS", plan, 1); }
  ~FaultVariable() { ::unsetenv("QUERN_FAULTS"); }
  FaultVariable(const FaultVariable&) = delete;
  FaultVariable& operator=(const FaultVariable&) = delete;
};

TEST(Session, TheProgramContinuesAndIsNotified) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name == "uploads" || scenario.name == "pressure") continue;  // too few launches
    const std::vector<double> calm = scenario.run(open("sim"));
    const FaultVariable faults("launch:2=lost");
    std::vector<Recovery> told;
    Session session({.device = "sim", .on_recovery = [&](const Recovery& r) { told.push_back(r); }});
    EXPECT_EQ(scenario.run(session.device()), calm) << scenario.name;
    EXPECT_EQ(session.losses(), 1u) << scenario.name;
    ASSERT_EQ(told.size(), 1u) << scenario.name;
    EXPECT_EQ(told[0].losses, 1u);
    EXPECT_EQ(told[0].cause, "launch 2 failed (injected fault)");
    EXPECT_EQ(told[0].from, "sim:0");
    EXPECT_EQ(told[0].to, "sim:0");
    EXPECT_GE(told[0].repeated, 1u);
  }
}

TEST(Session, PrintsOnce) {
  const FaultVariable faults("launch:3=lost");
  Session session({.device = "sim"});
  const Device& device = session.device();
  const Kernel hello = device.compile("__global__ void hello(int n) { printf(\"%d \", n); }").kernel("hello");
  std::string seen;
  const auto output = device.on_output([&seen](std::string_view text) { seen += text; });
  for (int i = 0; i < 5; ++i) {
    device.launch(hello, grid(1, 1), i);
    device.synchronize();
  }
  EXPECT_EQ(session.losses(), 1u);
  EXPECT_EQ(seen, "0 1 2 3 4 ");
}

TEST(Session, SharedMemoryIsRefused) {
  Session session({.device = "cpu"});
  EXPECT_EQ(message_of([&] { (void)session.device().allocate<int>(4, MemoryKind::shared); }),
            "memory that the host modifies in place cannot be recovered after a loss");
}

TEST(Session, PinnedMemoryOutlivesTheDevice) {
  const FaultVariable faults("launch:1=lost");
  Session session({.device = "sim"});
  const Device& device = session.device();
  auto from = device.allocate<int>(8, MemoryKind::pinned), to = device.allocate<int>(8, MemoryKind::pinned);
  auto data = device.allocate<int>(8);
  const Kernel add = device.compile("__global__ void add(int* p) { p[threadIdx.x] += 1; }").kernel("add");
  ASSERT_EQ(from.host().size(), 8u);
  std::fill(from.host().begin(), from.host().end(), 5);
  to.fill(9);
  data.copy_from(from);
  for (int i = 0; i < 3; ++i) device.launch(add, grid(1, 8), data);
  to.slice(0, 4).copy_from(data.slice(0, 4));
  device.synchronize();
  EXPECT_EQ(session.losses(), 1u);
  EXPECT_EQ(to.download(), (std::vector<int>{8, 8, 8, 8, 9, 9, 9, 9}));
  EXPECT_EQ(to.host()[0], 8);
  from.copy_from(to);
  device.synchronize();
  EXPECT_EQ(from.host()[7], 9);
  EXPECT_EQ(message_of([&] { device.launch(add, grid(1, 8), from); }),
            "a kernel on a session's device cannot use pinned memory in place");
}

TEST(Session, ACallbackMayThrow) {
  const FaultVariable faults("launch:1=lost");
  Session session({.device = "sim", .on_recovery = [](const Recovery&) { throw 7; }});
  auto data = session.device().upload(std::vector<int>(8, 0));
  const Kernel add =
      session.device().compile("__global__ void add(int* p) { p[threadIdx.x] += 1; }").kernel("add");
  for (int i = 0; i < 3; ++i) session.device().launch(add, grid(1, 8), data);
  EXPECT_EQ(data.download(), std::vector<int>(8, 3));
  EXPECT_EQ(session.losses(), 1u);
}

// A call that exceeds the time limit is a loss; repeated, it need not hang again.
TEST(Session, AHangIsALoss) {
  std::vector<Recovery> told;
  const Session session(
      {.device = "cpu,time_limit=1", .on_recovery = [&](const Recovery& r) { told.push_back(r); }});
  const Device& device = session.device();
  const Kernel add = device.compile("__global__ void add(int* x) { x[threadIdx.x] += 1; }").kernel("add");
  auto x = device.upload(std::vector<int>(32, 1));
  device.launch(add, grid(1, 32), x);
  auto hangs = std::make_shared<std::atomic<bool>>(true);
  device.stream().call([hangs] {
    if (hangs->exchange(false)) std::this_thread::sleep_for(std::chrono::seconds(4));
  });
  device.launch(add, grid(1, 32), x);
  EXPECT_EQ(x.download(), std::vector<int>(32, 3));
  EXPECT_EQ(session.losses(), 1u);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].cause.find("exceeded its time limit of 1.0 s and is marked lost"), std::string::npos)
      << told[0].cause;
  EXPECT_EQ(told[0].to, "cpu:0");
}

// A kernel that hangs on every device is abandoned, and nobody waits forever: the limit also applies to the
// other devices. In a separate process, whose end stops the kernel.
[[noreturn]] void hang_everywhere() {
  const auto runs_long_loops = [](const DeviceInfo& info) {  // Mesa ends them itself
    return info.driver == "cpu" || info.driver == "opencl";
  };
  const Session session({.device = "cpu,time_limit=0.3", .accepts = runs_long_loops});
  const Kernel slow =
      session.device()
          .compile(
              "__global__ void slow(unsigned* x) {\n"
              "  unsigned v = *x;\n"
              "  for (long long i = 0; i < 40000000000ll; ++i) v = v * 1664525u + (unsigned)i;\n"
              "  *x = v;\n"
              "}")
          .kernel("slow");
  auto x = session.device().upload(std::vector<unsigned>(1, 1));
  ::alarm(60);
  try {
    session.device().launch(slow, grid(1, 1), x);
    session.device().synchronize();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(error.kind() == ErrorKind::device_lost ? 0 : 1);
  }
  ::_exit(2);
}

TEST(Session, AKernelThatAlwaysHangsIsAbandoned) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(hang_everywhere(), testing::ExitedWithCode(0), "could not be recovered in 4 attempts");
}

TEST(Session, SavesAndRestoresOnAnotherDevice) {
  const base::TemporaryFolder folder;
  const std::string file = folder / "state";
  const std::vector<float> ones(100, 1.0f), twos(50, 2.0f);
  {
    Session session({.device = "sim"});
    auto a = session.device().upload(ones), b = session.device().upload(twos);
    session.keep("a", a);
    session.keep("b", b);
    session.save(file);
  }
  Session session({.device = "cpu"});
  auto b = session.device().allocate<float>(50), a = session.device().allocate<float>(100);
  session.keep("b", b);
  session.keep("a", a);
  session.restore(file);
  EXPECT_EQ(a.download(), ones);
  EXPECT_EQ(b.download(), twos);

  auto c = session.device().allocate<float>(7);
  EXPECT_EQ(message_of([&] { session.keep("a", c); }),
            "keeping a buffer failed: another buffer has the name 'a'");
  session.keep("c", c);
  EXPECT_EQ(message_of([&] { session.restore(file); }),
            "loading '" + file + "' failed: it has no buffer 'c' of 28 bytes");
  const std::string text = base::read_file(file).value();
  ASSERT_TRUE(base::write_file(file, text.substr(0, text.size() / 2)).ok());
  EXPECT_EQ(message_of([&] { session.restore(file); }),
            "reading '" + file + "' failed: it was not written by Session::save, or is damaged");
}

TEST(Session, ThatWasMovedFromSaysSo) {
  Session session({.device = "sim"});
  const Session taken = std::move(session);
  const char* const moved = "using a session failed: it was moved from";
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(message_of([&] { session.checkpoint(); }), moved);
  EXPECT_EQ(message_of([&] { (void)session.losses(); }), moved);
  EXPECT_EQ(message_of([&] { session.save("x"); }), moved);
  EXPECT_EQ(message_of([&] { session.restore("x"); }), moved);
  // NOLINTEND(bugprone-use-after-move)
  taken.checkpoint();
}

// A process that is killed while saving leaves the previous file, or the next one.
TEST(Session, AKilledProcessLosesNothingThatWasSaved) {
  const base::TemporaryFolder folder;
  const std::string file = folder / "state";
  int last = 0;
  const int kills = base::from_environment("KILLS", 40);
  for (int round = 0; round < kills; ++round) {
    int saved[2];
    ASSERT_EQ(::pipe(saved), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Session session({.device = "sim"});
      auto x = session.device().allocate<int>(20000);
      session.keep("x", x);
      for (int n = last + 1;; ++n) {
        x.fill(n);
        session.save(file);
        if (::write(saved[1], &n, sizeof n) != sizeof n) ::_exit(1);
      }
    }
    ::close(saved[1]);
    ::usleep(static_cast<useconds_t>(3000 + (round * 7919) % 20000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    for (int n = 0; ::read(saved[0], &n, sizeof n) == sizeof n;) last = n;
    ::close(saved[0]);
    if (last == 0) continue;
    Session session({.device = "sim"});
    auto x = session.device().allocate<int>(20000);
    session.keep("x", x);
    session.restore(file);
    const std::vector<int> seen = x.download();
    EXPECT_GE(seen[0], last);  // confirmed, or one further
    EXPECT_LE(seen[0], last + 1);
    EXPECT_EQ(seen, std::vector<int>(20000, seen[0]));
    last = seen[0];
  }
  EXPECT_GT(last, 0);
}

}  // namespace
}  // namespace quern::test
