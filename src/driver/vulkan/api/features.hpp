// Feature structures that are queried and enabled. Each belongs to an extension that may be part of a later
// Vulkan version.
#pragma once

#include <cstdint>

#include "driver/vulkan/api/structs.hpp"

namespace quern::vulkan {

// clang-format off
// X(group, structure type, extension, Vulkan version that includes it (0: none), bit mask of the flags to
// enable)
#define QUERN_VULKAN_FEATURES(X)                                                                             \
  X(Storage16, 1000083000, "VK_KHR_16bit_storage", version(1, 1), 0b0111) /* not in inputs of graphics */    \
  X(Storage8, 1000177000, "VK_KHR_8bit_storage", version(1, 2), ~0u)                                         \
  X(SmallTypes, 1000082000, "VK_KHR_shader_float16_int8", version(1, 2), ~0u)                                \
  X(Atomics64, 1000180000, "VK_KHR_shader_atomic_int64", version(1, 2), ~0u)                                 \
  X(Address, 1000257000, "VK_KHR_buffer_device_address", version(1, 2), 0b001) /* no capture, no groups */   \
  X(Timeline, 1000207000, "VK_KHR_timeline_semaphore", version(1, 2), ~0u)                                   \
  X(MemoryModel, 1000211000, "VK_KHR_vulkan_memory_model", version(1, 2), ~0u)                               \
  X(ScalarLayout, 1000221000, "VK_EXT_scalar_block_layout", version(1, 2), ~0u)                              \
  X(SubgroupSize, 1000225002, "VK_EXT_subgroup_size_control", version(1, 3), ~0u)                            \
  X(SubgroupTypes, 1000175000, "VK_KHR_shader_subgroup_extended_types", version(1, 2), ~0u)                  \
  X(AtomicFloats, 1000260000, "VK_EXT_shader_atomic_float", 0, 0xFF) /* without images */                    \
  X(SharedLayout, 1000336000, "VK_KHR_workgroup_memory_explicit_layout", 0, ~0u)                             \
  X(VariablePointers, 1000120000, "VK_KHR_variable_pointers", version(1, 1), ~0u)                            \
  X(Maintenance4, 1000413000, "VK_KHR_maintenance4", version(1, 3), ~0u)                                     \
  X(Clock, 1000181000, "VK_KHR_shader_clock", 0, ~0u)                                                        \
  X(Reconvergence, 1000434000, "VK_KHR_shader_maximal_reconvergence", 0, ~0u)                                \
  X(Matrices, 1000506000, "VK_KHR_cooperative_matrix", 0, 0b01) /* not with bounds of buffers */              \
  X(Bfloat, 1000141000, "VK_KHR_shader_bfloat16", 0, 0b101) /* in matrices only */
// clang-format on

enum FeatureGroup : uint8_t {
#define X(group, type, extension, since, wanted) k##group,
  QUERN_VULKAN_FEATURES(X)
#undef X
      kFeatureGroups,
  kCore = kFeatureGroups,  // VkPhysicalDeviceFeatures
};

struct GroupRow {
  int32_t type;
  const char* extension;
  uint32_t since;
  uint32_t wanted;
};
inline constexpr GroupRow kGroups[kFeatureGroups] = {
#define X(group, type, extension, since, wanted) {type, extension, since, wanted},
    QUERN_VULKAN_FEATURES(X)
#undef X
};

// Flags by their index in their structure.
enum : uint8_t { kFloat64 = 39, kInt64 = 40, kInt16 = 41 };
inline constexpr uint32_t kWantedCore[] = {33, 35, kFloat64, kInt64, kInt16};  // 33, 35: arrays of buffers
struct Flag {
  FeatureGroup group = kFeatureGroups;
  uint8_t place = 0;
};

// Extensions without feature structures: SPIR-V capabilities, and the Vulkan version that includes them.
struct ExtensionRow {
  const char* name;
  uint32_t since;
};
inline constexpr ExtensionRow kExtensions[] = {
    {"VK_KHR_shader_float_controls", version(1, 2)},
    {"VK_KHR_spirv_1_4", version(1, 2)},
    {"VK_KHR_shader_non_semantic_info", version(1, 3)},
    {"VK_KHR_external_memory_fd", 0},  // for memory that other processes import
};

}  // namespace quern::vulkan
