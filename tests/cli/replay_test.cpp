// quern replay, from the outside.
#include <string>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "driver/recording/device.hpp"
#include "support/runtime_case.hpp"

namespace quern::test {
namespace {

class Replay : public ::testing::Test {
 protected:
  // A kernel that writes behind its buffer: only a device that checks notices.
  void record(const driver::OpenOptions& options) {
    auto device = runtime::Device::adopt(std::move(*recording::wrap(runtime::open_sim(options), path())));
    ASSERT_TRUE(device.ok());
    auto program =
        runtime::Program::load(*device, runtime::source("__global__ void k(int* p) { p[0] = 7; p[4] = 1; }"));
    ASSERT_TRUE(program.ok());
    auto kernel = (*program)->kernel("k");
    auto memory = (*device)->allocate(16, driver::MemoryKind::kDevice, "");
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

TEST_F(Replay, ADifferenceIsTold) {
  record({{"check", "none"}});
  const ToolResult out = run_tool({"replay", path()});
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.out.find("1 difference; the first:\n  call "), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("(synchronize) worked when it was recorded and fails here with kernel fault"),
            std::string::npos)
      << out.out;
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
  EXPECT_EQ(out.err, "quern: bad input: '" + path() + "' is no recording\n");
  record({});
  const ToolResult device = run_tool({"replay", path(), "--on", "nothing"});
  EXPECT_EQ(device.code, 3);
  EXPECT_NE(device.err.find("there is no device 'nothing'"), std::string::npos) << device.err;
}

TEST_F(Replay, HelpTeaches) {
  const ToolResult out = run_tool({"replay", "--help"});
  EXPECT_EQ(out.code, 0);
  EXPECT_NE(out.out.find("QUERN_RECORD=problem.qrec ./my_program"), std::string::npos);
  EXPECT_NE(out.out.find("exit code: 0 everything is equal"), std::string::npos);
}

}  // namespace
}  // namespace quern::test
