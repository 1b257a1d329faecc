#include "runtime/device.hpp"

#include <set>

#include <gtest/gtest.h>

#include "driver/decorators/faulty/device.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

// The test decides when events are reached; records what was destroyed.
class Slow final : public forward::Device {
 public:
  Slow() : forward::Device(open_sim()) {}
  Result<bool> reached(driver::Event&) override { return is_done; }
  Result<std::unique_ptr<driver::Buffer>> allocate(uint64_t bytes, driver::MemoryKind kind) override {
    if (buffers == most) return base::Error(ErrorKind::out_of_memory, "all is taken");
    ++buffers;
    return forward::Device::allocate(bytes, kind);
  }
  void destroy(std::unique_ptr<driver::Object> object) override {
    if (dynamic_cast<driver::Buffer*>(object.get()) != nullptr) --buffers;
    if (dynamic_cast<driver::Kernel*>(object.get()) != nullptr) ends += "kernel ";
    if (dynamic_cast<driver::Module*>(object.get()) != nullptr) ends += "program ";
    forward::Device::destroy(std::move(object));
  }
  Result<> synchronize(driver::Stream& queue) override {
    is_done = true;
    return forward::Device::synchronize(queue);
  }
  uint64_t free_memory() override { return free_bytes; }
  bool is_done = false;
  uint64_t free_bytes = 0;
  int buffers = 0;
  int most = 100;
  std::string ends;
};

class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() {
    auto owned = std::make_unique<Slow>();
    native = owned.get();
    device = take(Device::adopt(std::move(owned)));
  }
  MemoryPtr allocate() { return take(device->allocate(64, driver::MemoryKind::device, "")); }

  Slow* native = nullptr;
  std::shared_ptr<Device> device;
};

TEST_F(DeviceTest, IdleMemoryIsFreedImmediately) {
  auto memory = allocate();
  EXPECT_EQ(device->bytes_in_use(), 64u);
  memory.reset();
  EXPECT_EQ(native->buffers, 0);
  EXPECT_EQ(device->bytes_in_use(), 0u);
}

TEST_F(DeviceTest, MemoryInFlightIsFreedAfterTheWork) {
  auto memory = allocate();
  EXPECT_TRUE(device->default_stream().fill(all(*memory), 0, 1).ok());
  memory.reset();
  EXPECT_EQ(native->buffers, 1);
  EXPECT_EQ(device->bytes_in_use(), 0u);
  auto second = allocate();  // checks, and it is not free yet
  EXPECT_EQ(native->buffers, 2);
  native->is_done = true;
  auto third = allocate();
  EXPECT_EQ(native->buffers, 2);
}

TEST_F(DeviceTest, SynchronizeFreesReleasedMemory) {
  auto memory = allocate();
  EXPECT_TRUE(device->default_stream().fill(all(*memory), 0, 1).ok());
  memory.reset();
  EXPECT_EQ(native->buffers, 1);
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(native->buffers, 0);
}

TEST_F(DeviceTest, AnAllocationThatFailsWaitsForMemoryInFlight) {
  auto memory = allocate();
  EXPECT_TRUE(device->default_stream().fill(all(*memory), 0, 1).ok());
  memory.reset();
  native->most = 1;
  memory = allocate();
  EXPECT_EQ(native->buffers, 1);
  auto more = device->allocate(64, driver::MemoryKind::device, "more");
  EXPECT_EQ(refusal(more, ErrorKind::out_of_memory),
            "allocating 'more' (64 B) on simulator (sim) failed: all is taken");
}

TEST_F(DeviceTest, FullMemoryIsReportedWithNumbers) {
  native->free_bytes = 100 << 20;
  native->most = 1;
  const auto weights = take(device->allocate(64 << 20, driver::MemoryKind::device, "weights"));
  auto more = device->allocate(uint64_t{1} << 30, driver::MemoryKind::device, "activations");
  EXPECT_EQ(more.error().to_string(),
            "out of memory: allocating 'activations' (1.0 GiB) on simulator (sim) failed: 100.0 MiB of 8.0 "
            "GiB are free\n"
            "  while allocating a buffer\n"
            "  hint: split the batch, or free buffers; the largest are 'weights' (64.0 MiB)");
  auto scattered = device->allocate(90 << 20, driver::MemoryKind::device, "");
  EXPECT_EQ(refusal(scattered, ErrorKind::out_of_memory),
            "allocating a buffer (90.0 MiB) on simulator (sim) failed: 100.0 MiB of 8.0 GiB are free, but "
            "not contiguous");
}

TEST_F(DeviceTest, LargerThanTheLimitIsRefused) {
  auto huge = device->allocate(uint64_t{1} << 40, driver::MemoryKind::device, "activations");
  EXPECT_EQ(
      refusal(huge, ErrorKind::out_of_memory),
      "allocating 'activations' (1.0 TiB) failed: simulator (sim) allows at most 8.0 GiB in one buffer");
  auto unnamed = device->allocate(uint64_t{1} << 40, driver::MemoryKind::device, "");
  EXPECT_EQ(refusal(unnamed, ErrorKind::out_of_memory).substr(0, 20), "allocating a buffer ");
}

TEST_F(DeviceTest, KernelsAndProgramsInFlightWaitToo) {
  auto program = take(Module::load(device, source("__global__ void k(int* p) { p[0] = 1; }")));
  auto memory = allocate();
  auto kernel = take(program->kernel("k"));
  EXPECT_TRUE(device->default_stream().launch(*kernel, shape(1, 1), std::vector{arg(memory)}).ok());
  kernel.reset();
  program.reset();
  EXPECT_EQ(native->ends, "");
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_EQ(native->ends, "kernel program ");
}

TEST_F(DeviceTest, AFailedWaitIsNoProofThatWorkIsOver) {
  auto faults = take(faulty::Faults::parse("synchronize:0=timeout"));
  auto owned = std::make_unique<Slow>();
  Slow* slow = owned.get();
  auto flaky = take(Device::adopt(faulty::wrap(std::move(owned), faults)));
  auto memory = take(flaky->allocate(64, driver::MemoryKind::device, ""));
  EXPECT_TRUE(flaky->default_stream().copy({memory.get(), 0, 8}, {memory.get(), 8, 8}).ok());
  EXPECT_EQ(flaky->synchronize().error().kind(), ErrorKind::timeout);
  memory.reset();
  EXPECT_EQ(slow->buffers, 1);  // still in flight
  EXPECT_TRUE(flaky->synchronize().ok());
  EXPECT_EQ(slow->buffers, 0);
}

TEST_F(DeviceTest, ADeviceWithoutAQueueIsNotOpened) {
  auto faults = take(faulty::Faults::parse("create_stream:0=memory"));
  auto none = Device::adopt(faulty::wrap(open_sim(), faults));
  EXPECT_EQ(refusal(none, ErrorKind::out_of_memory), "create_stream 0 failed (injected fault)");
}

TEST_F(DeviceTest, APauseWaitsForEveryStream) {
  auto stream = take(Stream::create(*device, {}));
  auto memory = allocate();
  EXPECT_TRUE(stream->fill(all(*memory), 0, 1).ok());
  bool ran = false;
  EXPECT_TRUE(device
                  ->pause([&](driver::Stream&) -> Result<> {
                    ran = native->is_done;
                    return {};
                  })
                  .ok());
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace quern::runtime
