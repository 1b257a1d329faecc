// How fast a device copies in its own memory: measured by `quern profile`, once, and kept beside compiled
// code.
#pragma once

#include <string>

#include "driver/interface/info.hpp"

namespace quern::profile {

std::string bandwidth_key(const driver::DeviceInfo& device);
double known_bandwidth(const std::string& key);  // bytes read and written in a second; 0: not measured

}  // namespace quern::profile
