// Vulkan: a VkBuffer, a queue and semaphores that the test creates by hand on Quern's device.
#include <mutex>

#include "api/api_case.hpp"
#include "quern/interop.hpp"

#if __has_include(<vulkan/vulkan_core.h>)
#include <dlfcn.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace quern::test {
namespace {

QUERN_KERNEL(add_to, (int n, int value, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
})

// A structure of Vulkan whose other members are 0.
template <typename T>
T structure(VkStructureType type, void* next = nullptr) {
  T made{};
  made.sType = type;
  made.pNext = next;
  return made;
}

class VulkanInterop : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device = open("vulkan");
    } catch (const Error& e) {
      GTEST_SKIP() << e.message();
    }
    void* const library = ::dlopen("libvulkan.so.1", RTLD_NOW);
    if (library == nullptr) GTEST_SKIP() << "no libvulkan.so.1";
    find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
    native = interop::get<interop::vulkan::Device>(device);
    ASSERT_NE(native.instance, nullptr);
    ASSERT_NE(native.physical_device, nullptr);
    ASSERT_NE(native.device, nullptr);
  }

  template <typename Function>
  Function load(const char* name) const {
    return reinterpret_cast<Function>(find(native.instance, name));
  }

  // A storage buffer with dedicated memory of any type.
  VkBuffer make_buffer(VkDeviceSize bytes, VkDeviceMemory& memory) const {
    const auto create = load<PFN_vkCreateBuffer>("vkCreateBuffer");
    auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
        VK_BUFFER_USAGE_TRANSFER_DST_BIT |
        (device.info().has(quern::Feature::addresses) ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0);
    VkBuffer buffer = nullptr;
    EXPECT_EQ(create(native.device, &info, nullptr, &buffer), VK_SUCCESS);
    VkMemoryRequirements needs{};
    load<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(native.device, buffer, &needs);
    uint32_t type = 0;
    while ((needs.memoryTypeBits >> type & 1) == 0) ++type;
    auto flags = structure<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    flags.flags = device.info().has(quern::Feature::addresses) ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, type};
    EXPECT_EQ(load<PFN_vkAllocateMemory>("vkAllocateMemory")(native.device, &allocate, nullptr, &memory),
              VK_SUCCESS);
    EXPECT_EQ(load<PFN_vkBindBufferMemory>("vkBindBufferMemory")(native.device, buffer, memory, 0),
              VK_SUCCESS);
    return buffer;
  }

  Device device;
  interop::vulkan::Device native;
  PFN_vkGetInstanceProcAddr find = nullptr;
};

TEST_F(VulkanInterop, RunsAKernelOnAVkBuffer) {
  constexpr int kCount = 1000;
  constexpr uint64_t kOffset = 256;
  VkDeviceMemory memory = nullptr;
  const VkBuffer buffer = make_buffer(kOffset + kCount * sizeof(int), memory);
  bool is_released = false;
  {
    auto data = interop::adopt<int>(
        device, interop::vulkan::Buffer{buffer, kOffset}, kCount, interop::on_release([&] {
          is_released = true;
          load<PFN_vkDestroyBuffer>("vkDestroyBuffer")(native.device, buffer, nullptr);
          load<PFN_vkFreeMemory>("vkFreeMemory")(native.device, memory, nullptr);
        }));
    data.fill(3);
    device.launch(add_to, threads(kCount), kCount, 4, data);
    device.launch(add_to, threads(kCount / 2), kCount / 2, 1, data.slice(kCount / 2));
    std::vector<int> expected(kCount, 7);
    std::fill(expected.begin() + kCount / 2, expected.end(), 8);
    EXPECT_EQ(data.download(), expected);
    auto copy = device.upload(std::vector<int>(kCount, 0));
    copy.copy_from(data);
    EXPECT_EQ(copy.download(), expected);
    const auto handle = interop::get<interop::vulkan::Buffer>(data.slice(10));
    EXPECT_EQ(handle.buffer, buffer);
    EXPECT_EQ(handle.offset, kOffset + 40);
  }
  device.synchronize();
  device.trim();
  EXPECT_TRUE(is_released);
}

