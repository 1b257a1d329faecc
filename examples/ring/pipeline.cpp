// Three actors in one kernel that send to each other without the host: the first receives numbers from the
// host, the second counts the steps until each reaches 1 (halve it, or triple it and add one), the third
// keeps the longest and publishes every result. The host keeps a window of numbers in flight and checks order
// and values.
//
//   example_pipeline [DEVICE] [NUMBERS]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "quern/quern.hpp"
#include "quern/ring.hpp"

namespace {

#ifdef QUERN_SOURCE_DIR
constexpr const char* kSource = QUERN_SOURCE_DIR "/examples/ring/pipeline.cu";
#else
constexpr const char* kSource = "pipeline.cu";  // in the current folder
#endif

// Maximum numbers in flight: rings between actors do not wait, they reject messages.
constexpr unsigned kWindow = 128;

struct Job {
  unsigned number, steps, hops;
};
struct Result {
  unsigned number, steps, hops;
};
struct Keeper {
  unsigned number, longest;
};

unsigned steps_of(unsigned number) {
  unsigned steps = 0;
  for (unsigned long long n = number; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

int run(const std::string& where, unsigned numbers) {
  const quern::Device device = quern::open(where);
  quern::ring::Options options;
  options.peer_slots = 2 * kWindow;
  options.events = 2 * kWindow;
  const quern::ring::Member members[] = {{"intake", {}}, {"worker", {}}, {"keeper", {}}};
  const std::vector<quern::ring::Actor> actors = quern::ring::spawn_file(device, kSource, options, members);

  std::atomic<unsigned> done{0}, wrong{0};
  actors[2].subscribe([&](std::span<const std::byte> bytes) {
    Result r{};
    std::memcpy(&r, bytes.data(), sizeof r);
    const unsigned expected = done + 1;
    if (r.number != expected || r.steps != steps_of(expected) || r.hops != 3) ++wrong;
    ++done;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (unsigned n = 1; n <= numbers; ++n) {
    while (n - done > kWindow && seconds() < 60) std::this_thread::yield();
    const Job job{n, 0, 0};
    actors[0].send(std::as_bytes(std::span(&job, 1)));
  }
  while (done < numbers && seconds() < 60) std::this_thread::yield();
  const double took = seconds();
  const auto keeper = actors[2].as<Keeper, Job, Result>().state();
  std::printf("%s (%s), %s engine: %u of %u numbers passed three actors in %.2f s, %.3g per second\n",
              device.name().c_str(), device.driver().c_str(), quern::ring::to_string(actors[0].engine()),
              done.load(), numbers, took, done / took);
  if (done != numbers || wrong != 0) {
    std::printf("%u arrived out of order or with a wrong result\n", wrong.load());
    return 1;
  }
  std::printf("all in order and correct; %u takes longest: %u steps\n", keeper.number, keeper.longest);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const long numbers = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 20'000;
    if (numbers < 1 || numbers > 1'000'000 || argc > 3) {
      std::fprintf(stderr, "usage: example_pipeline [DEVICE] [NUMBERS up to 1,000,000]\n");
      return 2;
    }
    return run(argc > 1 ? argv[1] : "", static_cast<unsigned>(numbers));
  } catch (const quern::Error& e) {
    std::fprintf(stderr, "example_pipeline: %s\n", e.what());
    return 3;
  }
}
