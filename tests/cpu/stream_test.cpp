// Who executes the commands of a queue: waiting hosts, or the queue's thread. In every case all commands run,
// in order.
#include "driver/cpu/stream.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quern::cpu {
namespace {

using std::chrono::microseconds;

// A number that commands write.
class Cell {
 public:
  void write(CpuStream& queue, uint32_t value) {
    queue.fill(&number_, value, sizeof(value), sizeof(number_));
  }
  // Becomes visible after a while, without waiting for the queue.
  bool becomes(uint32_t value) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (*static_cast<const volatile uint32_t*>(&number_) == value) return true;
      std::this_thread::sleep_for(microseconds(50));
    }
    return false;
  }
  uint32_t value() const { return number_; }

 private:
  uint32_t number_ = 0;
};

// The host waits soon, often enough that the queue's thread idles.
void earn_trust(CpuStream& queue, Cell& cell) {
  for (uint32_t i = 1; i <= 40; ++i) {
    cell.write(queue, i);
    queue.synchronize();
    ASSERT_EQ(cell.value(), i);
  }
}

TEST(CpuStream, HostsThatWaitSeeTheirCommandsDone) {
  Pool pool(1);
  CpuStream queue(pool);
  Cell cell;
  earn_trust(queue, cell);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // all fall asleep
  earn_trust(queue, cell);
}

#if !defined(__SANITIZE_THREAD__)  // the number is read while it is written
TEST(CpuStream, WhatNobodyWaitsForIsDoneToo) {
  Pool pool(1);
  CpuStream queue(pool);
  Cell cell;
  for (uint32_t round = 0; round < 5; ++round) {
    earn_trust(queue, cell);
    cell.write(queue, 1000 + round);
    EXPECT_TRUE(cell.becomes(1000 + round));
  }
  for (uint32_t i = 0; i < 100; ++i) cell.write(queue, i);  // more than are left to a host
  EXPECT_TRUE(cell.becomes(99));
}
#endif

TEST(CpuStream, EventsThatOthersWaitForComeWithoutAHost) {
  Pool pool(1);
  CpuStream first(pool), second(pool);
  Cell cell;
  earn_trust(first, cell);
  const auto point = std::make_shared<Point>();
  cell.write(first, 7);
  first.record(point);
  second.wait(point);
  second.synchronize();
  EXPECT_EQ(cell.value(), 7u);
}

// An event is recorded again on another stream while the work before its first record still runs.
TEST(CpuStream, RecordsOfAnEventAreReachedInAnyOrder) {
  Pool pool(1);
  CpuStream slow(pool), fast(pool), waiting(pool);
  const auto point = std::make_shared<Point>();
  const auto after = std::make_shared<Point>();
  std::atomic<bool> ends{false};
  slow.call([&] {
    while (!ends) std::this_thread::sleep_for(microseconds(50));
  });
  slow.record(point);
  const uint64_t first = point->last();
  waiting.wait(point);  // for the first record
  waiting.record(after);
  fast.record(point);
  const uint64_t second = point->last();
  point->wait_for(second);
  const uint64_t time = point->time();
  EXPECT_FALSE(point->is_reached(first));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(after->is_reached(after->last()));
  ends = true;
  after->wait_for(after->last());
  slow.synchronize();
  EXPECT_TRUE(point->is_reached(first));
  EXPECT_TRUE(point->is_reached(second));  // still
  EXPECT_EQ(point->time(), time);          // of the last record
  point->wait_for(second);
}

// Pauses of every length between submitting, waiting and the next turn: no command is lost.
TEST(CpuStream, NothingIsLostBetweenThreads) {
  std::minstd_rand random(1);  // NOLINT: the same numbers every time
  Pool pool(1);
  CpuStream queue(pool);
  std::vector<int> done;
  int submitted = 0;
  for (int turn = 0; turn < 600; ++turn) {
    const int commands = 1 + static_cast<int>(random() % 3) * (turn % 50 == 0 ? 10 : 1);
    Cell cell;
    for (int i = 0; i < commands; ++i) cell.write(queue, static_cast<uint32_t>(i));
    if (random() % 40 == 0) {
      queue.call([&done, submitted] { done.push_back(submitted); });
      ++submitted;
    }
    if (random() % 8 == 0) std::this_thread::sleep_for(microseconds(random() % 700));
    queue.synchronize();
    ASSERT_EQ(cell.value(), static_cast<uint32_t>(commands - 1));
    ASSERT_EQ(done.size(), static_cast<size_t>(submitted));
    if (random() % 8 == 0) std::this_thread::sleep_for(microseconds(random() % 1500));
  }
}

// Several hosts wait for the same queue while one submits.
TEST(CpuStream, SeveralMayWait) {
  Pool pool(1);
  CpuStream queue(pool);
  std::atomic<bool> ends{false};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      while (!ends) queue.synchronize();
    });
  }
  Cell cell;
  for (uint32_t i = 1; i <= 2000; ++i) {
    cell.write(queue, i);
    if (i % 3 != 0) continue;
    queue.synchronize();
    ASSERT_EQ(cell.value(), i);
  }
  ends = true;
  for (std::thread& t : waiters) t.join();
}

}  // namespace
}  // namespace quern::cpu
