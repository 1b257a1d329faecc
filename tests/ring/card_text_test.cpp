// The text that cards run for ever, run by the simulator: rings are filled and the order to stop is given
// before it begins, so that it handles all and ends.
#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

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
  std::uint32_t messages = 45;  // more than are read in one go, fewer than the ring has
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
  plan.spins = 4;
  plan.longest_sleep = 1024;
  return plan;
}

TEST_P(CardText, HandlesWhatIsInTheRingAndStops) {
  const Setting& setting = GetParam();
  const Device device = open("sim");
  const Plan plan = plan_of(setting);
  const Module module = device.compile(make_text(plan, setting.is_long ? kLong : kShort, "actor.cu"));
  const Sizes sizes{sizeof(State), setting.is_long ? 80u : 4u, 8};
  const Layout layout = make_layout(plan, sizes);
  std::vector<std::uint64_t> in(layout.to_device_words, 0), head(1, 0);
  in[0] = std::uint64_t{1} << 8 | static_cast<std::uint64_t>(Command::kStop);
  Inbox inbox;
  inbox.start(in.data() + layout.inbox_at, head.data(), plan.slots, layout, sizes.message);
  std::vector<long long> expected;
  for (std::uint32_t i = 0; i < setting.messages; ++i) {
    std::array<int, 20> message{};
    message[0] = static_cast<int>(i + 1);
    message[1] = message[19] = setting.is_long ? 5 : 0;
    std::uint64_t at = 0;
    ASSERT_TRUE(inbox.take(1, at));
    inbox.write(at, i + 1, std::as_bytes(std::span(message)).data(), {});
    expected.push_back((expected.empty() ? 0 : 3 * expected.back()) + message[0] + message[1] + message[19]);
  }
  const auto to_device = device.upload(in);
  const auto to_host = device.upload(std::vector<std::uint64_t>(layout.to_host_words, 0));
  const auto own = device.upload(std::vector<std::uint64_t>(layout.own_words, 0));
  const Argument none(nullptr);
  const std::vector<Argument> arguments{to_device, to_host, own, none, none, none, none, 0u, 1u, 1024u};
  device.stream().launch_list(module.kernel(kRunKernel), grid(setting.blocks, setting.threads), arguments);
  const std::vector<std::uint64_t> out = to_host.download(), mine = own.download();
  EXPECT_EQ(out[layout.status_at + kAnswer],
            std::uint64_t{1} << 8 | static_cast<std::uint64_t>(Answer::kStopped));
  EXPECT_EQ(out[layout.status_at + kHead], setting.messages);
  State state{};
  std::memcpy(&state, mine.data() + layout.states_at, sizeof state);
  EXPECT_EQ(state.total, expected.back());
  EXPECT_EQ(state.starts, 1);
  EXPECT_EQ(state.stops, 1);
  for (std::uint32_t i = 0; i < setting.messages; ++i) {
    const std::uint64_t* const reply =
        out.data() + layout.replies_at + std::size_t{i + 1} * layout.reply_words;
    EXPECT_EQ(reply[0], std::uint64_t{i + 1} << 32) << i;
    EXPECT_EQ(static_cast<long long>(reply[2] << 32 | (reply[1] & 0xffffffffu)), expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CardText,
                         ::testing::Values(Setting{"thread", Shape::thread, 32, 1, false},
                                           Setting{"thread_long", Shape::thread, 32, 1, true},
                                           Setting{"block", Shape::block, 64, 1, false},
                                           Setting{"block_long", Shape::block, 64, 1, true},
                                           Setting{"grid", Shape::grid, 32, 2, false, 3},
                                           Setting{"grid_long", Shape::grid, 32, 2, true, 3},
                                           Setting{"grid_of_few", Shape::grid, 16, 2, false, 18},
                                           Setting{"grid_of_one", Shape::grid, 64, 1, false}),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace quern::ring
