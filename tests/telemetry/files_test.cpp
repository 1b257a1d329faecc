// Files of the operating system, in a folder with copies of /sys and /proc.
#include "telemetry/files.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/temporary_folder.hpp"
#include "telemetry/monitor.hpp"
#include "telemetry/sampler.hpp"

namespace quern::telemetry {
namespace {

class Files : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string root() const { return folder_.path() + "/"; }
  static DeviceInfo device(DeviceKind kind, const char* vendor = "Other") {
    DeviceInfo info;
    info.name = "Test";
    info.driver = "vulkan";
    info.vendor = vendor;
    info.kind = kind;
    info.pci = "0000:03:00.0";
    return info;
  }
  static bool mentions(const Telemetry& t, const std::string& text) {
    for (const std::string& sentence : t.missing) {
      if (sentence.find(text) != std::string::npos) return true;
    }
    return false;
  }
  static std::string all(const Telemetry& t) {
    std::string out;
    for (const std::string& sentence : t.missing) out += sentence + "\n";
    return out;
  }

  const std::string pci_ = "sys/bus/pci/devices/0000:03:00.0/";
  base::TemporaryFolder folder_;
};

// amdgpu's table, format 1, content 3.
std::string gpu_metrics(uint64_t reasons) {
  std::string table(120, '\0');
  table[0] = 120;
  table[2] = 1;
  table[3] = 3;
  for (int i = 0; i < 8; ++i) table[112 + static_cast<size_t>(i)] = static_cast<char>(reasons >> (8 * i));
  return table;
}

TEST_F(Files, Amdgpu) {
  const std::string hwmon = pci_ + "hwmon/hwmon4/";
  write(hwmon + "temp1_input", "47000\n");
  write(hwmon + "temp1_label", "edge\n");
  write(hwmon + "temp2_input", "52000\n");
  write(hwmon + "temp2_label", "junction\n");
  write(hwmon + "temp3_input", "60000\n");
  write(hwmon + "temp3_label", "mem\n");
  write(hwmon + "power1_average", "35000000\n");
  write(hwmon + "power1_cap", "203000000\n");
  write(hwmon + "freq1_input", "1755000000\n");
  write(hwmon + "freq2_input", "875000000\n");
  write(pci_ + "gpu_busy_percent", "42\n");
  write(pci_ + "mem_busy_percent", "7\n");
  write(pci_ + "mem_info_vram_used", "1073741824\n");
  write(pci_ + "mem_info_vram_total", "8573157376\n");
  write(pci_ + "pp_dpm_sclk", "0: 500Mhz\n1: 2200Mhz *\n");
  write(pci_ + "pp_dpm_mclk", "0: 96Mhz *\n1: 875Mhz\n");
  write(pci_ + "gpu_metrics", gpu_metrics(1 | uint64_t{1} << 16 | uint64_t{1} << 34 | uint64_t{1} << 36));
  Telemetry t = Monitor(device(DeviceKind::discrete), root()).read();
  EXPECT_EQ(t.source, "files of the kernel's driver");
  EXPECT_EQ(t.temperature_c, 47);
  EXPECT_EQ(t.memory_temperature_c, 60);
  EXPECT_EQ(t.power_w, 35);
  EXPECT_EQ(t.power_limit_w, 203);
  EXPECT_EQ(t.clock_mhz, 1755);
  EXPECT_EQ(t.memory_clock_mhz, 875);
  EXPECT_EQ(t.max_clock_mhz, 2200);
  EXPECT_EQ(t.max_memory_clock_mhz, 875);
  EXPECT_EQ(t.utilization_percent, 42);
  EXPECT_EQ(t.memory_utilization_percent, 7);
  EXPECT_EQ(t.memory_used_bytes, 1073741824U);
  EXPECT_EQ(t.memory_total_bytes, 8573157376U);
  EXPECT_EQ(t.throttle, (ThrottleReasons{ThrottleReason::power_limit, ThrottleReason::current_limit,
                                         ThrottleReason::thermal}));
  EXPECT_TRUE(t.missing.empty()) << all(t);

  write(pci_ + "gpu_metrics", gpu_metrics(uint64_t{1} << 36));  // RDNA 3 always sets this bit
  write(pci_ + "gpu_busy_percent", "a lot\n");
  t = Monitor(device(DeviceKind::discrete), root()).read();
  EXPECT_EQ(t.throttle, ThrottleReasons());
  EXPECT_EQ(t.utilization_percent, std::nullopt);
  EXPECT_TRUE(mentions(t, "'a lot' is not a number")) << all(t);

  std::string other_version = gpu_metrics(1);
  other_version[3] = 1;
  write(pci_ + "gpu_metrics", other_version);
  EXPECT_EQ(Monitor(device(DeviceKind::discrete), root()).read().throttle, std::nullopt);
}

// Values that AMD's library does not report come from the files; a missing library is named only for the
// rest.
TEST_F(Files, FillWhatALibraryLacks) {
  write(pci_ + "hwmon/hwmon0/temp1_input", "47000\n");
  ::setenv("QUERN_ROCM_SMI_LIBRARY", "/nowhere/librocm_smi64.so", 1);
  const Telemetry t = Monitor(device(DeviceKind::discrete, "Advanced Micro Devices, Inc."), root()).read();
  ::unsetenv("QUERN_ROCM_SMI_LIBRARY");
  EXPECT_EQ(t.temperature_c, 47);
  ASSERT_EQ(t.missing.size(), 1U) << all(t);
  EXPECT_TRUE(t.missing[0].starts_with("memory temperature, power, ")) << t.missing[0];
  EXPECT_TRUE(mentions(t, "ROCm SMI: '/nowhere/librocm_smi64.so' is not found")) << all(t);
}

TEST_F(Files, IntelDrivers) {
  write(pci_ + "drm/card0/gt_act_freq_mhz", "1100\n");
  write(pci_ + "drm/card0/gt_RP0_freq_mhz", "2450\n");
  write(pci_ + "drm/card0-DP-1/gt_act_freq_mhz", "1\n");  // a display
  const std::string gt = pci_ + "drm/card0/gt/gt0/throttle_reason_";
  write(gt + "status", "1\n");
  write(gt + "pl1", "1\n");
  write(gt + "thermal", "0\n");
  write(gt + "vr_tdc", "1\n");
  write(gt + "prochot", "0\n");
  const std::string energy = pci_ + "hwmon/hwmon1/energy1_input";
  write(energy, "1000000\n");
  Monitor i915(device(DeviceKind::discrete), root());
  write(energy, "7000000\n");
  const Telemetry t = i915.read();
  EXPECT_EQ(t.clock_mhz, 1100);
  EXPECT_EQ(t.max_clock_mhz, 2450);
  EXPECT_EQ(t.throttle, (ThrottleReasons{ThrottleReason::power_limit, ThrottleReason::current_limit}));
  ASSERT_TRUE(t.power_w);  // 6 J in 0.1 s or a little more
  EXPECT_GT(*t.power_w, 0);
  EXPECT_LE(*t.power_w, 60.5);

  std::filesystem::remove_all(folder_ / (pci_ + "drm"));
  write(pci_ + "tile0/gt0/freq0/act_freq", "1550\n");
  write(pci_ + "tile0/gt0/freq0/rp0_freq", "2850\n");
  write(pci_ + "tile0/gt0/freq0/throttle/status", "1\n");
  write(pci_ + "tile0/gt0/freq0/throttle/reason_thermal", "1\n");
  const Telemetry xe = Monitor(device(DeviceKind::discrete), root()).read();
  EXPECT_EQ(xe.clock_mhz, 1550);
  EXPECT_EQ(xe.max_clock_mhz, 2850);
  EXPECT_EQ(xe.throttle, ThrottleReasons{ThrottleReason::thermal});
}

TEST_F(Files, AMissingFolderOrAddressIsNamed) {
  Telemetry t = Monitor(device(DeviceKind::discrete), root()).read();
  EXPECT_TRUE(mentions(t, "no folder '" + root() + pci_ + "'")) << all(t);
  DeviceInfo info = device(DeviceKind::integrated);
  info.pci = {};
  t = Monitor(info, root()).read();
  EXPECT_TRUE(mentions(t, "the driver 'vulkan' reports no PCI address")) << all(t);
  EXPECT_TRUE(
      mentions(Monitor(device(DeviceKind::simulated), root()).read(), "a simulated device has no sensors"));
}

TEST_F(Files, Processor) {
  write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3\n");
  write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:   12000000 kB\n");
  for (const char* cpu : {"cpu0", "cpu1"}) {
    const std::string folder = std::string("sys/devices/system/cpu/") + cpu;
    write(folder + "/cpufreq/scaling_cur_freq", cpu == std::string("cpu0") ? "2000000\n" : "3000000\n");
    write(folder + "/cpufreq/cpuinfo_max_freq", "4000000\n");
    write(folder + "/thermal_throttle/core_throttle_count", "5\n");
  }
  write("sys/devices/system/cpu/cpufreq/policy0", "");
  write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
  write("sys/class/thermal/thermal_zone0/temp", "61500\n");
  write("sys/class/thermal/thermal_zone1/type", "battery\n");
  write("sys/class/thermal/thermal_zone1/temp", "99000\n");
  const std::string rapl = "sys/class/powercap/intel-rapl:0/";
  write(rapl + "energy_uj", "5000000\n");
  write(rapl + "constraint_0_power_limit_uw", "65000000\n");
  write("sys/class/powercap/intel-rapl:0:0/energy_uj", "999999999\n");  // a part of the package
  Monitor monitor(device(DeviceKind::cpu), root());
  const ThrottleCounters before = monitor.throttle_counters();
  write("proc/stat", "cpu  130 0 120 850 0 0 0 0 0 0\n");
  write(rapl + "energy_uj", "9000000\n");
  write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "6\n");
  Telemetry t = monitor.read();
  EXPECT_EQ(t.source, "/proc and /sys");
  EXPECT_EQ(t.utilization_percent, 50);
  EXPECT_EQ(t.memory_total_bytes, 16000000ULL * 1024);
  EXPECT_EQ(t.memory_used_bytes, 4000000ULL * 1024);
  EXPECT_EQ(t.clock_mhz, 2500);
  EXPECT_EQ(t.max_clock_mhz, 4000);
  EXPECT_EQ(t.temperature_c, 61.5);
  ASSERT_TRUE(t.power_w);  // 4 J in 0.1 s or a little more
  EXPECT_GT(*t.power_w, 0);
  EXPECT_LE(*t.power_w, 40.5);
  EXPECT_EQ(t.power_limit_w, 65);
  EXPECT_EQ(t.throttle, std::nullopt);
  const auto heat = static_cast<size_t>(ThrottleReason::hardware_thermal);
  EXPECT_EQ(monitor.throttle_counters()[heat] - before[heat], 1U);

