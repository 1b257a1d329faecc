// Standard output and standard error of the tool. Both pass through one filter (base/terminal_filter.hpp),
// because printed text may come from untrusted files.
#pragma once

#include <cstdio>

namespace quern::tool {

/// Installs the filter on stdout and stderr. Call it once, before anything is printed.
void filter_output();

/// Writes text that the filter still holds, such as an incomplete character at the end. Call it once, at the
/// end.
void finish_output();

/// The unfiltered stream, for our own control sequences: `stream` is stdout or stderr. Unbuffered.
std::FILE* control_stream(std::FILE* stream);

}  // namespace quern::tool
