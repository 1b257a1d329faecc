#include "base/store.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "from_environment.hpp"
#include "temporary_folder.hpp"

namespace quern::base {
namespace {

std::string file_of(const Store& store, const std::string& key) {
  return store.folder() + "/" + key + ".kept";
}

std::string contents_of(int key) {
  return std::string(static_cast<size_t>(1000 + 37 * key), static_cast<char>('a' + key % 26));
}

// A user without permission to remove entries gets an error.
TEST(Store, EntriesThatCannotBeRemovedAreReported) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  store.put("key", "saxpy", "code");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(store.folder().c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;  // permissions of a folder do not apply to root
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    const auto gone = store.clear();
    ::_exit(!gone.ok() && gone.error().message().ends_with("key.kept': Permission denied") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(::chmod(store.folder().c_str(), 0755), 0);
  EXPECT_TRUE(store.clear().ok());
}

TEST(Store, ReportsWhyNothingIsKept) {
  EXPECT_EQ(Store("/dev/null").why_not(), "cannot open the folder '/dev/null': Not a directory");
  const TemporaryFolder folder;
  EXPECT_EQ(Store(folder.path()).why_not(), "");
  ::setenv("QUERN_CACHE_LIMIT", "17592186044416", 1);  // MiB: 2^64 bytes
  EXPECT_GT(Store(folder.path()).limit(), std::uint64_t{1} << 50);
  ::unsetenv("QUERN_CACHE_LIMIT");
}

TEST(Store, KeepsWhatItWasGiven) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  EXPECT_EQ(store.find("key"), std::nullopt);
  store.put("key", "saxpy for the cpu", std::string("a\0b\n", 4));
  EXPECT_EQ(store.find("key"), std::string("a\0b\n", 4));
  EXPECT_EQ(Store(folder.path()).find("key"), std::string("a\0b\n", 4));
  const auto entries = store.list();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].label, "saxpy for the cpu");
}

