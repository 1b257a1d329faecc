// Measures the speed of a device in less than a second, for `quern probe --bench`.
#pragma once

#include <string>

#include "base/result.hpp"
#include "runtime/score.hpp"

namespace quern::tool {

base::Result<runtime::Measured> bench(const std::string& device);

}  // namespace quern::tool
