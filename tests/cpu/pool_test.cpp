// The thread pool: all work is done exactly once, with any number of jobs.
#include "driver/cpu/pool.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quern::cpu {
namespace {

struct Counted {
  explicit Counted(uint64_t count, uint64_t of = 1) : times(count), grain(of) {}
  std::vector<std::atomic<int>> times;
  uint64_t grain;
  std::atomic<int> misplaced{0};

  static void note(void* data, uint64_t first, uint64_t end) {
    auto& own = *static_cast<Counted*>(data);
    if (first % own.grain != 0) ++own.misplaced;
    for (uint64_t i = first; i < end; ++i) ++own.times[i];
  }
  bool is_done() const {
    for (const auto& t : times) {
      if (t != 1) return false;
    }
    return misplaced == 0;
  }
};

TEST(Pool, AllIsDoneOnce) {
  Pool pool(5);
  for (const uint64_t count : {1u, 2u, 7u, 64u, 1000u}) {
    for (const uint64_t grain : {1u, 3u, 16u, 2000u}) {
      for (const uint32_t threads : {1u, 2u, 100u}) {
        Counted c(count, grain);
        pool.run(count, Counted::note, &c, {threads, grain});
        EXPECT_TRUE(c.is_done()) << count << " numbers, " << grain << " at once, " << threads << " threads";
      }
    }
  }
}

TEST(Pool, NumbersOfAJobForOneThreadStayTogether) {
  Pool pool(3);
  std::vector<std::thread::id> seen;
  pool.run(100,
           [](void* data, uint64_t, uint64_t) {
             static_cast<std::vector<std::thread::id>*>(data)->push_back(std::this_thread::get_id());
           },
           &seen, {1, 1});
  EXPECT_EQ(seen, std::vector{std::this_thread::get_id()});
}

// More than the pool's limit; each thread submits one while the others run, and some sleep in between.
TEST(Pool, ManyBringJobs) {
  Pool pool(3);
  std::vector<std::thread> owners;
  std::atomic<int> wrong{0};
  for (int owner = 0; owner < 12; ++owner) {
    owners.emplace_back([&, owner] {
      for (int job = 0; job < 60; ++job) {
        Counted c(50);
        pool.run(50, Counted::note, &c, {});
        if (!c.is_done()) ++wrong;
        if (job % 20 == owner % 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (std::thread& t : owners) t.join();
  EXPECT_EQ(wrong, 0);
}

// Waits in each index until every thread has one: a thread that is late keeps its index.
struct Meeting {
  explicit Meeting(uint32_t count) : threads(count) {}
  std::vector<std::thread::id> threads;
  std::atomic<size_t> here{0};

  static void note(void* data, uint64_t first, uint64_t end) {
    auto& own = *static_cast<Meeting*>(data);
    for (uint64_t i = first; i < end; ++i) own.threads[i] = std::this_thread::get_id();
    own.here += end - first;
    while (own.here < own.threads.size()) std::this_thread::yield();
  }
};

TEST(Pool, AThreadHasTheSameShareOfEveryJob) {
  Pool pool(5);
  for (const uint32_t count : {6u, 4u, 2u}) {
    std::vector<std::thread::id> first;
    for (int job = 0; job < 20; ++job) {
      Meeting m(count);
      pool.run(count, Meeting::note, &m, {count, 1});
      if (job == 0) first = m.threads;
      EXPECT_EQ(m.threads, first) << count << " threads, job " << job;
      EXPECT_EQ(m.threads[0], std::this_thread::get_id());
      if (job % 8 == 7) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // they sleep
    }
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), count);
  }
}

// Jobs in quick succession that differ in everything: a thread that is late must not take a piece of the next
// job as one of the last, nor twice.
TEST(Pool, LateThreadsDoNotMixJobs) {
  Pool pool(7);
  std::mt19937 random(7);
  for (int job = 0; job < 20000; ++job) {
    struct Sums {
      std::atomic<uint64_t> numbers{0}, indices{0};
    } sums;
    const uint64_t count = random() % 60 + 1;
    const uint32_t threads = random() % 9 + 1;
    const auto add = [](void* data, uint64_t first, uint64_t end) {
      for (uint64_t i = first; i < end; ++i) {
        static_cast<Sums*>(data)->numbers += 1;
        static_cast<Sums*>(data)->indices += i;
      }
    };
    pool.run(count, add, &sums, {threads, random() % 5 + 1});
    ASSERT_EQ(sums.numbers, count) << "job " << job;
    ASSERT_EQ(sums.indices, count * (count - 1) / 2) << "job " << job;
  }
}

// Many times more threads than cores, and several owners.
TEST(Pool, MoreThreadsThanCores) {
  Pool pool(16 * std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> owners;
  std::atomic<int> wrong{0};
  for (int owner = 0; owner < 3; ++owner) {
    owners.emplace_back([&] {
      for (int job = 0; job < 40; ++job) {
        Counted c(500, 3);
        pool.run(500, Counted::note, &c, {~0u, 3});
        if (!c.is_done()) ++wrong;
      }
    });
  }
  for (std::thread& t : owners) t.join();
  EXPECT_EQ(wrong, 0);
}

// More grains than are counted: pieces still begin at multiples of the grain.
TEST(Pool, MillionsOfGrains) {
  Pool pool(3);
  Counted c(7'000'001, 2);
  uint64_t spent = 0;
  pool.run(7'000'001, Counted::note, &c, {~0u, 2, nullptr, &spent});
  EXPECT_TRUE(c.is_done());
  EXPECT_GT(spent, 0u);
}

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

TEST(Pool, IdleThreadsUseNoTime) {
  Pool pool(7);
  for (int job = 0; job < 50; ++job) {
    Counted c(64);
    pool.run(64, Counted::note, &c, {});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_seconds() - before, 0.005);
}

// Time on a core of each thread of the process, ns; empty: the system does not count it.
std::map<std::string, uint64_t> thread_times() {
  std::map<std::string, uint64_t> times;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "schedstat");
    uint64_t time = 0;
    if (in >> time) times[task.path().filename()] = time;
  }
  return times;
}

// Jobs for two threads, in sequence, wake one worker; the others sleep.
TEST(Pool, ThreadsThatAreNotNeededSleep) {
  const auto others = thread_times();
  Pool pool(7);
  Counted all(64);
  pool.run(64, Counted::note, &all, {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto before = thread_times();
  if (before.empty()) GTEST_SKIP() << "no schedstat";
  for (int job = 0; job < 200; ++job) {
    Meeting m(2);
    pool.run(2, Meeting::note, &m, {2, 1});
  }
  size_t active = 0;
  for (const auto& [thread, time] : thread_times())
    active += others.count(thread) == 0 && time - before.at(thread) > 200'000 ? 1 : 0;
  EXPECT_LE(active, 1u);
}

TEST(Pool, WithoutWorkersTheOwnerDoesIt) {
  Pool pool(0);
  Counted c(9);
  pool.run(9, Counted::note, &c, {});
  EXPECT_TRUE(c.is_done());
}

}  // namespace
}  // namespace quern::cpu