  write(rapl + "energy_uj", "1000\n");  // the counter wrapped around
  t = monitor.read();
  EXPECT_EQ(t.power_w, std::nullopt);
  EXPECT_TRUE(mentions(t, "the energy counter was reset")) << all(t);
  EXPECT_EQ(t.utilization_percent, std::nullopt);  // the counters did not advance
}

TEST_F(Files, ProcessorWithoutSensors) {
  const Telemetry t = Monitor(device(DeviceKind::cpu), root()).read();
  EXPECT_EQ(t.source, "");
  EXPECT_TRUE(mentions(t, "cpufreq")) << all(t);
  EXPECT_TRUE(mentions(t, "(RAPL)")) << all(t);
  EXPECT_TRUE(mentions(t, "coretemp")) << all(t);
  EXPECT_TRUE(mentions(t, "proc/meminfo")) << all(t);
}

TEST_F(Files, PermissionIsReported) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string file = "sys/class/powercap/intel-rapl:0/energy_uj";
  write(file, "1\n");
  std::filesystem::permissions(folder_ / file, std::filesystem::perms::none);
  const Telemetry t = Monitor(device(DeviceKind::cpu), root()).read();
  EXPECT_TRUE(mentions(t, "energy counters require root")) << all(t);
}

// This machine: whatever it has, the values are plausible and the rest is explained.
TEST(Telemetry, ProcessorOfThisMachine) {
  DeviceInfo cpu;
  cpu.kind = DeviceKind::cpu;
  Monitor monitor(cpu);
  const Telemetry t = monitor.read();
  ASSERT_TRUE(t.memory_total_bytes && t.memory_used_bytes);
  EXPECT_LE(*t.memory_used_bytes, *t.memory_total_bytes);
  ASSERT_TRUE(t.utilization_percent);
  EXPECT_GE(*t.utilization_percent, 0);
  EXPECT_LE(*t.utilization_percent, 100);
  EXPECT_TRUE(t.temperature_c || !t.missing.empty());
}

