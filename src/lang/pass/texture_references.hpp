// Texture references: module-scope variables `texture<float, 2> name;`, which the host binds by name.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Whether it is the type of a texture reference.
bool is_texture_reference(const ir::Type* type);

bool has_texture_references(const ir::Module& module);

// Each texture reference that a kernel reads becomes a parameter of the reference's name, after all others.
// References are removed from the module.
void pass_texture_references(ir::Module& module);

}  // namespace quern::pass
