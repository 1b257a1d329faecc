#include "base/try_in_child.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/messages.hpp"
#include "base/shared_library.hpp"

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

// The loader's state is inconsistent while a library is being searched; a child that starts at that moment
// would crash in dlopen.
TEST(TryInChild, NoChildStartsWhileALibraryIsSearched) {
  constexpr std::string_view kNames[] = {"libquern_missing.so.1", "libquern_missing.so"};
  std::atomic<bool> is_done{false};
  std::vector<std::thread> searching;
  for (int i = 0; i < 3; ++i)
    searching.emplace_back([&] {
      while (!is_done) {
        (void)SharedLibrary::is_loaded(kNames);
        std::this_thread::sleep_for(std::chrono::microseconds(20));  // mutexes are not fair
      }
    });
  const auto search = [&]() -> Result<std::string> {
    return SharedLibrary::open(kNames, "").ok() ? "found" : "missing";
  };
  for (int i = 0; i < 300 && !HasFailure(); ++i)
    EXPECT_EQ(try_in_child(search, 10, "").value_or("failed"), "missing") << i;
  is_done = true;
  for (std::thread& t : searching) t.join();
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
