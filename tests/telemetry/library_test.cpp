// The vendors' libraries, with stand-ins that report known values: matching, values, faults, missing
// functions.
#include <algorithm>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "telemetry/messages.hpp"
#include "telemetry/monitor.hpp"

namespace quern::telemetry {
namespace {

class Library : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : {"QUERN_NVML_LIBRARY", "QUERN_ROCM_SMI_LIBRARY", "QUERN_LEVEL_ZERO_LIBRARY",
                             "FAKE_NVML", "FAKE_RSMI", "FAKE_SYSMAN"})
      ::unsetenv(name);
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }

  static DeviceInfo device(const char* driver, const char* pci, const char* uuid = "") {
    DeviceInfo info;
    info.name = "Test GPU";
    info.driver = driver;
    info.kind = DeviceKind::discrete;
    info.pci = pci;
    info.uuid = uuid;
    return info;
  }
  static DeviceInfo h200() { return device("cuda", "0000:1b:00.0"); }
  static Telemetry read(const DeviceInfo& info) { return Monitor(info, "/nowhere/").read(); }
  // The sentence about a value; empty if there is none.
  static std::string about(const Telemetry& t, std::string_view value) {
    for (const std::string& sentence : t.missing) {
      const std::string names = ", " + sentence.substr(0, sentence.find(": ")) + ",";
      if (names.find(", " + std::string(value) + ",") != std::string::npos)
        return sentence.substr(sentence.find(": ") + 2);
    }
    return {};
  }
};

TEST_F(Library, NvmlReportsAllValues) {
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_NVML);
  set("FAKE_NVML", "reasons=0x6");
  const Telemetry t = read(h200());
  EXPECT_EQ(t.source, "NVML 580.95");
  EXPECT_EQ(t.temperature_c, 45);
  EXPECT_EQ(t.memory_temperature_c, 52);
  EXPECT_EQ(t.power_w, 123.456);
  EXPECT_EQ(t.power_limit_w, 700);
  EXPECT_EQ(t.clock_mhz, 1755);
  EXPECT_EQ(t.max_clock_mhz, 1980);
  EXPECT_EQ(t.memory_clock_mhz, 3201);
  EXPECT_EQ(t.max_memory_clock_mhz, 3202);
  EXPECT_EQ(t.utilization_percent, 87);
  EXPECT_EQ(t.memory_utilization_percent, 43);
  EXPECT_EQ(t.memory_used_bytes, 5ULL << 30);  // without the reserved memory, as nvidia-smi counts
  EXPECT_EQ(t.memory_total_bytes, 16ULL << 30);
  EXPECT_EQ(t.throttle, (ThrottleReasons{ThrottleReason::power_limit, ThrottleReason::clock_setting}));
  EXPECT_TRUE(t.is_throttled());
  ASSERT_EQ(t.processes.size(), 2U);
  EXPECT_EQ(t.processes[0].id, 1000U);
  EXPECT_EQ(t.processes[0].memory_bytes, 1ULL << 30);
  EXPECT_EQ(t.processes[1].memory_bytes, std::nullopt);  // not available in a container
  EXPECT_TRUE(t.missing.empty()) << t.missing[0];
}

TEST_F(Library, NvmlFindsTheDeviceByAddressOrUuid) {
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_NVML);
  EXPECT_EQ(read(device("cuda", "0000:1c:00.0")).temperature_c, 46);
  EXPECT_EQ(read(device("vulkan", "", "22222222222222222222222222222222")).temperature_c,
            std::nullopt);  // no vendor
  DeviceInfo vulkan = device("vulkan", "", "22222222222222222222222222222222");
  vulkan.vendor = "NVIDIA";
  EXPECT_EQ(read(vulkan).temperature_c, 46);
  vulkan.uuid = {};
  EXPECT_EQ(read(vulkan).temperature_c, std::nullopt);  // one of two
  set("FAKE_NVML", "count=1");
  EXPECT_EQ(read(vulkan).temperature_c, 45);  // the only one
  const Telemetry unknown = read(device("cuda", "0000:99:00.0"));
  EXPECT_EQ(unknown.temperature_c, std::nullopt);
  EXPECT_NE(about(unknown, "power").find("finding 'Test GPU' (PCI address '0000:99:00.0'"), std::string::npos)
      << unknown.missing[0];
}

