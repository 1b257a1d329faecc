// Messages that find the ring full, on both engines.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "ring/support.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Sum, (long total, long last), (int add), long, {
  total += add;
  last = add;
  return total;
})

class Policy : public ::testing::TestWithParam<Engine> {
 protected:
  static Options small(WhenFull when_full) {
    Options options;
    options.engine = GetParam();
    options.slots = 8;
    options.when_full = when_full;
    return options;
  }
  const Device device_ = open("cpu");
};

TEST_P(Policy, FailThrowsAndTrySendSaysNo) {
  const auto sum = device_.spawn(Sum{}, small(WhenFull::fail));
  sum.pause();
  for (int i = 0; i < 8; ++i) sum.send(1);
  EXPECT_FALSE(sum.try_send(1));
  EXPECT_EQ(message_of([&] { sum.send(1); }), "send failed: the actor's ring is full: 8 messages wait in it");
  sum.resume();
  sum.drain();  // until then there may be no space for a call
  EXPECT_EQ(sum.call(0).get(), 8);
}

TEST_P(Policy, BlockWaitsUntilThereIsRoom) {
  const auto sum = device_.spawn(Sum{}, small(WhenFull::block));
  sum.pause();
  for (int i = 0; i < 8; ++i) sum.send(1);
  EXPECT_FALSE(sum.try_send(1));
  std::atomic<bool> is_sent{false};
  std::thread sender([&] {
    sum.send(100);
    is_sent = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(is_sent);
  sum.resume();
  sender.join();
  EXPECT_EQ(sum.call(0).get(), 108);
}

TEST_P(Policy, SpillKeepsAllInOrder) {
  const auto sum = device_.spawn(Sum{}, small(WhenFull::spill));
  sum.pause();
  for (int i = 1; i <= 1000; ++i) sum.send(i);
  EXPECT_EQ(sum.telemetry().depth, 8u);
  EXPECT_EQ(sum.telemetry().overflow, 992u);
  sum.resume();
  sum.drain();
  EXPECT_EQ(sum.telemetry().sent, 1000u);
  EXPECT_EQ(sum.state().total, 500'500);
  EXPECT_EQ(sum.state().last, 1000);
}

TEST_P(Policy, DropOldestDropsFromTheQueueAndReports) {
  Options options = small(WhenFull::drop_oldest);
  options.overflow = 4;
  std::vector<int> dead;
  options.on_dead_letter = [&](const DeadLetter& letter) {
    EXPECT_EQ(letter.reason, DeadLetter::Reason::dropped);
    int add = 0;
    std::memcpy(&add, letter.message.data(), sizeof(add));
    dead.push_back(add);
  };
  const auto sum = device_.spawn(Sum{}, options);
  sum.pause();
  for (int i = 1; i <= 12; ++i) sum.send(i);   // 1…8 in the ring, 9…12 in the queue
  auto lost = sum.call(13);                    // drops 9
  for (int i = 14; i <= 17; ++i) sum.send(i);  // drops 10, 11, 12 and the call
  EXPECT_EQ(message_of([&] { (void)lost.get(); }),
            "call failed: the message was dropped, or its actor's kernel ended");
  EXPECT_EQ(sum.telemetry().dropped, 5u);
  sum.resume();
  sum.drain();
  EXPECT_EQ(dead, (std::vector<int>{9, 10, 11, 12, 13}));
  EXPECT_EQ(sum.state().total, 36 + 14 + 15 + 16 + 17);
}

TEST_P(Policy, ReplySlotsRunOut) {
  Options options = small(WhenFull::fail);
  options.replies = 4;
  const auto sum = device_.spawn(Sum{}, options);
  std::vector<Future<long>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(sum.call(1));
  EXPECT_EQ(message_of([&] { (void)sum.call(1); }), "call failed: all 4 reply slots are in use");
  EXPECT_EQ(calls[3].get(), 4);
  EXPECT_EQ(sum.call(1).get(), 5);
  calls.clear();  // replies that nobody takes: their slots become free
  for (int i = 0; i < 100; ++i) {
    sum.drain();
    try {
      EXPECT_EQ(sum.call(1).get(), 6 + i);
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(sum.call(1).get(), 6 + i);
    }
  }
}

TEST_P(Policy, BatchesLargerThanTheRing) {
  const auto sum = device_.spawn(Sum{}, small(WhenFull::block));
  const std::vector<Sum::Message> batch(1000, Sum::Message{2});
  sum.send(batch);
  EXPECT_EQ(sum.call(0).get(), 2000);
}

INSTANTIATE_TEST_SUITE_P(Engines, Policy, ::testing::Values(Engine::persistent, Engine::driven),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace quern::ring
