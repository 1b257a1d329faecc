// The types of Vulkan's C API that are used, declared here: no header is needed to build. Structures have
// Vulkan's names and layouts (tests/vulkan compares them with vulkan_core.h if that is installed) and set
// their own `type`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::vulkan {

using Instance = struct InstanceTag*;
using PhysicalDevice = struct PhysicalDeviceTag*;
using DeviceHandle = struct DeviceHandleTag*;
using QueueHandle = struct QueueHandleTag*;
using CommandBuffer = struct CommandBufferTag*;

enum class BufferHandle : uint64_t {};
enum class CommandPool : uint64_t {};
enum class DebugMessenger : uint64_t {};
enum class DescriptorPool : uint64_t {};
enum class DescriptorSet : uint64_t {};
enum class DescriptorSetLayout : uint64_t {};
enum class DeviceMemory : uint64_t {};
enum class Fence : uint64_t {};
enum class Pipeline : uint64_t {};
enum class PipelineCache : uint64_t {};
enum class PipelineLayout : uint64_t {};
enum class QueryPool : uint64_t {};
enum class Semaphore : uint64_t {};
enum class ShaderModule : uint64_t {};

using VoidFunction = void (*)();
using GetInstanceProcAddr = VoidFunction (*)(Instance, const char*);

// VkResult: 0 is success, positive values are states, negative values are errors.
enum VkResult : int32_t { kDeviceLost = -4, kLayerNotPresent = -6, kIncompatibleDriver = -9 };

constexpr uint32_t version(uint32_t major, uint32_t minor) { return major << 22 | minor << 12; }

enum : uint32_t {
  kQueueGraphics = 1,
  kQueueCompute = 2,
  kQueueTransfer = 4,
  kMemoryDeviceLocal = 1,
  kMemoryHostVisible = 2,
  kMemoryHostCoherent = 4,
  kMemoryHostCached = 8,
  kBufferTransferSource = 1,
  kBufferTransferTarget = 2,
  kBufferUniform = 16,
  kBufferStorage = 32,
  kBufferAddress = 0x20000,
  kAllocateAddress = 2,
  kHandleOpaqueFd = 1,
  kStageCompute = 0x20,  // shader stage
  kPipeCompute = 0x800,
  kPipeTransfer = 0x1000,
  kPipeBottom = 0x2000,
  kPipeHost = 0x4000,
  kPipeAll = 0x10000,
  kReadShader = 0x20,
  kWriteShader = 0x40,
  kReadTransfer = 0x800,
  kWriteTransfer = 0x1000,
  kReadHost = 0x2000,
  kWriteHost = 0x4000,
  kPoolResetsBuffers = 2,
  kBeginOnce = 1,
  kDescriptorUniform = 6,
  kDescriptorStorage = 7,
  kQueryTimestamp = 2,
  kQuery64 = 1,
  kFullSubgroups = 2,
  kSubgroupBasic = 1,
  kSubgroupBallot = 8,
  kSubgroupShuffle = 16,
  kDomainDevice = 0,
  kDomainMonotonic = 1,
  kSeverityError = 0x1000,
  kMessageValidation = 2,
};

inline constexpr int32_t kBindCompute = 1, kSharingConcurrent = 1;

// clang-format off
// A structure of a pNext chain: its type, the next structure, and its own members.
#define QUERN_VK_STRUCT(name, number, constness, ...) \
  struct name {                                       \
    int32_t type = number;                            \
    constness void* next = nullptr;                   \
    __VA_ARGS__                                       \
  };

QUERN_VK_STRUCT(ApplicationInfo, 0, const, const char* application = nullptr;
    uint32_t application_version = 0; const char* engine = nullptr; uint32_t engine_version = 0;
    uint32_t api_version = 0;)
QUERN_VK_STRUCT(InstanceCreateInfo, 1, const, uint32_t flags = 0;
    const ApplicationInfo* application = nullptr; uint32_t layer_count = 0;
    const char* const* layers = nullptr; uint32_t extension_count = 0;
    const char* const* extensions = nullptr;)
