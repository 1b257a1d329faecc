// Measurements and their presentation.
#pragma once

#include <string>
#include <vector>

#include "quern/types/telemetry.hpp"

namespace quern::bench {

struct Side {
  std::string name;   // "kernel", "loop", "pocl", "lavapipe"
  std::string about;  // the device
};

struct Measured {
  std::string kernel, about;
  std::vector<double> seconds;     // by side; 0: not run
  std::vector<std::string> wrong;  // by side: what differs, or why it does not run
  double bytes = 0, flops = 0;
  double beside = 0;  // seconds of an alternative; 0: none
  std::string beside_what{};
  double ratio(size_t side) const { return seconds[side] > 0 ? seconds[side] / seconds[0] : 0; }
};

struct Report {
  std::vector<Side> sides;  // the first is the device `cpu`
  std::vector<Measured> rows;
  double stream = 0;  // bytes per second of a simple copy loop on all threads
  int threads = 0;
  std::string math, clock;

  double mean(size_t side) const;  // of ratios, geometric
  double least(size_t side) const;
  std::string table() const;
  std::string json(ThrottleReasons throttled) const;
  std::string svg() const;
};

}  // namespace quern::bench
