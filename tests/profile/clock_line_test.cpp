#include "runtime/profile/clock_line.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/ticks.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::test {

TEST(ClockLine, TicksBecomeTheHostsClockAndStayInOrder) {
  profile::ClockLine line;
  std::vector<uint64_t> ticks, host;
  for (int i = 0; i < 40; ++i) {
    ticks.push_back(base::ticks());
    host.push_back(driver::host_nanoseconds());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (i % 4 == 0) line.look();
  }
  line.look();
  uint64_t last = 0;
  int far = 0;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const uint64_t told = line.nanoseconds(ticks[i]);
    EXPECT_GE(told, last);
    last = told;
    if (told > host[i] + 50'000 || told + 50'000 < host[i]) ++far;
  }
  EXPECT_LE(far, 4);  // the thread may be preempted between two readings
}

TEST(ClockLine, WhatIsToldStaysTrue) {
  profile::ClockLine line;
  std::vector<std::pair<uint64_t, uint64_t>> told;
  for (int i = 0; i < 300; ++i) {
    const uint64_t ticks = base::ticks();
    line.look();
    ASSERT_LE(ticks, line.last());
    told.emplace_back(ticks, line.nanoseconds(ticks));
  }
  for (const auto& [ticks, nanoseconds] : told) EXPECT_EQ(line.nanoseconds(ticks), nanoseconds);
}

}  // namespace quern::test
