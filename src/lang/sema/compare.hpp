// Defaulted comparisons: operator== and operator<=> that are `= default`.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Creates the body: it compares the members in order.
void compare_members(Sema& sema, FunctionDecl* f);

}  // namespace quern::lang
