// Runs other programs as filters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::tool {

/// Runs a program (found through PATH, without a shell) with `input` as its standard input. Returns its
/// standard output; its standard error is discarded. A nonzero exit code is an error.
base::Result<std::string> run_filter(const std::vector<std::string>& words, std::string_view input);

}  // namespace quern::tool
