// How each target implements the constructs of the kernel language. The table is generated: small kernels are
// passed to the emitters, and the results form the table (docs/targets.md, `quern emit --list`).
#pragma once

#include <string>

namespace quern::tool {

// A table in Markdown, followed by the reasons for unsupported constructs.
std::string construct_table();

}  // namespace quern::tool
