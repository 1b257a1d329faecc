// The text of persistent kernels on GPUs, run by the simulator: rings are filled and the command to stop is
// given before it starts, so that it handles everything and ends.
#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "ring/card.hpp"
#include "ring/inbox.hpp"
#include "ring/layout.hpp"
#include "ring/replies.hpp"
#include "ring/support.hpp"
#include "ring/text.hpp"

namespace quern::ring {
namespace {

constexpr const char* kShort = R"(
struct State { long long total; int starts, stops; };
struct Message { int add; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) s.total = 3 * s.total + m.add;
  c.sync();
  return s.total;
}
__device__ void on_start(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.starts += 1; }
__device__ void on_stop(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.stops += 1; }
)";
constexpr const char* kLong = R"(
struct State { long long total; int starts, stops; };
struct Message { int add; int rest[19]; };
using Reply = long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  if (c.thread() == 0) s.total = 3 * s.total + m.add + m.rest[0] + m.rest[18];
  c.sync();
  return s.total;
}
__device__ void on_start(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.starts += 1; }
__device__ void on_stop(State& s, quern::ring::Context& c) { if (c.thread() == 0) s.stops += 1; }
)";

struct State {
  long long total;
  int starts, stops;
};

struct Setting {
  const char* name;
  Shape shape;
  std::uint32_t threads, blocks;
  bool is_long;
  std::uint32_t messages = 45;  // more than are read in one access, fewer than the ring has
  std::uint32_t flow_bytes = 0;
  bool is_marked = false;   // the host publishes how far the ring is written; most messages need no reply
  std::uint32_t start = 0;  // number of messages handled before
  bool is_guarded = false;  // restartable and watched
};

class CardText : public ::testing::TestWithParam<Setting> {};

Plan plan_of(const Setting& s) {
  Plan plan;
  plan.kinds = {""};
  plan.kind_of = {0};
  plan.shape = s.shape;
  plan.threads = s.threads;
  plan.blocks = s.blocks;
  plan.waits_by_flag = s.blocks > 1;
  plan.slots = 64;
  plan.replies = 64;
  plan.events = plan.peer_slots = 16;
  plan.stage_bytes = 4096;
  plan.flow_bytes = s.flow_bytes;
  plan.copies_beside = s.flow_bytes != 0;
  plan.is_over_bus = true;
  plan.is_marked = s.is_marked;
  plan.is_careful = plan.is_watched = s.is_guarded;
  plan.spins = 4;
  plan.longest_sleep = 1024;
  return plan;
}

bool wants_reply(const Setting& s, std::uint32_t message) { return !s.is_marked || message == 30; }

