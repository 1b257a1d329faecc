// How fast a device copies within its own memory.
#pragma once

#include <string>

#include "base/result.hpp"

namespace quern::tool {

// Bytes read and written in a second: as it was measured once, else measured now and kept. `id`: "cuda:0".
// Yields 0 for what is simulated, where it says nothing.
base::Result<double> bandwidth_of(const std::string& id);

}  // namespace quern::tool
