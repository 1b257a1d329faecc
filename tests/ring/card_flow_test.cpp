// Flows of messages on a GPU combined with other features: other actors, timers, deadlines, stamps, urgent
// messages, commands. The simulator runs the GPU's text.
#include <gtest/gtest.h>

#include "ring/card.hpp"

namespace quern::ring {
namespace {

struct Message {
  int add;
  int rest[19];
};
constexpr std::uint32_t kHeader = 16;

Message message(int add) {
  Message m{};
  m.add = add;
  m.rest[18] = 7;
  return m;
}

struct Way {
  const char* name;
  Shape shape;
  bool is_marked;
};

class CardFlow : public ::testing::TestWithParam<Way> {
 protected:
  static Plan plan(std::uint32_t actors, std::uint32_t workers) {
    Plan plan = card_plan(actors, workers, GetParam().shape, 32);
    plan.copies_beside = true;
    plan.flow_bytes = 2048;  // 8 to 10 messages in each of two windows
    plan.is_marked = GetParam().is_marked;
    plan.idle_polls = 8;
    return plan;
  }
};

// Each actor of a group has its own flow; every tenth message is forwarded to the next actor.
TEST_P(CardFlow, OfSeveralActors) {
  constexpr const char* kText = R"(
struct State { long long total; int seen, peers; };
struct Message { int add; int rest[19]; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    if (m.add < 0) {
      s.peers += 1;
    } else {
      s.total = 3 * s.total + m.add + m.rest[18];
      s.seen += 1;
      if (m.add % 10 == 0) { Message on = m; on.add = -1; c.send((c.index() + 1) % 3, on); }
    }
  }
  c.sync();
  return s.total;
}
)";
  struct State {
    unsigned long long total;  // wraps, as in the kernel
    int seen, peers;
  };
  Card card(plan(3, 1), kText, {sizeof(State), sizeof(Message), 8});
  ASSERT_TRUE(card.layout().is_split);
  std::vector<unsigned long long> totals(3, 0);
  for (int i = 1; i <= 60; ++i) {
    for (std::uint32_t a = 0; a < 3; ++a) {
      const int add = i + static_cast<int>(100 * a);
      ASSERT_TRUE(card.send(a, message(add), i == 1 ? a + 1 : 0));
      totals[a] = 3 * totals[a] + static_cast<unsigned long long>(add) + 7;
    }
  }
  card.run();
  for (std::uint32_t a = 0; a < 3; ++a) {
    const State state = card.state<State>(a);
    EXPECT_EQ(state.seen, 60) << a;
    EXPECT_EQ(state.peers, 6) << a;
    EXPECT_EQ(state.total, totals[a]) << a;
    EXPECT_EQ(card.status(a, kHead), 60u) << a;
    EXPECT_EQ(card.reply(a + 1)[0], std::uint64_t{a + 1} << 32) << a;
  }
}

// Timers that count messages fire at their position in the order, those that are due immediately after the
// message.
TEST_P(CardFlow, WithTimers) {
  constexpr const char* kText = R"(
struct State { long long total; unsigned long long time; int fired; };
struct Message { int add; int rest[19]; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    s.total = 3 * s.total + m.add;
    s.time = c.time();
    if (m.add >= 1000) s.fired += 1;
    Message later = m;
    later.add = 1000;
    if (m.add == 5) c.after_messages(13, later);
    later.add = 2000;
    if (m.add == 9) c.after(0, later);
  }
  c.sync();
  return s.total;
}
)";
  struct State {
    unsigned long long total;  // wraps, as in the kernel
    std::uint64_t time;
    int fired;
  };
  Plan p = plan(1, 1);
  p.timers = 4;
  Card card(p, kText, {sizeof(State), sizeof(Message), 8});
  card.tell(0, kControlTime, 12345);
  unsigned long long total = 0;
  int ticks = 0;
  for (int i = 1; i <= 60; ++i) {
    ASSERT_TRUE(card.send(0, message(i)));
    total = 3 * total + static_cast<unsigned long long>(i);
    ++ticks;
    if (i == 9) {
      total = 3 * total + 2000;
      ++ticks;
    }
    if (ticks == 5 + 13) {
      total = 3 * total + 1000;
      ++ticks;
    }
  }
  card.run();
  const State state = card.state<State>(0);
  EXPECT_EQ(state.fired, 2);
  EXPECT_EQ(state.total, total);
  EXPECT_EQ(state.time, 12345u);
  EXPECT_EQ(card.status(0, kHead), 60u);
  EXPECT_EQ(card.status(0, kHandled), 62u);
}

