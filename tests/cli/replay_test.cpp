// quern replay, as users call it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json_value.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "cli/tool.hpp"
#include "driver/decorators/recording/device.hpp"
#include "support/runtime_case.hpp"

namespace quern::test {
namespace {

const std::string kReplaySaxpy = std::string(QUERN_SOURCE_DIR) + "/examples/saxpy.cu";

class Replay : public ::testing::Test {
 protected:
  // A kernel that writes beyond its buffer: only a checking device detects it.
  void record(const driver::OpenOptions& options) {
    auto device = runtime::Device::adopt(std::move(*recording::wrap(runtime::open_sim(options), path())));
    ASSERT_TRUE(device.ok());
    auto program =
        runtime::Module::load(*device, runtime::source("__global__ void k(int* p) { p[0] = 7; p[4] = 1; }"));
    ASSERT_TRUE(program.ok());
    auto kernel = (*program)->kernel("k");
    auto memory = (*device)->allocate(16, driver::MemoryKind::device, "");
    ASSERT_TRUE(kernel.ok() && memory.ok());
    int out = 0;
    runtime::Stream& stream = (*device)->default_stream();
    EXPECT_TRUE(stream.launch(**kernel, runtime::shape(1, 1), std::vector{runtime::arg(*memory)}).ok());
    EXPECT_TRUE(stream.download(&out, runtime::all(**memory), 4).ok());
    (void)stream.synchronize();
    EXPECT_EQ(out, 7);
  }
  std::string path() const { return folder / "a.qrec"; }
  base::TemporaryFolder folder;
};

TEST_F(Replay, Equal) {
  record({{"check", "none"}});
  const ToolResult out = run_tool({"replay", path(), "--on", "sim,check=none"});
  EXPECT_EQ(out.code, 0);
  EXPECT_NE(out.out.find("recorded on simulator (sim:0), replayed on simulator (sim:0)\n"),
            std::string::npos);
  EXPECT_NE(out.out.find("1 download with 4 B compared\neverything is equal\n"), std::string::npos)
      << out.out;
}

TEST_F(Replay, ADifferenceIsReported) {
  record({{"check", "none"}});
  const ToolResult out = run_tool({"replay", path()});
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.out.find("1 difference; the first:\n  call "), std::string::npos) << out.out;
  EXPECT_NE(out.out.find(
                "(synchronize) succeeded when it was recorded, but failed in the replay with kernel fault"),
            std::string::npos)
      << out.out;
}

TEST_F(Replay, ACrashNamesTheRecording) {
  const std::string program = folder.write("far.cu", "__global__ void far(int* p) { p[1l << 40] = 1; }\n");
  const ToolResult first =
      run_tool({"run", program, "i32[4]", "--on", "cpu", "--grid", "1"}, {"QUERN_RECORD=" + path()});
  if (first.err.find("cannot be opened") != std::string::npos) GTEST_SKIP() << first.err;
  ASSERT_NE(first.code, 0);
  const ToolResult out = run_tool({"replay", path(), "--on", "cpu"});
  EXPECT_NE(out.code, 0);
  EXPECT_NE(out.err.find("quern: the process crashed while a kernel of the recording '" + path() +
                         "' was running on "),
            std::string::npos)
      << out.err;
}

TEST_F(Replay, Json) {
  record({});
  const ToolResult out = run_tool({"replay", path(), "--json"});
  EXPECT_EQ(out.code, 0);
  EXPECT_NE(out.out.find("\"recorded_on\": \"sim:0\""), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("\"equal\": true"), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("\"first_difference\": null"), std::string::npos) << out.out;
}

TEST_F(Replay, WrongUseAndWrongFiles) {
  EXPECT_EQ(run_tool({"replay"}).code, 2);
  EXPECT_EQ(run_tool({"replay", "a", "b"}).code, 2);
  EXPECT_EQ(run_tool({"replay", "a", "--off", "x"}).code, 2);
  EXPECT_EQ(run_tool({"replay", folder / "none"}).code, 3);
  ASSERT_TRUE(base::write_file(path(), "something else").ok());
  const ToolResult out = run_tool({"replay", path()});
  EXPECT_EQ(out.code, 3);
  EXPECT_EQ(out.err, "quern: bad input: '" + path() + "' is not a recording\n");
  record({});
  const ToolResult device = run_tool({"replay", path(), "--on", "nothing"});
  EXPECT_EQ(device.code, 3);
  EXPECT_NE(device.err.find("there is no device 'nothing'"), std::string::npos) << device.err;
}

// A recording contains code: only the simulator runs it by default.
TEST_F(Replay, RunsOnTheSimulatorUnlessADeviceIsNamed) {
  const ToolResult recorded =
      run_tool({"run", kReplaySaxpy, "100", "3.0", "f32[100]=iota", "f32[100]=1", "--on", "cpu"},
               {"QUERN_RECORD=" + path()});
  if (recorded.code != 0) GTEST_SKIP() << "cpu cannot be opened here: " << recorded.err;
  const ToolResult out = run_tool({"replay", path()});
  EXPECT_EQ(out.code, 0) << out.out << out.err;
  EXPECT_NE(out.out.find("replayed on simulator (sim:0)\n"), std::string::npos) << out.out;
  const ToolResult help = run_tool({"replay", "--help"});
  EXPECT_NE(help.out.find("(default: sim)"), std::string::npos);
  EXPECT_NE(help.out.find("natively, with your permissions"), std::string::npos);
}

// Every device of this machine that accepts kernels replays the recordings of every other one.
TEST_F(Replay, EveryDeviceReplaysTheRecordingsOfAllOthers) {
  const std::string kernels = folder / "kernels.cu";
  ASSERT_TRUE(base::write_file(kernels, R"(
struct Range { int first, count; };
__constant__ int bias = 5;
__device__ int calls;
__global__ void scale(Range range, float factor, const int* in, int* out) {
  __shared__ int part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < range.count ? in[range.first + i] : 0;
  __syncthreads();
  if (i < range.count) out[i] = (int)(part[threadIdx.x] * factor) + bias;
  if (i == 0) atomicAdd(&calls, 1);
})")
                  .ok());
  std::vector<std::string> devices;
  const ToolResult probe = run_tool({"probe", "--json"});
  const auto json = base::parse_json(probe.out);
  ASSERT_TRUE(json.ok()) << probe.out;
  for (const base::JsonValue& d : json->find("devices")->items) devices.push_back(d.text_of("id"));
  EXPECT_GE(devices.size(), 2u);  // at least sim and std.gpu
  std::string pairs;
  for (const std::string& from : devices) {
    const std::string file = folder / (from + ".qrec");
    const ToolResult recorded = run_tool(
        {"run", kernels, "{2, 100}", "1.5", "i32[128]=iota", "i32[100]=0", "--block", "64", "--on", from},
        {"QUERN_RECORD=" + file});
    ASSERT_EQ(recorded.code, 0) << from << recorded.err;
    for (const std::string& to : devices) {
      const ToolResult out = run_tool({"replay", file, "--on", to});
      EXPECT_EQ(out.code, 0) << "recorded on " << from << ", replayed on " << to << "\n"
                             << out.out << out.err;
      EXPECT_NE(out.out.find("everything is equal"), std::string::npos) << out.out;
      pairs += " " + from + ">" + to;
    }
  }
  std::printf("replayed:%s\n", pairs.c_str());
}

// Each line below "examples:" is run by a shell unchanged.
TEST_F(Replay, TheExamplesOfTheHelpWork) {
  const ToolResult help = run_tool({"replay", "--help"});
  const size_t start = help.out.find("examples:\n");
  ASSERT_NE(start, std::string::npos);
  const std::string bin = std::string(QUERN_TOOL).substr(0, std::string(QUERN_TOOL).rfind('/'));
  int count = 0;
  for (std::string_view line : base::split_lines(std::string_view(help.out).substr(start + 10))) {
    if (!line.starts_with("  ")) break;
    const std::string command(line.substr(2, line.find("   ", 2) - 2));
    for (const std::string device : {"opencl", "cpu"}) {
      if (command.find("--on " + device) != std::string::npos && run_tool({"probe", device}).code != 0)
        GTEST_SKIP() << device << " cannot be opened here";
    }
    const std::string shell = "cd '" + folder.path() +
                              "' && ln -sfn '" QUERN_SOURCE_DIR "/examples' examples && PATH='" + bin +
                              "':$PATH && export PATH && " + command + " > out 2>&1";
    EXPECT_EQ(std::system(shell.c_str()), 0) << command << "\n"
                                             << base::read_file(folder / "out").value_or("");
    ++count;
  }
  EXPECT_EQ(count, 4);
}

TEST_F(Replay, HelpTeaches) {
  const ToolResult out = run_tool({"replay", "--help"});
  EXPECT_EQ(out.code, 0);
  EXPECT_NE(out.out.find("QUERN_RECORD=problem.qrec ./my_program"), std::string::npos);
  EXPECT_NE(out.out.find("exit code: 0 everything is equal"), std::string::npos);
}

}  // namespace
}  // namespace quern::test
