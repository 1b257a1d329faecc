// Folders and files that another user may have written.
#include "base/private_folder.hpp"

#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/store.hpp"
#include "base/temporary_folder.hpp"
#include "support/two_users.hpp"

namespace quern::base {
namespace {

using test::as_other_user;
using test::kOtherUser;

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

TEST(PrivateFolder, NothingInItIsOpenToOthers) {
  const Umask all(0);
  const TemporaryFolder folder;
  const std::string cache = folder / "a/b/cache";
  const Store store(cache);
  store.put("key", "label", "code");
  ASSERT_EQ(store.find("key"), "code");
  for (const std::string& path : {folder / "a", folder / "a/b", cache, cache + "/code"})
    EXPECT_EQ(mode_of(path), 0700u) << path;
  EXPECT_EQ(mode_of(cache + "/code/key.kept"), 0600u);
}

TEST(PrivateFolder, AFolderThatOthersCanWriteIsNotUsed) {
  const TemporaryFolder folder;
  for (const mode_t mode : {0770, 0707, 0777}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    const Store store(folder.path());
    EXPECT_EQ(store.folder(), "");
    EXPECT_NE(store.why_not().find("other users can write it"), std::string::npos) << store.why_not();
    store.put("key", "label", "code");
    EXPECT_EQ(store.find("key"), std::nullopt);
    EXPECT_EQ(mode_of(folder.path()), mode);  // it may be shared for other purposes
  }
}

TEST(PrivateFolder, AnOldSubfolderIsTightened) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "code");
  ASSERT_EQ(::chmod((folder / "code").c_str(), 0775), 0);
  const Store store(folder.path());
  EXPECT_EQ(store.why_not(), "");
  EXPECT_EQ(mode_of(folder / "code"), 0700u);
}

// The attack: another account fills the folder that root's program takes its machine code from.
TEST(PrivateFolder, CodeOfAnotherUserIsNotUsed) {
  QUERN_NEED_ROOT();
  const TemporaryFolder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), kOtherUser, kOtherUser), 0);
  ASSERT_EQ(as_other_user([&] {
              const Store theirs(folder.path());
              theirs.put("key", "label", "evil");
              return theirs.find("key") != "evil";
            }),
            0);
  const Store store(folder.path());
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_NE(store.why_not().find("it belongs to another user (id 65534, this process runs as 0)"),
            std::string::npos)
      << store.why_not();
}

TEST(PrivateFolder, AnEntryOfAnotherUserIsNotUsed) {
  QUERN_NEED_ROOT();
  const TemporaryFolder folder;
  const Store store(folder.path());
  store.put("key", "label", "code");
  ASSERT_EQ(::chown((store.folder() + "/key.kept").c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_EQ(store.verify()->size(), 1u);  // and removed
}

TEST(PrivateFolder, AnEntryThatOthersCanWriteIsNotUsed) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  store.put("key", "label", "code");
  ASSERT_EQ(::chmod((store.folder() + "/key.kept").c_str(), 0620), 0);
  EXPECT_EQ(store.find("key"), std::nullopt);
}

// Opening a pipe blocks until there is a writer: the program would hang.
TEST(PrivateFolder, APipeInThePlaceOfAnEntryHangsNobody) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  for (const char* name : {"/key.kept", "/other.lock"})
    ASSERT_EQ(::mkfifo((store.folder() + name).c_str(), 0600), 0);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_EQ(*store.get("other", "", [] { return Result<std::string>("made"); }), "made");
  EXPECT_EQ(store.verify()->size(), 1u);
}

TEST(PrivateFolder, LinksInThePlaceOfEntriesAreNotFollowed) {
  const TemporaryFolder folder, elsewhere;
  const Store store(folder.path()), other(elsewhere.path());
  other.put("key", "label", "code");
  std::filesystem::create_symlink(other.folder() + "/key.kept", store.folder() + "/key.kept");
  EXPECT_EQ(store.find("key"), std::nullopt);
  std::filesystem::create_symlink(other.folder(), folder / "probes");
  EXPECT_FALSE(PrivateFolder::open(folder.path())->subfolder("probes").ok());
}

// Caches are often moved to another disk that way.
TEST(PrivateFolder, ALinkOfThisUserLeadsToTheFolder) {
  const TemporaryFolder folder, elsewhere;
  std::filesystem::create_symlink(elsewhere.path(), folder / "cache");
  EXPECT_EQ(Store(folder / "cache").why_not(), "");
}

TEST(PrivateFolder, ALinkOfAnotherUserIsRefused) {
  QUERN_NEED_ROOT();
  const TemporaryFolder folder, elsewhere;
  std::filesystem::create_symlink(elsewhere.path(), folder / "cache");
  ASSERT_EQ(::lchown((folder / "cache").c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_NE(Store(folder / "cache").why_not().find("a link of another user"), std::string::npos);
}

// Exchanging a folder after it was checked has no effect.
TEST(PrivateFolder, TheFolderIsOpenedOnce) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  store.put("key", "label", "code");
  std::filesystem::rename(store.folder(), folder / "moved");
  std::filesystem::create_directory(store.folder());
  EXPECT_EQ(store.find("key"), "code");
}

TEST(PrivateFolder, AppendedFilesKeepTheirMode) {
  const Umask all(0);
  const TemporaryFolder folder;
  const auto cache = PrivateFolder::open(folder.path());
  ASSERT_TRUE(cache.ok());
  EXPECT_EQ(*cache->append("errors", "one\n"), 4u);
  EXPECT_EQ(*cache->append("errors", "two\n"), 8u);
  EXPECT_EQ(*cache->read("errors", 100), "one\ntwo\n");
  EXPECT_EQ(mode_of(folder / "errors"), 0600u);
  ASSERT_TRUE(cache->write("errors", "two\n").ok());
  EXPECT_EQ(mode_of(folder / "errors"), 0600u);
  EXPECT_FALSE(cache->read("errors", 2).ok());
}

}  // namespace
}  // namespace quern::base
