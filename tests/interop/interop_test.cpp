// Native handles, adopted memory and shared memory on devices that need no other library, and what decorators
// and sessions do with them.
#include "quern/interop.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "api/api_case.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/checked/violations.hpp"
#include "driver/interface/interop.hpp"
#include "runtime/registry.hpp"

namespace quern::test {
namespace {

QUERN_KERNEL(add_one, (int n, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
})
QUERN_KERNEL(spin, (int rounds, int* out), {
  unsigned x = 1;
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[threadIdx.x] = (int)(x | 1u);
})

class Cpu : public testing::Test {
 protected:
  Device device = open("cpu");
};

TEST_F(Cpu, AdoptsHostMemory) {
  std::vector<int> host(1000, 4);
  {
    auto buffer = interop::adopt<int>(device, interop::host::Buffer{host.data()}, host.size(), {}, "theirs");
    EXPECT_EQ(buffer.size(), 1000u);
    EXPECT_EQ(buffer.host().data(), host.data());
    EXPECT_EQ(interop::device_address(buffer), reinterpret_cast<std::uint64_t>(host.data()));
    EXPECT_EQ(device.buffers().front().label, "theirs");
    device.launch(add_one, threads(1000), 1000, buffer);
    device.synchronize();
  }
  EXPECT_EQ(host, std::vector<int>(1000, 5));
}

TEST_F(Cpu, DoesNotCountAdoptedMemoryAsReserved) {
  std::vector<std::byte> host(64 << 20);
  const auto before = device.memory();
  {
    auto buffer = interop::adopt<std::byte>(device, interop::host::Buffer{host.data()}, host.size());
    EXPECT_EQ(device.memory().reserved, before.reserved);
    EXPECT_EQ(device.memory().in_use, before.in_use + host.size());
  }
  EXPECT_EQ(device.memory().reserved, before.reserved);
  EXPECT_EQ(device.memory().in_use, before.in_use);
}

TEST_F(Cpu, KeepsMemoryAliveUntilWorkHasCompleted) {
  std::atomic<bool> is_released{false};
  std::vector<int> host(32);
  const Event done = [&] {
    const auto keep = interop::on_release([&] { is_released = true; });
    auto buffer = interop::adopt<int>(device, interop::host::Buffer{host.data()}, host.size(), keep);
    device.launch(spin, grid(1, 32), 200'000'000, buffer);
    return device.stream().record();
  }();
  EXPECT_FALSE(done.reached()) << "the kernel is too short for this test";
  EXPECT_FALSE(is_released);
  device.synchronize();
  device.trim();
  EXPECT_TRUE(is_released);
  EXPECT_NE(host[31], 0);
}

// The deleter runs while the device is locked.
TEST_F(Cpu, LetsADeleterDestroyBuffersOfTheDevice) {
  std::vector<int> host(8);
  auto other = std::make_shared<Buffer<int>>(device.allocate<int>(8));
  {
    auto buffer =
        interop::adopt<int>(device, interop::host::Buffer{host.data()}, host.size(), std::move(other));
  }
  device.synchronize();
  EXPECT_EQ(device.allocate<int>(8).size(), 8u);
}

TEST_F(Cpu, RefusesWrongHandles) {
  auto buffer = device.allocate<int>(4);
  const Error stream = error_of([&] { (void)interop::get<interop::cuda::Stream>(device.stream()); });
  EXPECT_EQ(stream.kind(), ErrorKind::unsupported);
  EXPECT_EQ(stream.message(), "getting the native stream failed: the driver does not support it");
  const Error handle = error_of([&] { (void)interop::get<interop::vulkan::Buffer>(buffer); });
  EXPECT_EQ(handle.kind(), ErrorKind::invalid_use);
  EXPECT_EQ(handle.message(),
            "getting a native handle failed: the requested type is of another API than the device, which is "
            "one of host");
  const Error adopted = error_of([&] { (void)interop::adopt<int>(device, interop::cuda::Buffer{16}, 4); });
  EXPECT_EQ(adopted.kind(), ErrorKind::invalid_use);
  EXPECT_EQ(adopted.message(),
            "adopting memory failed: the handle belongs to another API, and the device is one of host");
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::host::Buffer{}, 4); }).kind(),
            ErrorKind::invalid_use);
  int one = 0;
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::host::Buffer{&one}, 0); }).kind(),
            ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] { (void)interop::get<interop::host::Buffer>(Buffer<int>()); }).kind(),
            ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] { (void)interop::get<interop::host::Buffer>(Slice<int>()); }).kind(),
            ErrorKind::invalid_use);
  EXPECT_EQ(error_of([] { (void)interop::get<interop::cuda::Device>(Device()); }).kind(),
            ErrorKind::invalid_use);
}

