// Workers that share the actors of a group on a GPU: they leave together when all of them are idle.
#include <gtest/gtest.h>

#include "ring/card.hpp"

namespace quern::ring {
namespace {

// Each message is forwarded to the next actor until it has passed all of them.
constexpr const char* kCardGroupRelay = R"(
struct State { long long total; int seen; };
struct Message { int add, hops; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    s.total = 3 * s.total + m.add;
    s.seen += 1;
    for (unsigned a = 0; m.add == 99 && a < 3; ++a)  // like a host that suspends the kernel
      *(volatile unsigned long long*)c.blocks_.control(a) |= 1ull << 63;
    if (m.hops > 0) c.send((c.index() + 1) % 3, Message{m.add, m.hops - 1});
  }
  c.sync();
  return s.total;
}
)";
struct State {
  long long total;
  int seen;
};
struct Message {
  int add, hops;
};
constexpr std::uint32_t kActors = 3;

class CardGroup : public ::testing::TestWithParam<std::tuple<std::uint32_t, Shape>> {
 protected:
  static Plan plan() {
    const auto [workers, shape] = GetParam();
    Plan plan = card_plan(kActors, workers, shape, 32);
    plan.idle_polls = 8;
    return plan;
  }
  static int seen(const Card& card) {
    int all = 0;
    for (std::uint32_t a = 0; a < kActors; ++a) all += card.state<State>(a).seen;
    return all;
  }
  // Like the host: launches again while messages of peers wait. Others may send to an actor whose worker
  // leaves.
  static void run(Card& card) {
    bool waits = true;
    for (int launch = 0; launch < 20 && waits; ++launch) {
      card.run();
      waits = false;
      for (std::uint32_t a = 0; a < kActors; ++a)
        waits = waits || (card.own(a, kOwnPeerTail) & kPeerMask) != card.own(a, kOwnPeerHead);
    }
  }
  // Nothing waits where the host would not check, and the next launch starts from a clean state.
  static void expect_rest(const Card& card) {
    for (std::uint32_t a = 0; a < kActors; ++a) {
      EXPECT_EQ(card.own(a, kOwnPeerTail) & kPeerMask, card.own(a, kOwnPeerHead)) << a;
    }
    for (const std::uint64_t word : card.agreed()) EXPECT_EQ(word, 0u);
  }
};

TEST_P(CardGroup, LeavesWhenNobodyHasWork) {
  Card card(plan(), kCardGroupRelay, {sizeof(State), sizeof(Message), 8});
  for (int launch = 1; launch <= 2; ++launch) {
    ASSERT_TRUE(card.send(1, Message{7, 4}, 1));
    ASSERT_TRUE(card.send(2, Message{1, 0}, 2));
    run(card);
    EXPECT_EQ(seen(card), 6 * launch);
    EXPECT_EQ(card.status(1, kHead), static_cast<std::uint64_t>(launch));
    expect_rest(card);
  }
}

TEST_P(CardGroup, LeavesWhenSomeHaveEnded) {
  Card card(plan(), kCardGroupRelay, {sizeof(State), sizeof(Message), 8});
  card.order(0, Command::kStop);
  card.order(2, Command::kPause);
  ASSERT_TRUE(card.send(1, Message{7, 0}));
  ASSERT_TRUE(card.send(2, Message{7, 0}));
  card.run();
  EXPECT_EQ(seen(card), 1);
  EXPECT_EQ(card.status(0, kAnswer) & 255, static_cast<std::uint64_t>(Answer::kStopped));
  EXPECT_EQ(card.status(2, kAnswer) & 255, static_cast<std::uint64_t>(Answer::kPaused));
  expect_rest(card);
  card.order(2, Command::kRun);
  card.run();
  EXPECT_EQ(seen(card), 2);
  expect_rest(card);
}

// Suspended, it leaves immediately; waiting messages are known from its own memory.
TEST_P(CardGroup, LeavesWhenItIsSentAway) {
  Card card(plan(), kCardGroupRelay, {sizeof(State), sizeof(Message), 8});
  ASSERT_TRUE(card.send(2, Message{99, 1}));
  card.run();
  EXPECT_EQ(seen(card) + static_cast<int>(card.own(0, kOwnPeerTail) - card.own(0, kOwnPeerHead)), 2);
  EXPECT_EQ(card.status(2, kHandled), 1u);
  for (const std::uint64_t word : card.agreed()) EXPECT_EQ(word, 0u);
}

INSTANTIATE_TEST_SUITE_P(Workers, CardGroup,
                         ::testing::Combine(::testing::Values(1u, 2u),
                                            ::testing::Values(Shape::thread, Shape::block)),
                         [](const auto& p) {
                           return std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == Shape::thread ? "_thread" : "_block");
                         });

}  // namespace
}  // namespace quern::ring
