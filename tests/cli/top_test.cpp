// quern top: with stand-ins for the CUDA driver and NVML, and on a machine without any library.
#include <cstdio>

#include <gtest/gtest.h>

#include "base/json_value.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

class Top : public testing::Test {
 protected:
  // A machine with the two GPUs of fake_cuda.
  std::vector<std::string> with_gpu(const std::string& faults = "") const {
    return {std::string("QUERN_CUDA_LIBRARY=") + QUERN_FAKE_CUDA,
            std::string("QUERN_NVML_LIBRARY=") + QUERN_FAKE_NVML,
            "FAKE_CUDA_DEVICES=2",
            "QUERN_NVRTC=none",
            "QUERN_DRIVERS=cuda,cpu,sim",
            "FAKE_NVML=" + faults,
            "QUERN_CACHE=" + folder_.path()};
  }
  std::vector<std::string> without_libraries() const {
    return {"QUERN_NVML_LIBRARY=/nowhere/libnvidia-ml.so.1",
            "QUERN_ROCM_SMI_LIBRARY=/nowhere/librocm_smi64.so",
            "QUERN_LEVEL_ZERO_LIBRARY=/nowhere/libze_loader.so.1", "QUERN_DRIVERS=cpu,sim",
            "QUERN_CACHE=" + folder_.path()};
  }
  base::TemporaryFolder folder_;
};

TEST_F(Top, PrintsATable) {
  const ToolResult r = run_tool({"top"}, with_gpu("reasons=0x4"));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto lines = base::split_lines(r.out);
  ASSERT_GE(lines.size(), 3U) << r.out;
  EXPECT_TRUE(has(std::string(lines[0]), "throttled")) << r.out;
  const std::string gpu(lines[1]);
  for (const char* value :
       {"cuda:0", "45/52", " 123 ", " 700 ", " 1755 ", " 3201 ", " 87 ", "5.0 GiB/16.0 GiB", "power limit"})
    EXPECT_TRUE(has(gpu, value)) << value << "\n" << r.out;
  EXPECT_TRUE(has(std::string(lines[2]), "cuda:1")) << r.out;
  EXPECT_TRUE(has(r.out, "\n  cpu:0 ")) << r.out;  // once, and no simulator
  EXPECT_FALSE(has(r.out, "sim:0")) << r.out;
  EXPECT_TRUE(has(r.out, "cuda:0: process 1000, 1.0 GiB\n")) << r.out;
}

TEST_F(Top, PrintsOneObjectPerReading) {
  const ToolResult r = run_tool({"top", "--on", "cuda:1", "--json", "--count", "3", "--interval", "0.01"},
                                with_gpu("reasons=0x1 nvmlDeviceGetPowerUsage=3"));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto lines = base::split_lines(r.out);
  ASSERT_EQ(lines.size(), 3U) << r.out;
  for (const std::string_view line : lines) {
    const auto object = base::parse_json(line);
    ASSERT_TRUE(object.ok()) << line;
    const base::JsonValue* devices = object->find("devices");
    ASSERT_TRUE(devices != nullptr && devices->items.size() == 1);
    const base::JsonValue& gpu = devices->items[0];
    EXPECT_EQ(gpu.text_of("id"), "cuda:1");
    EXPECT_EQ(gpu.text_of("source"), "NVML 580.95");
    EXPECT_EQ(gpu.number_of("temperature_c"), 46);
    EXPECT_EQ(gpu.number_of("memory_used_bytes"), 5368709120.0);
    EXPECT_TRUE(has(std::string(line), "\"power_w\":null")) << line;
    EXPECT_TRUE(has(std::string(line), "\"throttle_reasons\":[\"idle\"],\"throttled\":false")) << line;
    EXPECT_TRUE(has(std::string(line), "power: NVML does not support it on this device")) << line;
  }
}

