// Messages between actors of different ranks: mpirun -n 4 bench_ring_ranks [MESSAGES [BATCH]]
//
// Every rank sends its share of the messages (default 10,000,000 in total, in batches of 100) to the actors
// of all ranks. The actors check that every message of every sender arrives once and in order.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "quern/comm.hpp"
#include "quern/comm/actors.hpp"
#include "quern/quern.hpp"

namespace {

namespace comm = quern::comm;
namespace ring = quern::ring;

QUERN_CODE(struct Expected { int next[64]; };)  // NOLINT(google-build-using-namespace): what kernels see

QUERN_ACTOR(Checker, (Expected expected, int wrong), (int from, int number), int, {
  if (expected.next[from] != number) wrong += 1;
  expected.next[from] += 1;
  return expected.next[from];
})

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(long total, int batch) {
  const quern::Device device = comm::open_for_rank();
  const comm::Communicator ranks = comm::mpi(device), control = comm::mpi(device);
  const int size = ranks.size(), own = ranks.rank();
  if (size > 64) return std::fprintf(stderr, "bench_ring_ranks: at most 64 ranks\n"), 2;
  auto checker = ring::spawn(device, Checker{}, {.slots = 8192});
  const comm::ActorNode node(ranks);
  node.publish("checker", checker);
  control.barrier(device);
  std::vector<comm::RemoteHandle<Checker::Message, int>> others;
  for (int rank = 0; rank < size; ++rank) others.push_back(node.remote<Checker>(rank, "checker"));

  const int each = static_cast<int>(total / size / size);  // to each rank
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Checker::Message> several;
  for (int number = 0; number < each; number += batch) {
    several.clear();
    for (int i = number; i < number + batch && i < each; ++i) several.push_back({own, i});
    for (const auto& other : others) other.send(several);
  }
  node.flush();
  checker.drain();
  control.barrier(device);
  const double sending = seconds_since(begin);

  constexpr int kCalls = 200;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls && own == 0; ++i)
    (void)others[static_cast<std::size_t>(size - 1)].call({own, each + i}).get();
  const double calling = seconds_since(start);
  node.close();
  checker.drain();
  const Checker state = checker.state();
  bool is_right = state.wrong == 0;
  for (int rank = 0; rank < size; ++rank) {
    const int calls = rank == 0 && own == size - 1 ? kCalls : 0;
    is_right = is_right && state.expected.next[rank] == each + calls;
  }
  std::printf("rank %d of %d, %s: %s\n", own, size, ranks.provider().c_str(),
              is_right ? "all messages once and in order" : "MESSAGES ARE WRONG");
  const long sent = static_cast<long>(each) * size * size;
  if (own == 0)
    std::printf("%ld messages in batches of %d: %.2f s, %.2f million/s; a call: %.0f us\n", sent, batch,
                sending, static_cast<double>(sent) / sending * 1e-6, calling / kCalls * 1e6);
  return is_right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    const long total = count > 1 ? std::atol(words[1]) : 10'000'000;
    const int batch = count > 2 ? std::atoi(words[2]) : 100;
    if (total <= 0 || batch <= 0)
      return std::fprintf(stderr, "usage: bench_ring_ranks [MESSAGES [BATCH]]\n"), 2;
    return run(total, batch);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "bench_ring_ranks: %s\n", error.what());
    return 1;
  }
}
