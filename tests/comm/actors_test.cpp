// Actors on all ranks that send to each other, checked for lost, repeated and reordered messages.
#include "quern/comm/actors.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "comm/exercise.hpp"
#include "support/devices.hpp"

namespace quern::comm {
namespace {

QUERN_CODE(struct Numbers { int next[16]; };)

// Counts the messages of each rank; `wrong` counts those that are not the next one.
QUERN_ACTOR(OrderCheck, (Numbers numbers, int wrong), (int from, int number), int, {
  if (numbers.next[from] != number) wrong += 1;
  numbers.next[from] += 1;
  return numbers.next[from];
})

QUERN_ACTOR(Other, (int sum), (long add, long more), void, { sum += static_cast<int>(add + more); })

using Remote = RemoteHandle<OrderCheck::Message, int>;

void send_all(const std::vector<Remote>& others, int own, int count) {
  constexpr int kBatch = 50;
  for (int number = 0; number < count;) {
    std::vector<OrderCheck::Message> several;
    const int length = number % 1000 == 0 ? 1 : std::min(kBatch, count - number);
    for (int i = 0; i < length; ++i) several.push_back({own, number + i});
    for (const Remote& other : others) {
      if (length == 1) {
        other.send(several.front());
      } else {
        other.send(several);
      }
    }
    number += length;
  }
}

// Each rank sends `count` messages to every rank, in batches and one by one, and then calls. `control` is a
// second communicator of the same ranks.
void exercise_actors(const Communicator& ranks, const Communicator& control, int count,
                     const NodeOptions& options = {}) {
  const Device gpu = ranks.device();
  const int size = ranks.size(), own = ranks.rank();
  auto check = ring::spawn(gpu, OrderCheck{});
  const ActorNode node(ranks, options);
  node.publish("check", check);
  control.barrier(gpu);
  std::vector<Remote> others;
  for (int rank = 0; rank < size; ++rank) others.push_back(node.remote<OrderCheck>(rank, "check"));
  send_all(others, own, count);
  for (const Remote& other : others) EXPECT_EQ(other.call({own, count}).get(), count + 1);
  node.close();
  check.drain();
  const OrderCheck state = check.state();
  for (int rank = 0; rank < size; ++rank) EXPECT_EQ(state.numbers.next[rank], count + 1) << rank;
  EXPECT_EQ(state.wrong, 0);
}

struct Pair {
  std::vector<Communicator> ranks, control;
};

Pair pair_of(const char* device, std::size_t size) {
  const std::vector<Device> devices(size, open(device));
  return {in_process(devices), in_process(devices)};
}

class CommActors : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_not(GetParam(), {}); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(All, CommActors, testing::Values("cpu", "sim"), test::device_name);

TEST_P(CommActors, AllToAll) {
  const bool is_slow = std::string(GetParam()) == "sim";
  const Pair pair = pair_of(GetParam(), 3);
  for_each_rank(pair.ranks, [&](const Communicator& rank) {
    exercise_actors(rank, pair.control[static_cast<std::size_t>(rank.rank())], is_slow ? 300 : 5000);
  });
}

// Sends wait for the window, and frames divide messages.
TEST_P(CommActors, SmallWindow) {
  const Pair pair = pair_of(GetParam(), 2);
  for_each_rank(pair.ranks, [&](const Communicator& rank) {
    exercise_actors(rank, pair.control[static_cast<std::size_t>(rank.rank())], 300,
                    {.frame_bytes = 100, .window_bytes = 1024});
  });
}

// Messages that no actor can handle come back.
TEST(CommActorsErrors, DeadLettersAndFailedCalls) {
  const Pair pair = pair_of("sim", 2);
  std::atomic<int> lost{0};
  for_each_rank(pair.ranks, [&](const Communicator& rank) {
    const Device gpu = rank.device();
    NodeOptions options;
    options.on_dead_letter = [&](const LostMessage& letter) {
      EXPECT_EQ(letter.rank, 1);
      EXPECT_EQ(letter.message.size(),
                letter.actor == "check" ? sizeof(Other::Message) : sizeof(OrderCheck::Message));
      EXPECT_FALSE(letter.reason.empty());
      ++lost;
    };
    auto check = ring::spawn(gpu, OrderCheck{});
    const ActorNode node(rank, options);
    if (rank.rank() == 1) node.publish("check", check);
    pair.control[static_cast<std::size_t>(rank.rank())].barrier(gpu);
    if (rank.rank() == 0) {
      const Remote nobody = node.remote<OrderCheck>(1, "nobody"), there = node.remote<OrderCheck>(1, "check");
      nobody.send(std::vector<OrderCheck::Message>(3));
      node.remote<Other>(1, "check").send({1, 2});
      EXPECT_COMM_ERROR(io, "no actor of this name is published", nobody.call({0, 0}).get());
      EXPECT_EQ(there.call({0, 0}).get(), 1);
      EXPECT_COMM_ERROR(invalid_use, "exceed the window",
                        there.send(std::vector<OrderCheck::Message>(200000)));
      EXPECT_COMM_ERROR(invalid_use, "rank 2 does not exist", node.actor(2, "check"));
    }
    node.close();
    EXPECT_COMM_ERROR(invalid_use, "the node is closed", node.remote<OrderCheck>(0, "check").send({0, 0}));
  });
  EXPECT_EQ(lost, 4);
  EXPECT_COMM_ERROR(invalid_use, "the handle is empty", Remote().send({0, 0}));
}

// Rank 1 disappears. Messages that it has not accepted are dead letters, and calls throw.
TEST(CommActorsErrors, ARankThatEnds) {
  Pair pair = pair_of("sim", 2);
  NodeOptions options{.timeout = std::chrono::seconds(2)};
  std::atomic<int> lost{0};
  options.on_dead_letter = [&](const LostMessage& letter) {
    EXPECT_EQ(letter.rank, 1);
    ++lost;
  };
  const ActorNode node(pair.ranks[0], options);
  const Remote there = node.remote<OrderCheck>(1, "check");
  for (int i = 0; i < 10; ++i) there.send({0, i});
  auto future = there.call({0, 10});
  pair.ranks[1] = {};
  EXPECT_EQ(error_of([&] { future.get(); }).kind(), ErrorKind::io);
  EXPECT_EQ(lost, 11);
  EXPECT_EQ(error_of([&] { there.send({0, 11}); }).kind(), ErrorKind::io);
  EXPECT_EQ(error_of([&] { node.flush(); }).kind(), ErrorKind::io);
}

TEST(MpiRanksActors, AllToAll) {
  if (std::getenv("QUERN_TEST_RANKS") == nullptr) GTEST_SKIP() << "this process is not a rank";
  const Device gpu = open("cpu");
  const Communicator control = mpi(gpu), ranks = mpi(gpu);
  exercise_actors(ranks, control, 100000 / ranks.size() / ranks.size());
}

}  // namespace
}  // namespace quern::comm
