// Level Zero 1.4 and later, through the system's loader: Intel GPUs, and whatever else has such a driver.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::level_zero {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::level_zero
