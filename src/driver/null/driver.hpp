// `null`: the skeleton of a driver, to be copied. It finds no device and says so. docs/driver.md describes
// how to make a driver of it.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::null {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::null
