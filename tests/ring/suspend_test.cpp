// Kernels that are suspended for a driver call: work that waits only on the device resumes them too.
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "ring/group.hpp"
#include "ring/support.hpp"

namespace quern::ring {
namespace {

// The second actor reports that it works and continues when allowed; by then it has sent a message to the
// first.
constexpr const char* kSuspendRelay = R"(
struct State { int seen; };
struct Message { int value; };
using Reply = int;
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.seen += m.value;
  if (c.index() == 0) return s.seen;
  volatile int* const gate = c.buffer<int>(0);
  c.send(0, m);
  gate[0] = 1;
  while (gate[1] == 0) __nanosleep(1000);
  return s.seen;
}
)";

bool becomes(const std::function<bool()>& is_true) {
  for (int i = 0; i < 5000 && !is_true(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return is_true();
}

void send(Group& group, std::size_t actor, int value) {
  group.mailbox().send(*group.kernel().actors()[actor], std::as_bytes(std::span<const int, 1>(&value, 1)),
                       {});
}

class Suspend : public ::testing::TestWithParam<std::chrono::milliseconds> {};

TEST_P(Suspend, MessagesOfPeersBringAKernelBack) {
  const Device device = open("cpu");
  auto gate = device.upload(std::vector<int>(2, 0));
  Options options;
  options.engine = Engine::persistent;
  options.buffers = {Argument(gate)};
  options.idle_timeout = GetParam();
  const auto group = Group::create(device, kSuspendRelay, options, std::vector<Member>(2));
  const auto at_gate = [&](std::size_t i) { return std::atomic_ref<int>(gate.host()[i]); };
  send(*group, 1, 5);
  ASSERT_TRUE(becomes([&] { return at_gate(0) == 1; }));
  group->control().suspend();
  at_gate(1) = 1;
  ASSERT_TRUE(becomes([&] { return group->control().is_idle(); }));
  group->control().resume();
  const auto handled = [&](std::size_t i) {
    return look(group->kernel().status(*group->kernel().actors()[i]) + kHandled);
  };
  EXPECT_TRUE(becomes([&] { return handled(0) == 1; })) << "nobody has woken the kernel for it";
  EXPECT_EQ(handled(1), 1u);
}

INSTANTIATE_TEST_SUITE_P(IdleTimeouts, Suspend,
                         ::testing::Values(std::chrono::milliseconds(0), std::chrono::milliseconds(20)),
                         [](const auto& p) { return p.param.count() == 0 ? "never" : "soon"; });

// A kernel with on_idle has work as soon as it may resume.
TEST(AwayIdle, HooksContinueAfterwards) {
  const Device device = open("cpu");
  auto looks = device.upload(std::vector<int>(1, 0));
  Options options;
  options.engine = Engine::persistent;
  options.buffers = {Argument(looks)};
  const auto group = Group::create(device, R"(
struct State { int n; };
struct Message { int value; };
using Reply = int;
__device__ int on_message(State& s, const Message&, quern::ring::Context&) { return s.n; }
__device__ void on_idle(State&, quern::ring::Context& c) { *(volatile int*)c.buffer<int>(0) += 1; }
)",
                                   options, std::vector<Member>(1));
  const auto count = [&] { return std::atomic_ref<int>(looks.host()[0]).load(); };
  ASSERT_TRUE(becomes([&] { return count() > 0; }));
  group->control().suspend();
  ASSERT_TRUE(becomes([&] { return group->control().is_idle(); }));
  const int before = count();
  group->control().resume();
  EXPECT_TRUE(becomes([&] { return count() > before; })) << "its hook is not called any more";
}

}  // namespace
}  // namespace quern::ring
