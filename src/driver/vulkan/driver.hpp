// Vulkan 1.1 and later: whatever the system's loader finds, or the drivers themselves where there is none.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::vulkan {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::vulkan
