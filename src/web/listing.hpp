// SPIR-V as readable text.
#pragma once

#include <string>
#include <string_view>

namespace quern::web {

/// One line per instruction: "%12 = OpIAdd %6 10 11". Results and their types are marked with %; all other
/// operands are printed as numbers or text.
std::string spirv_listing(std::string_view module);

}  // namespace quern::web
