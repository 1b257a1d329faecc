#include "base/log.hpp"

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = log_level();
    set_log_sink([this](LogLevel level, std::string_view text) {
      lines_.push_back(std::string(to_string(level)) + ": " + std::string(text));
    });
  }
  void TearDown() override {
    set_log_sink(nullptr);
    set_log_level(before_);
  }

  std::vector<std::string> lines_;
  LogLevel before_ = LogLevel::kWarning;
};

TEST_F(Log, ShowsWhatTheLevelAllows) {
  set_log_level(LogLevel::kInfo);
  log(LogLevel::kDebug, "hidden");
  log(LogLevel::kInfo, "seen %d", 1);
  log(LogLevel::kError, "seen %d", 2);
  EXPECT_EQ(lines_, (std::vector<std::string>{"info: seen 1", "error: seen 2"}));
  set_log_level(LogLevel::kOff);
  log(LogLevel::kError, "hidden");
  log(LogLevel::kOff, "never");
  EXPECT_EQ(lines_.size(), 2u);
}

TEST_F(Log, ShowsWarningsUnlessTheEnvironmentSaysOtherwise) {
  if (std::getenv("QUERN_LOG") != nullptr) GTEST_SKIP() << "QUERN_LOG is set";
  EXPECT_EQ(before_, LogLevel::kWarning);
}

TEST_F(Log, GoesToStandardErrorByDefault) {
  set_log_sink(nullptr);
  set_log_level(LogLevel::kWarning);
  ::testing::internal::CaptureStderr();
  log(LogLevel::kWarning, "falls back to %s", "cpu");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "quern: warning: falls back to cpu\n");
}

TEST_F(Log, LinesOfManyThreadsStayWhole) {
  set_log_level(LogLevel::kInfo);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) log(LogLevel::kInfo, "%d", t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(lines_.size(), 400u);
  for (const std::string& line : lines_) EXPECT_EQ(line.size(), std::string("info: 0").size());
}

}  // namespace
}  // namespace quern::base