TEST_P(CardText, HandlesWhatIsInTheRingAndStops) {
  const Setting& setting = GetParam();
  const Device device = open("sim");
  const Plan plan = plan_of(setting);
  const Module module = device.compile(make_text(plan, setting.is_long ? kLong : kShort, "actor.cu"));
  const Sizes sizes{sizeof(State), setting.is_long ? 80u : 4u, 8};
  const Layout layout = make_layout(plan, sizes);
  std::vector<std::uint64_t> in(layout.to_device_words, 0), head(1, setting.start);
  in[0] = std::uint64_t{1} << 8 | static_cast<std::uint64_t>(Command::kStop);
  Inbox inbox;
  start_inbox(inbox, plan, layout, in.data(), 0, head.data(), sizes.message);
  std::uint64_t skipped = 0;
  ASSERT_TRUE(setting.start == 0 || inbox.take(setting.start, skipped));
  std::vector<long long> expected;  // modulo 2^64
  for (std::uint32_t i = 0; i < setting.messages; ++i) {
    std::array<int, 20> message{};
    message[0] = static_cast<int>(i + 1);
    message[1] = message[19] = setting.is_long ? 5 : 0;
    std::uint64_t at = 0;
    ASSERT_TRUE(inbox.take(1, at));
    const std::byte* const bytes = std::as_bytes(std::span(message)).data();
    inbox.write_all(at, 1, wants_reply(setting, i) ? i + 1 : 0, bytes, {});
    const std::uint64_t before = expected.empty() ? 0 : static_cast<std::uint64_t>(expected.back());
    const auto sum = static_cast<std::uint64_t>(message[0] + message[1] + message[19]);
    expected.push_back(static_cast<long long>(3 * before + sum));
  }
  auto to_device = device.upload(in);
  auto to_host = device.upload(std::vector<std::uint64_t>(layout.to_host_words, 0));
  std::vector<std::uint64_t> before(layout.own_words, 0);
  before[kHead] = setting.start;
  auto own = device.upload(before);
  const Argument none(nullptr);
  const std::vector<Argument> arguments{to_device, to_host, own, none, none, none, none, 0u, 1u, 1024u};
  device.stream().launch_list(module.kernel(kRunKernel),
                              grid(setting.blocks, setting.threads).shared(setting.flow_bytes), arguments);
  const std::vector<std::uint64_t> out = to_host.download(), mine = own.download();
  EXPECT_EQ(out[layout.status_at + kAnswer],
            std::uint64_t{1} << 8 | static_cast<std::uint64_t>(Answer::kStopped));
  EXPECT_EQ(out[layout.status_at + kHead], setting.start + setting.messages);
  State state{};
  std::memcpy(&state, mine.data() + layout.states_at, sizeof state);
  EXPECT_EQ(state.total, expected.back());
  EXPECT_EQ(state.starts, 1);
  EXPECT_EQ(state.stops, 1);
  EXPECT_EQ(mine[kOwnIsKept], 0u);
  EXPECT_EQ(out[layout.status_at + kStep], setting.is_guarded ? 2 * (setting.messages + 2) : 0);
  for (std::uint32_t i = 0; i < setting.messages; ++i) {
    const std::uint64_t* const reply =
        out.data() + layout.replies_at + std::size_t{i + 1} * layout.reply_words;
    EXPECT_EQ(reply[0], wants_reply(setting, i) ? std::uint64_t{i + 1} << 32 : 0) << i;
    if (!wants_reply(setting, i)) continue;
    EXPECT_EQ(static_cast<long long>(reply[2] << 32 | (reply[1] & 0xffffffffu)), expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CardText,
    ::testing::Values(Setting{"thread", Shape::thread, 32, 1, false},
                      Setting{"thread_long", Shape::thread, 32, 1, true},
                      Setting{"block", Shape::block, 64, 1, false},
                      Setting{"block_long", Shape::block, 64, 1, true},
                      // 8 and 16 slots of 96 bytes in each of two windows.
                      Setting{"thread_flow", Shape::thread, 32, 1, true, 45, 1536},
                      Setting{"block_flow", Shape::block, 64, 1, true, 60, 1536},
                      Setting{"block_flow_of_few", Shape::block, 64, 1, true, 13, 3072},
                      Setting{"block_flow_of_short", Shape::block, 64, 1, false, 45, 1536},
                      Setting{"flow_round_the_end", Shape::thread, 64, 1, true, 60, 1536, false, 41},
                      Setting{"marked_flow", Shape::thread, 32, 1, true, 64, 1536, true},
                      Setting{"marked_flow_of_blocks", Shape::block, 64, 1, true, 57, 3072, true},
                      Setting{"marked_round_the_end", Shape::thread, 32, 1, true, 64, 1536, true, 27},
                      Setting{"thread_flow_of_short", Shape::thread, 32, 1, false, 45, 1536},
                      Setting{"grid", Shape::grid, 32, 2, false, 3},
                      Setting{"grid_of_batches", Shape::grid, 32, 3, false, 23},
                      Setting{"grid_long", Shape::grid, 32, 2, true, 3},
                      Setting{"grid_of_few", Shape::grid, 16, 2, false, 18},
                      Setting{"grid_of_one", Shape::grid, 64, 1, false},
                      Setting{"guarded_thread", Shape::thread, 32, 1, false, 45, 0, false, 0, true},
                      Setting{"guarded_block", Shape::block, 64, 1, true, 45, 0, false, 0, true},
                      Setting{"guarded_grid", Shape::grid, 32, 2, false, 9, 0, false, 0, true}),
    [](const auto& p) { return std::string(p.param.name); });

// Each message sees the result of all blocks for the previous one, also if several are announced together.
TEST(CardGrid, MessagesOfABatchWaitForEachOther) {
  constexpr int kCells = 96;
  struct Cells {
    int now[2][kCells];
  };
  Plan plan = card_plan(1, 1, Shape::grid, 32);
  plan.blocks = 3;
  plan.waits_by_flag = true;
  Card card(plan, R"(
struct State { int now[2][96]; };
struct Message { int add; };
using Reply = int;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  const int i = c.thread();
  s.now[m.add & 1][i] = s.now[1 - (m.add & 1)][(i + 33) % 96] * 3 + m.add + i;
  return m.add;
}
)",
            {sizeof(Cells), 4, 4});
  Cells expected{};
  for (int m = 1; m <= 50; ++m) {
    ASSERT_TRUE(card.send(0, m, static_cast<std::uint32_t>(m)));
    for (int i = 0; i < kCells; ++i)
      expected.now[m & 1][i] =
          static_cast<int>(static_cast<std::uint32_t>(expected.now[1 - (m & 1)][(i + 33) % kCells]) * 3u +
                           static_cast<std::uint32_t>(m + i));
  }
  card.order(0, Command::kStop);
  card.run();
  const Cells cells = card.state<Cells>(0);
  for (int i = 0; i < kCells; ++i) {
    EXPECT_EQ(cells.now[0][i], expected.now[0][i]) << i;
    EXPECT_EQ(cells.now[1][i], expected.now[1][i]) << i;
  }
  EXPECT_EQ(card.status(0, kHead), 50u);
  for (std::uint32_t m = 1; m <= 50; ++m) EXPECT_EQ(card.reply(m)[1], std::uint64_t{m} << 32 | m) << m;
}

