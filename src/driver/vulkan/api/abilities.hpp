// The features of a physical device, queried through pNext chains, and those to enable.
#pragma once

#include <optional>

#include "driver/interface/info.hpp"
#include "driver/vulkan/api/api.hpp"
#include "driver/vulkan/api/features.hpp"

namespace quern::vulkan {

inline constexpr uint32_t kWarp = 32;
inline constexpr uint32_t kMostRawPushed = 256;
inline constexpr uint32_t kMostPushed = 128;  // of an argument block: every device supports this

struct Abilities {
  PhysicalDeviceProperties2 properties;
  PhysicalDeviceFeatures2 core;
  FeatureBlock groups[kFeatureGroups];  // as reported by the device; unused flags are 0
  bool offered[kFeatureGroups] = {};
  std::vector<const char*> extensions;  // to enable
  IdProperties id;
  SubgroupProperties subgroup;
  Maintenance3Properties maintenance;
  Maintenance4Properties maintenance4;
  DriverProperties driver;
  SubgroupSizeProperties subgroup_size;
  FloatControlsProperties floats;
  std::vector<ir::Matrix> matrices;  // that a subgroup can multiply
  std::optional<PciProperties> pci;
  MemoryProperties memory = {};
  uint32_t family = 0;
  uint32_t queues = 0;
  uint32_t copy_family = 0;  // with copies_apart: family of the transfer queue
  bool copies_apart = false;
  uint32_t timestamp_bits = 0;
  bool can_calibrate = false;

  bool has(FeatureGroup group, uint32_t flag) const {
    return (group == kCore ? core.flags[flag] : groups[group].flags[flag]) != 0;
  }
  bool sets_subgroups() const;  // the subgroup size can be set
  bool fixes_warps() const;     // subgroups have, or can be set to, 32 threads, with shuffles
  bool warps_meet() const {
    return fixes_warps() && has(kReconvergence, 0);
  }  // subgroups can be used as warps
  bool full_subgroups() const { return has(kSubgroupSize, 1); }
  // The features to enable, as a pNext chain for vkCreateDevice, valid as long as this object.
  void* chain();

  // Removes what a device that another library created does not have enabled.
  void restrict_to(const DeviceCreateInfo& created);

  // The error says why the device cannot be used.
  static Result<Abilities> of(const InstanceApi& api, PhysicalDevice device);
};

// describe.cpp: the device in terms of the driver interface.
driver::DeviceInfo describe(const Abilities& has);

}  // namespace quern::vulkan
