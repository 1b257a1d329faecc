// Which device: every driver's devices with their scores, and the one that a request asks for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"

namespace quern::runtime {

struct Candidate {
  driver::DeviceInfo info;
  int score = 0;  // the simulator has 0: it is never chosen unless named
};

// Kind first (discrete 1000, integrated 500, virtual 100, cpu 50, other 10), then API version, memory and
// compute units. A device that runs inline kernels only has 1.
int score(const driver::DeviceInfo& info);

// Whether kernels in the kernel language run there; some devices take only inline kernels or raw code.
bool takes_kernels(const driver::DeviceInfo& info);

// All devices of all drivers, the best first.
std::vector<Candidate> candidates();

// "": the best; "cuda": the best of that driver; "cuda:1"; "sim,seed=7"; or a part of a device's name.
struct Request {
  std::string text;
  std::function<bool(const driver::DeviceInfo&)> accepts;  // absent: any
  bool is_free = false;                                    // QUERN_DEVICE has no say
};

Result<std::shared_ptr<Device>> open(const Request& request);

// The driver's device below it, decorated as the environment asks; `with_faults`: with those of QUERN_FAULTS.
Result<std::unique_ptr<driver::Device>> open_below(const Request& request, bool with_faults = true);

}  // namespace quern::runtime
