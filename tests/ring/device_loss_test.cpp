// Persistent actors on the device of a session, which is lost at call 0, 1, 2, …: the host sees every message
// handled once, and so do the actors' buffers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "api/public_info.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "quern/session.hpp"
#include "ring/support.hpp"
#include "runtime/device.hpp"
#include "runtime/registry.hpp"

namespace quern::ring {
namespace {

using namespace std::chrono_literals;

// Logs what it handles in its buffer.
constexpr const char* kDeviceLossText = R"(
struct State { unsigned hash; int count; int stopped; };
struct Message { int value; };
using Reply = unsigned;
__device__ unsigned on_message(State& s, const Message& m, quern::ring::Context& c) {
  c.sync();
  if (c.thread() == 0) {
    s.hash = s.hash * 1664525u + (unsigned)m.value;
    if (s.count < 256) c.buffer<unsigned>(0)[c.index() * 256 + s.count] += s.hash;
    s.count += 1;
    if (m.value % 3 == 0) c.publish(s.hash);
  }
  c.sync();
  return s.hash;
}
__device__ void on_stop(State& s, quern::ring::Context& c) {
  if (c.thread() == 0) s.stopped += 1;
}
)";
struct State {
  std::uint32_t hash;
  int count, stopped;
  bool operator==(const State&) const = default;
};
using Actors = Handle<State, int, std::uint32_t>;

struct Outcome {
  std::vector<std::uint32_t> replies, events, written;
  std::vector<State> states;
  std::string error;
  std::uint64_t fired = 0, recoveries = 0;
  Engine engine = Engine::automatic;
  bool operator==(const Outcome& o) const {
    return replies == o.replies && events == o.events && written == o.written && states == o.states;
  }
};

std::string differences(const Outcome& is, const Outcome& was) {
  std::string out;
  if (is.replies != was.replies) out += ", other replies";
  if (is.events != was.events)
    out += ", " + std::to_string(is.events.size()) + " events for " + std::to_string(was.events.size());
  for (std::size_t i = 0; i < was.written.size() && is.written.size() == was.written.size(); ++i)
    if (is.written[i] != was.written[i]) out += ", written " + std::to_string(i);
  for (std::size_t i = 0; i < was.states.size() && is.states.size() == was.states.size(); ++i)
    if (!(is.states[i] == was.states[i]))
      out += ", count " + std::to_string(is.states[i].count) + ", stopped " +
             std::to_string(is.states[i].stopped);
  return out;
}

// The device of the session: which one is opened first, second, …, and after how many calls it is lost.
struct Course {
  std::vector<std::string> drivers;
  std::vector<std::uint64_t> lost_at;
  std::optional<std::uint64_t> lost_at_allocation = {};  // of the first device
  std::chrono::milliseconds pause{0};                    // until the next one is available
  std::function<void(std::shared_ptr<faulty::Faults>)> opened = {};
};

using Work = std::function<void(const Device&, Outcome&)>;

Outcome live(const Course& course, const Work& work) {
  Outcome outcome;
  std::vector<std::shared_ptr<faulty::Faults>> all;
  recoverable::Options options;
  options.reopen = [&](std::uint32_t) -> driver::Result<std::unique_ptr<driver::Device>> {
    const std::size_t which = all.size();
    const std::string& name = course.drivers[std::min(which, course.drivers.size() - 1)];
    if (which != 0) std::this_thread::sleep_for(course.pause);
    QUERN_TRY_ASSIGN(driver::Driver* const below, runtime::Registry::instance().start(name));
    QUERN_TRY_ASSIGN(auto device, below->open(0, {}));
    std::vector<faulty::Fault> faults;
    if (which < course.lost_at.size()) faults.push_back({std::nullopt, course.lost_at[which]});
    if (which == 0 && course.lost_at_allocation)
      faults.push_back({faulty::Call::kAllocate, *course.lost_at_allocation});
    all.push_back(std::make_shared<faulty::Faults>(faults));
    if (course.opened) course.opened(all.back());
    return faulty::wrap(std::move(device), all.back());
  };
  auto device = recoverable::open(std::move(options));
  if (!device.ok()) {
    outcome.error = device.error().to_string();
    return outcome;
  }
  try {
    auto adopted = runtime::Device::adopt(std::move(*device));
    if (!adopted.ok()) {
      outcome.error = adopted.error().to_string();
      return outcome;
    }
    work(quern::detail::public_device(*adopted), outcome);
  } catch (const std::exception& problem) {
    outcome.error = problem.what();
  }
  for (const auto& faults : all) outcome.fired += faults->fired();
  return outcome;
}

Options persistent(Shape shape) {
  Options options;
  options.engine = Engine::persistent;
  options.shape = shape;
  options.slots = 16;
  options.replies = 4;
  options.events = 8;
  if (shape == Shape::block) options.threads = 4;
  if (shape == Shape::grid) {
    options.threads = 2;
    options.blocks = 2;
  }
  return options;
}

// Two actors, sends and several concurrent calls, a pause in which others use the buffer.
void run_actors(const Device& device, Outcome& outcome, Shape shape) {
  auto paper = device.allocate<unsigned>(2 * 256);
  paper.fill(0);
  const auto twice =
      device.compile("__global__ void twice(unsigned* x) { x[blockIdx.x] *= 2u; }").kernel("twice");
  Options options = persistent(shape);
  options.buffers = {paper};
  std::vector<Member> members(shape == Shape::grid ? 1 : 2);
  const std::vector<Actor> group = spawn(device, kDeviceLossText, options, members);
  std::vector<Actors> actors;
  for (const Actor& a : group) actors.push_back(a.as<State, int, std::uint32_t>());
  actors[0].subscribe([&](std::uint32_t event) { outcome.events.push_back(event); });
  std::vector<Future<std::uint32_t>> calls;
  for (int i = 0; i < 60; ++i) {
    const Actors& actor = actors[static_cast<std::size_t>(i / 3) % actors.size()];
    if (i % 4 == 0) {
      calls.push_back(actor.call(i));
    } else {
      actor.send(i);
    }
    if (calls.size() == 3) {
      for (auto& c : calls) outcome.replies.push_back(c.get());
      calls.clear();
    }
    if (i == 20) actors[0].drain();
    if (i == 40) {
      for (const Actors& a : actors) a.drain();
      for (const Actors& a : actors) a.pause();
      device.launch(twice, quern::grid(8, 1), paper);
      outcome.written = paper.download();
      for (const Actors& a : actors) a.resume();
    }
  }
  for (auto& c : calls) outcome.replies.push_back(c.get());
  for (const Actors& a : actors) {
    if (!a.stop()) outcome.error = "an actor was not stopped but abandoned";
  }
  std::this_thread::sleep_for(3ms);  // the last point is taken: a loss may follow it too
  for (const Actors& a : actors) outcome.states.push_back(a.state());
  const std::vector<unsigned> written = paper.download();
  outcome.written.insert(outcome.written.end(), written.begin(), written.end());
  outcome.recoveries = actors[0].telemetry().recoveries;
  outcome.engine = actors[0].engine();
  const std::size_t events = actors[0].telemetry().published;
  for (int i = 0; i < 2000 && outcome.events.size() < events; ++i) std::this_thread::sleep_for(1ms);
}

class DeviceLoss : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Device device = open_if_here(GetParam());
    if (!device) GTEST_SKIP() << "there is no device '" << GetParam() << "' here";
    if (!device.info().has(Feature::persistent))
      GTEST_SKIP() << GetParam() << " does not support persistent kernels";
  }
};

