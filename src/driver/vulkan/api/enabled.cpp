// What is enabled on a VkDevice that another library created, by the structures it created it with.
#include <algorithm>
#include <string_view>

#include "driver/vulkan/api/abilities.hpp"

namespace quern::vulkan {

namespace {

// Where VkPhysicalDeviceVulkan11Features, 12 and 13 have the features of a group: first flag and their count.
struct AggregateRow {
  FeatureGroup group;
  int32_t type;
  uint32_t first, count;
};
constexpr int32_t kVulkan11 = 49, kVulkan12 = 51, kVulkan13 = 53;
constexpr AggregateRow kAggregates[] = {
    {kStorage16, kVulkan11, 0, 4},      {kVariablePointers, kVulkan11, 7, 2},
    {kStorage8, kVulkan12, 2, 3},       {kAtomics64, kVulkan12, 5, 2},
    {kSmallTypes, kVulkan12, 7, 2},     {kScalarLayout, kVulkan12, 31, 1},
    {kSubgroupTypes, kVulkan12, 34, 1}, {kTimeline, kVulkan12, 37, 1},
    {kAddress, kVulkan12, 38, 3},       {kMemoryModel, kVulkan12, 41, 3},
    {kSubgroupSize, kVulkan13, 7, 2},   {kMaintenance4, kVulkan13, 14, 1},
};

struct Header {
  int32_t type;
  const Header* next;
};

const uint32_t* flags_of(const Header* found) { return reinterpret_cast<const uint32_t*>(found + 1); }

const Header* find(const void* chain, int32_t type) {
  for (const auto* at = static_cast<const Header*>(chain); at != nullptr; at = at->next) {
    if (at->type == type) return at;
  }
  return nullptr;
}

// Clears flags that are not enabled; returns whether the group was requested at all.
bool restrict_group(FeatureBlock& block, FeatureGroup group, const void* chain) {
  const Header* found = find(chain, kGroups[group].type);
  uint32_t first = 0;
  uint32_t count = std::size(block.flags);
  if (found == nullptr) {
    for (const AggregateRow& row : kAggregates) {
      if (row.group != group || find(chain, row.type) == nullptr) continue;
      found = find(chain, row.type);
      first = row.first;
      count = row.count;
    }
  }
  for (uint32_t i = 0; i < std::size(block.flags); ++i) {
    // A structure has as many flags as the device has features of the group: others are 0 here already.
    if (block.flags[i] == 0) continue;
    if (found == nullptr || i >= count || flags_of(found)[first + i] == 0) block.flags[i] = 0;
  }
  return found != nullptr;
}

}  // namespace

void Abilities::restrict_to(const DeviceCreateInfo& created) {
  const auto is_enabled = [&](std::string_view name) {
    return std::any_of(created.extensions, created.extensions + created.extension_count,
                       [&](const char* e) { return name == e; });
  };
  const Header* const features2 = find(created.next, PhysicalDeviceFeatures2().type);
  const auto* const enabled = created.features != nullptr ? static_cast<const uint32_t*>(created.features)
                              : features2 != nullptr      ? flags_of(features2)
                                                          : nullptr;
  for (uint32_t i = 0; i < std::size(core.flags); ++i) {
    if (enabled == nullptr || enabled[i] == 0) core.flags[i] = 0;
  }
  for (uint8_t i = 0; i < kFeatureGroups; ++i) {
    if (!restrict_group(groups[i], static_cast<FeatureGroup>(i), created.next)) offered[i] = false;
  }
  std::erase_if(extensions, [&](const char* name) { return !is_enabled(name); });
  can_calibrate = can_calibrate &&
                  (is_enabled("VK_EXT_calibrated_timestamps") || is_enabled("VK_KHR_calibrated_timestamps"));
  if (!has(kMatrices, 0)) matrices.clear();
}

}  // namespace quern::vulkan
