// The refusal, with the reason, of a device that cannot give what a kernel asks for.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"

namespace quern::runtime {

// Whether the device has all the kernel needs; else one sentence with the first thing it lacks.
base::Result<void> check_needs(const driver::KernelInfo& kernel, const driver::DeviceInfo& device);

}  // namespace quern::runtime
