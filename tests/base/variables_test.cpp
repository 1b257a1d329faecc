#include "base/variables.hpp"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.hpp"

namespace quern::base {
namespace {

// Every variable that the code reads must be in the list.
TEST(Variables, EveryOneThatIsReadIsListed) {
  const std::regex reads(R"(env_(?:text|flag|uint|bytes|choice)\("(QUERN_[A-Z_]+)\")");
  size_t found = 0;
  for (const char* folder : {"/src", "/tools"}) {
    const auto files = list_files(std::string(QUERN_SOURCE_DIR) + folder);
    ASSERT_TRUE(files.ok());
    for (const std::string& path : *files) {
      if (path_extension(path) != ".cpp" && path_extension(path) != ".hpp") continue;
      const auto text = read_file(path);
      ASSERT_TRUE(text.ok());
      for (std::sregex_iterator at(text->begin(), text->end(), reads), end; at != end; ++at, ++found) {
        const std::string name = (*at)[1];
        EXPECT_TRUE(std::any_of(variables().begin(), variables().end(),
                                [&](const Variable& v) { return v.name == name; }))
            << name << " in " << path;
      }
    }
  }
  EXPECT_GT(found, 10u);
}

TEST(Variables, AMisspeltNameIsReportedWithTheNearest) {
  ::setenv("QUERN_DEVCE", "cpu", 1);
  ::setenv("QUERN_XYZZY_PLUGH", "1", 1);
  const std::vector<Misspelt> all = misspelt_variables();
  ::unsetenv("QUERN_DEVCE");
  ::unsetenv("QUERN_XYZZY_PLUGH");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].sentence(), "unknown environment variable QUERN_DEVCE: did you mean QUERN_DEVICE?");
  EXPECT_EQ(all[1].sentence(),
            "unknown environment variable QUERN_XYZZY_PLUGH: run `quern env` for the list");
}

TEST(Variables, AnInvalidValueIsReportedWithTheAllowedOnes) {
  const auto problem = [](const char* name, const char* value) {
    ::setenv(name, value, 1);
    std::string message;
    for (const Variable& v : variables()) {
      if (auto is_right = check(v); !is_right.ok()) message += is_right.error().message();
    }
    ::unsetenv(name);
    return message;
  };
  EXPECT_EQ(problem("QUERN_MATH", "fused"), "");
  EXPECT_EQ(problem("QUERN_MATH", "loose"),
            "the environment variable QUERN_MATH is 'loose', but it must be one of exact, fused, fast");
  EXPECT_EQ(
      problem("QUERN_CPU_THREADS", "two"),
      "the environment variable QUERN_CPU_THREADS is 'two', but it must be a whole number from 1 to 1024");
  EXPECT_EQ(
      problem("QUERN_CPU_THREADS", "0"),
      "the environment variable QUERN_CPU_THREADS is '0', but it must be a whole number from 1 to 1024");
  EXPECT_EQ(problem("QUERN_TIME_LIMIT", "-1"),
            "the environment variable QUERN_TIME_LIMIT is '-1', but it must be a number of seconds above 0");
}

}  // namespace
}  // namespace quern::base
