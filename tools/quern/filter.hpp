// Other programs that turn one text into another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::tool {

/// Runs a program (looked for along PATH; no shell is involved) with `input` as its standard input. Returns
/// its standard output; its standard error is discarded. An exit code other than 0 is an error.
base::Result<std::string> run_filter(const std::vector<std::string>& words, std::string_view input);

}  // namespace quern::tool