// The delay of a worker after each reply and at the end, if polls after a reply find this many messages.
std::vector<unsigned> gaps_after(const std::vector<std::vector<unsigned>>& answers) {
  const Device device = open("sim");
  const std::string source = std::string(kShort) + R"(
__global__ void listen(const unsigned* looks, unsigned count, unsigned* gaps) {
  quern::ring::Rhythm rhythm;
  unsigned answers = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (looks[i] == 99) {
      gaps[answers++] = rhythm.gap;
      rhythm.answer();
    } else {
      rhythm.wait();
      rhythm.learn(looks[i]);
    }
  }
  gaps[answers] = rhythm.gap;
}
)";
  const Module module =
      device.compile(make_text(card_plan(1, 1, Shape::thread, 32), source.c_str(), "actor.cu"));
  std::vector<unsigned> looks;
  for (const auto& answer : answers) {
    looks.push_back(99);
    looks.insert(looks.end(), answer.begin(), answer.end());
  }
  auto from = device.upload(looks);
  auto gaps = device.upload(std::vector<unsigned>(answers.size() + 1, 0));
  device.launch(module.kernel("listen"), grid(1, 1), from, static_cast<unsigned>(looks.size()), gaps);
  return gaps.download();
}

TEST(CardRhythm, WaitsLongerWhenItLookedTooEarly) {
  // Too early twice, in time once, then much later: no conclusion.
  EXPECT_EQ(gaps_after({{0, 1}, {0, 1}, {1}, {0, 0, 0, 1}}), (std::vector<unsigned>{0, 64, 128, 128, 128}));
  // In time for long: slightly shorter. Several messages: other callers are active.
  std::vector<std::vector<unsigned>> in_time{{0, 1}, {0, 1}};
  in_time.resize(2 + 64, {1});
  in_time.push_back({3});
  const std::vector<unsigned> gaps = gaps_after(in_time);
  EXPECT_EQ(gaps[65], 128u);
  EXPECT_EQ(gaps[66], 112u);
  EXPECT_EQ(gaps[67], 56u);
  // Never longer than a poll takes, however late the callers are.
  EXPECT_EQ(gaps_after(std::vector<std::vector<unsigned>>(100, {0, 1})).back(), 2048u);
}

// The mark is true for any number of senders: everything below it is written, and from the other half on
// nobody waits for a reply.
TEST(Inbox, MarksHowFarItIsWritten) {
  Plan plan;
  plan.kind_of = {0};
  plan.slots = 16;
  plan.replies = plan.events = plan.peer_slots = 16;
  plan.flow_bytes = 4096;
  plan.is_marked = true;
  const Layout layout = make_layout(plan, {8, 64, 8});
  ASSERT_TRUE(layout.is_split);
  std::vector<std::uint64_t> in(layout.to_device_words, 0), head(1, 0);
  std::uint64_t& mark = in[kControlMark];
  Inbox inbox;
  start_inbox(inbox, plan, layout, in.data(), 0, head.data(), 64);
  const std::vector<std::byte> messages(std::size_t{64} * 8, std::byte{7});
  const auto says = [&](std::uint32_t written, std::uint32_t calls) {
    return mark == (std::uint64_t{calls} << 32 | written);
  };
  std::uint64_t a = 0, b = 0, c = 0;
  ASSERT_TRUE(inbox.take(4, a));
  inbox.write_all(a, 4, 0, messages.data(), {});
  EXPECT_TRUE(says(4, 0)) << mark;
  ASSERT_TRUE(inbox.take(1, a));
  inbox.write_all(a, 1, 9, messages.data(), {});
  EXPECT_TRUE(says(5, 5)) << mark;
  // Two threads: the later position is written first.
  ASSERT_TRUE(inbox.take(2, a) && inbox.take(3, b));
  inbox.write_all(b, 3, 0, messages.data(), {});
  EXPECT_TRUE(says(5, 5)) << mark;
  inbox.write_all(a, 2, 0, messages.data(), {});
  EXPECT_TRUE(says(7, 5)) << mark;
  ASSERT_TRUE(inbox.take(1, c));
  inbox.write_all(c, 1, 0, messages.data(), {});
  EXPECT_TRUE(says(11, 5)) << mark;
  // Behind the device's head, which may be a whole ring further.
  head[0] = 11;
  ASSERT_TRUE(inbox.take(8, a) && inbox.take(8, b));
  inbox.write_all(b, 8, 0, messages.data(), {});
  EXPECT_TRUE(says(11, 5)) << mark;
  head[0] = 27;
  ASSERT_TRUE(inbox.take(1, a));
  inbox.write_all(a, 1, 3, messages.data(), {});
  EXPECT_TRUE(says(28, 28)) << mark;
}

}  // namespace
}  // namespace quern::ring