// Every call may fail; the others still work, and no failed value is 0.
TEST_F(Library, NvmlSaysWhyAValueIsAbsent) {
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_NVML);
  const struct {
    const char *function, *value;
    bool (*is_absent)(const Telemetry&);
  } cases[] = {
      {"nvmlDeviceGetTemperature", "temperature", [](const Telemetry& t) { return !t.temperature_c; }},
      {"nvmlDeviceGetFieldValues", "memory temperature",
       [](const Telemetry& t) { return !t.memory_temperature_c; }},
      {"nvmlDeviceGetPowerUsage", "power", [](const Telemetry& t) { return !t.power_w; }},
      {"nvmlDeviceGetEnforcedPowerLimit", "power limit", [](const Telemetry& t) { return !t.power_limit_w; }},
      {"nvmlDeviceGetClockInfo", "clock",
       [](const Telemetry& t) { return !t.clock_mhz && !t.memory_clock_mhz; }},
      {"nvmlDeviceGetMaxClockInfo", "max memory clock",
       [](const Telemetry& t) { return !t.max_memory_clock_mhz; }},
      {"nvmlDeviceGetUtilizationRates", "memory utilization",
       [](const Telemetry& t) { return !t.utilization_percent && !t.memory_utilization_percent; }},
      {"nvmlDeviceGetCurrentClocksEventReasons", "throttling",
       [](const Telemetry& t) { return !t.throttle && !t.is_throttled(); }},
  };
  for (const auto& c : cases) {
    for (const int code : {3, 4, 15, 999}) {
      set("FAKE_NVML", (std::string(c.function) + "=" + std::to_string(code)).c_str());
      const Telemetry t = read(h200());
      EXPECT_TRUE(c.is_absent(t)) << c.function;
      const std::string why = about(t, c.value);
      const std::string expected = code == 3   ? "NVML does not support it on this device"
                                   : code == 4 ? " failed: NVML requires root or a container with access"
                                               : std::string(c.function) + " failed: ";
      EXPECT_NE(why.find(expected), std::string::npos) << c.function << " " << code << ": " << why;
      EXPECT_EQ(t.memory_total_bytes, 16ULL << 30);
      EXPECT_EQ(t.source, "NVML 580.95");
    }
  }
  set("FAKE_NVML", "memory_temperature_code=3");
  EXPECT_EQ(about(read(h200()), "memory temperature"), "NVML does not support it on this device");
  set("FAKE_NVML", "nvmlDeviceGetMemoryInfo_v2=3");
  EXPECT_EQ(read(h200()).memory_used_bytes, 6ULL << 30);  // the older function
  set("FAKE_NVML", "nvmlDeviceGetComputeRunningProcesses_v3=3");
  EXPECT_TRUE(read(h200()).processes.empty());
  set("FAKE_NVML", "processes=100");
  EXPECT_EQ(read(h200()).processes.size(), 100U);
  set("FAKE_NVML", "nvmlInit_v2=9");
  const Telemetry none = read(h200());
  EXPECT_EQ(none.source, "");
  EXPECT_NE(
      about(none, "power").find("NVML: nvmlInit_v2 failed: Driver Not Loaded; hint: check with 'nvidia-smi'"),
      std::string::npos)
      << about(none, "power");
}

TEST_F(Library, AnOldNvmlLacksFunctions) {
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_NVML_OLD);
  const Telemetry t = read(h200());
  EXPECT_EQ(t.source, "NVML");
  EXPECT_EQ(t.temperature_c, 45);
  EXPECT_EQ(t.memory_used_bytes, 6ULL << 30);
  EXPECT_EQ(t.clock_mhz, std::nullopt);
  EXPECT_EQ(about(t, "clock"), "NVML has no function 'nvmlDeviceGetClockInfo'");
  EXPECT_EQ(about(t, "throttling"), "NVML has no function 'nvmlDeviceGetCurrentClocksEventReasons'");
}

