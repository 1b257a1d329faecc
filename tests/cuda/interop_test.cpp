// Native handles, adopted memory and streams, and shared memory over the stand-in for libcuda.
#include "driver/interface/interop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "cuda/cuda_case.hpp"

namespace quern::test {
namespace {

using interop::ShareKind;

class CudaInterop : public CudaDriver {
 protected:
  void SetUp() override {
    CudaDriver::SetUp();
    device = open();
    native = dynamic_cast<driver::Interop*>(device.get());
    ASSERT_NE(native, nullptr);
  }
  void TearDown() override {
    device.reset();
    CudaDriver::TearDown();
  }
  std::unique_ptr<driver::Device> device;
  driver::Interop* native = nullptr;
};

template <typename Handle, typename Any>
Handle as(const driver::Result<Any>& any) {
  EXPECT_TRUE(any.ok());
  return std::get<Handle>(*any);
}

TEST_F(CudaInterop, GivesItsHandles) {
  EXPECT_NE(as<interop::cuda::Device>(native->native_device()).context, nullptr);
  auto buffer = device->allocate(1024, driver::MemoryKind::device);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(as<interop::cuda::Buffer>(native->native_buffer({buffer->get(), 24})).pointer,
            (*buffer)->address + 24);
  auto queue = device->create_stream({});
  auto event = device->create_event();
  EXPECT_NE(as<interop::cuda::Stream>(native->native_stream(**queue)).stream, nullptr);
  EXPECT_NE(as<interop::cuda::Event>(native->native_event(**event)).event, nullptr);
}

TEST_F(CudaInterop, AdoptsMemoryWithoutFreeingIt) {
  auto theirs = device->allocate(1024, driver::MemoryKind::device);
  ASSERT_TRUE(theirs.ok());
  const uint64_t before = fake->alive();
  bool is_released = false;
  {
    const interop::cuda::Buffer handle{(*theirs)->address + 512};
    auto keep = std::shared_ptr<const void>(&is_released, [&](const void*) { is_released = true; });
    auto adopted = native->adopt_buffer(handle, 256, std::move(keep));
    ASSERT_TRUE(adopted.ok()) << adopted.error().to_string();
    EXPECT_EQ((*adopted)->address, handle.pointer);
    EXPECT_EQ((*adopted)->bytes, 256u);
    EXPECT_FALSE(is_released);
  }
  EXPECT_TRUE(is_released);
  EXPECT_EQ(fake->alive(), before);
  const auto unknown = native->adopt_buffer(interop::cuda::Buffer{64}, 4, nullptr);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message(), "adopting memory failed: the driver does not know the address 0x40");
  const auto other = native->adopt_buffer(interop::hip::Buffer{64}, 4, nullptr);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message(),
            "adopting memory failed: the handle belongs to another API, and the device is one of cuda");
}

TEST_F(CudaInterop, AdoptsAStreamWithoutDestroyingIt) {
  auto theirs = device->create_stream({});
  const auto handle = as<interop::cuda::Stream>(native->native_stream(**theirs));
  const uint64_t destroyed = fake->count("cuStreamDestroy");
  {
    auto adopted = native->adopt_stream(handle, nullptr);
    ASSERT_TRUE(adopted.ok()) << adopted.error().to_string();
    auto buffer = device->allocate(64, driver::MemoryKind::device);
    EXPECT_TRUE(device->fill(**adopted, {buffer->get(), 0}, 1, 1, 64).ok());
    auto event = device->create_event();
    ASSERT_TRUE(device->record(**theirs, **event).ok());
    EXPECT_TRUE(native->wait_native(**adopted, *native->native_event(**event)).ok());
    EXPECT_TRUE(device->synchronize(**adopted).ok());
  }
  EXPECT_EQ(fake->count("cuStreamDestroy"), destroyed);
  EXPECT_TRUE(device->synchronize(**theirs).ok());
}

TEST_F(CudaInterop, SharesMemoryByIpc) {
  const uint64_t before = fake->alive();
  {
    auto ours = native->allocate_shared(1000, ShareKind::automatic);
    ASSERT_TRUE(ours.ok()) << ours.error().to_string();
    auto memory = native->export_memory(**ours);
    ASSERT_TRUE(memory.ok()) << memory.error().to_string();
    EXPECT_EQ(memory->description().kind, ShareKind::cuda_ipc);
    EXPECT_EQ(memory->description().allocation_bytes, 2u << 20);
    auto theirs = native->import_memory(*memory);
    ASSERT_TRUE(theirs.ok()) << theirs.error().to_string();
    EXPECT_EQ((*theirs)->bytes, 1000u);
  }
  EXPECT_EQ(fake->count("cuIpcCloseMemHandle"), 1u);
  EXPECT_EQ(fake->alive(), before);
}

