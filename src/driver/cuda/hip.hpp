// HIP on AMD devices: the CUDA driver (src/driver/cuda) with AMD's names.
#pragma once

#include <memory>

#include "driver/cuda/vendor.hpp"
#include "driver/interface/driver.hpp"

namespace quern::hip {

std::unique_ptr<driver::Driver> make_driver();
const cuda::Vendor& vendor();

}  // namespace quern::hip
