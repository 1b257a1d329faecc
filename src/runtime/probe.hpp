// Tries something in a child process, for code that may crash or hang: the drivers of other people.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace quern::runtime {

// Runs `attempt` in a child and yields what it says. A child that dies or takes longer than `seconds` is an
// error that says so. `attempt` must not depend on other threads of this process.
base::Result<std::string> try_in_child(const std::function<base::Result<std::string>()>& attempt,
                                       double seconds);

}  // namespace quern::runtime
