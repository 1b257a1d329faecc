// Standard output and standard error of the tool. Both pass through one filter (base/terminal_filter.hpp), as
// what is printed may come from files of other people.
#pragma once

#include <cstdio>

namespace quern::tool {

/// Puts the filter in front of stdout and stderr. Called once, before anything is printed.
void filter_output();

/// Writes what the filter holds back, an incomplete character at the end. Called once, after everything.
void finish_output();

/// The unfiltered stream, for control sequences of our own: `stream` is stdout or stderr. Unbuffered.
std::FILE* control_stream(std::FILE* stream);

}  // namespace quern::tool
