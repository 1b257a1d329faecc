// Template arguments that are neither types nor integers: objects of class and floating type, and addresses
// of variables.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Sets `arg` (kObject) if the expression is such an argument. Returns false otherwise; reports nothing.
bool object_arg(Sema& sema, Expr* e, TemplateArg& arg);
Expr* object_of(Sema& sema, const TemplateArg& arg, SourceLoc loc);  // the meaning of the parameter's name

}  // namespace quern::lang
