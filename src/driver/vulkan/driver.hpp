// Vulkan 1.1 and later: through the system's loader, or the drivers themselves if there is none.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::vulkan {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::vulkan
