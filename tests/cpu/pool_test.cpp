// The thread pool: all work is done exactly once, with any number of jobs.
#include "driver/cpu/pool.hpp"

#include <atomic>
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

TEST(Pool, WithoutWorkersTheOwnerDoesIt) {
  Pool pool(0);
  Counted c(9);
  pool.run(9, Counted::note, &c, {});
  EXPECT_TRUE(c.is_done());
}

}  // namespace
}  // namespace quern::cpu