// Every call, or fewer the later they are: a watched kernel makes many.
std::uint64_t lose_everywhere(const std::string& driver, Shape shape, std::uint64_t again) {
  const bool is_quick = driver == "cpu" && shape == Shape::thread && again == 0;
  const bool is_every = is_quick || std::getenv("RING_TEST_EVERY_CALL") != nullptr;
  const Work work = [&](const Device& d, Outcome& o) { run_actors(d, o, shape); };
  const Outcome expected = live({{driver}, {}}, work);
  EXPECT_EQ(expected.error, "");
  EXPECT_EQ(expected.engine, Engine::persistent);
  EXPECT_EQ(expected.recoveries, 0u);
  EXPECT_GT(expected.events.size(), 8u);
  const auto until = std::chrono::steady_clock::now() + 8s;
  std::uint64_t losses = 0, recoveries = 0;
  // Before call 20 there are no actors yet.
  for (std::uint64_t at = is_every ? 0 : 20;; at += is_every ? 1 : 1 + at / 8) {
    Course course{{driver}, {at}};
    if (again != 0) course.lost_at.push_back(again);
    const Outcome outcome = live(course, work);
    EXPECT_EQ(outcome.error, "") << "lost at call " << at;
    EXPECT_TRUE(outcome == expected) << "lost at call " << at << ", recovered " << outcome.recoveries
                                     << differences(outcome, expected);
    if (outcome.fired == 0 || ::testing::Test::HasFailure()) break;
    ++losses;
    recoveries += outcome.recoveries;
    if (!is_every && recoveries > 2 && std::chrono::steady_clock::now() > until) break;
  }
  EXPECT_GT(recoveries, 2u);
  std::printf("%s, shape %d: lost at %llu places, actors brought back %llu times, the same each time\n",
              driver.c_str(), static_cast<int>(shape), static_cast<unsigned long long>(losses),
              static_cast<unsigned long long>(recoveries));
  return losses;
}

