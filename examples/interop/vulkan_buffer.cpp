// A program with its own Vulkan device: Quern runs a kernel on a VkBuffer that the program created, on the
// program's VkQueue. Vulkan's functions come from dlopen, so that the program builds without the loader.
//
// usage: example_vulkan_buffer        (needs a Vulkan driver; exits with 77 if there is none)
#include <cstdio>

#if __has_include(<vulkan/vulkan_core.h>)
#include <mutex>
#include <stdexcept>
#include <vector>

#include <dlfcn.h>

#include <quern/inline.hpp>
#include <quern/interop.hpp>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace interop = quern::interop;

namespace {

constexpr int kElements = 1000, kNotHere = 77;

QUERN_KERNEL(square, (int n, const float* in, float* out), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
})

// A structure of Vulkan whose other members are 0.
template <typename T>
T structure(VkStructureType type, void* next = nullptr) {
  T made{};
  made.sType = type;
  made.pNext = next;
  return made;
}

PFN_vkGetInstanceProcAddr find = nullptr;

template <typename Function>
Function load(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(find(instance, name));
}
#define VK_LOAD(instance, name) const auto name = load<PFN_##name>(instance, #name)

void check(VkResult result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(result));
}

VkInstance create_instance() {
  auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_2;
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  VkInstance instance = nullptr;
  VK_LOAD(nullptr, vkCreateInstance);
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  return instance;
}

// A queue family that computes.
uint32_t choose_family(VkInstance instance, VkPhysicalDevice physical) {
  VK_LOAD(instance, vkGetPhysicalDeviceQueueFamilyProperties);
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
  }
  throw std::runtime_error("no queue family computes");
}

struct HostBuffer {
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  float* host = nullptr;
};

// A storage buffer in memory that the host sees.
HostBuffer create_buffer(VkInstance instance, VkPhysicalDevice physical, VkDevice device) {
  VK_LOAD(instance, vkCreateBuffer);
  VK_LOAD(instance, vkGetBufferMemoryRequirements);
  VK_LOAD(instance, vkGetPhysicalDeviceMemoryProperties);
  VK_LOAD(instance, vkAllocateMemory);
  VK_LOAD(instance, vkBindBufferMemory);
  VK_LOAD(instance, vkMapMemory);
  HostBuffer out;
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = kElements * sizeof(float);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(vkCreateBuffer(device, &info, nullptr, &out.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device, out.buffer, &needs);
  VkPhysicalDeviceMemoryProperties types{};
  vkGetPhysicalDeviceMemoryProperties(physical, &types);
  constexpr VkFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < types.memoryTypeCount && ((needs.memoryTypeBits >> type & 1) == 0 ||
                                          (types.memoryTypes[type].propertyFlags & kWanted) != kWanted))
    ++type;
  auto flags = structure<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, type};
  check(vkAllocateMemory(device, &allocate, nullptr, &out.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device, out.buffer, out.memory, 0), "vkBindBufferMemory");
  void* host = nullptr;
  check(vkMapMemory(device, out.memory, 0, VK_WHOLE_SIZE, 0, &host), "vkMapMemory");
  out.host = static_cast<float*>(host);
  return out;
}

// The kernel reads a buffer of Quern's and writes the program's. Returns the number of wrong elements.
int run_kernel(const quern::Device& gpu, const HostBuffer& memory) {
  std::vector<float> input(kElements);
  for (int i = 0; i < kElements; ++i) input[i] = static_cast<float>(i);
  auto in = gpu.upload(input);
  auto out = interop::adopt<float>(gpu, interop::vulkan::Buffer{memory.buffer}, kElements);
  gpu.launch(square, quern::threads(kElements), kElements, in, out);
  const auto done = interop::get<interop::vulkan::Event>(gpu.stream().record());
  std::printf("a renderer would wait for value %llu of the timeline semaphore\n",
              static_cast<unsigned long long>(done.value));
  gpu.synchronize();
  int wrong = 0;
  for (int i = 0; i < kElements; ++i) wrong += memory.host[i] == input[i] * input[i] ? 0 : 1;
  return wrong;
}

int run() {
  const VkInstance instance = create_instance();
  VK_LOAD(instance, vkEnumeratePhysicalDevices);
  VK_LOAD(instance, vkCreateDevice);
  VK_LOAD(instance, vkGetDeviceQueue);
  VK_LOAD(instance, vkDestroyBuffer);
  VK_LOAD(instance, vkFreeMemory);
  VK_LOAD(instance, vkDestroyDevice);
  VK_LOAD(instance, vkDestroyInstance);
  uint32_t count = 1;
  VkPhysicalDevice physical = nullptr;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) return kNotHere;

  const uint32_t family = choose_family(instance, physical);
  const float priority = 1;
  auto queue_info = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue_info.queueFamilyIndex = family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  auto features =
      structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkPhysicalDeviceFeatures core{};
  core.shaderInt64 = VK_TRUE;            // kernels have 64-bit addresses
  features.timelineSemaphore = VK_TRUE;  // Quern needs it
  features.bufferDeviceAddress = VK_TRUE;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features);
  info.pEnabledFeatures = &core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  VkDevice device = nullptr;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  VkQueue queue = nullptr;
  vkGetDeviceQueue(device, family, 0, &queue);
  std::mutex mutex;  // the program locks it for its own submissions

  const HostBuffer memory = create_buffer(instance, physical, device);
  int wrong = 0;
  {
    const quern::Device gpu =
        interop::open(interop::vulkan::Device{instance, physical, device, family, queue, &mutex, &info});
    wrong = run_kernel(gpu, memory);
    std::printf("%s: %d of %d elements are wrong\n", gpu.name().c_str(), wrong, kElements);
  }
  vkDestroyBuffer(device, memory.buffer, nullptr);
  vkFreeMemory(device, memory.memory, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  void* const library = ::dlopen("libvulkan.so.1", RTLD_NOW);
  if (library != nullptr)
    find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
  if (find == nullptr) {
    std::printf("vulkan_buffer: there is no libvulkan.so.1\n");
    return kNotHere;
  }
  try {
    return run();
  } catch (const quern::Error& e) {
    std::printf("vulkan_buffer: %s\n", e.what());
    return e.kind() == quern::ErrorKind::unsupported ? kNotHere : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vulkan_buffer: %s\n", e.what());
    return 1;
  }
}
#else
int main() {
  std::printf("vulkan_buffer: built without Vulkan's headers\n");
  return 77;
}
#endif
