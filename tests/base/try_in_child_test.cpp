#include "base/try_in_child.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/messages.hpp"

namespace quern::base {
namespace {

TEST(TryInChild, ChildrenDoNotWaitForEachOther) {
  std::thread slow([] {
    (void)try_in_child(
        []() -> Result<std::string> {
          for (;;) ::pause();
        },
        2, "");
  });
  for (int i = 0; i < 20; ++i) {
    auto quick = try_in_child([] { return Result<std::string>("fine"); }, 1, "");
    EXPECT_EQ(quick.value_or("slow"), "fine");
  }
  slow.join();
}

TEST(TryInChild, ReturnsLongTextsWhole) {
  const std::string text(300000, 'x');
  EXPECT_EQ(try_in_child([&] { return Result<std::string>(text); }, 10, "").value_or(""), text);
}

TEST(TryInChild, ReturnsTheErrorOfTheAttempt) {
  const auto attempt = []() -> Result<std::string> {
    return Error(ErrorKind::not_found, "no library").add_hint("install it");
  };
  const auto result = try_in_child(attempt, 10, "reinstall it");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(result.error().message(), "no library");
  EXPECT_EQ(result.error().hint(), "install it");
}

TEST(TryInChild, ReportsACrashWithTheHint) {
  const auto attempt = []() -> Result<std::string> {
    ::signal(SIGABRT, SIG_DFL);
    std::abort();
  };
  const auto result = try_in_child(attempt, 10, "reinstall it");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), message::kChildCrashed(strsignal(SIGABRT)).text);
  EXPECT_EQ(result.error().hint(), "reinstall it");
}

}  // namespace
}  // namespace quern::base
