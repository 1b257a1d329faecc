// Virtual functions: which functions are virtual, and which one a call reaches.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Whether `f` is virtual: declared so, or it overrides a virtual function of a base class.
bool is_virtual(Sema& sema, FunctionDecl* f);

// A function that overrides, and the offset of its class in the object.
struct Overrider {
  FunctionDecl* function = nullptr;
  uint64_t offset = 0;
};

// The function that a call of the virtual function `f` reaches, on the subobject of f's class at `offset` of
// an object of class `whole`. Without a function: there is no such subobject.
Overrider final_overrider(Sema& sema, ClassDecl* whole, uint64_t offset, FunctionDecl* f);

// The offset of the field that holds the dynamic type of objects of a polymorphic class.
// Whether the dynamic type of an object of this class selects its destructor.
bool has_virtual_destructor(Sema& sema, ClassDecl* c);

uint64_t vptr_offset(const ClassDecl* c);

}  // namespace quern::lang
