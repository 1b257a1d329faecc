#include <gtest/gtest.h>

#include "driver/decorators/forward/call.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/forward/progress.hpp"
#include "support/runtime_case.hpp"

namespace quern::forward {
namespace {

class Counter final : public Watcher {
 public:
  void gone(const driver::Object&, Wrapper& wrapper) override { ids.push_back(wrapper.id); }
  std::vector<uint64_t> ids;
};

TEST(Call, NamesAreFoundAgain) {
  for (size_t i = 0; i < kCallCount; ++i) {
    const auto call = static_cast<Call>(i);
    EXPECT_EQ(find_call(name(call)), call);
  }
  EXPECT_EQ(find_call("lunch"), std::nullopt);
  EXPECT_TRUE(can_fail(Call::kCall));
  EXPECT_FALSE(can_fail(Call::kDestroy));
}

TEST(Forward, RunsTheScenarioUnchanged) {
  auto device = runtime::Device::adopt(std::make_unique<Device>(runtime::open_sim()));
  ASSERT_TRUE(device.ok());
  auto result = runtime::run_scenario(*device);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(*result, runtime::scenario_result());
}

TEST(Forward, WrappersMirrorWhatTheyHold) {
  auto inner = runtime::open_sim();
  Device device(*inner);
  auto buffer = device.allocate(48, driver::MemoryKind::pinned);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ((*buffer)->bytes, 48u);
  EXPECT_EQ((*buffer)->kind, driver::MemoryKind::pinned);
  EXPECT_NE((*buffer)->address, 0u);
  EXPECT_EQ((*buffer)->address, inner_of(**buffer).address);
  EXPECT_EQ(&device.info(), &inner->info());
}

TEST(Forward, TheWatcherIsNotifiedOfEveryEnd) {
  auto counter = std::make_shared<Counter>();
  Device device(runtime::open_sim(), counter);
  auto one = device.allocate(4, driver::MemoryKind::device);
  auto two = device.create_event();
  const uint64_t first = wrapper_of(**one).id, second = wrapper_of(**two).id;
  EXPECT_NE(first, second);
  device.destroy(std::move(*one));
  EXPECT_EQ(counter->ids, std::vector{first});
  two->reset();
  EXPECT_EQ(counter->ids, (std::vector{first, second}));
}

TEST(Progress, SynchronizeEndsAllBefore) {
  Progress p;
  const Point a = p.submit(1);
  const Point b = p.submit(1);
  EXPECT_FALSE(p.is_done(a));
  p.reach(a);
  EXPECT_TRUE(p.is_done(a));
  EXPECT_FALSE(p.is_done(b));
  p.reach(p.last(1));
  EXPECT_TRUE(p.is_done(b));
}

TEST(Progress, AQueueThatWaitedProvesTheOther) {
  Progress p;
  const Point work = p.submit(1);
  p.record(1, 9);
  const Point later = p.submit(1);
  p.wait(2, 9);
  p.reach(p.last(2));
  EXPECT_TRUE(p.is_done(work));
  EXPECT_FALSE(p.is_done(later));
}

TEST(Progress, AnEventRecordedAgainMarksTheLaterPoint) {
  Progress p;
  EXPECT_FALSE(p.recorded(9).has_value());
  p.record(1, 9);
  const auto before = p.recorded(9);
  const Point work = p.submit(1);
  p.record(1, 9);
  p.reach(*before);
  EXPECT_FALSE(p.is_done(work));
  p.reach(*p.recorded(9));
  EXPECT_TRUE(p.is_done(work));
}

TEST(Progress, WhatIsGoneOrLostHasNothingInFlight) {
  Progress p;
  const Point one = p.submit(1), two = p.submit(2);
  p.forget(1);
  EXPECT_TRUE(p.is_done(one));
  EXPECT_FALSE(p.is_done(two));
  p.lose();
  EXPECT_TRUE(p.is_done(two));
}

}  // namespace
}  // namespace quern::forward
