// The host as a device: inline kernels run as compiled by the program's own compiler. The fallback on
// machines without a better device.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::native {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::native
