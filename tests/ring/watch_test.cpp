// The watchdog: finds any user code that runs too long, and ignores the total time of short runs.
#include "ring/engines.hpp"

namespace quern::ring {
namespace {

// Each waits this many milliseconds; forever if negative.
constexpr const char* kWaits = R"(
struct State { int n; };
struct Message { int what, milliseconds; };
using Reply = int;
__device__ void wait(int milliseconds) {
  const unsigned long long begin = __globaltimer();
  while (milliseconds < 0 || __globaltimer() - begin < milliseconds * 1000000ull) __nanosleep(1000);
}
__device__ void on_idle(State& s, quern::ring::Context&) { if (s.n < 0) wait(-1); }
__device__ void on_stop(State& s, quern::ring::Context&) { if (s.n > 1000) wait(-1); }
__device__ int on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (m.what == 0) wait(m.milliseconds);
  if (m.what == 1) c.send(0, Message{0, m.milliseconds});
  if (m.what == 2) c.after(1000, Message{0, m.milliseconds});
  if (m.what == 3) s.n = -1000;
  if (m.what == 4) s.n = 2000;
  return ++s.n;
}
)";
struct Message {
  int what, milliseconds;
};

class Watchdog : public ::testing::TestWithParam<Engine> {
 protected:
  static Handle<int, Message, int> make(std::chrono::milliseconds watchdog) {
    Options options;
    options.engine = GetParam();
    options.watchdog = watchdog;
    options.timers = 2;
    return spawn(open("cpu"), kWaits, options).as<int, Message, int>();
  }
  static void expect_given_up(const Handle<int, Message, int>& actor) {
    for (int i = 0; i < 6000 && actor.phase() != Phase::failed; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(actor.phase(), Phase::failed);
    EXPECT_EQ(actor.actor().error(), "its handler took longer than the watchdog allows");
  }
};

TEST_P(Watchdog, FindsWhateverDoesNotReturn) {
  for (const int what : {0, 1, 2, 3}) {
    SCOPED_TRACE(what);
    const auto actor = make(std::chrono::milliseconds(100));
    EXPECT_EQ(actor.call({9, 0}).get(), 1);
    actor.send({what, -1});
    expect_given_up(actor);
  }
}

TEST_P(Watchdog, FindsAnEndThatDoesNotReturn) {
  const auto actor = make(std::chrono::milliseconds(100));
  EXPECT_EQ(actor.call({4, 0}).get(), 2001);
  EXPECT_FALSE(actor.stop(std::chrono::seconds(60)));
  expect_given_up(actor);
}

// Messages of host and peers, and timers, each within its time limit.
TEST_P(Watchdog, LetsEachHaveItsTime) {
  const auto actor = make(std::chrono::milliseconds(400));
  actor.pause();
  for (int i = 0; i < 40; ++i) actor.send({i % 3, 20});
  actor.resume();
  EXPECT_GE(actor.call({9, 0}).get(), 41);
  for (int i = 0; i < 500 && actor.telemetry().handled < 41 + 13 + 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(actor.phase(), Phase::active);
  EXPECT_GE(actor.state(), 41 + 13 + 2);  // timers beyond two were rejected
}

INSTANTIATE_TEST_SUITE_P(Engines, Watchdog, ::testing::Values(Engine::persistent, Engine::driven),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace quern::ring
