// Makes the calls of a recording again, on any device, and compares what comes out with what came out then.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "driver/decorators/recording/recording.hpp"
#include "driver/interface/driver.hpp"

namespace quern::recording {

struct Outcome {
  uint64_t calls = 0;      // made
  uint64_t downloads = 0;  // compared, bit for bit
  uint64_t bytes = 0;      // of them
  uint64_t differences = 0;
  std::string first;               // the first difference, as a sentence
  std::vector<std::string> notes;  // what may make the replay differ
  std::string printed;             // by kernels
};

// Every call is checked before the device sees it. An error is a recording that cannot be followed; a device
// that answers otherwise than the recorded one is a difference. Stops at the first call that worked then and
// fails now.
base::Result<Outcome> replay(const Recording& recording, driver::Device& device);

}  // namespace quern::recording
