// Groups of the devices of this machine, in pairs, alone and repeated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quern/group.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"

namespace quern::test {

struct GroupPlan {
  const char* name;
  std::vector<std::string> devices;
  std::vector<double> weights;

  friend void PrintTo(const GroupPlan& plan, std::ostream* out) { *out << plan.name; }
};

// "cpu" twice in a plan is one device twice.
inline DeviceGroup group_of(const GroupPlan& plan) {
  std::vector<Device> devices;
  for (const std::string& name : plan.devices) {
    const Device* known = nullptr;
    for (const Device& device : devices) {
      if (device.driver() == name) known = &device;
    }
    const Device device = known != nullptr ? *known : quern::open(name);
    devices.push_back(device);
  }
  return DeviceGroup(devices).with_weights(plan.weights);
}

class GroupPairs : public testing::TestWithParam<GroupPlan> {
 protected:
  void SetUp() override {
    for (const std::string& name : GetParam().devices) {
      if (const std::string why = why_not(name, {}); !why.empty()) GTEST_SKIP() << why;
    }
    group = group_of(GetParam());
  }
  // Whether a device has a compiler that takes seconds: tests then use few kernels.
  static bool is_slow() {
    for (const std::string& name : GetParam().devices) {
      if (is_foreign(name)) return true;
    }
    return false;
  }

  DeviceGroup group;
};

inline const std::vector<GroupPlan>& group_plans() {
  static const std::vector<GroupPlan> plans{
      {"cpu_alone", {"cpu"}, {1}},
      {"cpu_cpu", {"cpu", "cpu"}, {1, 1}},
      {"cpu_sim", {"cpu", "sim"}, {3, 1}},
      {"cpu_opencl", {"cpu", "opencl"}, {1, 2}},
      {"cpu_vulkan", {"cpu", "vulkan"}, {2, 1}},
      {"none_cpu_none_sim_cpu", {"sim", "cpu", "sim", "sim", "cpu"}, {0, 2, 0, 1, 1}},
  };
  return plans;
}

}  // namespace quern::test
