// OpenCL 1.2 to 3.0: whatever the system's loader finds, every platform.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::opencl {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::opencl
