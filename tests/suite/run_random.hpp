// Random kernels on a device against the simulator: equal bit for bit. What differs is shrunk to a small
// case.
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
  uint64_t refused = 0;  // that the device cannot do, with a reason
  uint64_t differ = 0;
  std::string first;                // that differs: its text, shrunk, and where
  std::vector<std::string> others;  // that differ: the seed, and where
};

// Kernels `seed`, `seed` + 1, … until `count` of them ran or `seconds` are over (0: no limit).
RandomReport run_random(const std::shared_ptr<runtime::Device>& device, uint64_t seed, uint64_t count,
                        double seconds, const std::function<void()>& progress);

}  // namespace quern::test