TEST(Store, DamageCountsAsMissingAndIsFound) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  for (const char* key : {"cut", "turned", "moved", "whole"}) store.put(key, "label", "contents of it");
  std::filesystem::resize_file(file_of(store, "cut"), 60);
  {
    std::fstream file(file_of(store, "turned"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('X');
  }
  std::filesystem::copy_file(file_of(store, "whole"), file_of(store, "moved"),
                             std::filesystem::copy_options::overwrite_existing);  // valid for another key
  for (const char* key : {"cut", "turned", "moved"}) EXPECT_EQ(store.find(key), std::nullopt) << key;
  EXPECT_EQ(store.find("whole"), "contents of it");
  const auto damaged = store.verify();
  ASSERT_TRUE(damaged.ok());
  EXPECT_EQ(damaged->size(), 3u);
  EXPECT_TRUE(store.verify()->empty());
  EXPECT_EQ(store.find("whole"), "contents of it");
}

TEST(Store, WhatWasUsedLongestAgoGoesFirst) {
  const TemporaryFolder folder;
  const Store store(folder.path(), 64 << 10);
  const auto age = [&](const std::string& key, int hours) {
    std::filesystem::last_write_time(
        file_of(store, key), std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int i = 0; i < 6; ++i) store.put(format("k%d", i), "", std::string(8 << 10, 'x'));
  for (int i = 0; i < 6; ++i) age(format("k%d", i), 10 - i);
  EXPECT_TRUE(store.find("k0"));  // recently used again
  for (int i = 6; i < 9; ++i) store.put(format("k%d", i), "", std::string(8 << 10, 'x'));
  EXPECT_TRUE(store.find("k0"));
  EXPECT_FALSE(store.find("k1"));
  EXPECT_FALSE(store.find("k2"));
  EXPECT_TRUE(store.find("k8"));
  uint64_t bytes = 0;
  const auto entries = store.list();
  ASSERT_TRUE(entries.ok());
  for (const Store::Entry& e : *entries) bytes += e.bytes;
  EXPECT_LE(bytes, store.limit());
}

TEST(Store, WhatKilledProcessesLeftGoesWhenItIsOld) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  for (const char* name : {"/old.lock", "/old.tmp", "/new.lock"}) {
    ASSERT_TRUE(write_file(store.folder() + name, "").ok());
    if (name[1] != 'o') continue;
    std::filesystem::last_write_time(store.folder() + name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  }
  ASSERT_TRUE(store.trim(store.limit()).ok());
  EXPECT_FALSE(file_exists(store.folder() + "/old.lock"));
  EXPECT_FALSE(file_exists(store.folder() + "/old.tmp"));
  EXPECT_TRUE(file_exists(store.folder() + "/new.lock"));  // another process may hold it
}

TEST(Store, AFolderThatCannotBeWrittenIsAnEmptyOne) {
  const Store store("/proc/self/quern");
  store.put("key", "", "contents");
  EXPECT_EQ(store.find("key"), std::nullopt);
  const auto made = store.get("key", "", [] { return Result<std::string>(std::string("made")); });
  EXPECT_EQ(made.value(), "made");
}

TEST(Store, NamesThatAreNoKeysAreNotTaken) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  for (const std::string key : {"../up", "", "a/b", "a b"}) {
    store.put(key, "", "contents");
    EXPECT_EQ(store.find(key), std::nullopt) << key;
  }
  EXPECT_TRUE(store.list()->empty());
}

TEST(Store, MovesToAnotherMachineAsOneFile) {
  const TemporaryFolder folder;
  const Store here(folder / "here"), there(folder / "there");
  for (int i = 0; i < 20; ++i) here.put(format("k%d", i), format("label %d", i), contents_of(i));
  EXPECT_EQ(here.write_archive(folder / "all").value(), 20u);
  EXPECT_EQ(there.read_archive(folder / "all").value(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(there.find(format("k%d", i)), contents_of(i));
  const std::string archive = read_file(folder / "all").value();
  for (const size_t cut : {size_t{3}, size_t{40}, archive.size() - 1}) {
    ASSERT_TRUE(write_file(folder / "cut", archive.substr(0, cut)).ok());
    const auto taken = there.read_archive(folder / "cut");
    ASSERT_FALSE(taken.ok());
    EXPECT_NE(taken.error().message().find("is not an archive of `quern cache export`, or is corrupted"),
              std::string::npos);
  }
}

// Child processes of this process that do the same at the same time.
template <typename Work>
int failures_of(int processes, Work&& work) {
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(p) ? 0 : 1);
    children.push_back(child);
  }
  int failures = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    failures += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  return failures;
}

TEST(Store, ManyProcessesThatAskConcurrentlyMakeItOnce) {
  constexpr int kProcesses = 16, kKeys = 50;
  const TemporaryFolder folder;
  const std::string counts = folder / "made", waits = folder / "waits";
  const int failures = failures_of(kProcesses, [&](int) {
    const Store store(folder.path());
    double longest = 0;
    for (int k = 0; k < kKeys; ++k) {
      bool is_maker = false;
      const auto start = std::chrono::steady_clock::now();
      const auto made = store.get(format("k%d", k), "", [&] {
        is_maker = true;
        std::ofstream(counts, std::ios::app) << format("%d\n", k);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return Result<std::string>(contents_of(k));
      });
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      if (!is_maker) longest = std::max(longest, took.count());
      if (!made.ok() || *made != contents_of(k)) return false;
    }
    std::ofstream(waits, std::ios::app) << format("%.1f\n", longest);
    return true;
  });
  EXPECT_EQ(failures, 0);
  const std::string made = read_file(counts).value();
  const auto count = static_cast<size_t>(std::count(made.begin(), made.end(), '\n'));
  double longest = 0;
  std::ifstream all_waits(waits);
  for (double wait = 0; all_waits >> wait;) longest = std::max(longest, wait);
  std::printf("%d processes, %d keys: %d failed, %zu made, %zu of them twice, the longest wait %.1f ms\n",
              kProcesses, kKeys, failures, count, count - kKeys, longest);
  EXPECT_GE(count, static_cast<size_t>(kKeys));
  EXPECT_LE(count, static_cast<size_t>(kKeys + kProcesses));  // a wait may end early on a busy machine
  EXPECT_EQ(Store(folder.path()).list()->size(), static_cast<size_t>(kKeys));
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/code/k0.kept"));
  for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/code"))
    EXPECT_EQ(file.path().extension(), ".kept");
}

TEST(Store, WhoWaitsTooLongMakesItToo) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  std::thread slow([&] {
    (void)store.get("k", "", [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
      return Result<std::string>(std::string("slow"));
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto made = store.get("k", "", [] { return Result<std::string>(std::string("quick")); });
  slow.join();
  EXPECT_EQ(made.value(), "quick");  // waiting to the end would have returned the other one
}

TEST(Store, KilledWritersLeaveNothingThatIsWrong) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  const int kills = from_environment("KILLS", 60);
  for (int round = 0; round < kills; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Store store(folder.path());
      for (int k = 0;; k = (k + 1) % 40) {
        std::string contents;
        for (int i = 0; i < 200; ++i) contents += contents_of(k);
        store.put(format("k%d", k), "label", contents);
      }
    }
    ::usleep(static_cast<useconds_t>(random() % 5000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    const Store store(folder.path());
    EXPECT_TRUE(store.verify()->empty()) << round;
  }
  const Store store(folder.path());
  EXPECT_GT(store.list()->size(), 0u);
}

}  // namespace
}  // namespace quern::base
