// Ranks that are killed at a random point: tests/comm/kills.sh runs this program with mpirun. QUERN_TEST_SEED
// selects the rank, the time, and the operations.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "comm/exercise.hpp"
#include "quern/comm/actors.hpp"

namespace quern::comm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kOperationLimit = std::chrono::seconds(1);

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

class MpiKills : public testing::Test {
 protected:
  void SetUp() override {
    if (variable("QUERN_TEST_SEED").empty()) GTEST_SKIP() << "this process is not a rank: see kills.sh";
    random_.seed(static_cast<unsigned>(std::atoi(variable("QUERN_TEST_SEED").c_str())));
  }

  // Calls work() until it throws. One rank is killed meanwhile. The others report the error.
  template <typename Work>
  void expect_error_after_kill(const Communicator& ranks, std::chrono::microseconds longest,
                               const Work& work) {
    ranks.barrier(ranks.device());
    const int victim = pick(ranks.size());
    const std::chrono::microseconds delay(pick(static_cast<int>(longest.count())));
    const auto begin = Clock::now();
    std::thread killer;
    if (ranks.rank() == victim) {
      killer = std::thread([delay] {
        std::this_thread::sleep_for(delay);
        std::raise(SIGKILL);
      });
    }
    const Error error = error_of([&] {
      while (Clock::now() - begin < std::chrono::seconds(30)) work();
    });
    if (killer.joinable()) killer.join();  // never returns
    const std::chrono::duration<double> elapsed = Clock::now() - begin - delay;
    EXPECT_TRUE(error.kind() == ErrorKind::timeout || error.kind() == ErrorKind::io) << error.what();
    EXPECT_LT(elapsed.count(), 10.0);
    if (!HasFailure())
      std::printf("a survivor has an error after %.1f s: %s\n", elapsed.count(), error.what());
    std::fflush(stdout);
  }

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Communicator connect() {
    gpu_ = open("cpu");
    const Communicator ranks = mpi(gpu_);
    return ranks.with_timeout(kOperationLimit);
  }

  std::mt19937 random_;  // equal on all ranks
  Device gpu_;
};

TEST_F(MpiKills, AtAnyCollective) {
  const Communicator ranks = connect();
  const auto size = static_cast<std::size_t>(ranks.size());
  const std::size_t parts = static_cast<std::size_t>(1 + pick(50000));
  Buffer<float> part = gpu_.upload(std::vector<float>(parts, 1.0f)), one = gpu_.allocate<float>(parts);
  Buffer<float> all = gpu_.upload(std::vector<float>(parts * size, 1.0f)),
                other = gpu_.allocate<float>(parts * size);
  const int next = (ranks.rank() + 1) % ranks.size(), last = (ranks.rank() + ranks.size() - 1) % ranks.size();
  expect_error_after_kill(ranks, std::chrono::milliseconds(50), [&] {
    switch (pick(8)) {
      case 0: ranks.barrier(gpu_); break;
      case 1: ranks.broadcast(gpu_, all, pick(ranks.size())); break;
      case 2: ranks.reduce(gpu_, Combine::sum, all, other, pick(ranks.size())); break;
      case 3: ranks.all_reduce(gpu_, Combine::max, all, other); break;
      case 4: ranks.all_gather(gpu_, part, other); break;
      case 5: ranks.reduce_scatter(gpu_, Combine::sum, all, one); break;
      case 6: ranks.all_to_all(gpu_, all, other); break;
      case 7: ranks.send_receive(gpu_, part, next, one, last); break;
    }
  });
}

QUERN_ACTOR(Total, (long total), (int add), long, { return total += add; })

TEST_F(MpiKills, ActorsOfOtherRanks) {
  const Communicator ranks = connect(), control = mpi(gpu_).with_timeout(kOperationLimit);
  auto total = ring::spawn(gpu_, Total{});
  const ActorNode node(ranks, {.timeout = kOperationLimit});
  node.publish("total", total);
  std::vector<RemoteHandle<Total::Message, long>> others;
  for (int rank = 0; rank < ranks.size(); ++rank) others.push_back(node.remote<Total>(rank, "total"));
  int round = 0;
  expect_error_after_kill(control, std::chrono::milliseconds(200), [&] {
    for (const auto& other : others) other.send({1});
    if (++round % 10 == 0) (void)others[static_cast<std::size_t>(pick(ranks.size()))].call({1}).get();
  });
}

// Element `i` of step `s` is 1000 s + i.
std::vector<std::uint64_t> numbers(std::uint64_t step, std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = step * 1000 + first + i;
  return out;
}

constexpr std::uint64_t kElements = 120000;  // a multiple of the number of ranks

TEST_F(MpiKills, DuringACheckpoint) {
  const Communicator ranks = connect();
  const std::uint64_t length = kElements / static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t first = length * static_cast<std::uint64_t>(ranks.rank());
  std::uint64_t step = 0;
  expect_error_after_kill(ranks, std::chrono::milliseconds(300), [&] {
    ++step;
    Buffer<std::uint64_t> part = gpu_.upload(numbers(step, first, length));
    checkpoint(ranks, variable("QUERN_TEST_FOLDER"), step, std::vector<SavedArray>{{"numbers", part}});
    std::printf("confirmed %llu\n", static_cast<unsigned long long>(step));
    std::fflush(stdout);
  });
}

// Another job, with another number of ranks. QUERN_TEST_STEP: the last step that some rank has confirmed.
TEST_F(MpiKills, RestartAfterwards) {
  const Communicator ranks = connect().with_timeout(std::chrono::seconds(30));
  const std::uint64_t length = kElements / static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t first = length * static_cast<std::uint64_t>(ranks.rank());
  Buffer<std::uint64_t> part = gpu_.allocate<std::uint64_t>(length);
  const auto found =
      restore(ranks, variable("QUERN_TEST_FOLDER"), std::vector<SavedArray>{{"numbers", part}});
  const std::uint64_t confirmed = std::strtoull(variable("QUERN_TEST_STEP").c_str(), nullptr, 10);
  EXPECT_EQ(found.has_value(), confirmed != 0 || found.has_value());
  if (!found) return;
  EXPECT_GE(found->step, confirmed);
  EXPECT_LE(found->step, confirmed + 1);
  EXPECT_EQ(part.download(), numbers(found->step, first, length));
}

}  // namespace
}  // namespace quern::comm