TEST_F(CudaInterop, SharesMemoryByFileDescriptors) {
  const uint64_t before = fake->alive();
  {
    auto ours = native->allocate_shared(5000, ShareKind::cuda_fd);
    ASSERT_TRUE(ours.ok()) << ours.error().to_string();
    auto memory = native->export_memory(**ours);
    ASSERT_TRUE(memory.ok()) << memory.error().to_string();
    EXPECT_EQ(memory->description().allocation_bytes, 8192u);
    EXPECT_GE(memory->descriptor(), 0);
    auto theirs = native->import_memory(*memory);
    ASSERT_TRUE(theirs.ok()) << theirs.error().to_string();
  }
  EXPECT_EQ(fake->alive(), before);
}

TEST_F(CudaInterop, ImportsMemoryOfVulkan) {
  const uint64_t before = fake->alive();
  interop::SharedMemory::Description about;
  about.kind = ShareKind::vulkan_fd;
  about.bytes = about.allocation_bytes = 4096;
  const interop::SharedMemory memory(about, ::dup(0));
  {
    auto imported = native->import_memory(memory);
    ASSERT_TRUE(imported.ok()) << imported.error().to_string();
  }
  EXPECT_GE(::fcntl(memory.descriptor(), F_GETFD), 0);  // the import used a copy
  EXPECT_EQ(fake->alive(), before);
}

// Whichever call fails on the way, nothing leaks.
TEST_F(CudaInterop, ReleasesWhatItHasWhenACallFails) {
  constexpr const char* kCalls[] = {"cuMemAlloc",
                                    "cuIpcGetMemHandle",
                                    "cuIpcOpenMemHandle",
                                    "cuMemGetAllocationGranularity",
                                    "cuMemCreate",
                                    "cuMemAddressReserve",
                                    "cuMemMap",
                                    "cuMemSetAccess",
                                    "cuMemExportToShareableHandle",
                                    "cuMemImportFromShareableHandle"};
  const uint64_t before = fake->alive();
  for (const char* const call : kCalls) {
    int failures = 0;
    for (const ShareKind kind : {ShareKind::cuda_ipc, ShareKind::cuda_fd}) {
      for (const uint64_t nth : {0, 1}) {
        fake->fail(call, nth, 2);
        {
          auto ours = native->allocate_shared(5000, kind);
          auto memory =
              ours.ok() ? native->export_memory(**ours) : driver::Result<driver::SharedMemory>(ours.error());
          if (memory.ok()) (void)native->import_memory(*memory).ok();
        }
        failures += fake->has_failed() ? 1 : 0;
        fake->fail("none", 0, 0);
        EXPECT_EQ(fake->alive(), before) << call << ", " << driver::name(kind) << ", call " << nth;
      }
    }
    EXPECT_NE(failures, 0) << call;
  }
}

TEST_F(CudaInterop, SaysWhatItLacks) {
  fake->hide("cuIpcGetMemHandle");
  fake->hide("cuMemCreate");
  const auto other = open();
  const auto shared = dynamic_cast<driver::Interop&>(*other).allocate_shared(64, ShareKind::automatic);
  ASSERT_FALSE(shared.ok());
  EXPECT_EQ(shared.error().kind(), base::ErrorKind::unsupported);
  EXPECT_EQ(shared.error().message(), "sharing memory failed: the kind 'automatic' is not supported");
}

TEST_F(CudaInterop, OpensADeviceInAContext) {
  const auto driver = start();
  auto* const interop = dynamic_cast<driver::InteropDriver*>(driver.get());
  ASSERT_NE(interop, nullptr);
  const uint64_t retained = fake->count("cuDevicePrimaryCtxRetain");
  const auto context = as<interop::cuda::Device>(native->native_device()).context;
  auto opened = interop->open_native(interop::cuda::Device{context, 0}, nullptr);
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  EXPECT_EQ(fake->count("cuDevicePrimaryCtxRetain"), retained);
  EXPECT_EQ(as<interop::cuda::Device>(dynamic_cast<driver::Interop&>(**opened).native_device()).context,
            context);
}

}  // namespace
}  // namespace quern::test
