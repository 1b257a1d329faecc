// Template arguments that are neither types nor integers: objects of class and floating type, and addresses
// of variables.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Fills `arg` (kObject) when the expression is such an argument. False: it is none, nothing is reported.
bool object_arg(Sema& sema, Expr* e, TemplateArg& arg);
Expr* object_of(Sema& sema, const TemplateArg& arg, SourceLoc loc);  // what the parameter's name means

}  // namespace quern::lang
