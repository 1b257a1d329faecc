// Typical programs, each of which returns its results: they must not depend on device losses.
#pragma once

#include <string>
#include <vector>

#include "quern/inline.hpp"

namespace quern::test {

struct Scenario {
  std::string name;
  std::vector<double> (*run)(const Device& device);
};

const std::vector<Scenario>& scenarios();

// data_scenarios.cpp
std::vector<double> uploads(const Device& device);
std::vector<double> compiles(const Device& device);
std::vector<double> pipeline(const Device& device);
std::vector<double> pressure(const Device& device);
std::vector<double> keeps(Session& session);  // checkpoints, and a file of kept buffers

}  // namespace quern::test
