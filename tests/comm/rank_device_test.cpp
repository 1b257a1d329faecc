#include "comm/exercise.hpp"
#include "support/devices.hpp"

namespace quern::comm {
namespace {

TEST(RankDevice, RanksShareTheProcessorAndSimulators) {
  for (const char* const name : {"cpu", "sim"}) {
    if (!test::why_not(name, {}).empty()) continue;
    for (int local = 0; local < 3; ++local)
      EXPECT_EQ(device_of_rank({.rank = 8 + local, .size = 16, .local_rank = local}, name).id(),
                std::string(name) + ":0");
  }
  EXPECT_EQ(open_for_rank("sim").driver(), "sim");
}

TEST(RankDevice, DistinctDevicesOfOneKind) {
  const DeviceInfo first = device_of_rank({});
  const DeviceInfo second = device_of_rank({.rank = 1, .size = 2, .local_rank = 1});
  EXPECT_EQ(first.id(), devices().front().id());
  EXPECT_EQ(second.kind, first.kind);
}

TEST(RankDevice, Errors) {
  EXPECT_COMM_ERROR(not_found, "no such device", device_of_rank({}, "no such device"));
  EXPECT_COMM_ERROR(invalid_use, "the local rank -1 is negative", device_of_rank({.local_rank = -1}));
}

}  // namespace
}  // namespace quern::comm