struct ExtensionProperties { char name[256]; uint32_t version; };
// more[14]: labels and objects
struct MessageData { int32_t type; const void* next; uint32_t flags; const char* id_name; int32_t id;
    const char* text; uint32_t more[14]; };
QUERN_VK_STRUCT(MessengerCreateInfo, 1000128004, const, uint32_t flags = 0;
    uint32_t severity = kSeverityError; uint32_t types = kMessageValidation;
    uint32_t (*callback)(uint32_t severity, uint32_t types, const MessageData*, void* user) = nullptr;
    void* user = nullptr;)
struct PhysicalDeviceLimits { uint32_t images[6]; uint32_t uniform_range; uint32_t storage_range;
    uint32_t push_bytes; uint32_t allocations; uint32_t samplers[6]; uint32_t bound_sets;
    uint32_t stage_samplers; uint32_t stage_uniform_buffers; uint32_t stage_storage_buffers;
    uint32_t graphics[34]; uint32_t shared_bytes; uint32_t groups[3]; uint32_t group_threads;
    uint32_t group[3]; uint32_t rasterizer[18]; uint64_t uniform_alignment; uint64_t storage_alignment;
    uint32_t more_graphics[21]; uint32_t has_timestamps; float timestamp_period; uint32_t rest[17];
    uint64_t atom_bytes; };
QUERN_VK_STRUCT(PhysicalDeviceProperties2, 1000059001, , uint32_t api_version = 0;
    uint32_t driver_version = 0; uint32_t vendor = 0; uint32_t device = 0; int32_t device_type = 0;
    char name[256] = {}; uint8_t cache_uuid[16] = {}; PhysicalDeviceLimits limits = {};
    uint32_t sparse[6] = {};)
QUERN_VK_STRUCT(IdProperties, 1000071004, , uint8_t device_uuid[16] = {}; uint8_t driver_uuid[16] = {};
    uint8_t luid[8] = {}; uint32_t node_mask = 0; uint32_t has_luid = 0;)
QUERN_VK_STRUCT(SubgroupProperties, 1000094000, , uint32_t size = 0; uint32_t stages = 0;
    uint32_t operations = 0; uint32_t quads = 0;)
QUERN_VK_STRUCT(Maintenance3Properties, 1000168000, , uint32_t set_descriptors = 0;
    uint64_t allocation_bytes = 0;)
QUERN_VK_STRUCT(Maintenance4Properties, 1000413001, , uint64_t buffer_bytes = UINT64_MAX;)
QUERN_VK_STRUCT(DriverProperties, 1000196000, , int32_t id = 0; char name[256] = {}; char info[256] = {};
    uint8_t conformance[4] = {};)
// stages: in which a subgroup size may be set
QUERN_VK_STRUCT(SubgroupSizeProperties, 1000225000, , uint32_t smallest = 0; uint32_t largest = 0;
    uint32_t group_subgroups = 0; uint32_t stages = 0;)
// preserves_nan[3]: for 16, 32 and 64 bits; also signed zeros and infinities
QUERN_VK_STRUCT(FloatControlsProperties, 1000197000, , int32_t denormal_independence = 0;
    int32_t rounding_independence = 0; uint32_t preserves_nan[3] = {};
    uint32_t preserves_denormals[3] = {}; uint32_t flushes_denormals[3] = {};
    uint32_t rounds_to_nearest[3] = {}; uint32_t rounds_to_zero[3] = {};)
QUERN_VK_STRUCT(PciProperties, 1000212000, , uint32_t domain = 0, bus = 0, device = 0, function = 0;)
// flags[55]: of Vulkan 1.0
QUERN_VK_STRUCT(PhysicalDeviceFeatures2, 1000059000, , uint32_t flags[55] = {};)
// Any feature structure: flags after the header. Vulkan accesses as many as the type has.
QUERN_VK_STRUCT(FeatureBlock, 0, , uint32_t flags[12] = {};)
// is_saturating: the sum is clamped
QUERN_VK_STRUCT(CooperativeMatrixProperties, 1000506001, , uint32_t m = 0; uint32_t n = 0; uint32_t k = 0;
    int32_t a_type = 0; int32_t b_type = 0; int32_t c_type = 0; int32_t result_type = 0;
    uint32_t is_saturating = 0; int32_t scope = 0;)
