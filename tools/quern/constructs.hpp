// What each target makes of what kernels are made of. Nothing here is told by hand: small kernels go through
// the emitters, and the answers are the table (docs/targets.md, `quern emit --list`).
#pragma once

#include <string>

namespace quern::tool {

// A table in Markdown, and below it the reasons for what is refused.
std::string construct_table();

}  // namespace quern::tool
