// A table of counters kept by one actor on a device, incremented by four host threads at the same time. Most
// increments are one-way messages; every 64th is a call that waits for the new value. At the end the table
// must hold exactly the increments that were sent.
//
//   counters [DEVICE] [INCREMENTS]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include <quern/inline.hpp>
#include <quern/ring.hpp>

QUERN_CODE(struct Table { long long count[16]; };)

QUERN_ACTOR(Counters, (Table table), (unsigned slot, int add), long long, {
  table.count[slot] += add;
  return table.count[slot];
})

namespace {

constexpr unsigned kThreads = 4, kSlots = 16;
using Totals = std::array<long long, kSlots>;

// Sends increments with random slots and returns their sums per slot.
Totals send_increments(const quern::ring::HandleOf<Counters>& counters, unsigned thread, long increments) {
  Totals sent{};
  std::mt19937 random(thread);
  for (long i = 0; i < increments; ++i) {
    const unsigned slot = static_cast<unsigned>(random() % kSlots);
    const int add = static_cast<int>(random() % 100);
    sent[slot] += add;
    if (i % 64 == 63) {
      if (counters.call(slot, add).get() < sent[slot])
        std::printf("thread %u: an increment is missing\n", thread);
    } else {
      counters.send(slot, add);
    }
  }
  return sent;
}

int run(const char* device, long increments) {
  const quern::Device gpu = quern::open(device);
  const auto counters = quern::ring::spawn(gpu, Counters{});
  std::vector<Totals> sent(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] { sent[t] = send_increments(counters, t, increments / kThreads); });
  }
  for (std::thread& thread : threads) thread.join();
  counters.drain();

  const Table table = counters.state().table;
  int wrong = 0;
  long long total = 0;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    long long expected = 0;
    for (const Totals& totals : sent) expected += totals[slot];
    total += table.count[slot];
    wrong += table.count[slot] != expected ? 1 : 0;
  }
  std::printf("%s (%s), %s engine: %ld increments from %u threads, total %lld, %d of %u counters differ\n",
              gpu.name().c_str(), gpu.driver().c_str(), quern::ring::to_string(counters.engine()),
              increments / kThreads * kThreads, kThreads, total, wrong, kSlots);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const long increments = argc > 2 ? std::atol(argv[2]) : 100'000;
  if (increments < kThreads) {
    std::fprintf(stderr, "usage: counters [DEVICE] [INCREMENTS]     INCREMENTS is at least %u\n", kThreads);
    return 2;
  }
  try {
    return run(argc > 1 ? argv[1] : "", increments);
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "counters: %s\n", error.what());
    return 3;
  }
}
