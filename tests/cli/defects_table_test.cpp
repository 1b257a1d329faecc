// The table of docs/defects.md must equal the table that the drivers use.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

TEST(DefectsTable, PageHasTheTableOfTheCode) {
  const std::string begin = "<!-- quern backends --defects -->\n", end = "<!-- end of the table -->\n";
  const auto page = base::read_file(std::string(QUERN_SOURCE_DIR) + "/docs/defects.md");
  ASSERT_TRUE(page.ok());
  const size_t from = page->find(begin), to = page->find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const ToolResult r = run_tool({"backends", "--defects"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("| `loop-limit` | vulkan, opengl, gles, webgpu | `llvmpipe` | Mesa up to 24.3 |"),
            std::string::npos)
      << r.out;
  EXPECT_EQ(page->substr(from + begin.size(), to - from - begin.size()), r.out)
      << "run scripts/doc_tables.py QUERN";
}

// The two listings must agree on any machine.
TEST(DefectsTable, VerboseListingsNameTheDefects) {
  const ToolResult json = run_tool({"devices", "-v", "--json"});
  const ToolResult devices = run_tool({"devices", "-v"});
  const ToolResult backends = run_tool({"backends", "-v", "--quick"});
  EXPECT_NE(json.out.find("\"known_defects\""), std::string::npos);
  for (const char* name : {"loop-limit", "slow-binaries"}) {
    const bool is_there = json.out.find("\"name\": \"" + std::string(name) + "\"") != std::string::npos;
    const std::string line = "known defect           " + std::string(name);
    EXPECT_EQ(devices.out.find(line) != std::string::npos, is_there) << devices.out;
    EXPECT_EQ(backends.out.find(line) != std::string::npos, is_there) << backends.out;
  }
}

}  // namespace
}  // namespace quern::test
