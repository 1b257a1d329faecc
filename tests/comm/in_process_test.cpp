#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "comm/exercise.hpp"
#include "support/devices.hpp"

namespace quern::comm {
namespace {

constexpr Options kSmallChunks{.timeout = std::chrono::seconds(30), .chunk_bytes = 1000};

class CommInProcess : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_not(GetParam(), {.kernel_text = false}); !why.empty())
      GTEST_SKIP() << why;
    gpu = open(GetParam());
  }
  Device gpu;
};

INSTANTIATE_TEST_SUITE_P(All, CommInProcess, testing::ValuesIn(test::each_driver()), test::device_name);

TEST_P(CommInProcess, ThreeRanksOnOneDevice) {
  const std::vector<Device> devices(3, gpu);
  const std::vector<Communicator> ranks = in_process(devices, kSmallChunks);
  for_each_rank(ranks, exercise);
}

TEST(Comm, RanksOnDifferentDevices) {
  std::vector<Device> devices;
  for (const char* const name : {"cpu", "sim", "opencl", "vulkan"}) {
    if (test::why_not(name, {}).empty()) devices.push_back(open(name));
  }
  const std::vector<Communicator> ranks = in_process(devices, kSmallChunks);
  for_each_rank(ranks, exercise);
}

TEST(Comm, OneRank) { exercise(in_process(std::vector<Device>{open("sim")}).front()); }

TEST(Comm, OneThreadForAllRanks) {
  const Device gpu = open("sim");
  const std::vector<Communicator> ranks = in_process(std::vector<Device>(4, gpu));
  std::vector<Buffer<int>> data;
  std::vector<Request> requests;
  for (const Communicator& rank : ranks) data.push_back(gpu.upload(std::vector<int>(3, rank.rank())));
  for (std::size_t i = 0; i < ranks.size(); ++i)
    requests.push_back(ranks[i].async().all_reduce(gpu, Combine::sum, data[i], data[i]));
  for (const Request& request : requests) request.wait();
  for (const Buffer<int>& buffer : data) EXPECT_EQ(buffer.download(), (std::vector<int>{6, 6, 6}));
  EXPECT_TRUE(Request().done());
  Request().wait();
}

TEST(Comm, RejectsWrongCalls) {
  const Device gpu = open("sim"), other = open("sim");
  const Communicator rank = in_process(std::vector<Device>{gpu, gpu}).front();
  EXPECT_EQ(rank.rank(), 0);
  EXPECT_EQ(rank.size(), 2);
  EXPECT_EQ(rank.provider(), "in process");
  EXPECT_EQ(rank.device().driver(), "sim");
  EXPECT_TRUE(static_cast<bool>(rank));
  Buffer<int> data = gpu.allocate<int>(7);
  const auto part = [&](std::size_t n) { return data.slice(0, n); };
  EXPECT_COMM_ERROR(invalid_use, "comm::broadcast failed: rank 2 does not exist in a communicator of 2 ranks",
                    rank.broadcast(gpu, data, 2));
  EXPECT_COMM_ERROR(invalid_use, "comm::send failed: rank 0 is this rank", rank.send(gpu, data, 0));
  EXPECT_COMM_ERROR(invalid_use, "rank -1 does not exist",
                    rank.send_receive(gpu, part(1), 0, data.slice(3), -1));
  EXPECT_COMM_ERROR(invalid_use, "comm::all_reduce failed: the input has 3 elements, and the result 7",
                    rank.all_reduce(gpu, Combine::sum, part(3), data));
  EXPECT_COMM_ERROR(invalid_use, "comm::all_reduce failed: the input and the result overlap",
                    rank.all_reduce(gpu, Combine::sum, part(3), data.slice(1, 3)));
  EXPECT_COMM_ERROR(invalid_use, "comm::all_gather failed: 7 elements are not 2 times 3 elements",
                    rank.all_gather(gpu, part(3), data));
  EXPECT_COMM_ERROR(invalid_use, "overlap", rank.all_gather(gpu, data.slice(1, 3), part(6)));
  EXPECT_COMM_ERROR(invalid_use, "comm::reduce_scatter failed: 7 elements are not 2 times 1 elements",
                    rank.reduce_scatter(gpu, Combine::sum, data, gpu.allocate<int>(1)));
  EXPECT_COMM_ERROR(invalid_use, "comm::all_to_all failed: 7 elements cannot be divided into 2 equal parts",
                    rank.all_to_all(gpu, data, gpu.allocate<int>(7)));
  EXPECT_COMM_ERROR(invalid_use, "comm::all_to_all failed: the input and the result overlap",
                    rank.all_to_all(gpu, data, data));
  EXPECT_COMM_ERROR(invalid_use, "comm::barrier failed: the stream is on device", rank.barrier(other));
  EXPECT_COMM_ERROR(invalid_use, "the time limit is not positive",
                    rank.with_timeout(std::chrono::seconds(0)).barrier(gpu));
  EXPECT_COMM_ERROR(invalid_use, "comm::barrier failed: the communicator is empty",
                    Communicator().barrier(gpu));
  EXPECT_COMM_ERROR(invalid_use, "the list of devices is empty", in_process({}));
  EXPECT_COMM_ERROR(invalid_use, "the device of rank 1 is not open",
                    in_process(std::vector<Device>{gpu, Device()}));
}

