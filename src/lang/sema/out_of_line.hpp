// Members defined outside their class.
#pragma once

#include "lang/sema/impl.hpp"

namespace quern::lang {

// Gives the members of a class the bodies and initialisers that stand elsewhere.
void attach_definitions(Sema& sema, ClassDecl* c);

}  // namespace quern::lang
