// Runs code in a child process that may crash or hang: third-party drivers.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace quern::runtime {

// Runs `attempt` in a child process and returns its output. A crash or a run time above `seconds` is reported
// as an error. `attempt` must not depend on other threads of this process.
base::Result<std::string> try_in_child(const std::function<base::Result<std::string>()>& attempt,
                                       double seconds);

}  // namespace quern::runtime
