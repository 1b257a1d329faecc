#include "runtime/pool.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "driver/cpu/driver.hpp"
#include "runtime/blocks.hpp"
#include "runtime/stream.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

TEST(Blocks, TakeAndGiveBack) {
  Blocks blocks;
  blocks.add(0, 4096);
  const auto a = blocks.take(1), b = blocks.take(300), c = blocks.take(0);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->offset, 0u);
  EXPECT_EQ(b->offset, 256u);
  EXPECT_EQ(c->offset, 768u);
  EXPECT_EQ(blocks.taken_bytes(), 1024u);
  blocks.give(b->id);
  EXPECT_EQ(blocks.take(512)->offset, 256u);
  EXPECT_FALSE(blocks.take(4096));
}

TEST(Blocks, NeighboursBecomeOne) {
  Blocks blocks;
  blocks.add(0, 4096);
  std::vector<uint32_t> ids;
  for (int i = 0; i < 16; ++i) ids.push_back(blocks.take(256)->id);
  EXPECT_FALSE(blocks.take(1));
  for (const size_t i : {3, 5, 4, 0, 15, 14, 1, 2, 6, 8, 7, 9, 13, 11, 12, 10}) blocks.give(ids[i]);
  EXPECT_EQ(blocks.largest_free_bytes(), 4096u);
  EXPECT_EQ(blocks.take(4096)->offset, 0u);
}

// What is taken never overlaps, and at the end all is one again.
TEST(Blocks, RandomUse) {
  constexpr uint64_t kBytes = 1 << 20;
  Blocks blocks;
  blocks.add(0, kBytes);
  std::mt19937 random(7);
  std::map<uint64_t, std::pair<uint64_t, uint32_t>> taken;  // by offset: bytes, id
  uint64_t sum = 0;
  for (int round = 0; round < 100000; ++round) {
    if (random() % 2 == 0 || taken.empty()) {
      const uint64_t bytes = 1 + random() % (random() % 8 == 0 ? 100000 : 2000);
      const auto block = blocks.take(bytes);
      if (!block) continue;
      const uint64_t whole = (bytes + 255) / 256 * 256;
      ASSERT_EQ(block->offset % 256, 0u);
      ASSERT_LE(block->offset + whole, kBytes);
      const auto next = taken.lower_bound(block->offset);
      ASSERT_TRUE(next == taken.end() || next->first >= block->offset + whole);
      ASSERT_TRUE(next == taken.begin() ||
                  std::prev(next)->first + std::prev(next)->second.first <= block->offset);
      taken[block->offset] = {whole, block->id};
      sum += whole;
    } else {
      auto at = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      sum -= at->second.first;
      blocks.give(at->second.second);
      taken.erase(at);
    }
    ASSERT_EQ(blocks.taken_bytes(), sum);
  }
  for (const auto& [offset, block] : taken) blocks.give(block.second);
  EXPECT_EQ(blocks.largest_free_bytes(), kBytes);
}

class PoolOfCpu : public ::testing::Test {
 public:
  void SetUp() override {
    auto driver = cpu::make_driver();
    if (!driver->start().ok()) GTEST_SKIP() << "there is no cpu device";
    device = take(Device::open(*driver, 0, {}));
  }
  std::shared_ptr<Memory> allocate(uint64_t bytes) const {
    return take(device->allocate(bytes, driver::MemoryKind::kDevice, ""));
  }
  std::shared_ptr<Device> device;
};

TEST_F(PoolOfCpu, SmallBuffersAreParts) {
  const auto a = allocate(1000), b = allocate(1000);
  EXPECT_EQ(a->place(0).buffer, b->place(0).buffer);
  EXPECT_EQ(b->place(4).offset, 1024u + 4);
  EXPECT_EQ(b->host(), a->host() + 1024);
  EXPECT_EQ(device->bytes_in_use(), 2000u);
  EXPECT_EQ(device->reserved_bytes(), uint64_t{2} << 20);
}

TEST_F(PoolOfCpu, LargeBuffersAreTheDrivers) {
  const auto large = allocate(Pool::kMostBytes + 1);
  EXPECT_EQ(large->place(0).offset, 0u);
  EXPECT_EQ(device->reserved_bytes(), 0u);
}

TEST_F(PoolOfCpu, WhatIsInFlightIsNotGivenOutAgain) {
  auto a = allocate(1000);
  const std::byte* where = a->host();
  EXPECT_TRUE(device->default_stream().fill({a.get(), 0, 1000}, 0, 1).ok());
  a.reset();
  auto b = allocate(1000);
  EXPECT_NE(b->host(), where);
  EXPECT_TRUE(device->synchronize().ok());
  const auto c = allocate(1000);
  EXPECT_EQ(c->host(), where);
}

TEST_F(PoolOfCpu, WorkWithoutWaitsDoesNotGrowIt) {
  for (int i = 0; i < 4000; ++i) {
    auto memory = allocate(100000);
    EXPECT_TRUE(device->default_stream().fill({memory.get(), 0, 100000}, 0, 1).ok());
    if (i % 64 != 0) continue;
    EXPECT_TRUE(take(device->default_stream().record())->wait().ok());
  }
  EXPECT_LT(device->reserved_bytes(), uint64_t{64} << 20);
}

TEST_F(PoolOfCpu, TrimGivesBackWhatNobodyUses) {
  auto a = allocate(1000), b = allocate(10 << 20);
  EXPECT_GT(device->reserved_bytes(), uint64_t{10} << 20);
  b.reset();
  device->trim();
  EXPECT_EQ(device->reserved_bytes(), uint64_t{2} << 20);
  a.reset();
  device->trim();
  EXPECT_EQ(device->reserved_bytes(), 0u);
  EXPECT_EQ(device->bytes_in_use(), 0u);
  EXPECT_EQ(device->peak_bytes(), (uint64_t{10} << 20) + 1000);
  EXPECT_EQ(allocate(1000)->place(0).offset, 0u);
}

}  // namespace
}  // namespace quern::runtime
