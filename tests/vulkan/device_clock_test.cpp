// Conversion of device clocks (driver/support/device_clock.hpp).
#include "driver/support/device_clock.hpp"

#include <gtest/gtest.h>

namespace quern::driver {
namespace {

TEST(DeviceClock, CountsTicksFromWhereBothWereSeen) {
  DeviceClock clock([] { return Result<ClockPair>({1000, 500}); }, false, 2.5);
  EXPECT_EQ(*clock.host_time(500), 1000u);
  EXPECT_EQ(*clock.host_time(510), 1025u);
  EXPECT_EQ(*clock.host_time(490), 975u);
}

TEST(DeviceClock, AShortClockWrapsAround) {
  constexpr uint64_t kEnd = uint64_t{1} << 36;
  DeviceClock clock([] { return Result<ClockPair>({1000, kEnd - 5}); }, false, 1, 36);
  EXPECT_EQ(*clock.host_time(5), 1010u);
  EXPECT_EQ(*clock.host_time(kEnd - 15), 990u);
}

TEST(DeviceClock, IsAlignedAgainWhereItDrifts) {
  for (const bool drifts : {false, true}) {
    int aligned = 0;
    DeviceClock clock(
        [&] {
          ++aligned;
          return Result<ClockPair>({1, 0});  // long ago
        },
        drifts);
    ASSERT_TRUE(clock.align().ok());
    ASSERT_TRUE(clock.host_time(0).ok());
    EXPECT_EQ(aligned, drifts ? 2 : 1);
  }
}

TEST(DeviceClock, AnErrorIsReported) {
  DeviceClock clock([]() -> Result<ClockPair> { return base::Error(base::ErrorKind::device_lost, "gone"); },
                    false);
  EXPECT_EQ(clock.host_time(0).error().kind(), base::ErrorKind::device_lost);
}

}  // namespace
}  // namespace quern::driver