TEST_P(CardFlow, WithDeadlinesAndStamps) {
  constexpr const char* kText = R"(
struct State { long long total; unsigned long long stamps; int seen; };
struct Message { int add; int rest[19]; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    s.total = 3 * s.total + m.add;
    s.stamps += c.stamp();
    s.seen += 1;
  }
  c.sync();
  return s.total;
}
)";
  struct State {
    unsigned long long total;  // wraps, as in the kernel
    std::uint64_t stamps;
    int seen;
  };
  Plan p = plan(1, 1);
  p.has_deadlines = p.has_stamps = true;
  Card card(p, kText, {sizeof(State), sizeof(Message) + kHeader, 8});
  card.tell(0, kControlTime, 1000);
  card.tell(0, kControlWall, 77);
  unsigned long long total = 0;
  std::uint64_t stamps = 0;
  int seen = 0;
  for (int i = 1; i <= 60; ++i) {
    const bool is_late = i % 7 == 0;
    const auto stamp = static_cast<std::uint64_t>(1000 + i);
    ASSERT_TRUE(card.send(0, message(i), 0, {stamp, is_late ? 999u : i % 2 == 0 ? 2000u : 0u}));
    if (is_late) continue;
    total = 3 * total + static_cast<unsigned long long>(i);
    stamps += stamp;
    ++seen;
  }
  card.run();
  const State state = card.state<State>(0);
  EXPECT_EQ(state.seen, seen);
  EXPECT_EQ(state.total, total);
  EXPECT_EQ(state.stamps, stamps);
  EXPECT_EQ(card.status(0, kExpired), static_cast<std::uint64_t>(60 - seen));
  EXPECT_EQ(card.status(0, kHead), 60u);
  for (std::uint32_t at = 0; at < 60; ++at)
    EXPECT_EQ(card.marked_expired(at), (at + 1) % 7 == 0 ? at + 1u : 0u) << at;
}

// An urgent message that arrives during a flow waits only for messages that were already requested.
TEST_P(CardFlow, EndsForUrgentMessages) {
  constexpr const char* kText = R"(
struct State { int seen, at; };
struct Message { int add; int rest[19]; };
using Reply = int;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) {
    if (c.is_urgent()) {
      s.at = s.seen;
    } else if (++s.seen == 20) {
      volatile unsigned long long* const slot = c.blocks_.urgent_slot(0, 0);
      slot[2] = 1;
      __threadfence();
      slot[0] = 1ull << 32;
    }
  }
  c.sync();
  return s.seen;
}
)";
  struct State {
    int seen, at;
  };
  Plan p = plan(1, 1);
  p.urgent_slots = 8;
  Card card(p, kText, {sizeof(State), sizeof(Message), 4});
  for (int i = 1; i <= 64; ++i) ASSERT_TRUE(card.send(0, message(i)));
  card.run();
  const State state = card.state<State>(0);
  EXPECT_EQ(state.seen, 64);
  EXPECT_GE(state.at, 20);
  EXPECT_LE(state.at, 20 + 40);
  EXPECT_EQ(card.status(0, kUrgentHeadOut), 1u);
}

