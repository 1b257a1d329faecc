// Random commands while producers start and end: every accepted message is handled once or is a dead letter
// once. RING_STRESS_SECONDS=600 for the long run, RING_STRESS_DEVICES=opencl,vulkan for other devices.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

// A negative message faults if the actor is restartable; from 1000 on, it sends another one to itself.
QUERN_ACTOR(Tally, (long long count, long long sum, long long relayed), (int value), long long, {
  assert(value >= 0);
  count += 1;
  sum += value;
  if (value >= 1000 && context.send(0, Message{1000 - value})) relayed += 1;
  return count;
})
using Actors = Handle<Tally, Tally::Message, long long>;

struct Course {
  std::atomic<long long> accepted{0}, dead{0}, refused{0}, orders{0}, lives{0}, relayed{0};
};

// Sends until its time is over; then it ends, with calls whose replies are not taken.
void produce(const Actors& actor, Course& run, unsigned seed, const std::atomic<bool>& ends, bool may_fault) {
  std::mt19937 random(seed);
  const int most = static_cast<int>(random() % 4000);
  for (int i = 0; i < most && !ends; ++i) {
    try {
      const int what = static_cast<int>(random() % 3000), fault = may_fault ? 1 : 0;
      const int value = what == 0 ? -fault : what == 1 ? 1000 + fault : what < 400 ? 1000 : what % 100;
      if (random() % 16 == 0) {
        auto call = actor.call(value);
        ++run.accepted;
        if (random() % 2 == 0) (void)call.wait_for(std::chrono::milliseconds(1));
      } else if (random() % 16 == 0) {
        if (actor.try_send(value)) ++run.accepted;
      } else {
        actor.send(value);
        ++run.accepted;
      }
    } catch (const Error&) {  // it is draining, or has ended
      ++run.refused;
      std::this_thread::yield();
    }
  }
}

void give_order(const Actors& actor, std::mt19937& random) {
  switch (random() % 6) {
    case 0: actor.pause(); break;
    case 1: actor.resume(); break;
    case 2: actor.drain(); break;
    case 3: (void)actor.state(); break;
    case 4: (void)actor.telemetry(); break;
    default: std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
  }
}

// One complete life cycle.
void live(const Device& device, Course& run, std::mt19937& random) {
  Options options;
  const bool can_persist = device.info().has(Feature::persistent);
  options.engine = can_persist && random() % 2 == 0 ? Engine::persistent : Engine::driven;
  options.slots = 64;
  options.replies = 32;
  options.when_full = random() % 2 == 0 ? WhenFull::block : WhenFull::spill;
  options.idle_timeout = std::chrono::milliseconds(random() % 3);
  if (random() % 4 == 0) options.watchdog = std::chrono::seconds(20);
  // Restarts are for devices whose context survives a fault.
  const bool may_fault = device.driver() == "cpu" && random() % 2 == 0;
  if (may_fault) options.restart = {1000, std::chrono::minutes(1)};
  options.on_dead_letter = [&](const DeadLetter&) { ++run.dead; };
  const auto before = run.accepted.load() + run.relayed.load() - run.dead.load();
  const Actors actor = device.spawn(Tally{}, options);
  std::atomic<bool> ends{false};
  std::vector<std::thread> producers;
  for (int p = 0; p < 3; ++p)
    producers.emplace_back([&, seed = random()] { produce(actor, run, seed, ends, may_fault); });
  const int orders = static_cast<int>(random() % 20);
  try {
    for (int i = 0; i < orders; ++i, ++run.orders) give_order(actor, random);
    actor.resume();
  } catch (const Error& e) {
    ADD_FAILURE() << e.what();
  }
  const bool is_killed = random() % 3 == 0;
  if (is_killed) {
    actor.kill();
  } else {
    EXPECT_TRUE(actor.stop());
  }
  ends = true;
  for (std::thread& p : producers) p.join();
  EXPECT_EQ(actor.phase(), Phase::terminated) << actor.actor().error();
  const Tally end = actor.state();
  EXPECT_EQ(end.count, run.accepted + run.relayed + end.relayed - run.dead - before)
      << to_string(options.engine) << (is_killed ? ", killed" : ", stopped") << (may_fault ? ", faults" : "");
  run.relayed += end.relayed;
  ++run.lives;
}

TEST(RandomOrders, LoseNothing) {
  const char* const text = std::getenv("RING_STRESS_SECONDS");
  const char* const names = std::getenv("RING_STRESS_DEVICES");
  std::istringstream drivers(names != nullptr ? names : "cpu,cuda");
  for (std::string driver; std::getline(drivers, driver, ',');) {
    const Device device = open_if_here(driver);
    if (!device) continue;
    SCOPED_TRACE(driver);
    Course run;
    std::mt19937 random(5);
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(text != nullptr ? std::atol(text) : 3);
    while (std::chrono::steady_clock::now() < until && !::testing::Test::HasFailure())
      live(device, run, random);
    std::printf(
        "%s: %lld lives, %lld orders, %lld messages, %lld to itself, %lld dead letters, %lld refused\n",
        driver.c_str(), run.lives.load(), run.orders.load(), run.accepted.load(), run.relayed.load(),
        run.dead.load(), run.refused.load());
  }
}

}  // namespace
}  // namespace quern::ring