TEST_P(DeviceLoss, ThreadActorsSeeEveryMessageOnce) { lose_everywhere(GetParam(), Shape::thread, 0); }
TEST_P(DeviceLoss, BlockActorsSeeEveryMessageOnce) { lose_everywhere(GetParam(), Shape::block, 0); }
TEST_P(DeviceLoss, GridActorsSeeEveryMessageOnce) { lose_everywhere(GetParam(), Shape::grid, 0); }
TEST_P(DeviceLoss, LostAgainWhileItIsBroughtBack) {
  for (const std::uint64_t again : {12, 25, 40, 60}) lose_everywhere(GetParam(), Shape::thread, again);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceLoss, ::testing::ValuesIn(ring_drivers()),
                         [](const auto& p) { return std::string(p.param); });

// The replacement does not support persistent kernels.
TEST(DeviceLossElsewhere, ContinueDriven) {
  const Work work = [](const Device& d, Outcome& o) { run_actors(d, o, Shape::thread); };
  const Outcome expected = live({{"cpu"}, {}}, work);
  ASSERT_EQ(expected.error, "");
  for (const char* const driver : {"sim", "opencl"}) {
    if (!open_if_here(driver)) continue;
    SCOPED_TRACE(driver);
    bool fell = false;
    for (const std::uint64_t at : {30, 60, 90, 120, 200}) {
      const Outcome outcome = live({{"cpu", driver}, {at}}, work);
      EXPECT_EQ(outcome.error, "") << "lost at call " << at;
      EXPECT_TRUE(outcome == expected) << "lost at call " << at;
      fell = fell || outcome.engine == Engine::driven;
    }
    EXPECT_TRUE(fell);
  }
}

// Loses the first device at a given allocation.
struct LossTrap {
  std::shared_ptr<faulty::Faults> first;
  std::uint64_t allocations = 0;

  void spring(const Device& device) {
    allocations = first->count(faulty::Call::kAllocate);
    auto more = device.allocate<int>(1 << 20);
    more.fill(0);
  }

  // Runs `work` on the cpu, and with the simulator as the replacement from there on; returns the result of
  // the cpu.
  Outcome lose(const Work& work, std::chrono::milliseconds pause, Outcome& outcome) {
    const auto keep = [&](std::shared_ptr<faulty::Faults> faults) {
      if (first == nullptr) first = std::move(faults);
    };
    const Outcome expected = live({{"cpu"}, {}, {}, 0ms, keep}, work);
    EXPECT_EQ(expected.error, "");
    first = nullptr;
    outcome = live({{"cpu", "sim"}, {}, allocations, pause, keep}, work);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.fired, 1u);
    EXPECT_EQ(outcome.engine, Engine::driven);
    return expected;
  }
};

