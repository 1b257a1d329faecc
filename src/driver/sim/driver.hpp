// The simulator as a driver: `sim` runs Quern's IR, `std.gpu` runs SPIR-V, with the same checks.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::sim {

std::unique_ptr<driver::Driver> make_driver();
std::unique_ptr<driver::Driver> make_spirv_driver();

}  // namespace quern::sim
