// The simulator behind the driver interface: as `sim` it takes our IR, as `std.gpu` SPIR-V, with the same
// checks.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::sim {

std::unique_ptr<driver::Driver> make_driver();
std::unique_ptr<driver::Driver> make_spirv_driver();

}  // namespace quern::sim
