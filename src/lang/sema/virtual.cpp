#include "lang/sema/virtual.hpp"

#include <algorithm>

namespace quern::lang {
namespace {

bool can_override(Sema& sema, FunctionDecl* a, FunctionDecl* b) {
  if (a->is_const != b->is_const || a->for_lvalues != b->for_lvalues || a->for_rvalues != b->for_rvalues)
    return false;
  if (!sema.complete_signature(a) || !sema.complete_signature(b)) return false;
  const std::vector<VarDecl*>& p = a->params;
  const std::vector<VarDecl*>& q = b->params;
  return std::equal(p.begin(), p.end(), q.begin(), q.end(), [](const VarDecl* x, const VarDecl* y) {
    return x->type.type == y->type.type;  // their own qualifiers do not count
  });
}

// The function of class `c` itself that has the name and parameters of `f`, or nullptr.
FunctionDecl* counterpart(Sema& sema, const ClassDecl* c, FunctionDecl* f) {
  if (f->is_dtor) return c->dtor;
  if (c->members == nullptr) return nullptr;
  const auto found = c->members->names.find(f->name);
  if (found == c->members->names.end()) return nullptr;
  for (Decl* d : found->second) {
    auto* g = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
    if (g != nullptr && g->class_decl == c && !g->is_static && can_override(sema, g, f)) return g;
  }
  return nullptr;
}

bool overrides(Sema& sema, const ClassDecl* c, FunctionDecl* f) {
  return std::any_of(c->bases.begin(), c->bases.end(), [&](const BaseClass& base) {
    FunctionDecl* g = base.decl->is_polymorphic ? counterpart(sema, base.decl, f) : nullptr;
    return (g != nullptr && is_virtual(sema, g)) || overrides(sema, base.decl, f);
  });
}

}  // namespace

bool is_virtual(Sema& sema, FunctionDecl* f) {
  if (f->is_virtual) return true;
  const ClassDecl* c = f->class_decl;
  if (c == nullptr || !c->is_polymorphic || f->is_static || f->is_ctor || f->from_template != nullptr)
    return false;
  f->is_virtual = overrides(sema, c, f);
  return f->is_virtual;
}

Overrider final_overrider(Sema& sema, ClassDecl* whole, uint64_t offset, FunctionDecl* f) {
  if (whole == f->class_decl && offset == 0) return {f, 0};
  for (const BaseClass& base : whole->bases) {
    if (!base.decl->is_polymorphic || offset < base.offset) continue;
    Overrider found = final_overrider(sema, base.decl, offset - base.offset, f);
    if (found.function == nullptr) continue;
    if (FunctionDecl* own = counterpart(sema, whole, f)) return {own, 0};
    found.offset += base.offset;
    return found;
  }
  return {};
}

bool has_virtual_destructor(Sema& sema, ClassDecl* c) {
  if (c->dtor != nullptr && is_virtual(sema, c->dtor)) return true;
  return std::any_of(c->bases.begin(), c->bases.end(), [&](const BaseClass& base) {
    return base.decl->is_polymorphic && has_virtual_destructor(sema, base.decl);
  });
}

uint64_t vptr_offset(const ClassDecl* c) {
  if (c->vptr != nullptr) return c->vptr->offset;
  for (const BaseClass& base : c->bases) {
    if (base.decl->is_polymorphic) return base.offset + vptr_offset(base.decl);
  }
  return 0;
}

}  // namespace quern::lang
