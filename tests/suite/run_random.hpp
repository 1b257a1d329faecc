// Random kernels on a device against the simulator: equal bit for bit. A kernel that differs is reduced to a
// small case.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "suite/random_program.hpp"

namespace quern::test {

struct RandomReport {
  uint64_t ran = 0;      // kernels that both ran
  uint64_t refused = 0;  // that the device does not support, with a reason
  uint64_t differ = 0;
  std::string first;                // first difference: the reduced text, and where
  std::vector<std::string> others;  // other differences: the seed, and where
};

// Runs kernels `seed`, `seed` + 1, … until `count` of them ran or `seconds` have passed (0: no limit).
RandomReport run_random(const std::shared_ptr<runtime::Device>& device, uint64_t seed, uint64_t count,
                        double seconds, const std::function<void()>& progress);

}  // namespace quern::test
