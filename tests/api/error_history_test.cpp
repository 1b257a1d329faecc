// Errors as reported to programs: one format, and the history.
#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "api/api_case.hpp"
#include "base/file.hpp"
#include "base/json_value.hpp"
#include "quern/profile.hpp"

namespace quern::test {

namespace {

class ErrorHistoryTest : public testing::Test {
 protected:
  void SetUp() override { clear_error_history(); }
};

TEST_F(ErrorHistoryTest, CountsByKindAndKeepsTheLast) {
  for (int i = 0; i < 40; ++i) (void)error_of([] { (void)open("quantum"); });
  const Device device = open("sim");
  (void)error_of([&] { (void)device.compile("__global__ void f( {"); });
  const ErrorHistory history = error_history();
  EXPECT_EQ(history.count(ErrorKind::not_found), 40u);
  EXPECT_EQ(history.count(ErrorKind::compile), 1u);
  EXPECT_EQ(history.total(), 41u);
  ASSERT_EQ(history.last.size(), 32u);
  EXPECT_EQ(history.last.back().kind, ErrorKind::compile);
  EXPECT_EQ(history.last.back().device, "simulator (sim)");
  EXPECT_GT(history.last.back().time, 1'600'000'000);
  const std::string text = history.to_string();
  EXPECT_NE(text.find("      40  not found\n"), std::string::npos) << text;
  clear_error_history();
  EXPECT_EQ(error_history().to_string(), "no errors\n");
}

TEST_F(ErrorHistoryTest, OneFormatNamesDeviceKernelAndStream) {
  const Device device = open("sim");
  const Kernel k = device.compile("__global__ void k(int n, float* x) {}").kernel("k");
  const Stream other = device.create_stream();
  const Error e = error_of([&] {
    const ProfileRange range("load_layer");
    other.launch(k, grid(1, 1), 1);
  });
  EXPECT_STREQ(e.what(),
               "invalid use: launch of kernel 'k' failed: it takes 2 arguments, got 1\n"
               "  on simulator (sim), stream 2\n"
               "  while in 'load_layer'");
  EXPECT_EQ(e.device(), "simulator (sim)");
  EXPECT_EQ(e.kernel(), "k");
  EXPECT_EQ(e.stream(), 2u);
  EXPECT_EQ(error_history().last.back().text, e.what());
}

// The file that a process with `environment` leaves after this many compile errors; empty: none.
std::string errors_of_child(const char* environment, int count) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("quern-errors-child-" + std::string(environment) + std::to_string(count));
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::setenv("QUERN_CACHE", folder.c_str(), 1);
        ::setenv("QUERN_ERRORS", environment, 1);
        for (int i = 0; i < count; ++i) {
          try {
            (void)open("sim").compile(
                "__global__ void secret_kernel(int* p) {\n  p[0] = undeclared_word;\n}");
          } catch (const Error&) {
          }
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  const auto text = base::read_file((folder / "errors").string());
  std::filesystem::remove_all(folder);
  return text.ok() ? *text : std::string();
}

TEST_F(ErrorHistoryTest, IsWrittenDownForTheCommandStatus) {
  const std::string text = errors_of_child("on", 60);
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); ++lines) {
    const size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const auto line = base::parse_json(std::string_view(text).substr(at, end - at));
    ASSERT_TRUE(line.ok());
    EXPECT_EQ(line->text_of("kind"), "does not compile");
    at = end + 1;
  }
  EXPECT_EQ(lines, 20u);  // limited: a program that fails in a loop must not flood the file
}

TEST_F(ErrorHistoryTest, SourceLinesAreNotWrittenDown) {
  const std::string text = errors_of_child("on", 1);
  EXPECT_NE(text.find("undeclared_word"), std::string::npos) << text;  // the message
  EXPECT_EQ(text.find("p[0] ="), std::string::npos) << text;
  EXPECT_EQ(text.find("^~"), std::string::npos) << text;
}

TEST_F(ErrorHistoryTest, CanBeSwitchedOff) { EXPECT_EQ(errors_of_child("off", 1), ""); }

// The history contains names of programs and kernels: other users must not be able to read it, also after
// truncation.
TEST_F(ErrorHistoryTest, TheFileStaysPrivateWhenItIsCut) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string folder = (std::filesystem::temp_directory_path() / "quern-errors-mode").string();
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(base::write_file(folder + "/errors", std::string(2000, 'x') + "\n").ok());
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += std::string(999, 'x') + "\n";
  ASSERT_TRUE(base::write_file(folder + "/errors", lines).ok());
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod((folder + "/errors").c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        ::umask(0);
        ::setenv("QUERN_CACHE", (std::filesystem::temp_directory_path() / "quern-errors-mode").c_str(), 1);
        try {
          (void)open("quantum");
        } catch (const Error&) {
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  struct stat status = {};
  ASSERT_EQ(::stat((folder + "/errors").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_LT(status.st_size, 128 << 10);  // of 200 KB
  std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace quern::test
