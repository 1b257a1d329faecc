// Runs one expression of library functions on the simulator, with only the simplest native operations.
#pragma once

#include <string>
#include <vector>

namespace quern::expand::test {

// y[i] = expression of a = x[i], b = x[i + 1], c = x[i + 2]. `has_double`: like a target that computes floats
// in double.
std::vector<float> run(const std::string& expression, std::vector<float> x, bool has_double = false);
std::vector<double> run(const std::string& expression, std::vector<double> x);

}  // namespace quern::expand::test
