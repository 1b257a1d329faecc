// Replays the calls of a recording on any device, and compares the results with the recorded ones.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/decorators/recording/recording.hpp"
#include "driver/interface/driver.hpp"

namespace quern::recording {

struct Outcome {
  uint64_t calls = 0;      // replayed
  uint64_t downloads = 0;  // compared, bit for bit
  uint64_t bytes = 0;      // of them
  uint64_t differences = 0;
  std::string first;               // the first difference, as a sentence
  std::vector<std::string> notes;  // why the replay may differ
  std::string printed;             // by kernels
};

// Every call is validated before it reaches the device. An invalid recording is an error; a result that
// differs from the recorded one is a difference. Stops at the first call that succeeded when recorded and
// fails now.
base::Result<Outcome> replay(const Recording& recording, driver::Device& device);

}  // namespace quern::recording