TEST_F(Library, AMissingLibraryIsNamed) {
  for (const char* name : {"QUERN_NVML_LIBRARY", "QUERN_ROCM_SMI_LIBRARY", "QUERN_LEVEL_ZERO_LIBRARY"})
    set(name, "/nowhere/library.so");
  for (const char* driver : {"cuda", "hip", "level_zero"}) {
    const Telemetry t = read(device(driver, "0000:1b:00.0"));
    ASSERT_EQ(t.missing.size(), 1U);
    EXPECT_TRUE(t.missing[0].starts_with("temperature, memory temperature, power, ")) << t.missing[0];
    EXPECT_NE(t.missing[0].find("'/nowhere/library.so' is not found"), std::string::npos) << t.missing[0];
    EXPECT_EQ(t.temperature_c, std::nullopt);
    EXPECT_EQ(t.throttle, std::nullopt);
  }
  for (const LibraryState& l : libraries())
    EXPECT_NE(l.why_not.find("is not found"), std::string::npos) << l.name;
  // A library without any of the functions.
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_ROCM_SMI);
  EXPECT_NE(libraries()[0].why_not.find("has no function 'nvmlInit_v2'"), std::string::npos)
      << libraries()[0].why_not;
}

// Loading such a library would end this process.
TEST_F(Library, ThatCrashesWhileItIsLoadedIsNotUsed) {
  for (const char* name : {"QUERN_NVML_LIBRARY", "QUERN_ROCM_SMI_LIBRARY", "QUERN_LEVEL_ZERO_LIBRARY"})
    set(name, QUERN_CRASHING_LIBRARY);
  const std::string why = "it crashed (Segmentation fault); hint: " + message::kReinstallLibrary().text;
  for (const LibraryState& l : libraries()) EXPECT_EQ(l.why_not, why) << l.name;
  for (const char* driver : {"cuda", "hip", "level_zero"}) {
    const Telemetry t = read(device(driver, "0000:1b:00.0"));
    EXPECT_EQ(t.temperature_c, std::nullopt);
    EXPECT_NE(about(t, "temperature").find(why), std::string::npos) << driver << ": " << t.missing[0];
  }
}

TEST_F(Library, RocmSmi) {
  set("QUERN_ROCM_SMI_LIBRARY", QUERN_FAKE_ROCM_SMI);
  const DeviceInfo mi = device("hip", "0000:03:00.0");
  const Telemetry t = read(mi);
  EXPECT_EQ(t.source, "ROCm SMI 7.5.0");
  EXPECT_EQ(t.temperature_c, 61);  // no edge sensor
  EXPECT_EQ(t.memory_temperature_c, 55.5);
  EXPECT_EQ(t.power_w, 250.5);
  EXPECT_EQ(t.power_limit_w, 500);
  EXPECT_EQ(t.utilization_percent, 66);
  EXPECT_EQ(t.memory_used_bytes, 3ULL << 30);
  EXPECT_EQ(t.memory_total_bytes, 64ULL << 30);
  EXPECT_EQ(about(t, "memory utilization"), "ROCm SMI has no function 'rsmi_dev_memory_busy_percent_get'");
  EXPECT_EQ(about(t, "clock"), "no folder '/nowhere/sys/bus/pci/devices/0000:03:00.0/'");
  set("FAKE_RSMI", "rsmi_dev_power_cap_get=4 rsmi_dev_busy_percent_get=3 rsmi_dev_memory_usage_get=2");
  const Telemetry faulty = read(mi);
  EXPECT_EQ(faulty.power_limit_w, std::nullopt);
  EXPECT_EQ(faulty.utilization_percent, std::nullopt);
  EXPECT_EQ(faulty.memory_used_bytes, std::nullopt);
  EXPECT_EQ(faulty.power_w, 250.5);
  set("FAKE_RSMI", "rsmi_init=8");
  EXPECT_NE(about(read(mi), "power").find("rsmi_init failed: RSMI_STATUS_UNKNOWN"), std::string::npos);
  set("FAKE_RSMI", "");
  EXPECT_NE(about(read(device("hip", "0000:09:00.0")), "power").find("none of 2 devices has this address"),
            std::string::npos);
}

