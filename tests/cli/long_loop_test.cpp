// A loop of 100,000 iterations gives the correct sum on software devices whose driver ends loops after
// 65,535.
#include <gtest/gtest.h>

#include "base/temporary_folder.hpp"
#include "cli/tool.hpp"
#include "support/devices.hpp"

namespace quern::test {
namespace {

TEST(LongLoop, SumsAllElements) {
  const base::TemporaryFolder folder;
  const std::string file = folder.write(
      "sum.cu",
      "__global__ void sum(int n, const int* v, int* o) { int s = 0; for (int i = 0; i < n; ++i) s += v[i]; "
      "o[0] = s; }\n");
  int ran = 0;
  for (const char* device : each_driver({"native", "sim", "std.gpu", "webgl2"})) {
    const ToolResult r = run_tool(
        {"run", file, "100000", "i32[100000]=1", "i32[1]=0", "--grid", "1", "--block", "1", "--on", device});
    if (r.code == 3) {  // not available, or rejected because of the processor's name
      GTEST_LOG_(WARNING) << "SKIPPED on " << device << ": " << r.err;
      continue;
    }
    ++ran;
    EXPECT_EQ(r.code, 0) << device << ": " << r.err;
    EXPECT_NE(r.out.find("100000"), std::string::npos) << device << ": " << r.out;
    EXPECT_EQ(r.out.find("65535"), std::string::npos) << device << ": " << r.out;
  }
  EXPECT_GE(ran, 1);
}

}  // namespace
}  // namespace quern::test
