// Members defined outside their class.
#pragma once

#include "lang/sema/impl.hpp"

namespace quern::lang {

// Gives the members of a class their out-of-line bodies and initialisers.
void attach_definitions(Sema& sema, ClassDecl* c);

}  // namespace quern::lang