TEST(Comm, ARankThatDoesNotComeIsAnError) {
  const Device gpu = open("sim");
  const std::vector<Communicator> ranks = in_process(std::vector<Device>(3, gpu));
  const Communicator quick = ranks[0].with_timeout(std::chrono::milliseconds(50));
  EXPECT_EQ(quick.options().timeout, std::chrono::milliseconds(50));
  const Request waiting = ranks[2].async().barrier(gpu);
  EXPECT_COMM_ERROR(timeout, "comm::barrier failed: rank 1 did not take part within 0.05 s",
                    quick.barrier(gpu));
  EXPECT_COMM_ERROR(io, "comm::barrier failed: rank 0 has failed", waiting.wait());
  // It has failed for good.
  EXPECT_COMM_ERROR(timeout, "did not take part", ranks[0].barrier(gpu));
  EXPECT_COMM_ERROR(io, "rank 0 has failed", ranks[1].barrier(gpu));
}

TEST(Comm, AMessageThatNobodyReceivesIsAnError) {
  const Device gpu = open("sim");
  const std::vector<Communicator> ranks = in_process(std::vector<Device>(2, gpu));
  Buffer<int> data = gpu.allocate<int>(4);
  EXPECT_COMM_ERROR(timeout, "comm::send failed: rank 1 did not take part within 0.02 s",
                    ranks[0].with_timeout(std::chrono::milliseconds(20)).send(gpu, data, 1));
}

TEST(Comm, ARankThatLeavesIsAnError) {
  const Device gpu = open("sim");
  std::vector<Communicator> ranks = in_process(std::vector<Device>(2, gpu));
  const Request waiting = ranks[0].async().barrier(gpu);
  ranks.pop_back();
  EXPECT_COMM_ERROR(io, "comm::barrier failed: the communicator of rank 1 was destroyed", waiting.wait());
}

TEST(Comm, AFailedKernelFailsAllRanks) {
  const Device gpu = open("sim"), other = open("sim");
  const std::vector<Communicator> ranks = in_process(std::vector<Device>{gpu, other});
  const Module module = gpu.compile("__global__ void bad(int* p) { p[100] = 1; }");
  Buffer<int> data = gpu.allocate<int>(4);
  const Request waiting = ranks[1].async().barrier(other);
  EXPECT_THROW(
      {
        gpu.launch(module.kernel("bad"), grid(1, 1), data);
        ranks[0].barrier(gpu);
      },
      Error);
  EXPECT_COMM_ERROR(io, "rank 0 has failed", waiting.wait());
}

TEST(Comm, ManyOperationsOfManyThreads) {
  const Device gpu = open("cpu");
  const std::vector<Communicator> ranks = in_process(std::vector<Device>(4, gpu), {.chunk_bytes = 64});
  std::atomic<int> wrong{0};
  for_each_rank(ranks, [&](const Communicator& rank) {
    Buffer<int> data = gpu.allocate<int>(50);
    for (int round = 0; round < 100; ++round) {
      data.fill(round + rank.rank());
      rank.all_reduce(gpu, Combine::sum, data, data);
      if (data.download() != std::vector<int>(50, 4 * round + 6)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace quern::comm
