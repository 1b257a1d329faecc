// Stamps of the hybrid logical clock: a cause always has a smaller stamp than its effect.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "ring/engines.hpp"

namespace quern::ring {
namespace {

// Each actor forwards to the next and publishes; the reply is the stamp of the message.
constexpr const char* kStampRelay = R"(
struct Item { int value, hops; };
struct State { unsigned long long last; };
using Message = Item;
using Reply = unsigned long long;
__device__ Reply on_message(State& s, const Message& m, quern::ring::Context& c) {
  s.last = c.stamp();
  c.publish(c.stamp());
  if (m.hops > 0) c.send((c.index() + 1) % 3, Item{m.value, m.hops - 1});
  return c.stamp();
}
)";
struct Item {
  int value, hops;
};
struct State {
  std::uint64_t last;
};

class Stamps : public OnDevices {};

TEST_P(Stamps, AreCausalAcrossThreeActorsAndTheHost) {
  for (const Engine engine : {Engine::driven, Engine::persistent}) {
    if (engine == Engine::persistent && !device_.info().has(Feature::persistent)) continue;
    SCOPED_TRACE(to_string(engine));
    Options options;
    options.engine = engine;
    options.stamps = true;
    const std::vector<Actor> actors = spawn(device_, kStampRelay, options, std::vector<Member>(3));
    struct Seen {
      unsigned actor;
      std::uint64_t message, event, host;  // stamps: of the message, of its event, of the host at arrival
    };
    std::mutex mutex;
    std::vector<Seen> events;
    for (const Actor& a : actors) {
      const auto typed = a.as<State, Item, std::uint64_t>();
      typed.subscribe_stamped([&, index = a.index()](std::uint64_t message, std::uint64_t event) {
        const std::lock_guard<std::mutex> lock(mutex);
        events.push_back({index, message, event, stamp()});
      });
    }
    const auto first = actors[0].as<State, Item, std::uint64_t>();
    constexpr int kRounds = 20;
    std::uint64_t before = stamp();
    for (int i = 0; i < kRounds; ++i) {
      auto call = first.call(Item{i, 5});  // passes all actors twice
      const std::uint64_t message = call.get(), reply = call.stamp(), after = stamp();
      EXPECT_LT(before, message);  // sent after everything the host knew
      EXPECT_LT(message, reply);
      EXPECT_LT(reply, after);
      before = after;
    }
    for (int i = 0; i < 5000; ++i) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (events.size() == 6u * kRounds) break;
      mutex.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      mutex.lock();
    }
    const std::lock_guard<std::mutex> lock(mutex);
    ASSERT_EQ(events.size(), 6u * kRounds);
    for (const Seen& e : events) {
      EXPECT_LT(e.message, e.event);
      EXPECT_LT(e.event, e.host);
    }
    // Later actions of an actor have larger stamps, regardless of the senders: host and peer are independent.
    for (unsigned actor = 0; actor < 3; ++actor) {
      std::uint64_t last = 0;
      for (const Seen& e : events) {
        if (e.actor != actor) continue;
        EXPECT_LT(last, e.event);
        last = e.event;
      }
    }
    // All stamps are different.
    std::vector<std::uint64_t> all;
    for (const Seen& e : events) all.insert(all.end(), {e.host});
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Stamps, ::testing::ValuesIn(ring_drivers()), device_name);

TEST(StampsOff, CostNothingAndAreZero) {
  const std::vector<Actor> actors = spawn(open("cpu"), kStampRelay, Options{}, std::vector<Member>(3));
  auto call = actors[0].as<State, Item, std::uint64_t>().call(Item{1, 0});
  EXPECT_EQ(call.get(), 0u);
  EXPECT_EQ(call.stamp(), 0u);
  const std::uint64_t a = stamp(), b = stamp();
  EXPECT_LT(a, b);
}

}  // namespace
}  // namespace quern::ring
