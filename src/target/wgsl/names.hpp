// The user's names as WGSL may have them.
#pragma once

#include <string>
#include <string_view>

#include "target/cstyle/names.hpp"

namespace quern::target::wgsl {

using cstyle::Names;

// A word like `wanted` that nothing in `names` is called and that means nothing to WGSL.
std::string make_name(Names& names, std::string_view wanted);

}  // namespace quern::target::wgsl