TEST(DeviceLossElsewhere, OneOfTwoHasNothingToRepeat) {
  LossTrap loss_trap;
  const Work work = [&](const Device& device, Outcome& outcome) {
    auto paper = device.allocate<unsigned>(2 * 256);
    paper.fill(0);
    Options options = persistent(Shape::thread);
    options.buffers = {paper};
    const std::vector<Actor> group = spawn(device, kDeviceLossText, options, std::vector<Member>(2));
    const auto one = group[0].as<State, int, std::uint32_t>(), two = group[1].as<State, int, std::uint32_t>();
    for (const auto& actor : {one, two}) actor.pause();  // a point is taken, at which both have obeyed
    for (const auto& actor : {one, two}) actor.resume();
    for (int i = 0; i < 3; ++i) outcome.replies.push_back(one.call(i).get());
    loss_trap.spring(device);
    for (int i = 0; i < 20; ++i) {
      outcome.replies.push_back(one.call(i).get());
      outcome.replies.push_back(two.call(i).get());
    }
    for (const auto& actor : {one, two}) {
      EXPECT_TRUE(actor.stop());
      outcome.states.push_back(actor.state());
    }
    outcome.engine = one.engine();
  };
  Outcome outcome;
  const Outcome expected = loss_trap.lose(work, 0ms, outcome);
  EXPECT_TRUE(outcome == expected) << differences(outcome, expected);
}

// A thread other than the group's finds the loss, and opening the next device takes time: until then its
// properties are unknown. When the actors rest, their buffers are open, and stay open.
class LostByOthers : public ::testing::TestWithParam<bool> {};

TEST_P(LostByOthers, ContinueDriven) {
  LossTrap loss_trap;
  const Work work = [&](const Device& device, Outcome& outcome) {
    auto paper = device.allocate<unsigned>(2 * 256);
    paper.fill(0);
    Options options = persistent(Shape::thread);
    options.buffers = {paper};
    const auto actor = spawn(device, kDeviceLossText, options).as<State, int, std::uint32_t>();
    for (int i = 0; i < 20; ++i) outcome.replies.push_back(actor.call(i).get());
    if (GetParam()) actor.pause();
    loss_trap.spring(device);
    for (int i = 0; i < 5000 && outcome.replies.size() == 20 && loss_trap.first->fired() != 0; ++i) {
      if (actor.engine() == Engine::driven && actor.telemetry().recoveries == 1) break;
      std::this_thread::sleep_for(1ms);
    }
    if (GetParam()) actor.resume();
    for (int i = 0; i < 20; ++i) outcome.replies.push_back(actor.call(i).get());
    EXPECT_TRUE(actor.stop());
    outcome.states.push_back(actor.state());
    outcome.engine = actor.engine();
    outcome.written = paper.download();
  };
  Outcome outcome;
  const Outcome expected = loss_trap.lose(work, 30ms, outcome);
  EXPECT_TRUE(outcome.replies == expected.replies && outcome.states == expected.states &&
              outcome.written == expected.written)
      << differences(outcome, expected);
}

INSTANTIATE_TEST_SUITE_P(Rest, LostByOthers, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "paused" : "active"; });

// Each loss occurs while several threads send messages; all messages count once.
TEST(DeviceLossFlow, ManyLossesUnderLoad) {
  const Device device = open_if_here("cpu");
  if (!device) GTEST_SKIP() << "there is no processor here";
  const Work work = [](const Device& d, Outcome& o) {
    Options options;
    options.engine = Engine::persistent;
    options.slots = 256;
    constexpr const char* kSum = R"(
      struct State { long long sum, count; };
      using Message = int;
      using Reply = long long;
      __device__ Reply on_message(State& s, const Message& m, quern::ring::Context&) {
        s.sum += m;
        return ++s.count;
      })";
    struct Sum {
      long long sum, count;
    };
    const auto actor = spawn(d, kSum, options).as<Sum, int, long long>();
    std::atomic<long long> sent{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        try {
          long long last = 0;
          for (int i = 0; i < 20000; ++i) {
            sent += i % 7 + t;
            if (i % 50 != 0) {
              actor.send(i % 7 + t);
              continue;
            }
            const long long count = actor.call(i % 7 + t).get();
            EXPECT_GT(count, last);
            last = count;
          }
        } catch (const Error& e) {
          ADD_FAILURE() << e.what();
        }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_TRUE(actor.stop());
    EXPECT_EQ(actor.state().count, 60000);
    EXPECT_EQ(actor.state().sum, sent);
    o.recoveries = actor.telemetry().recoveries;
  };
  Course course{{"cpu"}, {}};
  for (std::uint64_t i = 0; i < 40; ++i) course.lost_at.push_back(600 + 37 * i % 101);
  const Outcome outcome = live(course, work);
  EXPECT_EQ(outcome.error, "");
  EXPECT_GT(outcome.recoveries, 5u);
  std::printf("%llu losses, %llu recoveries\n", static_cast<unsigned long long>(outcome.fired),
              static_cast<unsigned long long>(outcome.recoveries));
}

