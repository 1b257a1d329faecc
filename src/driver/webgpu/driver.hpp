// WebGPU through any library that exports webgpu.h: wgpu-native, Dawn.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::webgpu {

std::unique_ptr<driver::Driver> make_driver();

}  // namespace quern::webgpu
