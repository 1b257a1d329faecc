// `null`: the template for new drivers. It is a complete driver for one device that lives in host memory and
// runs inline kernels without synchronization. docs/driver.md describes how to make a driver of it.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::null {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::null
