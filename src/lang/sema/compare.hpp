// Comparisons that the program leaves to the language: operator== and operator<=> that are `= default`.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Makes the body: the members are compared in order.
void compare_members(Sema& sema, FunctionDecl* f);

}  // namespace quern::lang
