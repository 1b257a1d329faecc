// The commands on Metal's test device (tests/metal/device).
#ifdef QUERN_METAL_DEVICE
#include <gtest/gtest.h>

#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "support/command.hpp"

namespace quern::test {
namespace {

class MetalTool : public testing::Test {
 protected:
  void SetUp() override {
    if (run_command("clang++ --version").code != 0)
      GTEST_SKIP() << "clang++ is not installed: the test device cannot compile Metal text";
  }
  ToolResult run(const std::vector<std::string>& arguments) {
    return run_tool(arguments, {std::string("QUERN_METAL_LIBRARY=") + QUERN_METAL_DEVICE,
                                "QUERN_DRIVERS=metal,sim", "QUERN_CACHE=" + folder_.path()});
  }
  void expect_text(const std::vector<std::string>& arguments, const std::string& text) {
    const ToolResult r = run(arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find(text), std::string::npos) << r.out;
  }

  base::TemporaryFolder folder_;
};

TEST_F(MetalTool, ListsTheDriverAndTheDevice) {
  expect_text({"backends"}, "macOS 15.1");
  expect_text({"devices"}, "Metal test device");
  expect_text({"devices", "-v"}, "unified memory");
  expect_text({"probe", "metal"}, "Metal test device");
}

TEST_F(MetalTool, RunsKernels) {
  const std::string program =
      folder_.write("add.cu", "__global__ void add(int* a, int n) { a[threadIdx.x] += n; }\n");
  expect_text({"run", program, "i32[4]=iota", "5", "--block", "4", "--on", "metal", "--against", "sim"},
              "values agree");
  expect_text({"demo", "--on", "metal"}, "Metal test device");
}

}  // namespace
}  // namespace quern::test
#endif