TEST(DeviceLossRules, AreReportedInOneSentence) {
  const Session session({.device = "cpu"});
  const Device& device = session.device();
  const auto refuses = [&](const std::string& text, const Options& options, const std::string& what) {
    const std::string message = message_of([&] { (void)spawn(device, text, options); });
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  const std::string text =
      "struct State { int x; }; using Message = int; using Reply = int;"
      "__device__ int on_message(State& s, const int& m, quern::ring::Context& c) { ";
  Options options;
  options.engine = Engine::persistent;
  refuses(text + "c.send(0, m); return 0; }", options, "cannot send to other actors");
  refuses(text + "return 0; } __device__ void on_idle(State&, quern::ring::Context&) {}", options,
          "do not support on_idle");
  Options urgent = options, late = options, parallel = options, again = options, timed = options;
  timed.timers = 1;
  urgent.urgent = 4;
  late.deadlines = true;
  parallel.shape = Shape::parallel;
  again.restart.limit = 1;
  refuses(text + "return 0; }", urgent, "do not support urgent messages");
  refuses(text + "return 0; }", late, "do not support deadlines");
  refuses(text + "return 0; }", timed, "do not support timers");
  refuses(text + "return 0; }", parallel, "do not support shape 'parallel'");
  refuses(text + "return 0; }", again, "do not support restarts");

  auto paper = device.allocate<unsigned>(4);
  paper.fill(7);
  options.buffers = {paper};
  const Actor actor = spawn(device, text + "c.buffer<unsigned>(0)[0] += m; return s.x += m; }", options);
  EXPECT_EQ(actor.engine(), Engine::persistent);
  const auto used = [&] { return message_of([&] { (void)paper.download(); }); };
  EXPECT_NE(used().find("is used while the actors run"), std::string::npos) << used();
  EXPECT_NE(message_of([&] { actor.replace(text + "return 0; }"); }).find("cannot be replaced"),
            std::string::npos);
  const auto adder = actor.as<int, int, int>();
  EXPECT_EQ(adder.call(5).get(), 5);
  adder.pause();
  EXPECT_EQ(paper.download()[0], 12u);
  adder.resume();
  EXPECT_TRUE(adder.stop());
  EXPECT_EQ(paper.download()[0], 12u);
}

// Every device is lost again, before or soon after the actors are recovered: they recover, or the group
// fails.
TEST(DeviceLossRules, LostWithoutEnd) {
  const Work work = [](const Device& d, Outcome& o) { run_actors(d, o, Shape::thread); };
  const Outcome expected = live({{"cpu"}, {}}, work);
  int given_up = 0;
  for (const std::uint64_t calls : {12, 24, 30, 36}) {
    Course course{{"cpu"}, std::vector<std::uint64_t>(200, calls)};
    course.lost_at.front() = 100;
    const Outcome outcome = live(course, work);
    given_up += outcome.error.empty() ? 0 : 1;
    EXPECT_TRUE(outcome == expected || !outcome.error.empty())
        << calls << " calls each" << differences(outcome, expected);
    if (!outcome.error.empty()) std::printf("%d calls: %s\n", static_cast<int>(calls), outcome.error.c_str());
  }
  EXPECT_GT(given_up, 0);
}

}  // namespace
}  // namespace quern::ring
