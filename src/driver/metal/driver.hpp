// Metal on macOS, through the Objective-C runtime: GPUs of Apple, and those of older Macs.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::metal {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::metal
