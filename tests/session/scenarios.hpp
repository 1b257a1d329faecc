// Programs as users write them, each yielding what it saw: numbers that must be the same however often the
// device was lost meanwhile.
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
std::vector<double> keeps(Session& session);  // checkpoints, and a file of what is kept

}  // namespace quern::test
