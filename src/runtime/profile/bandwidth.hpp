// Copy bandwidth of a device within its own memory: measured once by `quern profile`, and stored in the cache
// of compiled code.
#pragma once

#include <string>

#include "driver/interface/info.hpp"

namespace quern::profile {

std::string bandwidth_key(const driver::DeviceInfo& device);
double known_bandwidth(const std::string& key);  // bytes read and written per second; 0: not measured

}  // namespace quern::profile
