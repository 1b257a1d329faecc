// The reason for rejecting recursive functions.
#pragma once

#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Names the functions of a cycle of calls; `cycle` is not empty, and its last function calls the first.
std::string recursion_text(const std::vector<const ir::Function*>& cycle);

}  // namespace quern::pass
