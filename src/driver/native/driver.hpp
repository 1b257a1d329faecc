// The host itself as a device: inline kernels run as the program's own compiler made them. What a machine
// without anything better has.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::native {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::native
