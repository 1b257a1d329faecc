// The user's names made legal in WGSL.
#pragma once

#include <string>
#include <string_view>

#include "target/cstyle/names.hpp"

namespace quern::target::wgsl {

using cstyle::Names;

// A name similar to `wanted` that is unused in `names` and has no meaning in WGSL.
std::string make_name(Names& names, std::string_view wanted);

}  // namespace quern::target::wgsl
