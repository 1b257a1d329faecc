// Actors of QUERN_ACTOR: their hooks, and groups of them.
#include "ring/engines.hpp"

namespace quern::ring {
namespace {

QUERN_ACTOR(Diary, (int starts, int stops, int idles, int sum), (int add), int, {
  sum += add;
  return sum;
})
QUERN_ON_START(Diary, {
  starts += 1;
  sum = 100;
})
QUERN_ON_IDLE(Diary, { idles = context.index() == 0 ? 1 : 2; })
QUERN_ON_STOP(Diary, { stops += 1; })

QUERN_ACTOR(Sink, (long sum, int count), (int value, int from), long, {
  sum += value;
  count += from != 0 ? 1 : 0;
  return sum;
})
QUERN_ON_STOP(Sink, { sum = -sum; })

QUERN_ACTOR(Doubler, (int refused), (int value), void, {
  if (!context.send(2, Sink::Message{value * 2, 1})) refused += 1;
})

QUERN_ACTOR(Source, (int count), (int many), int, {
  for (int i = 0; i < many; ++i) count += context.send(1, Doubler::Message{i}) ? 1 : 0;
  return count;
})

namespace other {
QUERN_ACTOR(Sink, (long sum), (int value), long, { return sum -= value; })
}

TEST(InlineGroups, TwoKindsOfOneNameAreRefused) {
  EXPECT_EQ(message_of([] { (void)spawn_group(open("sim"), {}, Sink{}, other::Sink{}); }),
            "spawn failed: a group has two kinds of actors named 'Sink'");
}

class Inline : public OnQuickDevices {};

TEST_P(Inline, HooksAreCalled) {
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device_.info().has(Feature::persistent)) continue;
    Options options;
    options.engine = engine;
    const auto diary = spawn(device_, Diary{}, options);
    EXPECT_EQ(diary.call(5).get(), 105);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(diary.call(1).get(), 106);
    EXPECT_TRUE(diary.stop());
    const Diary state = diary.state();
    EXPECT_EQ(state.starts, 1);
    EXPECT_EQ(state.idles, 1);
    EXPECT_EQ(state.stops, 1);
    EXPECT_EQ(state.sum, 106);
  }
}

TEST_P(Inline, KindsSendToEachOther) {
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device_.info().has(Feature::persistent)) continue;
    Options options;
    options.engine = engine;
    Sink begin{};
    begin.sum = 1000;
    auto [source, doubler, sink] = spawn_group(device_, options, Source{}, Doubler{}, begin);
    EXPECT_EQ(source.call(20).get(), 20);
    for (int i = 0; i < 5000 && sink.telemetry().handled < 20; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(sink.call(0, 0).get(), 1000 + 380);
    EXPECT_EQ(sink.state().count, 20);
    EXPECT_EQ(doubler.state().refused, 0);
    EXPECT_TRUE(sink.stop());
    EXPECT_EQ(sink.state().sum, -1380);
  }
}

TEST_P(Inline, ManyOfOneKind) {
  std::vector<Diary> states(5);
  for (int i = 0; i < 5; ++i) states[static_cast<std::size_t>(i)].stops = 10 * i;
  const auto diaries = spawn_group(device_, {}, states);
  ASSERT_EQ(diaries.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    const auto& diary = diaries[static_cast<std::size_t>(i)];
    EXPECT_EQ(diary.call(i).get(), 100 + i);
    EXPECT_EQ(diary.actor().index(), static_cast<unsigned>(i));
    EXPECT_EQ(diary.state().stops, 10 * i);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Inline, ::testing::ValuesIn(ring_drivers()), device_name);

}  // namespace
}  // namespace quern::ring
