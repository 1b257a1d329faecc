// The simulator behind the driver interface.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::sim {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::sim
