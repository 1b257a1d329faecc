// OpenCL 1.2 to 3.0: all platforms that the system's loader finds.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::opencl {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::opencl
