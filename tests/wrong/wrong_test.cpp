// Every invalid program produces exactly the diagnostics that are listed below it.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "lang/compile.hpp"
#include "support/case_file.hpp"

namespace quern::test {
namespace {

std::vector<WrongProgram> load() {
  auto programs = read_wrong_programs(std::string(QUERN_SOURCE_DIR) + "/tests/wrong");
  if (!programs.ok()) {
    ADD_FAILURE() << programs.error().to_string();
    return {};
  }
  return *programs;
}

class Wrong : public testing::TestWithParam<WrongProgram> {};

TEST_P(Wrong, Diagnostics) {
  const WrongProgram& p = GetParam();
  const lang::Compilation c = lang::compile("wrong.cu", p.text, {});
  std::vector<std::string> found;
  for (const lang::Diagnostic& d : c.diagnostics) {
    if (d.severity != lang::Severity::kError) continue;
    const lang::FilePos pos = c.sources->resolve(d.loc);
    found.push_back(d.loc ? base::format("%u:%u: %s", pos.line, pos.column, d.message.str().c_str())
                          : d.message.str());
  }
  EXPECT_EQ(base::join(found, "\n"), base::join(p.diagnostics, "\n")) << p.file << ":" << p.line << "\n"
                                                                      << p.text;
  EXPECT_FALSE(p.diagnostics.empty()) << p.file << ":" << p.line << ": no diagnostic is expected";
}

std::string name_of(const testing::TestParamInfo<WrongProgram>& info) {
  return test_name(info.param.file, "line", info.param.line);
}

INSTANTIATE_TEST_SUITE_P(Programs, Wrong, testing::ValuesIn(load()), name_of);

TEST(WrongPrograms, AreEnough) { EXPECT_GE(load().size(), 150u); }

}  // namespace
}  // namespace quern::test