TEST(Telemetry, SamplerReadsEachDeviceOnce) {
  DeviceInfo cpu, sim;
  cpu.driver = "cpu";
  cpu.kind = DeviceKind::cpu;
  sim.driver = "sim";
  sim.kind = DeviceKind::simulated;
  std::mutex mutex;
  std::map<std::string, int> counts;
  {
    Sampler sampler(std::chrono::milliseconds(1), [&](const DeviceInfo& device, const Telemetry&) {
      const std::lock_guard lock(mutex);
      ++counts[device.id()];
    });
    sampler.add(sim);
    sampler.add(cpu);
    sampler.add(cpu);  // the same device again
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex);
      if (counts["cpu:0"] >= 3) break;
    }
  }
  EXPECT_GE(counts["sim:0"], counts["cpu:0"]);
  EXPECT_EQ(counts.size(), 2U);
}

TEST(Telemetry, NumbersInText) {
  EXPECT_EQ(number_in("45000"), 45000);
  EXPECT_EQ(number_in("-1"), -1);
  EXPECT_EQ(number_in(" 1800Mhz *"), 1800);
  EXPECT_EQ(number_in("none"), std::nullopt);
  EXPECT_EQ(number_in(""), std::nullopt);
  EXPECT_EQ(number_in("-"), std::nullopt);
}

}  // namespace
}  // namespace quern::telemetry
