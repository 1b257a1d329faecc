// The cost of an idle actor, and its immediate response afterwards.
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Count, (long total), (int add), long, { return total += add; })

double cpu_seconds() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Idle : public ::testing::TestWithParam<Engine> {};

// In a separate process: other tests leave handlers that never return.
TEST_P(Idle, DISABLED_Alone) {
  const Device device = open("cpu");
  const auto count = device.spawn(Count{}, Options{.engine = GetParam()});
  const auto many = spawn(device,
                          "struct State { int n; }; struct Message { int a; }; using Reply = int;"
                          "__device__ int on_message(State& s, const Message& m, quern::ring::Context&) {"
                          " return s.n += m.a; }",
                          Options{.engine = GetParam()}, std::vector<Member>(8));
  EXPECT_EQ(count.call(1).get(), 1);
  for (int i = 0; i < 100 && count.telemetry().launches == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // until they are idle
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const double used = cpu_seconds() - before;
  std::printf("two idle groups, 2 s: %.2f ms of the processor\n", used * 1e3);
  EXPECT_LT(used, 0.02);
  for (int i = 2; i < 20; ++i) {
    EXPECT_EQ(count.call(1).get(), i);
    if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(150));  // idle again
  }
  int add = 4;
  many[3].send(std::as_bytes(std::span<const int, 1>(&add, 1)));
  many[3].drain();
  EXPECT_EQ(many[3].telemetry().handled, 1u);
  count.pause();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  auto waits = count.call(1);
  EXPECT_FALSE(waits.wait_for(std::chrono::milliseconds(50)));
  count.resume();
  EXPECT_EQ(waits.get(), 20);
  EXPECT_TRUE(count.stop());
}

INSTANTIATE_TEST_SUITE_P(Engines, Idle, ::testing::Values(Engine::persistent, Engine::driven),
                         [](const auto& p) { return std::string(to_string(p.param)); });

TEST(IdleActors, TakeNoTimeOfTheProcessor) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "test_ring", "--gtest_also_run_disabled_tests",
            "--gtest_filter=*Idle.DISABLED_Alone*", static_cast<char*>(nullptr));
    ::_exit(1);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace quern::ring
