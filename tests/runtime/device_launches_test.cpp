// Launches from kernels: limits, errors and lifetimes. tests/launches contains their results.
#include <gtest/gtest.h>

#include "runtime/graph.hpp"
#include "runtime/messages.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

constexpr const char* kText = R"(
__global__ void count(int* out) { atomicAdd(out, 1); }
__global__ void many(int* out, int n) {
  if (cudaGetLastError() != cudaSuccess) out[0] = -1;
  for (int i = 0; i < n; ++i) count<<<1, 1>>>(out);
  out[1] = cudaGetLastError();
}
__global__ void deeper(int* out, int n) {
  out[0] = n;
  if (n > 0) deeper<<<1, 1>>>(out, n - 1);
}
__global__ void bad_size(int* out, int threads) {
  count<<<1, threads>>>(out);
}
__global__ void of_shared() {
  __shared__ int x[2];
  x[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) count<<<1, 1>>>(x);
}
template <int N> __global__ void nested(int* out) {
  if constexpr (N > 0) nested<N - 1><<<1, 2>>>(out);
  atomicAdd(out, 1);
}
)";

class DeviceLaunchesTest : public ::testing::Test {
 protected:
  std::shared_ptr<Module> load(int pending = 0) {
    Source s = source(kText);
    if (pending != 0) s.defines.emplace_back("QUERN_PENDING_LAUNCHES", std::to_string(pending));
    return take(Module::load(device, std::move(s)));
  }
  Result<> launch(Kernel& kernel, const std::vector<HostArgument>& arguments) {
    auto launched = device->default_stream().launch(kernel, shape(1, 1), arguments);
    if (!launched.ok()) return std::move(launched).error();
    return device->synchronize();
  }
  std::vector<int> values() {
    std::vector<int> out(2);
    EXPECT_TRUE(device->default_stream().download(out.data(), all(*memory), 8).ok());
    EXPECT_TRUE(device->synchronize().ok());
    return out;
  }

  // The simulator without its own checks of launches.
  static driver::DeviceInfo unchecked() {
    driver::DeviceInfo info = sim_info();
    info.checks_library = false;
    return info;
  }
  std::shared_ptr<Device> device = take(Device::adopt(std::make_unique<Disguised>(unchecked())));
  MemoryPtr memory = [this] {
    MemoryPtr m = take(device->allocate(8, driver::MemoryKind::device, ""));
    EXPECT_TRUE(device->default_stream().fill(all(*m), 0, 4).ok());
    return m;
  }();
};

TEST_F(DeviceLaunchesTest, CountsLaunches) {
  const auto kernel = take(load()->kernel("many"));  // the pointer keeps the module
  EXPECT_TRUE(kernel->launches_kernels());
  ASSERT_TRUE(launch(*kernel, {arg(memory), arg(5)}).ok());
  EXPECT_EQ(kernel->child_launches(), 5u);
  EXPECT_EQ(values(), (std::vector<int>{5, 0}));
  ASSERT_TRUE(launch(*kernel, {arg(memory), arg(0)}).ok());
  EXPECT_EQ(kernel->child_launches(), 0u);
  EXPECT_EQ(values(), (std::vector<int>{5, 0}));
}

TEST_F(DeviceLaunchesTest, PendingLaunchesAreLimited) {
  const auto kernel = take(load(4)->kernel("many"));
  ASSERT_TRUE(launch(*kernel, {arg(memory), arg(4)}).ok());
  EXPECT_EQ(values(), (std::vector<int>{4, 0}));
  EXPECT_EQ(refusal(launch(*kernel, {arg(memory), arg(6)}), ErrorKind::kernel_fault),
            message::kPendingLaunches("many", "6", "4").text);
  EXPECT_EQ(values(), (std::vector<int>{4, 69}));  // none of them ran
  ASSERT_TRUE(launch(*kernel, {arg(memory), arg(1)}).ok());
  EXPECT_EQ(values(), (std::vector<int>{5, 0}));
}

TEST_F(DeviceLaunchesTest, DepthIsLimited) {
  const auto kernel = take(load()->kernel("deeper"));
  ASSERT_TRUE(launch(*kernel, {arg(memory), arg(24)}).ok());
  EXPECT_EQ(kernel->child_launches(), 24u);
  EXPECT_EQ(refusal(launch(*kernel, {arg(memory), arg(25)}), ErrorKind::kernel_fault),
            message::kLaunchDepth("deeper", "24").text);
}

TEST_F(DeviceLaunchesTest, SizesAreChecked) {
  const auto kernel = take(load()->kernel("bad_size"));
  const auto failed = launch(*kernel, {arg(memory), arg(4096)});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::invalid_use);
  ASSERT_EQ(failed.error().context().size(), 1u);
  EXPECT_EQ(failed.error().context()[0], message::kLaunchedBy("bad_size", "test.cu", "13").text);
}

TEST_F(DeviceLaunchesTest, SharedMemoryIsNoArgument) {
  const auto kernel = take(load()->kernel("of_shared"));
  EXPECT_EQ(refusal(launch(*kernel, {}), ErrorKind::kernel_fault),
            message::kChildPointer("count", "of_shared", "1", "out").text);
}

TEST_F(DeviceLaunchesTest, InstancesAreCompiledOnRequest) {
  const auto kernel = take(load()->kernel("nested<3>"));
  ASSERT_TRUE(launch(*kernel, {arg(memory)}).ok());
  EXPECT_EQ(kernel->child_launches(), 1u + 2 + 4);
  EXPECT_EQ(values()[0], 1 + 2 + 4 + 8);
}

TEST_F(DeviceLaunchesTest, GraphsRefuseThem) {
  const auto kernel = take(load()->kernel("many"));
  const auto recorder = Stream::recorder(*device);
  const std::vector<HostArgument> arguments{arg(memory), arg(1)};
  EXPECT_EQ(refusal(recorder->launch(*kernel, shape(1, 1), arguments)),
            message::kNotInGraph("a kernel that launches kernels").text);
}

}  // namespace
}  // namespace quern::runtime