TEST_F(Cpu, SharesMemory) {
  auto ours = interop::allocate_shared<int>(device, 5000);
  ours.fill(7);
  const interop::SharedMemory memory = interop::export_memory(ours);
  EXPECT_EQ(memory.description().kind, interop::ShareKind::memfd);
  EXPECT_EQ(memory.description().bytes, 20000u);
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  interop::send(ends[0], memory);
  const interop::SharedMemory received = interop::receive(ends[1]);
  EXPECT_NE(received.descriptor(), memory.descriptor());
  const Device other = open("cpu");
  auto theirs = interop::import_memory<int>(other, received);
  EXPECT_NE(theirs.host().data(), ours.host().data());
  other.launch(add_one, threads(5000), 5000, theirs);
  other.synchronize();
  EXPECT_EQ(ours.download(), std::vector<int>(5000, 8));
  ::close(ends[0]);
  EXPECT_EQ(error_of([&] { (void)interop::receive(ends[1]); }).kind(), ErrorKind::io);
  ::close(ends[1]);
}

TEST_F(Cpu, RefusesWrongSharedMemory) {
  auto plain = device.allocate<int>(16);
  EXPECT_EQ(message_of([&] { (void)interop::export_memory(plain); }),
            "exporting memory failed: the buffer was not allocated for sharing");
  EXPECT_EQ(
      error_of([&] { (void)interop::allocate_shared<int>(device, 4, interop::ShareKind::cuda_ipc); }).kind(),
      ErrorKind::unsupported);
  interop::SharedMemory::Description about;
  about.kind = interop::ShareKind::memfd;
  about.bytes = 10;
  about.allocation_bytes = 4096;
  EXPECT_EQ(error_of([&] { (void)interop::import_memory<int>(device, interop::SharedMemory(about)); }).kind(),
            ErrorKind::bad_input);
  about.bytes = 8;
  EXPECT_EQ(error_of([&] { (void)interop::import_memory<int>(device, interop::SharedMemory(about)); }).kind(),
            ErrorKind::io);  // no descriptor
  // A file that is shorter than described would end the process by a signal.
  auto shared = interop::allocate_shared<int>(device, 16);
  const interop::SharedMemory exported = interop::export_memory(shared);
  about = exported.description();
  about.bytes = about.allocation_bytes = 1 << 20;
  const interop::SharedMemory lie(about, ::dup(exported.descriptor()));
  EXPECT_EQ(error_of([&] { (void)interop::import_memory<int>(device, lie); }).kind(), ErrorKind::bad_input);
}

TEST(Interop, IsRefusedWhereNothingIsShared) {
  for (const char* name : {"sim", "native"}) {
    const Device device = open(name);
    const Error error = error_of([&] { (void)interop::get<interop::cuda::Device>(device); });
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << name;
    EXPECT_EQ(error.message(), "using native handles failed: the driver does not support it");
  }
}

TEST(Interop, IsRefusedOnSessions) {
  SessionOptions options;
  options.device = "cpu";
  const Session session(options);
  const Device device = session.device();
  auto buffer = device.allocate<int>(4);
  const Error error = error_of([&] { (void)interop::get<interop::host::Buffer>(buffer.slice(0, 2)); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error_of([&] { (void)interop::device_address(buffer); }).kind(), ErrorKind::unsupported);
}

TEST(Interop, IsRefusedWhileRecording) {
  const std::string path = testing::TempDir() + "interop_recording";
  ASSERT_EQ(::setenv("QUERN_RECORD", path.c_str(), 1), 0);
  const Device device = open("cpu");
  ::unsetenv("QUERN_RECORD");
  std::vector<int> host(4);
  const Error error =
      error_of([&] { (void)interop::adopt<int>(device, interop::host::Buffer{host.data()}, 4); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_NE(error.message().find("recorded"), std::string::npos) << error.message();
}

// The checked decorator knows adopted memory, and finds nothing wrong with its use.
TEST(Interop, PassesTheCheckedDecorator) {
  auto driver = runtime::Registry::instance().start("cpu");
  ASSERT_TRUE(driver.ok());
  auto native = (*driver)->open(0, {});
  ASSERT_TRUE(native.ok());
  std::vector<std::string> told;
  const auto violations =
      std::make_shared<checked::Violations>([&](const std::string& s) { told.push_back(s); });
  const auto device = checked::wrap(std::move(*native), violations);
  auto* const interop = dynamic_cast<driver::Interop*>(device.get());
  ASSERT_NE(interop, nullptr);
  std::vector<int> host(16, 3), back(16);
  auto buffer = interop->adopt_buffer(interop::host::Buffer{host.data()}, 64, nullptr);
  ASSERT_TRUE(buffer.ok());
  auto shared = interop->allocate_shared(64, interop::ShareKind::automatic);
  ASSERT_TRUE(shared.ok());
  EXPECT_TRUE(interop->export_memory(**shared).ok());
  auto queue = device->create_stream({});
  ASSERT_TRUE(queue.ok());
  EXPECT_TRUE(device->copy(**queue, {shared->get(), 0}, {buffer->get(), 0}, 64).ok());
  EXPECT_TRUE(device->download(**queue, back.data(), {shared->get(), 0}, 64).ok());
  EXPECT_TRUE(device->synchronize(**queue).ok());
  EXPECT_EQ(back, host);
  device->destroy(std::move(*buffer));
  device->destroy(std::move(*shared));
  device->destroy(std::move(*queue));
  EXPECT_TRUE(told.empty()) << told.front();
}

}  // namespace
}  // namespace quern::test
