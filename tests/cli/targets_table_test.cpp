// The table of docs/targets.md must equal the output of the emitters.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "cli/tool.hpp"

namespace quern::test {
namespace {

TEST(TargetsTable, IsWhatTheEmittersSay) {
  const std::string begin = "<!-- quern emit --list -->\n", end = "<!-- end of the list -->\n";
  const auto page = base::read_file(std::string(QUERN_SOURCE_DIR) + "/docs/targets.md");
  ASSERT_TRUE(page.ok());
  const size_t from = page->find(begin), to = page->find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const ToolResult r = run_tool({"emit", "--list"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out.find("the front end rejects it"), std::string::npos) << r.out;
  EXPECT_EQ(page->substr(from + begin.size(), to - from - begin.size()), r.out)
      << "run scripts/doc_tables.py QUERN";
}

}  // namespace
}  // namespace quern::test
