#include "base/file.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary_folder.hpp"

namespace quern::base {
namespace {

TEST(File, WritesAndReadsAnyBytes) {
  const TemporaryFolder folder;
  std::string bytes(200'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  ASSERT_TRUE(write_file(folder / "a", bytes).ok());
  EXPECT_EQ(read_file(folder / "a").value(), bytes);
  ASSERT_TRUE(write_file(folder / "a", "").ok());
  EXPECT_EQ(read_file(folder / "a").value(), "");
}

TEST(File, ReadsFilesThatReportNoSize) { EXPECT_FALSE(read_file("/proc/self/status").value().empty()); }

TEST(File, ErrorsNameThePath) {
  const TemporaryFolder folder;
  const Result<std::string> missing = read_file(folder / "nope.cu");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(missing.error().message(),
            "cannot read '" + (folder / "nope.cu") + "': No such file or directory");

  const Result<std::string> directory = read_file(folder.path());
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().message(), "cannot read '" + folder.path() + "': it is a folder");

  EXPECT_EQ(write_file(folder / "no/such", "x").error().kind(), ErrorKind::not_found);
  EXPECT_EQ(write_file(folder.path(), "x").error().kind(), ErrorKind::io);
}

// Renaming a file over a device would replace it: a program run by root would destroy /dev/null.
TEST(File, WritesPipesAndDevicesAsTheyStand) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int end = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(end, 0);
  EXPECT_TRUE(write_file(pipe, "words").ok());
  char read[8] = {};
  EXPECT_EQ(::read(end, read, sizeof read), 5);
  EXPECT_EQ(std::string(read), "words");
  ::close(end);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));

  const Result<void> full = write_file("/dev/full", "words");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().message(), "cannot write '/dev/full': No space left on device");
}

TEST(File, FollowsLinks) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "file", "old").ok());
  std::filesystem::create_symlink("file", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file").value(), "new");
}

TEST(File, RefusesMoreThanTheLimit) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(folder / "a", 100).ok());
  const Result<std::string> refused = read_file(folder / "a", 99);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "cannot read '" + (folder / "a") + "': it has at least 100 B, the limit is 99 B");
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());
}

// A file size limit simulates a full disk: writes fail with a signal, or with an error if that is ignored.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limited);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int) = SIG_DFL;
};

TEST(File, AFailedWriteLeavesTheOldFileAndNoOther) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "kept", "old").ok());
  Result<void> result;
  {
    const FileSizeLimit limit(1000);
    result = write_file(folder / "kept", std::string(5000, 'n'));
  }
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "cannot write '" + (folder / "kept") + "': File too large");
  EXPECT_EQ(read_file(folder / "kept").value(), "old");
  EXPECT_EQ(list_files(folder.path()).value(), std::vector<std::string>{folder / "kept"});
}

TEST(File, ALargeFileIsRefusedByItsSizeBeforeItIsRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "sparse", "").ok());
  std::filesystem::resize_file(folder / "sparse", std::uintmax_t{1} << 36);
  const Result<std::string> refused = read_file(folder / "sparse", 1 << 20);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "cannot read '" + (folder / "sparse") + "': it has at least 64.0 GiB, the limit is 1.0 MiB");
}

TEST(File, ReadersNeverSeeAPart) {
  const TemporaryFolder folder;
  const std::string path = folder / "shared";
  ASSERT_TRUE(write_file(path, std::string(50'000, 'a')).ok());
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      ASSERT_TRUE(write_file(path, std::string(50'000, static_cast<char>('a' + i % 26))).ok());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_file(path).value();
    EXPECT_EQ(seen, std::string(50'000, seen.empty() ? '?' : seen[0]));
  }
  stop = true;
  writer.join();
}

TEST(File, ListsFilesSortedWithoutHiddenFoldersOrLinkedOnes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folders(folder / "b/c").ok());
  ASSERT_TRUE(make_folders(folder / "b/c").ok());
  ASSERT_TRUE(make_folders(folder / ".git").ok());
  for (const char* name : {"z.cu", "b/c/deep.cu", "b/a.cu", ".git/hidden.cu"}) {
    ASSERT_TRUE(write_file(folder / name, "").ok());
  }
  std::filesystem::create_directory_symlink(folder.path(), folder / "b/loop");
  EXPECT_EQ(list_files(folder.path()).value(),
            (std::vector<std::string>{folder / "b/a.cu", folder / "b/c/deep.cu", folder / "z.cu"}));
  EXPECT_EQ(list_files(folder / "z.cu").value(), std::vector<std::string>{folder / "z.cu"});
  EXPECT_EQ(list_files(folder / "gone").error().kind(), ErrorKind::not_found);
}

TEST(File, MakingAFolderInPlaceOfAFileFails) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "file", "").ok());
  EXPECT_FALSE(make_folders(folder / "file").ok());
  EXPECT_FALSE(make_folders(folder / "file/below").ok());
}

TEST(File, TakesPathsApart) {
  EXPECT_EQ(path_extension("a/b.cu"), ".cu");
  EXPECT_EQ(path_extension("a.b/c"), "");
  EXPECT_EQ(path_extension(".hidden"), "");
  EXPECT_EQ(path_name("a/b.cu"), "b.cu");
  EXPECT_EQ(path_name("a/"), "");
  EXPECT_EQ(path_folder("a/b/c"), "a/b");
  EXPECT_EQ(path_folder("c"), ".");
  EXPECT_EQ(path_folder("/c"), "/");
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("", "b"), "b");
}

}  // namespace
}  // namespace quern::base
