// The cost of communication between ranks: mpirun -n 2 bench_comm
//
// Prints the time of a barrier, of messages between ranks 0 and 1, and of all-reduce, for several sizes, and
// the fitted latency and bandwidth of messages. docs/scale.md uses these numbers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "quern/comm.hpp"
#include "quern/quern.hpp"
#include "shortest_of.hpp"

namespace {

namespace comm = quern::comm;
using quern::bench::shortest_of;  // all ranks repeat the work equally often

void run() {
  const quern::Device device = comm::open_for_rank();
  comm::MpiOptions options;
  options.check = false;
  const comm::Communicator ranks = comm::mpi(device, options);
  const int own = ranks.rank();
  const auto print = [&](const char* what, std::size_t bytes, double microseconds) {
    if (own == 0)
      std::printf("%-12s %9zu B %10.1f us %8.2f GB/s\n", what, bytes, microseconds,
                  static_cast<double>(bytes) / microseconds * 1e-3);
  };
  if (own == 0)
    std::printf("%d ranks, %s, %s\n", ranks.size(), ranks.provider().c_str(), device.name().c_str());
  print("barrier", 0, shortest_of(300, [&] { ranks.barrier(device); }));
  double small = 1e18, large = 0;
  constexpr std::size_t kLargest = std::size_t{16} << 20;
  for (std::size_t bytes = 8; bytes <= kLargest; bytes *= 8) {
    quern::Buffer<float> in = device.upload(std::vector<float>(bytes / 4, 1.0f));
    quern::Buffer<float> out = device.allocate<float>(bytes / 4);
    const int repeats = bytes > (1 << 20) ? 40 : 300;
    if (ranks.size() > 1) {
      const double two = shortest_of(repeats, [&] {
        if (own == 0) ranks.send(device, in, 1), ranks.receive(device, out, 1);
        if (own == 1) ranks.receive(device, out, 0), ranks.send(device, in, 0);
      });
      if (bytes <= 512) small = std::min(small, two / 2);
      large = two / 2;
      print("message", bytes, two / 2);
    }
    print("all_reduce", bytes,
          shortest_of(repeats, [&] { ranks.all_reduce(device, comm::Combine::sum, in, out); }));
  }
  ranks.barrier(device);
  if (own == 0 && ranks.size() > 1)
    std::printf("messages: latency %.1f us, bandwidth %.2f GB/s\n", small,
                static_cast<double>(kLargest) / (large - small) * 1e-3);
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "bench_comm: %s\n", error.what());
    return 1;
  }
}
