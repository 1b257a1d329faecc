// What a physical device can do, asked by Vulkan's chains of structures, and what of it is switched on.
#pragma once

#include <optional>

#include "driver/interface/info.hpp"
#include "driver/vulkan/api/api.hpp"
#include "driver/vulkan/api/features.hpp"

namespace quern::vulkan {

inline constexpr uint32_t kWarp = 32;
inline constexpr uint32_t kMostRawPushed = 256;
inline constexpr uint32_t kMostPushed = 128;  // of a block of arguments: what every device has room for

struct Abilities {
  PhysicalDeviceProperties2 properties;
  PhysicalDeviceFeatures2 core;
  FeatureBlock groups[kFeatureGroups];  // as the device says; what is not wanted is 0
  bool offered[kFeatureGroups] = {};
  std::vector<const char*> extensions;  // to switch on
  IdProperties id;
  SubgroupProperties subgroup;
  Maintenance3Properties maintenance;
  Maintenance4Properties maintenance4;
  DriverProperties driver;
  SubgroupSizeProperties subgroup_size;
  FloatControlsProperties floats;
  std::vector<ir::Matrix> matrices;  // that a subgroup multiplies
  std::optional<PciProperties> pci;
  MemoryProperties memory = {};
  uint32_t family = 0;
  uint32_t queues = 0;
  uint32_t copy_family = 0;  // with copies_apart: of the queue for copies
  bool copies_apart = false;
  uint32_t timestamp_bits = 0;
  bool can_calibrate = false;

  bool has(FeatureGroup group, uint32_t flag) const {
    return (group == kCore ? core.flags[flag] : groups[group].flags[flag]) != 0;
  }
  bool sets_subgroups() const;  // a size can be asked for
  bool fixes_warps() const;     // subgroups are, or can be made, 32 threads that exchange
  bool warps_meet() const { return fixes_warps() && has(kReconvergence, 0); }  // subgroups serve as warps
  bool full_subgroups() const { return has(kSubgroupSize, 1); }
  // The features to switch on, as a chain for vkCreateDevice that lives as long as this.
  void* chain();

  // Removes what a device that another library created does not have enabled.
  void restrict_to(const DeviceCreateInfo& created);

  // The error says why the device does not serve.
  static Result<Abilities> of(const InstanceApi& api, PhysicalDevice device);
};

// describe.cpp: what the layer above wants to know of it.
driver::DeviceInfo describe(const Abilities& has);

}  // namespace quern::vulkan