TEST_F(Top, SaysWhatIsMissing) {
  const ToolResult r = run_tool({"top", "-v"}, without_libraries());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(
      has(r.out, "missing libraries:\n  NVML (NVIDIA GPUs): '/nowhere/libnvidia-ml.so.1' is not found"))
      << r.out;
  EXPECT_TRUE(has(r.out, "  ROCm SMI (AMD GPUs): '/nowhere/librocm_smi64.so' is not found")) << r.out;
  EXPECT_TRUE(has(r.out, "  Level Zero Sysman (Intel GPUs): '/nowhere/libze_loader.so.1' is not found"))
      << r.out;
  EXPECT_TRUE(has(r.out, "absent values:\n  cpu:0: ")) << r.out;
  const ToolResult json = run_tool({"top", "--json"}, without_libraries());
  EXPECT_TRUE(is_json(json.out)) << json.out;
  EXPECT_TRUE(has(json.out, "\"works\":false")) << json.out;
  const ToolResult sim = run_tool({"top", "--on", "sim", "-v"}, without_libraries());
  EXPECT_TRUE(has(sim.out, "a simulated device has no sensors")) << sim.out;
}

TEST_F(Top, ALibraryThatCrashesDoesNotEndIt) {
  std::vector<std::string> loading = without_libraries();
  loading.push_back(std::string("QUERN_NVML_LIBRARY=") + QUERN_CRASHING_LIBRARY);
  const ToolResult loaded = run_tool({"top"}, loading);
  EXPECT_EQ(loaded.code, 0) << loaded.err;
  EXPECT_TRUE(has(loaded.out, "\n  cpu:0 ")) << loaded.out;
  EXPECT_TRUE(has(loaded.out, "  NVML (NVIDIA GPUs): it crashed (Segmentation fault); hint: ")) << loaded.out;
  const ToolResult started = run_tool({"top"}, with_gpu("crash=1"));
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_TRUE(has(started.out, "\n  cuda:0 ")) << started.out;
  EXPECT_TRUE(has(started.out, "  NVML (NVIDIA GPUs): it crashed (Aborted); hint: ")) << started.out;
}

TEST_F(Top, RefusesBadOptions) {
  EXPECT_EQ(run_tool({"top", "--interval", "0"}).code, 2);
  EXPECT_EQ(run_tool({"top", "--interval", "soon"}).code, 2);
  EXPECT_EQ(run_tool({"top", "--count", "-1"}).code, 2);
  EXPECT_EQ(run_tool({"top", "cpu"}).code, 2);
  const ToolResult unknown = run_tool({"top", "--on", "no such device", "--json"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(is_json(unknown.out)) << unknown.out;
}

// The results of a throttled device are marked; those of others are not. The stand-in of CUDA does not run
// kernels, so the results themselves are wrong.
TEST_F(Top, MarksMeasurementsOfAThrottledDevice) {
  for (const bool is_throttled : {false, true}) {
    const auto environment = with_gpu(is_throttled ? "reasons=0x44" : "reasons=0x1");
    const ToolResult json = run_tool({"demo", "--json", "--on", "cuda:0"}, environment);
    ASSERT_TRUE(has(json.out, "\"throttled\": [")) << json.out << json.err;
    EXPECT_EQ(has(json.out, "\"power limit\""), is_throttled) << json.out;
    EXPECT_EQ(has(json.out, "\"hardware thermal\""), is_throttled) << json.out;
    const ToolResult text = run_tool({"demo", "--on", "cuda:0"}, environment);
    EXPECT_EQ(has(text.out, "throttled (power limit, hardware thermal)"), is_throttled) << text.out;
  }
}

TEST_F(Top, ProfilesContainCounters) {
  const std::string program = folder_.write("one.cu", "__global__ void one(int* a) { *a = 1; }\n");
  const std::string name = folder_ / "run";
  const ToolResult r = run_tool({"profile", "--json", "--telemetry", "0.01", "-o", name, "--", QUERN_TOOL,
                                 "run", program, "i32[1]", "--on", "cpu", "--repeat", "3"},
                                without_libraries());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(is_json(r.out)) << r.out;
  EXPECT_TRUE(has(r.out, "\"name\": \"utilization (%)\"")) << r.out;
  EXPECT_EQ(run_tool({"profile", "--telemetry", "0", "--", "true"}).code, 2);
}

}  // namespace
}  // namespace quern::test
