// Scores of devices, and detection of hardware that several drivers support.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/info.hpp"

namespace quern::runtime {

// Kind first (discrete 1000, integrated 500, virtual 100, cpu 50, other 10), then the API's version (at most
// 10), memory (40) and compute units (20), and, with QUERN_SCORE=measured, the results of `quern probe
// --bench` (100). A device that runs only inline kernels has 1.
int score(const driver::DeviceInfo& info);

// Best first, with score, same_as and also_as. Drivers of the same hardware share the best of their scores.
// Among equal scores, CUDA comes before HIP, Level Zero, OpenCL, Vulkan, Metal, WebGPU, OpenGL and the cpu.
std::vector<driver::DeviceInfo> ranked(std::vector<driver::DeviceInfo> devices);

// Measurements of a device, kept in the user's cache until its driver changes.
struct Measured {
  double gigabytes = 0;  // per second, read and written by a kernel that copies
  double gigaflops = 0;  // in float
};
std::optional<Measured> measured(const driver::DeviceInfo& info);
base::Result<> remember(const driver::DeviceInfo& info, const Measured& measured);

}  // namespace quern::runtime
