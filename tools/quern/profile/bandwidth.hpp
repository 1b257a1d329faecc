// Copy bandwidth within a device's memory.
#pragma once

#include <string>

#include "base/result.hpp"

namespace quern::tool {

// Bytes read and written per second: the stored measurement, otherwise measured now and stored. `id`:
// "cuda:0". Returns 0 for simulators, whose speed has no meaning.
base::Result<double> bandwidth_of(const std::string& id);

}  // namespace quern::tool
