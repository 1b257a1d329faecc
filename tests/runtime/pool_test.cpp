#include "runtime/pool.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

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

// Allocated blocks never overlap, and at the end all free space is merged.
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
  MemoryPtr allocate(uint64_t bytes) const {
    return take(device->allocate(bytes, driver::MemoryKind::device, ""));
  }
  std::shared_ptr<Device> device;
};

TEST_F(PoolOfCpu, SmallBuffersAreParts) {
  const auto a = allocate(1000), b = allocate(1000);
  EXPECT_EQ(a->place(0).buffer, b->place(0).buffer);
  EXPECT_EQ(b->place(4).offset, 1024u + 4);
  EXPECT_EQ(b->host(), a->host() + 1024);
  EXPECT_EQ(device->bytes_in_use(), 2000u);
  EXPECT_EQ(device->reserved_bytes(), uint64_t{1} << 20);
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
  EXPECT_EQ(device->reserved_bytes(), uint64_t{1} << 20);
  a.reset();
  device->trim();
  EXPECT_EQ(device->reserved_bytes(), 0u);
  EXPECT_EQ(device->bytes_in_use(), 0u);
  EXPECT_EQ(device->peak_bytes(), (uint64_t{10} << 20) + 1000);
  EXPECT_EQ(allocate(1000)->place(0).offset, 0u);
}

TEST(Blocks, StretchesComeAndGo) {
  Blocks blocks;
  blocks.add(3, 1024);
  blocks.add(7, 2048);
  const auto a = blocks.take(2048), b = blocks.take(512);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->stretch, 7u);
  EXPECT_EQ(b->stretch, 3u);
  EXPECT_FALSE(blocks.remove(3));
  blocks.give(b->id);
  EXPECT_TRUE(blocks.remove(3));
  EXPECT_EQ(blocks.bytes(), 2048u);
  EXPECT_FALSE(blocks.take(1));
  blocks.give(a->id);
  EXPECT_EQ(blocks.take(1)->stretch, 7u);
}

// Regression: a size that is not a multiple of the unit always allocated a slab that was slightly too small.
TEST_F(PoolOfCpu, OddSizesUseTheirSlab) {
  for (int i = 0; i < 10; ++i) (void)allocate(3000001);
  EXPECT_EQ(device->reserved_bytes(), 3000064u);
}

// All of 24 seeds stay below 0.0925 (bench_pool); 10, 2 and 13 were the worst before large blocks got
// separate slabs.
class MixedBuffers : public PoolOfCpu, public ::testing::WithParamInterface<unsigned> {};

TEST_P(MixedBuffers, AMillionLeaveLittleUnused) {
  std::mt19937 random(GetParam());
  std::vector<MemoryPtr> alive(4000);
  for (int i = 0; i < 1'000'000; ++i) {
    const uint64_t bytes = 1 + random() % (uint64_t{1} << (6 + random() % 15));
    auto& place = alive[random() % alive.size()];
    place.reset();
    place = allocate(bytes);
  }
  EXPECT_LT(device->memory().fragmentation, 0.10);
  alive.clear();
  device->trim();
  EXPECT_EQ(device->reserved_bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MixedBuffers, ::testing::Values(2u, 10u, 11u, 13u));

// The pattern of training programs: layers of mixed sizes forward, their gradients backward, temporaries in
// between, repeated. After a few rounds nothing new is allocated.
TEST_F(PoolOfCpu, TracesOfLayersDoNotGrowIt) {
  uint64_t after_three = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<MemoryPtr> kept;
    for (int layer = 0; layer < 24; ++layer) {
      kept.push_back(allocate((uint64_t{1} << (12 + layer % 10)) + 520 * layer));
      const auto workspace = allocate(3'000'000 + 4096 * (layer % 5));
      kept.push_back(allocate(700 + 40 * layer));
    }
    for (int layer = 23; layer >= 0; --layer) {
      const auto gradient = allocate((uint64_t{1} << (12 + layer % 10)) + 520 * layer);
      kept.resize(2 * static_cast<size_t>(layer));
    }
    if (round == 2) after_three = device->reserved_bytes();
  }
  EXPECT_EQ(device->reserved_bytes(), after_three);
  EXPECT_EQ(device->bytes_in_use(), 0u);
}

TEST_F(PoolOfCpu, NumbersTellWhetherMemoryIsThere) {
  auto a = allocate(100);
  const uint64_t number = a->number();
  EXPECT_TRUE(MemoryNumbers::is_alive(number));
  a.reset();
  EXPECT_FALSE(MemoryNumbers::is_alive(number));
  a = allocate(100);
  EXPECT_NE(a->number(), number);
  EXPECT_FALSE(MemoryNumbers::is_alive(number));
  EXPECT_FALSE(MemoryNumbers::is_alive(~uint64_t{0}));
}

TEST_F(PoolOfCpu, ALimitIsEnforcedAndReported) {
  EXPECT_EQ(device->set_memory_limit(uint64_t{40} << 20), 0u);
  const auto weights = take(device->allocate(uint64_t{20} << 20, driver::MemoryKind::device, "weights"));
  auto small = allocate(1000);
  auto more = device->allocate(uint64_t{30} << 20, driver::MemoryKind::device, "more");
  EXPECT_EQ(refusal(more, base::ErrorKind::out_of_memory),
            "allocating 'more' (30.0 MiB) on " + device->label() +
                " failed: 19.0 MiB are left of the limit of 40.0 MiB");
  EXPECT_EQ(more.error().hint(),
            "split the batch, or raise QUERN_MEMORY_LIMIT; the largest are 'weights' (20.0 MiB), a buffer "
            "(1000 B)");
  EXPECT_EQ(more.error().context(), std::vector<std::string>{"allocating a buffer"});
  small.reset();  // the pool keeps it, and frees it when memory is needed
  auto again = device->allocate(uint64_t{30} << 20, driver::MemoryKind::device, "more");
  EXPECT_EQ(
      again.error().context(),
      std::vector<std::string>{"allocating a buffer again: the pool held 1.0 MiB unused, and was trimmed"});
  EXPECT_TRUE(device->allocate(uint64_t{20} << 20, driver::MemoryKind::device, "").ok());
  device->set_memory_limit(0);
  EXPECT_TRUE(device->allocate(uint64_t{30} << 20, driver::MemoryKind::device, "more").ok());
}

// Regression: a stream being destroyed was unknown while its work still ran, and memory of that work was
// reused.
TEST_F(PoolOfCpu, AStreamThatGoesKeepsItsMemoryUntilItsWorkIsOver) {
  auto stream = take(Stream::create(*device, {}));
  auto memory = allocate(1000);
  const std::byte* where = memory->host();
  std::atomic<bool> may_go{false};
  ASSERT_TRUE(stream
                  ->call([&] {
                    while (!may_go) std::this_thread::yield();
                  })
                  .ok());
  ASSERT_TRUE(stream->fill({memory.get(), 0, 1000}, 7, 1).ok());
  memory.reset();
  std::thread goes([&] { stream.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // Like a thread that waits for all streams concurrently: it must not access a destroyed one.
  std::thread waits([&] { EXPECT_TRUE(device->synchronize().ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_NE(allocate(1000)->host(), where);
  may_go = true;
  goes.join();
  waits.join();
}

}  // namespace
}  // namespace quern::runtime
