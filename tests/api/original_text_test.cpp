#include "api/original_text.hpp"

#include <gtest/gtest.h>

namespace quern::detail {
namespace {

TEST(OriginalText, FindsUsesOfTheMacros) {
  const std::string text =
      "// QUERN_KERNEL(no, (), {})\n"
      "const char* s = \"QUERN_CODE(no)\";\n"
      "#define MY_QUERN_KERNEL(x) x\n"
      "QUERN_KERNEL(a, (int n), {\n  f(')', \")\");  // )\n})\n"
      "QUERN_CODE /* between */ (struct S {};)\n";
  const std::vector<MacroUse> uses = find_macro_uses(text);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].macro, "QUERN_KERNEL");
  EXPECT_EQ(uses[0].arguments, "a,(intn),{f(')',\")\");}");
  EXPECT_EQ(text.substr(uses[0].end - 2, 2), "})");
  EXPECT_EQ(uses[1].arguments, "structS{};");
}

TEST(OriginalText, CondensedTextIgnoresBlanksOutsideOfLiterals) {
  EXPECT_EQ(condensed(" a  +\tb /* c */ + \"x  y\" // d"), "a+b+\"x  y\"");
  EXPECT_EQ(condensed("R\"q(a // b)q\" c"), "R\"q(a // b)q\"c");
  EXPECT_EQ(condensed("1'000 + 'x' + '\\''"), "1'000+'x'+'\\''");
  EXPECT_EQ(condensed("\"never closed"), "\"never closed");
  EXPECT_EQ(condensed("/* never closed"), "");
}

TEST(OriginalText, UsesThatNeverCloseAreLeft) {
  EXPECT_TRUE(find_macro_uses("QUERN_KERNEL(a, (int n), {").empty());
  EXPECT_TRUE(find_macro_uses("QUERN_KERNEL").empty());
  EXPECT_TRUE(find_macro_uses("QUERN_KERNEL; (a)").empty());
}

TEST(OriginalText, TheRestOfTheFileIsBlankAndPlacesAreKept) {
  const std::string text = "int x;\n\n  QUERN_CODE(a\n b) int y;\n";
  EXPECT_EQ(only(text, find_macro_uses(text)), "\n\n  QUERN_CODE(a\n b)\n");
}

}  // namespace
}  // namespace quern::detail
