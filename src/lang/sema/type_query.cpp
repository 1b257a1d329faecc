// Type queries that <type_traits> needs: `__quern_is_same<A, B>()` and similar. Results are constants.
#include <array>

#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

using Types = std::span<const TemplateArg>;
using Answer = int64_t (*)(Sema& sema, Types types);

QualType first(Types types) { return types[0].type; }

bool is_const(QualType t) {
  while (t->is_array()) t = t->elem;
  return t.is_const;
}

bool is_volatile(QualType t) {
  while (t->is_array()) t = t->elem;
  return t.is_volatile;
}

bool is_standard_float(QualType t) { return t->is(TypeKind::kFloat) || t->is(TypeKind::kDouble); }

bool is_signed(QualType t) { return t->is_signed_integer() || is_standard_float(t); }

bool has_own_assignment(Sema& sema, const ClassDecl* decl) {
  const auto it = decl->members->names.find(sema.idents.get("operator="));
  if (it == decl->members->names.end()) return false;
  for (Decl* d : it->second) {
    const FunctionDecl* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
    if (f == nullptr || f->is_defaulted || !sema.complete_signature(static_cast<FunctionDecl*>(d))) continue;
    if (f->params.size() == 1 && class_of(strip_ref(f->params[0]->type)) == decl) return true;
  }
  return false;
}

bool is_trivially_copyable(Sema& sema, QualType t) {
  while (t->is_array()) t = t->elem;
  if (!t->is_class()) return !t->is_ref() && !t->is_void() && !t->is_function();
  ClassDecl* decl = t->class_decl;
  if (!sema.complete_class(decl)) return false;
  for (const FunctionDecl* f : decl->ctors) {
    if (sema.complete_signature(const_cast<FunctionDecl*>(f)) && is_copy_constructor(f) && !f->is_defaulted)
      return false;
  }
  if ((decl->dtor != nullptr && !decl->dtor->is_defaulted) || has_own_assignment(sema, decl)) return false;
  for (const BaseClass& b : decl->bases) {
    if (!is_trivially_copyable(sema, b.decl->type)) return false;
  }
  for (const FieldDecl* f : decl->fields) {
    if (!f->type->is_ref() && !is_trivially_copyable(sema, f->type)) return false;
  }
  return true;
}

bool is_empty(Sema& sema, QualType t) {
  if (!t->is_class() || t->class_decl->is_union || !sema.complete_class(t->class_decl)) return false;
  if (!t->class_decl->fields.empty()) return false;
  for (const BaseClass& b : t->class_decl->bases) {
    if (!is_empty(sema, b.decl->type)) return false;
  }
  return true;
}

int64_t is_base_of(Sema& sema, Types types) {
  ClassDecl* base = class_of(types[0].type);
  ClassDecl* derived = class_of(types[1].type);
  if (base == nullptr || derived == nullptr || base->is_union || derived->is_union) return 0;
  return sema.is_derived_from(derived, base, nullptr) ? 1 : 0;
}

// The type of std::declval<T>().
Expr* value_of(Sema& sema, QualType t) {
  return make_expr<ZeroExpr>(sema, strip_ref(t), {}, t->is(TypeKind::kLRef));
}

int64_t is_convertible(Sema& sema, Types types) {
  const QualType from = types[0].type;
  const QualType to = types[1].type;
  if (from->is_void() || to->is_void()) return from->is_void() && to->is_void() ? 1 : 0;
  if (to->is_array() || to->is_function()) return 0;
  const Sequence s = classify(sema, value_of(sema, from), to);
  return s && !s.is_ambiguous ? 1 : 0;
}

int64_t is_constructible(Sema& sema, Types types) {
  const QualType to = first(types);
  if (to->is_void() || to->is_function()) return 0;
  std::vector<Expr*> args;
  for (const TemplateArg& arg : types.subspan(1)) {
    if (arg.kind == TemplateArg::Kind::kPack) {
      for (const TemplateArg& inner : arg.pack) args.push_back(value_of(sema, inner.type));
    } else {
      args.push_back(value_of(sema, arg.type));
    }
  }
  return can_construct(sema, to, args) ? 1 : 0;
}

