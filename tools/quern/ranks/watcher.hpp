// The watcher of one rank: runs the program and writes its output with the rank before each line.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quern::tool {

// `words`: the folder with the pipes, the program, and its arguments. Returns the exit code: 0 unless the
// pipes cannot be opened, because the launcher must not end the other ranks by itself.
int watch_rank(std::span<const std::string_view> words);

}  // namespace quern::tool