struct MemoryType { uint32_t flags; uint32_t heap; };
struct MemoryHeap { uint64_t bytes; uint32_t flags; };
struct MemoryProperties { uint32_t type_count; MemoryType types[32]; uint32_t heap_count;
    MemoryHeap heaps[16]; };
struct QueueFamilyProperties { uint32_t flags; uint32_t count; uint32_t timestamp_bits;
    uint32_t image_granularity[3]; };
QUERN_VK_STRUCT(DeviceQueueCreateInfo, 2, const, uint32_t flags = 0; uint32_t family = 0;
    uint32_t count = 0; const float* priorities = nullptr;)
QUERN_VK_STRUCT(DeviceCreateInfo, 3, const, uint32_t flags = 0; uint32_t queue_count = 0;
    const DeviceQueueCreateInfo* queues = nullptr; uint32_t layer_count = 0;
    const char* const* layers = nullptr; uint32_t extension_count = 0;
    const char* const* extensions = nullptr; const void* features = nullptr;)
QUERN_VK_STRUCT(MemoryAllocateFlagsInfo, 1000060000, const, uint32_t flags = 0; uint32_t device_mask = 0;)
QUERN_VK_STRUCT(MemoryAllocateInfo, 5, const, uint64_t bytes = 0; uint32_t memory_type = 0;)
QUERN_VK_STRUCT(ExternalMemoryBufferCreateInfo, 1000072000, const, uint32_t handles = kHandleOpaqueFd;)
QUERN_VK_STRUCT(ExportMemoryAllocateInfo, 1000072002, const, uint32_t handles = kHandleOpaqueFd;)
QUERN_VK_STRUCT(ImportMemoryFdInfo, 1000074000, const, uint32_t handle = kHandleOpaqueFd;
    int32_t descriptor = -1;)
QUERN_VK_STRUCT(MemoryGetFdInfo, 1000074002, const, DeviceMemory memory = {};
    uint32_t handle = kHandleOpaqueFd;)
QUERN_VK_STRUCT(MemoryDedicatedAllocateInfo, 1000127001, const, uint64_t image = 0; BufferHandle buffer = {};)
struct MemoryRequirements { uint64_t bytes; uint64_t alignment; uint32_t types; };
QUERN_VK_STRUCT(BufferCreateInfo, 12, const, uint32_t flags = 0; uint64_t bytes = 0; uint32_t usage = 0;
    int32_t sharing = 0; uint32_t family_count = 0; const uint32_t* families = nullptr;)
QUERN_VK_STRUCT(BufferDeviceAddressInfo, 1000244001, const, BufferHandle buffer = {};)
struct BufferCopy { uint64_t from, to, bytes; };
QUERN_VK_STRUCT(ShaderModuleCreateInfo, 16, const, uint32_t flags = 0; size_t bytes = 0;
    const uint32_t* code = nullptr;)
QUERN_VK_STRUCT(PipelineCacheCreateInfo, 17, const, uint32_t flags = 0; size_t bytes = 0;
    const void* data = nullptr;)
struct SpecializationEntry { uint32_t id; uint32_t offset; size_t bytes; };
struct SpecializationInfo { uint32_t count = 0; const SpecializationEntry* entries = nullptr;
    size_t bytes = 0; const void* data = nullptr; };
QUERN_VK_STRUCT(RequiredSubgroupSize, 1000225001, const, uint32_t size = 0;)
QUERN_VK_STRUCT(ShaderStageCreateInfo, 18, const, uint32_t flags = 0; uint32_t stage = kStageCompute;
    ShaderModule module = {}; const char* entry = nullptr; const SpecializationInfo* constants = nullptr;)
