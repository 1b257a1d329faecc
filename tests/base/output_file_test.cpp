// Writing where another user may have created a link, a pipe or a file.
#include "base/output_file.hpp"

#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "support/two_users.hpp"

namespace quern::base {
namespace {

using test::as_other_user;

// A folder like /tmp: all users may add files and remove their own.
std::string make_shared_folder(const TemporaryFolder& in) {
  const std::string path = in / "shared";
  std::filesystem::create_directory(path);
  ::chmod(in.path().c_str(), 0755);
  ::chmod(path.c_str(), 01777);
  return path;
}

mode_t mode_of_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(OutputFile, ALinkOfAnotherUserIsNotFollowed) {
  QUERN_NEED_ROOT();
  const TemporaryFolder folder;
  const std::string shared = make_shared_folder(folder), link = shared + "/app.status";
  const std::string victim = folder.write("victim", "precious");
  ASSERT_EQ(as_other_user([&] { return ::symlink(victim.c_str(), link.c_str()) != 0; }), 0);
  const Result<void> written = write_file(link, "status");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(),
            "cannot write '" + link + "': '" + link + "' is a link that another user made or can replace");
  for (const OutputMode mode : {OutputMode::kKeep, OutputMode::kTruncate, OutputMode::kAppend})
    EXPECT_FALSE(open_output(link, mode, "the trace").ok());
  EXPECT_EQ(*read_file(victim), "precious");
}

TEST(OutputFile, ALinkInAFolderThatOthersCanWriteIsNotFollowed) {
  const TemporaryFolder folder;
  const std::string victim = folder.write("victim", "precious");
  std::filesystem::create_directory(folder / "open");
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  std::filesystem::create_symlink(victim, folder / "open/link");
  EXPECT_FALSE(write_file(folder / "open/link", "x").ok());
  EXPECT_EQ(*read_file(victim), "precious");
}

TEST(OutputFile, LinksInARingAreAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_FALSE(write_file(folder / "a", "x").ok());
  EXPECT_FALSE(open_output(folder / "a", OutputMode::kTruncate, "").ok());
}

TEST(OutputFile, APipeWithoutAReaderIsAnErrorAndNoWait) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Result<void> written = write_file(pipe, "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "cannot write '" + pipe + "': the pipe has no reader");
  const auto opened = open_output(pipe, OutputMode::kTruncate, "the recording");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message(), "cannot write the recording '" + pipe + "': the pipe has no reader");
}

TEST(OutputFile, FilesThatOthersPreparedAreNotWrittenInPlace) {
  QUERN_NEED_ROOT();
  const TemporaryFolder folder;
  const std::string shared = make_shared_folder(folder), theirs = shared + "/perf-1.map",
                    pipe = shared + "/pipe";
  ASSERT_EQ(as_other_user([&] {
              const int file = ::open(theirs.c_str(), O_CREAT | O_WRONLY, 0666);
              return file < 0 || ::mkfifo(pipe.c_str(), 0666) != 0;
            }),
            0);
  EXPECT_FALSE(open_output(theirs, OutputMode::kAppend, "").ok());
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_FALSE(open_output(pipe, OutputMode::kTruncate, "").ok());
  EXPECT_FALSE(write_file(pipe, "secret").ok());
  ::close(reader);
}

TEST(OutputFile, ASecondNameOfAFileIsNotWrittenInPlace) {
  const TemporaryFolder folder;
  const std::string victim = folder.write("victim", "precious");
  ASSERT_EQ(::link(victim.c_str(), (folder / "trace.json").c_str()), 0);
  EXPECT_FALSE(open_output(folder / "trace.json", OutputMode::kTruncate, "").ok());
  EXPECT_TRUE(write_file(folder / "trace.json", "new").ok());  // replaces the name, not the file
  EXPECT_EQ(*read_file(victim), "precious");
}

TEST(OutputFile, PermissionsStayWhenAFileIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.write("status", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(write_file(path, "new").ok());
  EXPECT_EQ(mode_of_file(path), 0600u);
  EXPECT_EQ(*read_file(path), "new");
}

TEST(OutputFile, StandardOutputAsAPath) {
  const TemporaryFolder folder;
  const int before = ::dup(STDOUT_FILENO), file = ::open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  ::dup2(file, STDOUT_FILENO);
  const Result<void> written = write_file("/dev/stdout", "words");
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  ::close(file);
  EXPECT_TRUE(written.ok());
  EXPECT_EQ(*read_file(folder / "out"), "words");
}

TEST(RegularFile, PipesAndDevicesAreRefusedWithoutAWait) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder / "pipe", std::string("/dev/zero")}) {
    const auto text = read_regular_file(path, 1 << 20);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().message(), "cannot read '" + path + "': it is not a regular file");
  }
}

}  // namespace
}  // namespace quern::base