// So does a command: here to pause.
TEST_P(CardFlow, EndsForOrders) {
  constexpr const char* kText = R"(
struct State { int seen; };
struct Message { int add; int rest[19]; };
using Reply = int;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0 && ++s.seen == 20) *(volatile unsigned long long*)c.blocks_.control(0) = 99 << 8 | 1;
  c.sync();
  return s.seen;
}
)";
  Plan p = plan(1, 1);
  if (!p.is_marked) p.timers = 1;  // otherwise it checks them when the flow ends
  Card card(p, kText, {sizeof(int), sizeof(Message), 4});
  for (int i = 1; i <= 64; ++i) ASSERT_TRUE(card.send(0, message(i)));
  card.run();
  EXPECT_EQ(card.status(0, kAnswer), 99u << 8 | static_cast<std::uint64_t>(Answer::kPaused));
  EXPECT_GE(card.state<int>(0), 20);
  EXPECT_LE(card.state<int>(0), 20 + 40);
  EXPECT_EQ(card.status(0, kHead), static_cast<std::uint64_t>(card.state<int>(0)));
}

INSTANTIATE_TEST_SUITE_P(Ways, CardFlow,
                         ::testing::Values(Way{"thread", Shape::thread, false},
                                           Way{"thread_marked", Shape::thread, true},
                                           Way{"block", Shape::block, false},
                                           Way{"block_marked", Shape::block, true}),
                         [](const auto& p) { return std::string(p.param.name); });

// A GPU rejects a launch with much dynamic shared memory for a kernel that uses none.
TEST(Inbox, SharedMemoryIsTakenWhereMessagesFlow) {
  const auto takes = [](std::uint32_t slots, std::uint32_t bytes) {
    Plan plan = card_plan(1, 1, Shape::thread, 32);
    plan.copies_beside = true;
    plan.flow_bytes = 48 << 10;
    plan.slots = slots;
    const std::string source =
        "struct State { int n; }; struct Message { char text[" + std::to_string(bytes) +
        "]; }; using Reply = void;\n"
        "__device__ void on_message(State&, const Message&, quern::ring::Context&) {}\n";
    const bool flows = make_layout(plan, {4, bytes, 0}).flow_bytes != 0;
    const std::string check =
        std::string("static_assert(quern::ring::kFlows == ") + (flows ? "true" : "false") + ");\n";
    EXPECT_NO_THROW((void)open("sim").compile(make_text(plan, source.c_str(), "actor.cu") + check))
        << slots << " slots of " << bytes;
    return flows;
  };
  EXPECT_TRUE(takes(64, 80));
  EXPECT_FALSE(takes(8, 80));
  EXPECT_FALSE(takes(64, 4000));
  EXPECT_FALSE(takes(64, 4));
}

// Messages of peers and urgent ones are complete in their slots, whatever the layout of the inbox.
TEST(Inbox, OnlyThatOfTheHostIsSplit) {
  Plan plan = card_plan(2, 1, Shape::thread, 32);
  plan.flow_bytes = 4096;
  const Layout layout = make_layout(plan, {8, 64, 8});
  ASSERT_TRUE(layout.is_split);
  std::vector<std::uint64_t> in(layout.to_device_words, 0), ring(std::size_t{16} * layout.slot_words, 0);
  std::vector<std::byte> sent(64, std::byte{9}), got(64);
  std::uint64_t at = 0, head = 0;
  Inbox peers;
  peers.start(ring.data(), &head, 16, layout, 64);
  ASSERT_TRUE(peers.take(3, at));
  peers.write(2, 0, sent.data(), {});
  EXPECT_EQ(ring[2 * layout.slot_words] >> 32, 3u);
  EXPECT_EQ(ring[2 * layout.slot_words + 2], 0x0909090909090909u);
  Inbox second;
  start_inbox(second, plan, layout, in.data(), 1, &head, 64);
  ASSERT_TRUE(second.take(1, at));
  second.write(at, 0, sent.data(), {});
  EXPECT_EQ(in[layout.inbox_at + plan.slots] >> 32, 1u);
  EXPECT_EQ(in[layout.bodies_at + std::size_t{plan.slots} * 8], 0x0909090909090909u);
  second.read(at, got.data());
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace quern::ring