QUERN_VK_STRUCT(ComputePipelineCreateInfo, 29, const, uint32_t flags = 0; ShaderStageCreateInfo stage;
    PipelineLayout layout = {}; Pipeline base = {}; int32_t base_index = -1;)
struct PushConstantRange { uint32_t stages, offset, bytes; };
QUERN_VK_STRUCT(PipelineLayoutCreateInfo, 30, const, uint32_t flags = 0; uint32_t set_count = 0;
    const DescriptorSetLayout* sets = nullptr; uint32_t range_count = 0;
    const PushConstantRange* ranges = nullptr;)
struct DescriptorBinding { uint32_t binding = 0; uint32_t descriptor = kDescriptorStorage;
    uint32_t count = 1; uint32_t stages = kStageCompute; const void* samplers = nullptr; };
QUERN_VK_STRUCT(DescriptorSetLayoutCreateInfo, 32, const, uint32_t flags = 0; uint32_t count = 0;
    const DescriptorBinding* bindings = nullptr;)
struct DescriptorPoolSize { uint32_t descriptor, count; };
QUERN_VK_STRUCT(DescriptorPoolCreateInfo, 33, const, uint32_t flags = 0; uint32_t sets = 0;
    uint32_t size_count = 0; const DescriptorPoolSize* sizes = nullptr;)
QUERN_VK_STRUCT(DescriptorSetAllocateInfo, 34, const, DescriptorPool pool = {}; uint32_t count = 0;
    const DescriptorSetLayout* layouts = nullptr;)
struct DescriptorBufferInfo { BufferHandle buffer; uint64_t offset, bytes; };
QUERN_VK_STRUCT(WriteDescriptorSet, 35, const, DescriptorSet set = {}; uint32_t binding = 0;
    uint32_t element = 0; uint32_t count = 1; uint32_t descriptor = kDescriptorStorage;
    const void* images = nullptr; const DescriptorBufferInfo* buffers = nullptr;
    const void* views = nullptr;)
QUERN_VK_STRUCT(CommandPoolCreateInfo, 39, const, uint32_t flags = kPoolResetsBuffers; uint32_t family = 0;)
QUERN_VK_STRUCT(CommandBufferAllocateInfo, 40, const, CommandPool pool = {}; int32_t level = 0;
    uint32_t count = 1;)
QUERN_VK_STRUCT(CommandBufferBeginInfo, 42, const, uint32_t flags = kBeginOnce;
    const void* inheritance = nullptr;)
QUERN_VK_STRUCT(MemoryBarrier, 46, const, uint32_t from = 0; uint32_t to = 0;)
QUERN_VK_STRUCT(QueryPoolCreateInfo, 11, const, uint32_t flags = 0; int32_t query = kQueryTimestamp;
    uint32_t count = 0; uint32_t statistics = 0;)
// semaphore: a timeline
QUERN_VK_STRUCT(SemaphoreTypeCreateInfo, 1000207002, const, int32_t semaphore = 1; uint64_t initial = 0;)
QUERN_VK_STRUCT(SemaphoreCreateInfo, 9, const, uint32_t flags = 0;)
QUERN_VK_STRUCT(TimelineSubmitInfo, 1000207003, const, uint32_t wait_count = 0;
    const uint64_t* wait_values = nullptr; uint32_t signal_count = 0;
    const uint64_t* signal_values = nullptr;)
QUERN_VK_STRUCT(SubmitInfo, 4, const, uint32_t wait_count = 0; const Semaphore* waits = nullptr;
    const uint32_t* wait_stages = nullptr; uint32_t command_count = 0;
    const CommandBuffer* commands = nullptr; uint32_t signal_count = 0; const Semaphore* signals = nullptr;)
QUERN_VK_STRUCT(SemaphoreWaitInfo, 1000207004, const, uint32_t flags = 0; uint32_t count = 1;
    const Semaphore* semaphores = nullptr; const uint64_t* values = nullptr;)
QUERN_VK_STRUCT(CalibratedTimestampInfo, 1000184000, const, int32_t domain = 0;)
#undef QUERN_VK_STRUCT
// clang-format on

}  // namespace quern::vulkan
