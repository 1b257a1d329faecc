// The device of a session is lost at call 0, 1, 2, …: the host sees every message handled once.
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

constexpr const char* kRecoveryText = R"(
struct State { unsigned hash; int count; };
struct Message { int value; };
using Reply = unsigned;
__device__ unsigned on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.hash = s.hash * 1664525u + (unsigned)m.value;
  s.count += 1;
  if (m.value % 3 == 0) c.publish(s.hash);
  return s.hash;
}
)";
struct State {
  std::uint32_t hash;
  int count;
};

struct Outcome {
  std::vector<std::uint32_t> replies, events;
  int count = 0;
  std::uint64_t fired = 0;
  std::string error;
  bool operator==(const Outcome& o) const {
    return replies == o.replies && events == o.events && count == o.count;
  }
};

void run_actor(const Device& device, Outcome& outcome) {
  const auto actor = spawn(device, kRecoveryText).as<State, int, std::uint32_t>();
  EXPECT_EQ(actor.engine(), Engine::driven);
  actor.subscribe([&](std::uint32_t event) { outcome.events.push_back(event); });
  for (int i = 0; i < 12; ++i) {
    if (i % 2 == 0) {
      outcome.replies.push_back(actor.call(i).get());
    } else {
      actor.send(i);
    }
    if (i == 6) actor.drain();
  }
  EXPECT_TRUE(actor.stop());
  for (int i = 0; i < 1000 && outcome.events.size() < 4; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  outcome.count = actor.state().count;
}

// With the device lost at its `at`-th call.
Outcome lose(const std::string& driver, std::uint64_t at) {
  Outcome outcome;
  std::vector<std::shared_ptr<faulty::Faults>> all;
  recoverable::Options options;
  options.reopen = [&](std::uint32_t) -> driver::Result<std::unique_ptr<driver::Device>> {
    QUERN_TRY_ASSIGN(driver::Driver* const below, runtime::Registry::instance().start(driver));
    QUERN_TRY_ASSIGN(auto device, below->open(0, {}));
    std::vector<faulty::Fault> faults;
    if (all.empty()) faults.push_back({std::nullopt, at});
    all.push_back(std::make_shared<faulty::Faults>(faults));
    return faulty::wrap(std::move(device), all.back());
  };
  auto device = recoverable::open(std::move(options));
  if (!device.ok()) return {{}, {}, 0, 1, device.error().to_string()};
  try {
    auto adopted = runtime::Device::adopt(std::move(*device));
    if (!adopted.ok()) return {{}, {}, 0, 1, adopted.error().to_string()};
    run_actor(quern::detail::public_device(*adopted), outcome);
  } catch (const std::exception& problem) {
    outcome.error = problem.what();
  }
  for (const auto& faults : all) outcome.fired += faults->fired();
  return outcome;
}

class Recovery : public ::testing::TestWithParam<const char*> {};

TEST_P(Recovery, EveryMessageIsSeenHandledOnce) {
  const std::string driver = GetParam();
  if (!open_if_here(driver)) GTEST_SKIP() << "there is no device '" << driver << "' here";
  // Otherwise fewer the later they are, and for a limited time: a slow device makes many calls.
  const bool is_every = std::getenv("RING_TEST_EVERY_CALL") != nullptr;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const Outcome expected = lose(driver, ~std::uint64_t{0});
  ASSERT_EQ(expected.error, "");
  ASSERT_EQ(expected.count, 12);
  ASSERT_EQ(expected.events.size(), 4u);
  std::uint64_t losses = 0;
  for (std::uint64_t at = 0;; at += is_every ? 1 : 1 + at / 3) {
    const Outcome outcome = lose(driver, at);
    ASSERT_EQ(outcome.error, "") << "lost at call " << at;
    ASSERT_TRUE(outcome == expected) << "lost at call " << at;
    if (outcome.fired == 0) break;
    ++losses;
    if (!is_every && losses > 2 && std::chrono::steady_clock::now() > until) break;
  }
  EXPECT_GT(losses, 2u);
  std::printf("%s: lost at %llu places, the same each time\n", driver.c_str(),
              static_cast<unsigned long long>(losses));
}

INSTANTIATE_TEST_SUITE_P(Devices, Recovery, ::testing::ValuesIn(ring_drivers()),
                         [](const auto& p) { return std::string(p.param); });

TEST(SessionActors, AreDrivenUnlessPersistentOnesAreAskedFor) {
  const Session session({.device = "cpu"});
  const auto actor = spawn(session.device(), kRecoveryText).as<State, int, std::uint32_t>();
  EXPECT_EQ(actor.engine(), Engine::driven);
  EXPECT_EQ(actor.call(7).get(), 7u);
  Options options;
  options.engine = Engine::persistent;
  const auto other = spawn(session.device(), kRecoveryText, options).as<State, int, std::uint32_t>();
  EXPECT_EQ(other.engine(), Engine::persistent);
  EXPECT_EQ(other.call(7).get(), 7u);
  const Session simulated({.device = "sim"});
  EXPECT_NE(message_of([&] {
              (void)spawn(simulated.device(), kRecoveryText, options);
            }).find("does not support persistent kernels"),
            std::string::npos);
}

}  // namespace
}  // namespace quern::ring
