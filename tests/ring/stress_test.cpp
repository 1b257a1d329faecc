// Many messages, with checksums; many producers, some of which end early; one core.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include "ring/support.hpp"

namespace quern::ring {
namespace {

QUERN_CODE(__device__ unsigned long long mix(unsigned long long h, unsigned long long v) {
  h ^= v * 0x9e3779b97f4a7c15ull;
  return (h << 13 | h >> 51) * 0xff51afd7ed558ccdull;
})

// Each producer numbers its messages, which shows their order.
QUERN_ACTOR(Check, (unsigned long long hash, unsigned long long sum, unsigned next, unsigned wrong),
            (unsigned number, unsigned value), unsigned, {
              if (number != next) wrong += 1;
              next = number + 1;
              sum += value;
              hash = mix(hash, value);
              return next;
            })

// RING_STRESS_MESSAGES=1000000000 for the long run.
long messages(long usually) {
  const char* const text = std::getenv("RING_STRESS_MESSAGES");
  return text != nullptr ? std::atol(text) : usually;
}

void run_stress(const Device& device, Engine engine, long count) {
  SCOPED_TRACE(std::string(to_string(engine)));
  Options options;
  options.engine = engine;
  options.slots = 4096;
  options.one_producer = true;
  const auto check = device.spawn(Check{}, options);
  const auto begin = std::chrono::steady_clock::now();
  std::mt19937 random(11);
  unsigned long long hash = 0, sum = 0;
  std::vector<Check::Message> batch;
  for (long i = 0; i < count;) {
    batch.clear();
    for (std::size_t n = 1 + random() % 2000; n > 0 && i < count; --n, ++i) {
      const unsigned value = static_cast<unsigned>(random());
      batch.push_back({static_cast<unsigned>(i), value});
      sum += value;
      hash = mix(hash, value);
    }
    check.send(batch);
    if (random() % 64 == 0) {
      ASSERT_EQ(check.call(static_cast<unsigned>(i), 0u).get(), static_cast<unsigned>(i) + 1);
      hash = mix(hash, 0);
      ++i, ++count;
    }
  }
  check.drain();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%s, %s: %ld messages in %.1f s, %.1f M/s\n", device.driver().c_str(), to_string(engine), count,
              took.count(), static_cast<double>(count) / took.count() * 1e-6);
  const Check state = check.state();
  EXPECT_EQ(state.wrong, 0u);
  EXPECT_EQ(state.sum, sum);
  EXPECT_EQ(state.hash, hash);
  EXPECT_EQ(check.telemetry().handled, static_cast<std::uint64_t>(count));
}

TEST(Stress, ChecksumsOfMillions) {
  for (const char* driver : persistent_drivers()) {
    const Device device = open(driver);
    SCOPED_TRACE(driver);
    run_stress(device, Engine::persistent, messages(3'000'000));
    run_stress(device, Engine::driven, std::min(messages(1'000'000), 20'000'000l));
  }
}

// RING_STRESS_CALLS=10000000 for the long run: each reply is the number of its call.
QUERN_ACTOR(Number, (long long last), (int add), long long, { return last += add; })

TEST(Stress, NoCallIsLostOrAnsweredTwice) {
  const char* const text = std::getenv("RING_STRESS_CALLS");
  const long long calls = text != nullptr ? std::atoll(text) : 20'000;
  for (const char* driver : persistent_drivers()) {
    const Device device = open(driver);
    SCOPED_TRACE(driver);
    const auto number = device.spawn(Number{}, Options{.one_producer = true});
    const auto begin = std::chrono::steady_clock::now();
    std::array<Future<long long>, 16> under_way;
    for (long long i = 0; i < calls; ++i) {
      Future<long long>& place = under_way[static_cast<std::size_t>(i % 16)];
      if (i >= 16) {
        ASSERT_EQ(place.get(), i - 15);
      }
      place = number.call(1);
    }
    for (long long i = calls - 16; i < calls; ++i)
      ASSERT_EQ(under_way[static_cast<std::size_t>(i % 16)].get(), i + 1);
    EXPECT_TRUE(number.stop());
    EXPECT_EQ(number.state().last, calls);
    EXPECT_EQ(number.telemetry().handled, static_cast<std::uint64_t>(calls));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s: %lld calls in %.1f s, none lost, none twice\n", driver, calls, took.count());
  }
}

QUERN_ACTOR(Tally, (long long sum, long long count), (int value), long long, {
  sum += value;
  count += 1;
  return count;
})

class Producers : public ::testing::TestWithParam<const char*> {};

TEST_P(Producers, SomeOfWhichEnd) {
  const Device device = open_if_here(GetParam());
  if (!device) GTEST_SKIP() << "there is no device '" << GetParam() << "' here";
  if (!device.info().has(Feature::persistent)) GTEST_SKIP() << GetParam() << " has no persistent kernels";
  const auto tally = device.spawn(Tally{}, Options{.slots = 256, .replies = 16});
  std::atomic<long long> sum{0}, count{0};
  std::vector<std::thread> producers;
  for (int p = 0; p < 8; ++p) {
    producers.emplace_back([&, p] {
      std::mt19937 random(static_cast<unsigned>(p));
      const int mine = p % 3 == 0 ? 1000 : 20'000;
      for (int i = 0; i < mine; ++i) {
        const int value = static_cast<int>(random() % 1000);
        if (i % 50 == 0) {
          auto call = tally.call(value);
          if (i % 100 == 0) (void)call.get();  // the others are abandoned
        } else {
          tally.send(value);
        }
        sum += value;
        ++count;
      }
    });
  }
  for (std::thread& t : producers) t.join();
  EXPECT_TRUE(tally.stop());
  EXPECT_EQ(tally.state().sum, sum);
  EXPECT_EQ(tally.state().count, count);
}

INSTANTIATE_TEST_SUITE_P(Devices, Producers, ::testing::ValuesIn(ring_drivers()),
                         [](const auto& p) { return std::string(p.param); });

#if defined(__linux__)
TEST(Stress, FourActorsOnOneCore) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int c = 0; c < CPU_SETSIZE; ++c) {
    if (CPU_ISSET(c, &before) == 0) continue;
    CPU_SET(c, &one);
    break;
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  {
    std::vector<Handle<Tally, Tally::Message, long long>> actors;
    const Device device = open("cpu");
    for (int i = 0; i < 4; ++i) actors.push_back(device.spawn(Tally{}));
    for (int i = 1; i <= 100; ++i) {
      for (const auto& a : actors) EXPECT_EQ(a.call(1).get(), i);
    }
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof(before), &before), 0);
}
#endif

}  // namespace
}  // namespace quern::ring
