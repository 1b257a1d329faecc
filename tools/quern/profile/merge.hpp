// Merges the traces of several processes into one.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"

namespace quern::tool {

// Each text is a trace file. The result has one process for each of them, ordered by rank: the threads of the
// host, and the streams of its devices. Times are aligned by the clocks of the machines.
base::Result<std::string> merge_traces(std::span<const std::string> texts);

}  // namespace quern::tool