TEST_F(Library, Sysman) {
  set("QUERN_LEVEL_ZERO_LIBRARY", QUERN_FAKE_SYSMAN);
  set("FAKE_SYSMAN", "reasons=0x9");
  const DeviceInfo arc = device("level_zero", "0000:04:00.0");
  const Telemetry t = read(arc);
  EXPECT_EQ(t.source, "Level Zero Sysman");
  EXPECT_EQ(t.temperature_c, 58.5);
  EXPECT_EQ(t.memory_temperature_c, 49);
  ASSERT_TRUE(t.power_w);
  EXPECT_NEAR(*t.power_w, 150, 1e-6);  // from the energy counter
  EXPECT_EQ(t.power_limit_w, 225);
  EXPECT_EQ(t.clock_mhz, 2050);
  EXPECT_EQ(t.max_clock_mhz, 2400);
  EXPECT_EQ(t.memory_clock_mhz, std::nullopt);  // -1: not known
  EXPECT_EQ(t.max_memory_clock_mhz, 1093);
  ASSERT_TRUE(t.utilization_percent);
  EXPECT_NEAR(*t.utilization_percent, 25, 1e-6);
  EXPECT_EQ(t.memory_used_bytes, 4ULL << 30);
  EXPECT_EQ(t.memory_total_bytes, 16ULL << 30);
  EXPECT_EQ(t.throttle, (ThrottleReasons{ThrottleReason::power_limit, ThrottleReason::thermal}));
  set("FAKE_SYSMAN",
      "zesPowerGetEnergyCounter=0x70010000 zesDeviceEnumTemperatureSensors=0x78000003 "
      "zesEngineGetActivity=0x70000001");
  const Telemetry faulty = read(arc);
  EXPECT_EQ(faulty.power_w, std::nullopt);
  EXPECT_EQ(faulty.temperature_c, std::nullopt);
  EXPECT_EQ(faulty.utilization_percent, std::nullopt);
  EXPECT_EQ(faulty.clock_mhz, 2050);
  set("FAKE_SYSMAN", "zesInit=0x78000001");
  EXPECT_NE(about(read(arc), "power").find("zesInit failed: error 0x78000001"), std::string::npos);
}

// Every function of the libraries fails in turn: the reading still ends, and says why.
TEST_F(Library, SysmanSurvivesEveryFault) {
  set("QUERN_LEVEL_ZERO_LIBRARY", QUERN_FAKE_SYSMAN);
  const DeviceInfo arc = device("level_zero", "0000:04:00.0");
  for (const char* function :
       {"zesDriverGet", "zesDeviceGet", "zesDevicePciGetProperties", "zesTemperatureGetProperties",
        "zesTemperatureGetState", "zesDeviceEnumPowerDomains", "zesPowerGetLimits",
        "zesDeviceEnumFrequencyDomains", "zesFrequencyGetProperties", "zesFrequencyGetState",
        "zesDeviceEnumEngineGroups", "zesEngineGetProperties", "zesDeviceEnumMemoryModules",
        "zesMemoryGetState"}) {
    for (const char* code : {"0x70000001", "0x70010000", "0x78000003"}) {
      set("FAKE_SYSMAN", (std::string(function) + "=" + code).c_str());
      EXPECT_FALSE(read(arc).missing.empty()) << function;
    }
  }
}

TEST_F(Library, ThrottlingIsFoundDuringAMeasurement) {
  set("QUERN_NVML_LIBRARY", QUERN_FAKE_NVML);
  set("FAKE_NVML", "reasons=0x1 violation=10");
  EXPECT_TRUE(ThrottleWatch(h200()).reasons().empty());  // idle, and it was hot before
  {
    ThrottleWatch watch(h200());
    set("FAKE_NVML", "reasons=0x1 violation=11");  // it has cooled down again
    EXPECT_EQ(watch.reasons(), ThrottleReasons{ThrottleReason::thermal});
  }
  {
    ThrottleWatch watch(h200());
    set("FAKE_NVML", "reasons=0x84 violation=11 nvmlDeviceGetViolationStatus=3");
    EXPECT_EQ(watch.reasons(), (ThrottleReasons{ThrottleReason::power_limit, ThrottleReason::power_brake}));
  }
  set("QUERN_LEVEL_ZERO_LIBRARY", QUERN_FAKE_SYSMAN);
  ThrottleWatch watch(device("level_zero", "0000:04:00.0"));
  set("FAKE_SYSMAN", "throttle_time=5");
  EXPECT_EQ(watch.reasons(), ThrottleReasons{ThrottleReason::other});
}

TEST(ThrottleReasons, NamesAndSets) {
  const ThrottleReasons all{ThrottleReason::idle, ThrottleReason::clock_setting, ThrottleReason::thermal};
  EXPECT_EQ(to_string(all), "idle, clock setting, thermal");
  EXPECT_EQ(all.throttling(), ThrottleReasons{ThrottleReason::thermal});
  EXPECT_TRUE(ThrottleReasons{ThrottleReason::idle}.throttling().empty());
}

}  // namespace
}  // namespace quern::telemetry
