// The device is lost at every call of every scenario, once: the program must see the same results as without
// a loss. Then again with continuous checkpoints, with a second loss during recovery, and with another device
// as a replacement.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "api/public_info.hpp"
#include "base/text.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "runtime/registry.hpp"
#include "session/scenarios.hpp"
#include "support/devices.hpp"

namespace quern::test {
namespace {

using faulty::Fault;
using faulty::Faults;

struct Plan {
  std::vector<uint64_t> losses;      // of the first device, the second, …: at which call
  std::vector<std::string> drivers;  // of each; the last for all later ones
  bool always_checkpoint = false;
};

// A device with a plan, and its results.
struct Outcome {
  std::vector<double> seen;
  std::string error;
  uint64_t fired = 0;  // losses that happened
  std::vector<recoverable::Recovery> recoveries;
};

Outcome run(const Scenario& scenario, const Plan& plan) {
  Outcome outcome;
  std::vector<std::shared_ptr<Faults>> all;
  recoverable::Options options;
  size_t opened = 0;
  options.reopen = [&](uint32_t) -> driver::Result<std::unique_ptr<driver::Device>> {
    const size_t number = opened++;
    const std::string& name = plan.drivers[std::min(number, plan.drivers.size() - 1)];
    QUERN_TRY_ASSIGN(driver::Driver* const driver, runtime::Registry::instance().start(name));
    QUERN_TRY_ASSIGN(auto device, driver->open(0, {}));
    std::vector<Fault> faults;
    if (number < plan.losses.size()) faults.push_back({std::nullopt, plan.losses[number]});
    all.push_back(std::make_shared<Faults>(faults));
    return faulty::wrap(std::move(device), all.back());
  };
  options.on_recovery = [&](const recoverable::Recovery& r) { outcome.recoveries.push_back(r); };
  if (plan.always_checkpoint) {
    options.log_time = std::chrono::milliseconds(0);
    options.log_calls = 0;
    options.log_bytes = 4096;
  }
  auto device = recoverable::open(std::move(options));
  if (!device.ok()) return {{}, device.error().to_string(), 0, {}};
  try {
    auto adopted = runtime::Device::adopt(std::move(*device));
    if (!adopted.ok()) return {{}, adopted.error().to_string(), 0, {}};
    outcome.seen = scenario.run(detail::public_device(*adopted));
  } catch (const std::exception& problem) {
    outcome.error = problem.what();
  }
  for (const auto& faults : all) outcome.fired += faults->fired();
  return outcome;
}

std::vector<std::string> drivers_here() {
  std::vector<std::string> names;
  for (const char* name : each_implementation()) {
    if (why_not(name, {}).empty()) names.emplace_back(name);
  }
  return names;
}

// If each call is slow, fewer of them are tried: QUERN_TEST_EVERY_CALL=1 tries all.
uint64_t stride_of(const std::string& driver) {
  if (std::getenv("QUERN_TEST_EVERY_CALL") != nullptr) return 1;
  return driver == "sim" || driver == "cpu" ? 1 : 13;
}

class Injection : public ::testing::TestWithParam<std::string> {
 protected:
  // Every call in turn until the scenario runs without a loss; returns the number of losses.
  template <typename MakePlan>
  static uint64_t walk(const Scenario& scenario, uint64_t stride, MakePlan&& make_plan) {
    const Outcome calm = run(scenario, make_plan(~uint64_t{0}));
    EXPECT_EQ(calm.error, "") << scenario.name;
    EXPECT_FALSE(calm.seen.empty());
    uint64_t injected = 0;
    for (uint64_t n = 0;; n += stride) {
      const Outcome outcome = run(scenario, make_plan(n));
      if (outcome.fired == 0) break;
      injected += outcome.fired;
      EXPECT_EQ(outcome.error, "") << scenario.name << ", call " << n;
      EXPECT_EQ(outcome.seen, calm.seen) << scenario.name << ", call " << n;
      EXPECT_GE(outcome.recoveries.size(), 1u) << scenario.name << ", call " << n;
      if (::testing::Test::HasFailure()) break;
    }
    return injected;
  }
};

TEST_P(Injection, EveryCallIsLostOnce) {
  uint64_t injected = 0;
  for (const Scenario& scenario : scenarios()) {
    injected += walk(scenario, stride_of(GetParam()), [&](uint64_t n) {
      return Plan{{n}, {GetParam()}, false};
    });
    injected += walk(scenario, stride_of(GetParam()), [&](uint64_t n) {
      return Plan{{n}, {GetParam()}, true};
    });
  }
  EXPECT_GT(injected, 50u);
  std::printf("%s: %llu losses, all repaired\n", GetParam().c_str(),
              static_cast<unsigned long long>(injected));
}

TEST_P(Injection, ALossWhileAnotherIsRepaired) {
  uint64_t injected = 0;
  for (const Scenario& scenario : scenarios()) {
    injected += walk(scenario, 5 * stride_of(GetParam()), [&](uint64_t n) {
      return Plan{{n, n / 2}, {GetParam()}, n % 2 == 0};
    });
  }
  std::printf("%s: %llu losses, all repaired\n", GetParam().c_str(),
              static_cast<unsigned long long>(injected));
}

TEST_P(Injection, WorkContinuesOnAnotherDevice) {
  for (const Scenario& scenario : scenarios())
    walk(scenario, 11 * stride_of(GetParam()), [&](uint64_t n) {
      return Plan{{n}, {GetParam(), "sim"}, false};
    });
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Devices, Injection, ::testing::ValuesIn(drivers_here()), name_of);

// A download in flight when another thread found the device lost never completes, and is not reported as
// complete.
TEST(Loss, EndsTheWaitsOfOtherThreads) {
  auto driver = runtime::Registry::instance().start("cpu");
  if (!driver.ok()) GTEST_SKIP() << driver.error().message();
  auto below = (*driver)->open(0, {});
  ASSERT_TRUE(below.ok());
  const auto faults = *Faults::parse("create_event:0=lost");
  auto device = faulty::wrap(std::move(*below), faults);
  auto stream = device->create_stream({});
  auto buffer = device->allocate(4, driver::MemoryKind::device);
  ASSERT_TRUE(stream.ok() && buffer.ok());
  const auto wait_for_loss = [&] {
    while (!faults->is_lost()) std::this_thread::yield();
  };
  uint32_t value = 0;
  ASSERT_TRUE(device->fill(**stream, {buffer->get(), 0}, 7, 4, 4).ok());
  ASSERT_TRUE(device->call(**stream, wait_for_loss).ok());
  ASSERT_TRUE(device->download(**stream, &value, {buffer->get(), 0}, 4).ok());
  auto waits = std::async(std::launch::async, [&] { return device->synchronize(**stream).ok(); });
  while (faults->count(faulty::Call::kSynchronize) == 0) std::this_thread::yield();
  EXPECT_FALSE(device->create_event().ok());
  EXPECT_EQ(waits.get(), value == 7);
  device->destroy(std::move(*stream));
  device->destroy(std::move(*buffer));
}

TEST(Recoverable, ADeviceThatIsLostRepeatedlyIsAbandoned) {
  const Outcome outcome = run(scenarios()[0], Plan{{9, 3, 3, 3, 3, 3, 3}, {"sim"}, false});
  EXPECT_NE(outcome.error.find("the device was lost (download 0 failed (injected fault))"), std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("could not be recovered in 4 attempts"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace quern::test
