// How good devices are, and which of them are the same hardware seen by several drivers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/info.hpp"

namespace quern::runtime {

struct Candidate {
  driver::DeviceInfo info;
  int score = 0;                     // the simulator has 0: it is never chosen unless named
  std::string same_as;               // the id of the driver that is preferred for this hardware; empty: it is
  std::vector<std::string> also_as;  // ids under which other drivers have the same hardware
};

// Kind first (discrete 1000, integrated 500, virtual 100, cpu 50, other 10), then the API's version (at most
// 10), memory (40) and compute units (20), and, with QUERN_SCORE=measured, what `quern probe --bench`
// measured (100). A device that runs inline kernels only has 1.
int score(const driver::DeviceInfo& info);

// The best first. Drivers of the same hardware have the best of their scores, and CUDA goes before HIP, Level
// Zero, OpenCL, Vulkan, Metal, WebGPU, OpenGL and the cpu, as among equal scores.
std::vector<Candidate> ranked(const std::vector<driver::DeviceInfo>& devices);

// What was measured on a device, kept in the user's cache until its driver changes.
struct Measured {
  double gigabytes = 0;  // per second, read and written by a kernel that copies
  double gigaflops = 0;  // in float
};
std::optional<Measured> measured(const driver::DeviceInfo& info);
base::Result<> remember(const driver::DeviceInfo& info, const Measured& measured);

}  // namespace quern::runtime
