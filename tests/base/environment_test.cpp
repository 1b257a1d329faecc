#include "base/environment.hpp"

#include <array>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace quern::base {
namespace {

constexpr const char* kName = "QUERN_TEST_VARIABLE";

class Environment : public ::testing::Test {
 protected:
  void SetUp() override { ::unsetenv(kName); }
  void TearDown() override { ::unsetenv(kName); }
  static void set(const char* value) { ::setenv(kName, value, 1); }
};

TEST_F(Environment, EmptyIsUnset) {
  EXPECT_EQ(env_text(kName), std::nullopt);
  set("");
  EXPECT_EQ(env_text(kName), std::nullopt);
  EXPECT_TRUE(env_flag(kName, true).value());
  set("text");
  EXPECT_EQ(env_text(kName), "text");
}

TEST_F(Environment, Flags) {
  for (const char* yes : {"1", "on", "YES", "True"}) {
    set(yes);
    EXPECT_TRUE(env_flag(kName, false).value()) << yes;
  }
  for (const char* no : {"0", "off", "No", "FALSE"}) {
    set(no);
    EXPECT_FALSE(env_flag(kName, true).value()) << no;
  }
  set("maybe");
  EXPECT_EQ(env_flag(kName, true).error().message(),
            "the environment variable QUERN_TEST_VARIABLE is 'maybe', but it must be 1, on, yes, true, 0, "
            "off, no or "
            "false");
}

TEST_F(Environment, Numbers) {
  EXPECT_EQ(env_uint(kName, 7).value(), 7u);
  set("0x20");
  EXPECT_EQ(env_uint(kName, 7).value(), 32u);
  set("-1");
  EXPECT_FALSE(env_uint(kName, 7).ok());
}

TEST_F(Environment, Choices) {
  constexpr std::array<std::string_view, 3> kChoices = {"require", "prefer", "allow"};
  EXPECT_EQ(env_choice(kName, kChoices, 1).value(), 1u);
  set("Allow");
  EXPECT_EQ(env_choice(kName, kChoices, 1).value(), 2u);
  set("deny");
  EXPECT_EQ(
      env_choice(kName, kChoices, 1).error().message(),
      "the environment variable QUERN_TEST_VARIABLE is 'deny', but it must be one of require, prefer, allow");
}

// A relative path would depend on the folder in which a program happens to run.
TEST_F(Environment, FoldersAreAbsolutePaths) {
  EXPECT_EQ(env_folder(kName), std::nullopt);
  set("/home/user");
  EXPECT_EQ(env_folder(kName), "/home/user");
  for (const char* relative : {"home", "./home", "../home"}) {
    set(relative);
    EXPECT_EQ(env_folder(kName), std::nullopt) << relative;
  }
}

}  // namespace
}  // namespace quern::base
