// Ranks, in a program that links an installation.
#include <cstdio>
#include <vector>

#include <quern/comm.hpp>
#include <quern/quern.hpp>

int main() {
  const std::vector<quern::Device> devices(3, quern::open("sim"));
  const std::vector<quern::comm::Communicator> ranks = quern::comm::in_process(devices);
  quern::comm::for_each_rank(ranks, [](const quern::comm::Communicator& rank) {
    quern::Buffer<int> x = rank.device().upload(std::vector<int>(1, 1));
    rank.all_reduce(rank.device(), quern::comm::Combine::sum, x, x);
    if (rank.rank() == 0) std::printf("sum: %d\n", x.download()[0]);
  });
}
