// The device `cpu`: the host's processor, with kernels compiled by LLVM.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::cpu {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::cpu