int64_t rank(Sema&, Types types) {
  int64_t n = 0;
  for (QualType t = first(types); t->is_array(); t = t->elem) ++n;
  return n;
}

struct Query {
  std::string_view name;
  size_t types;  // at least that many
  Answer answer;
  bool is_number = false;
};

constexpr std::array kQueries = {
    Query{"is_same", 2, [](Sema&, Types t) -> int64_t { return t[0].type == t[1].type; }},
    Query{"is_integral", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_integer(); }},
    Query{"is_floating", 1, [](Sema&, Types t) -> int64_t { return is_standard_float(first(t)); }},
    Query{"is_arithmetic", 1,
          [](Sema&, Types t) -> int64_t { return first(t)->is_integer() || is_standard_float(first(t)); }},
    Query{"is_signed", 1, [](Sema&, Types t) -> int64_t { return is_signed(first(t)); }},
    Query{"is_unsigned", 1,
          [](Sema&, Types t) -> int64_t { return first(t)->is_integer() && !is_signed(first(t)); }},
    Query{"is_pointer", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_pointer(); }},
    Query{"is_const", 1, [](Sema&, Types t) -> int64_t { return is_const(first(t)); }},
    Query{"is_volatile", 1, [](Sema&, Types t) -> int64_t { return is_volatile(first(t)); }},
    Query{"is_reference", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_ref(); }},
    Query{"is_lvalue_reference", 1, [](Sema&, Types t) -> int64_t { return first(t)->is(TypeKind::kLRef); }},
    Query{"is_rvalue_reference", 1, [](Sema&, Types t) -> int64_t { return first(t)->is(TypeKind::kRRef); }},
    Query{"is_array", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_array(); }},
    Query{"is_class", 1,
          [](Sema&, Types t) -> int64_t { return first(t)->is_class() && !first(t)->class_decl->is_union; }},
    Query{"is_union", 1,
          [](Sema&, Types t) -> int64_t { return first(t)->is_class() && first(t)->class_decl->is_union; }},
    Query{"is_enum", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_enum(); }},
    Query{"is_scoped_enum", 1, [](Sema&, Types t) -> int64_t { return is_scoped_enum(first(t)); }},
    Query{"is_void", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_void(); }},
    Query{"is_null_pointer", 1, [](Sema&, Types t) -> int64_t { return first(t)->is(TypeKind::kNullPtr); }},
    Query{"is_function", 1, [](Sema&, Types t) -> int64_t { return first(t)->is_function(); }},
    Query{"is_trivially_copyable", 1,
          [](Sema& s, Types t) -> int64_t { return is_trivially_copyable(s, first(t)); }},
    Query{"is_empty", 1, [](Sema& s, Types t) -> int64_t { return is_empty(s, first(t)); }},
    Query{"is_base_of", 2, is_base_of},
    Query{"is_convertible", 2, is_convertible},
    Query{"is_constructible", 1, is_constructible},
    Query{"rank", 1, rank, true},
};

const Query* find_query(std::string_view name) {
  for (const Query& q : kQueries) {
    if (q.name == name) return &q;
  }
  return nullptr;
}

bool are_types(Types types, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (types[i].kind != TemplateArg::Kind::kType || !types[i].type) return false;
  }
  return true;
}

}  // namespace

bool is_type_query(std::string_view name) { return find_query(name) != nullptr; }

Expr* type_query(Sema& sema, std::string_view name, std::span<const TemplateArg> targs, SourceLoc loc) {
  const Query* query = find_query(name);
  if (targs.size() < query->types || !are_types(targs, query->types)) {
    sema.error(loc, message::kTypeQueryTypes(name, std::to_string(query->types)));
    return sema.error_expr(loc);
  }
  const int64_t value = query->answer(sema, targs);
  if (query->is_number)
    return sema.int_constant(sema.basic(TypeKind::kInt), static_cast<uint64_t>(value), loc);
  return sema.bool_constant(value != 0, loc);
}

}  // namespace quern::lang
