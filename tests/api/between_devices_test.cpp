// Copies between any two devices of this machine, time limits, clusters, and kinds of memory.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "api/api_case.hpp"

namespace quern::test {
namespace {

std::vector<Device> all_devices() {
  std::vector<Device> out;
  for (const char* name : each_implementation()) {
    if (why_not(name, {.kernel_text = false}).empty()) out.push_back(open(name));
  }
  return out;
}

TEST(BetweenDevices, EveryPairCopies) {
  constexpr size_t kCount = 5'000'000;  // more than two pieces of 8 MiB
  std::vector<int> values(kCount);
  std::iota(values.begin(), values.end(), 17);
  const std::vector<Device> devices = all_devices();
  ASSERT_GE(devices.size(), 2u);
  for (const Device& from : devices) {
    auto source = from.upload(values);
    for (const Device& to : devices) {
      const bool is_slow = from.driver() == "sim" || to.driver() == "sim";
      const size_t count = is_slow ? 1000 : kCount;
      auto target = to.allocate<int>(count + 5);
      target.fill(3);
      to.stream().copy(target.slice(5), source.slice(kCount - count));  // on the target's stream
      const std::vector<int> got = target.download();
      EXPECT_TRUE(std::equal(got.begin() + 5, got.end(), values.end() - static_cast<std::ptrdiff_t>(count)))
          << from.name() << " to " << to.name();
      EXPECT_EQ(got[4], 3);
      target.fill(0);
      from.stream().copy(target.slice(0, 100), source.slice(0, 100));  // on the source's
      EXPECT_EQ(target.slice(0, 100).download(), std::vector<int>(values.begin(), values.begin() + 100))
          << from.name() << " to " << to.name();
    }
  }
}

TEST(BetweenDevices, WhatAKernelWroteIsCopied) {
  const Device cpu = open("cpu"), sim = open("sim");
  const Module module = cpu.compile("__global__ void fill(int* x) { x[blockIdx.x * 64 + threadIdx.x] = 7; }");
  auto there = sim.allocate<int>(6400);
  for (int i = 0; i < 20; ++i) {
    auto here = cpu.allocate<int>(6400);
    cpu.launch(module.kernel("fill"), grid(100, 64), here);
    there.copy_from(here);
    EXPECT_EQ(there.download(), std::vector<int>(6400, 7));
  }
}

constexpr const char* kHangs = "__global__ void hangs(int* x) { while (atomicAdd(x, 0) == 0) {} }";

TEST(TimeLimit, AKernelThatHangsIsAbandonedAndTheProcessContinues) {
  const Device device = open("cpu,time_limit=0.3");
  auto x = device.upload(std::vector<int>(1, 0));
  const Module module = device.compile(kHangs);
  const auto begin = std::chrono::steady_clock::now();
  const Error error = error_of([&] {
    device.launch(module.kernel("hangs"), grid(1, 1), x);
    device.synchronize();
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(error.kind(), ErrorKind::timeout);
  EXPECT_NE(error.message().find("exceeded its time limit of 300 ms and is marked lost"), std::string::npos)
      << error.message();
  EXPECT_EQ(error_of([&] { device.synchronize(); }).kind(), ErrorKind::device_lost);
  EXPECT_EQ(error_of([&] { (void)x.download(); }).kind(), ErrorKind::device_lost);

  const Device again = open("cpu,time_limit=30");
  auto y = again.upload(std::vector<int>(1, 1));
  again.launch(again.compile(kHangs).kernel("hangs"), grid(1, 1), y);
  again.synchronize();
  EXPECT_EQ(y.download()[0], 1);
}

TEST(TimeLimit, OnTheSimulatorTheLoopIsNamed) {
  const Device device = open("sim,time_limit=0.2");
  auto x = device.upload(std::vector<int>(1, 0));
  const Error error = error_of([&] {
    device.launch(device.compile(kHangs).kernel("hangs"), grid(1, 1), x);
    device.synchronize();
  });
  EXPECT_NE(std::string(error.what()).find("in this loop"), std::string::npos) << error.what();
}

TEST(TimeLimit, IsANumberOfSeconds) {
  EXPECT_EQ(message_of([] { (void)open("cpu,time_limit=soon"); }),
            "reading the time limit failed: 'soon' is not a number of seconds above 0");
}

constexpr const char* kClusters = R"(
#include <cooperative_groups.h>
__global__ void sizes(int* out) { out[blockIdx.x] = cooperative_groups::this_cluster().num_blocks(); }
__global__ void __cluster_dims__(2) pairs(int* out) { out[blockIdx.x] = blockIdx.x; }
)";

class Clusters : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string why = why_not(GetParam(), {.features = {driver::Feature::clusters}});
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Clusters, AreChosenByTheLaunchAndChecked) {
  const Device device = open(GetParam());
  const Module module = device.compile(kClusters);
  auto out = device.allocate<int>(8);
  const Kernel sizes = module.kernel("sizes"), pairs = module.kernel("pairs");
  device.launch(sizes, grid(8, 1).cluster(4), out);
  EXPECT_EQ(out.download(), std::vector<int>(8, 4));
  device.launch(sizes, grid(8, 1), out);
  EXPECT_EQ(out.download(), std::vector<int>(8, 1));
  device.launch(pairs, grid(8, 1), out);
  const std::string start = "launch of kernel 'sizes' failed: clusters of ";
  const auto refused = [&](const Kernel& kernel, Dim3 cluster) {
    return message_of([&] { device.launch(kernel, grid(8, 1).cluster(cluster), out); });
  };
  EXPECT_EQ(refused(sizes, {3}),
            start + "(3,1,1) blocks: the grid (8,1,1) is not a multiple of the cluster size");
  EXPECT_NE(refused(sizes, {16}).find("allows at most 8 blocks per cluster"), std::string::npos);
  EXPECT_EQ(refused(sizes, {2, 0}), start + "(2,0,1) blocks: each size must be at least 1");
  EXPECT_EQ(refused(pairs, {4}),
            "launch of kernel 'pairs' failed: clusters of (4,1,1) blocks: its __cluster_dims__ are (2,1,1)");
}

INSTANTIATE_TEST_SUITE_P(All, Clusters, testing::ValuesIn(each_implementation()), device_name);

TEST(WithoutClusters, SaySo) {
  const Device device = open("std.gpu");
  EXPECT_EQ(device.info().limits.cluster_blocks, 0u);
  const Module module = device.compile(kClusters);
  auto out = device.allocate<int>(8);
  EXPECT_NE(message_of([&] { (void)module.kernel("sizes"); }).find("needs thread block clusters, which"),
            std::string::npos);
  device.launch(module.kernel("pairs"), grid(8, 1), out);  // does not require clusters
  EXPECT_NE(message_of([&] {
              device.launch(module.kernel("pairs"), grid(8, 1).cluster(2), out);
            }).find("does not support clusters"),
            std::string::npos);
}

TEST(MemoryKinds, WhatADeviceHasNotItRefuses) {
  const Device sim = open("sim");
  EXPECT_NE(message_of([&] {
              (void)sim.allocate<int>(1, MemoryKind::managed);
            }).find("has no managed memory that migrates between host and device"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)sim.allocate<int>(1, MemoryKind::mapped);
            }).find("has no host memory that kernels can access"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { (void)sim.allocate<int>(1, MemoryKind::shared); }).kind(), ErrorKind::unsupported);
}

}  // namespace
}  // namespace quern::test