TEST_F(VulkanInterop, RefusesWhatIsNotInTheVkBuffer) {
  VkDeviceMemory memory = nullptr;
  const VkBuffer buffer = make_buffer(4096, memory);
  EXPECT_EQ(
      error_of([&] { (void)interop::adopt<int>(device, interop::vulkan::Buffer{buffer}, 1 << 20); }).kind(),
      ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] {
              (void)interop::adopt<int>(device, interop::vulkan::Buffer{buffer, 3}, 16);
            }).kind(),
            ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::vulkan::Buffer{}, 16); }).kind(),
            ErrorKind::invalid_use);
  EXPECT_EQ(error_of([&] { (void)interop::adopt<int>(device, interop::opencl::Buffer{}, 16); }).kind(),
            ErrorKind::invalid_use);
  load<PFN_vkDestroyBuffer>("vkDestroyBuffer")(native.device, buffer, nullptr);
  load<PFN_vkFreeMemory>("vkFreeMemory")(native.device, memory, nullptr);
}

// Quern's timeline out, and a semaphore of the test's in.
TEST_F(VulkanInterop, OrdersWorkBySemaphores) {
  const auto get_value = load<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue");
  auto data = device.upload(std::vector<int>(100, 1));
  device.launch(add_to, threads(100), 100, 1, data);
  const auto done = interop::get<interop::vulkan::Event>(device.stream().record());
  device.synchronize();
  uint64_t value = 0;
  ASSERT_EQ(get_value(native.device, done.semaphore, &value), VK_SUCCESS);
  EXPECT_GE(value, done.value);

  auto type = structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type);
  VkSemaphore semaphore = nullptr;
  ASSERT_EQ(load<PFN_vkCreateSemaphore>("vkCreateSemaphore")(native.device, &info, nullptr, &semaphore),
            VK_SUCCESS);
  const Stream stream = device.create_stream();
  interop::wait(stream, interop::vulkan::Event{semaphore, 5});
  stream.launch(add_to, threads(100), 100, 10, data);
  const Event after = stream.record();
  EXPECT_FALSE(after.reached());
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, 5};
  ASSERT_EQ(load<PFN_vkSignalSemaphore>("vkSignalSemaphore")(native.device, &signal), VK_SUCCESS);
  after.wait();
  EXPECT_EQ(data.download(), std::vector<int>(100, 12));
  stream.synchronize();
  load<PFN_vkDestroySemaphore>("vkDestroySemaphore")(native.device, semaphore, nullptr);
}

TEST_F(VulkanInterop, AdoptsAQueue) {
  const auto handle = interop::get<interop::vulkan::Stream>(device.stream());
  ASSERT_NE(handle.queue, nullptr);
  ASSERT_NE(handle.mutex, nullptr);
  auto data = device.upload(std::vector<int>(100, 1));
  {
    const Stream stream = interop::adopt(device, handle);
    EXPECT_EQ(interop::get<interop::vulkan::Stream>(stream).queue, handle.queue);
    stream.launch(add_to, threads(100), 100, 2, data);
    stream.synchronize();
  }
  EXPECT_EQ(data.download(), std::vector<int>(100, 3));
  auto other = handle;
  other.queue_family = 77;
  EXPECT_EQ(error_of([&] { (void)interop::adopt(device, other); }).kind(), ErrorKind::unsupported);
}

TEST_F(VulkanInterop, SharesMemory) {
  try {
    auto ours = interop::allocate_shared<int>(device, 3000);
    ours.fill(7);
    const interop::SharedMemory memory = interop::export_memory(ours);
    EXPECT_EQ(memory.description().kind, interop::ShareKind::vulkan_fd);
    const Device other = open("vulkan");
    auto theirs = interop::import_memory<int>(other, memory);
    other.launch(add_to, threads(3000), 3000, 1, theirs);
    other.synchronize();
    EXPECT_EQ(ours.download(), std::vector<int>(3000, 8));
    EXPECT_EQ(error_of([&] { (void)interop::export_memory(device.allocate<int>(4)); }).kind(),
              ErrorKind::unsupported);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    GTEST_SKIP() << e.what();
  }
}

}  // namespace
}  // namespace quern::test
#else
TEST(VulkanInterop, NeedsHeaders) { GTEST_SKIP() << "built without vulkan/vulkan_core.h"; }
#endif
