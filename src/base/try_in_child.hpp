// Runs code in a child process that may crash or hang: third-party libraries.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::base {

// Runs `attempt` in a child process and returns its result. If the child crashes, ends or runs longer than
// `seconds`, the result is an error with `hint`. `attempt` must not depend on other threads of this process.
Result<std::string> try_in_child(const std::function<Result<std::string>()>& attempt, double seconds,
                                 std::string_view hint);

}  // namespace quern::base
