// CUDA on NVIDIA devices: needs NVIDIA's driver, and NVRTC to compile kernels.
#pragma once

#include <memory>

#include "driver/cuda/vendor.hpp"
#include "driver/interface/driver.hpp"

namespace quern::cuda {

std::unique_ptr<driver::Driver> make_driver();
// The same for a vendor whose API is CUDA's under other names.
std::unique_ptr<driver::Driver> make_driver_of(const Vendor& vendor);

}  // namespace quern::cuda
