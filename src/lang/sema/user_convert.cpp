// User-defined conversions: constructors of the target and conversion functions of the source, one per
// conversion.
#include "lang/sema/expression.hpp"

namespace quern::lang {

namespace {

bool is_ready(Sema& sema, ClassDecl* decl) {
  return decl->state == Lazy::kDone || (decl->is_defined && sema.complete_class(decl));
}

Sequence by_constructor(Sema& sema, Expr* from, QualType to, bool allow_explicit) {
  ClassDecl* decl = to->class_decl;
  if (!is_ready(sema, decl) || decl->is_closure) return {};
  OverloadSet set;
  set.candidates = constructors(sema, decl);
  if (set.candidates.empty()) return {};
  set.name = decl->name;
  set.loc = from->loc;
  Expr* args[] = {from};
  const Choice choice =
      choose(sema, {.set = &set, .args = args, .allow_user = false, .allow_explicit = allow_explicit});
  Sequence s;
  if (choice.function == nullptr) return s;
  s.rank = Rank::kUser;
  s.via = choice.function;
  s.is_ambiguous = choice.rival != nullptr;
  return s;
}

void collect(Sema& sema, ClassDecl* decl, const Ident* name, std::vector<FunctionDecl*>& out) {
  if (!is_ready(sema, decl) || decl->members == nullptr) return;
  if (const auto it = decl->members->names.find(name); it != decl->members->names.end()) {
    for (Decl* d : it->second) {
      FunctionDecl* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
      if (f != nullptr && sema.complete_signature(f)) out.push_back(f);
    }
  }
  for (const BaseClass& b : decl->bases) {
    if (b.decl != nullptr) collect(sema, b.decl, name, out);
  }
}

// The sequence that follows the conversion function's call.
Sequence after(Sema& sema, const FunctionDecl* f, QualType to) {
  ZeroExpr result;
  result.type = strip_ref(f->result);
  result.is_lvalue = f->result->is(TypeKind::kLRef);
  return classify(sema, &result, to, false);
}

Sequence by_function(Sema& sema, const Expr* from, QualType to, bool allow_explicit) {
  Sequence best;
  Sequence best_object;
  for (FunctionDecl* f : conversion_functions(sema, from->type->class_decl)) {
    const Sequence object = classify_object(sema, from, f);
    if (!object || (f->is_explicit && !allow_explicit)) continue;
    const Sequence inner = after(sema, f, to);
    if (!inner) continue;
    // An explicit conversion function is considered only if its result needs no further conversion (`explicit
    // operator bool`).
    if (f->is_explicit && inner.rank > Rank::kQualify) continue;
    const int order = !best                      ? 1
                      : inner.rank != best.inner ? (inner.rank < best.inner ? 1 : -1)
                                                 : compare(object, best_object);
    if (order < 0) continue;
    if (order == 0) {
      best.is_ambiguous = true;
      continue;
    }
    best = Sequence{};
    best.rank = Rank::kUser;
    best.inner = inner.rank;
    best.via = f;
    best_object = object;
  }
  return best;
}

// A lambda without captures as a pointer to a function of that type.
Sequence by_lambda(Sema& sema, const ClassDecl* decl, QualType to) {
  Sequence s;
  if (!decl->is_closure || !decl->fields.empty() || !to->is_function_pointer() || decl->members == nullptr)
    return s;
  const auto found = decl->members->names.find(sema.idents.get("operator()"));
  if (found == decl->members->names.end() || found->second.size() != 1) return s;
  FunctionDecl* call = decl_cast<FunctionDecl>(found->second.front(), DeclKind::kFunction);
  if (call == nullptr) return s;
  const Expr* as_function = sema.function_ref(function_of_lambda(sema, call), call->loc);
  if (is_error(as_function) || as_function->type.type != to.type) return s;
  s.rank = Rank::kUser;
  s.via = call;
  return s;
}

}  // namespace

std::vector<FunctionDecl*> conversion_functions(Sema& sema, ClassDecl* decl) {
  std::vector<FunctionDecl*> out;
  collect(sema, decl, sema.idents.get("operator type"), out);
  return out;
}

Sequence user_conversion(Sema& sema, Expr* from, QualType to, bool allow_explicit) {
  if (++sema.depth > Sema::kMaxDepth) {
    --sema.depth;
    return {};
  }
  Sequence s;
  if (from->type->is_class()) s = by_function(sema, from, to, allow_explicit);
  if (from->type->is_class() && !s) s = by_lambda(sema, from->type->class_decl, to);
  if (to->is_class()) {
    const Sequence ctor = by_constructor(sema, from, to, allow_explicit);
    if (ctor) s = ctor;
  }
  --sema.depth;
  return s;
}

Expr* apply_user_conversion(Sema& sema, Expr* from, QualType to, const Sequence& sequence) {
  if (sequence.via->is_ctor) return construct(sema, sequence.via, to.unqualified(), {from}, from->loc);
  if (sequence.via->is_lambda_call)
    return sema.function_ref(function_of_lambda(sema, sequence.via), from->loc);
  Expr* value = sema.call_function(sequence.via, from, {}, from->loc);
  return is_error(value) ? value : sema.convert(value, to);
}

Expr* scalar_operand(Sema& sema, Expr* e, const Expr* other) {
  if (is_bit_field(e)) return promote_bits(sema, e);
  if (!e->type->is_class()) return sema.decay(e);
  FunctionDecl* best = nullptr;
  Sequence best_object;
  bool is_exact = false;
  bool is_ambiguous = false;
  for (FunctionDecl* f : conversion_functions(sema, e->type->class_decl)) {
    const QualType result = strip_ref(f->result);
    const Sequence object = classify_object(sema, e, f);
    if (f->is_explicit || !result->is_scalar() || !object) continue;
    const bool exact = other != nullptr && other->type.type == result.type;
    int order = 1;
    if (best != nullptr) order = exact != is_exact ? (exact ? 1 : -1) : compare(object, best_object);
    if (order == 0 && strip_ref(best->result).type != result.type) is_ambiguous = true;
    if (order <= 0) continue;
    best = f;
    best_object = object;
    is_exact = exact;
    is_ambiguous = false;
  }
  if (best == nullptr || is_ambiguous) return nullptr;
  return sema.call_function(best, e, {}, e->loc);
}

}  // namespace quern::lang
