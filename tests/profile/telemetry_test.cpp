// Device::telemetry(), and telemetry in traces.
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "profile/trace_check.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"

namespace quern::test {
namespace {

TEST(DeviceTelemetry, SaysWhatItKnowsAndWhyItLacksTheRest) {
  EXPECT_THROW((void)Device().telemetry(), Error);
  const Telemetry sim = open("sim").telemetry();
  EXPECT_EQ(sim.source, "");
  EXPECT_FALSE(sim.is_throttled());
  ASSERT_EQ(sim.missing.size(), 1U);
  EXPECT_TRUE(sim.missing[0].ends_with("throttling: a simulated device has no sensors")) << sim.missing[0];
  if (const std::string why = why_not("cpu", {}); !why.empty()) GTEST_SKIP() << why;
  const Device cpu = open("cpu");
  for (int i = 0; i < 2; ++i) {
    const Telemetry t = cpu.telemetry();
    EXPECT_EQ(t.source, "/proc and /sys");
    ASSERT_TRUE(t.memory_used_bytes && t.memory_total_bytes);
    EXPECT_LT(*t.memory_used_bytes, *t.memory_total_bytes);
  }
}

TEST(DeviceTelemetry, ATraceContainsItIfRequested) {
  if (const std::string why = why_not("cpu", {}); !why.empty()) GTEST_SKIP() << why;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("quern-telemetry-" + std::to_string(::getpid()) + ".json"))
          .string();
  for (const double interval : {0.0, 0.01, 0.01}) {  // again: devices of an earlier profile are known
    Profile profile(path, {.telemetry_interval = interval});
    const Device cpu = open("cpu");
    auto x = cpu.upload(std::vector<float>(64, 1.0F));
    (void)profile.stop();
    const auto text = base::read_file(path);
    ASSERT_TRUE(text.ok());
    std::filesystem::remove(path);
    for (const std::string& v : check_trace(*text).violations) ADD_FAILURE() << v;
    EXPECT_EQ(text->find("\"ph\":\"C\",\"name\":\"utilization (%)\"") != std::string::npos, interval > 0)
        << *text;
  }
}

}  // namespace
}  // namespace quern::test
