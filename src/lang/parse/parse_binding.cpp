// Structured bindings and range-for.
#include "base/text.hpp"
#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {

// ---- structured bindings

bool Parser::at_binding(const Specifiers& spec) const {
  const bool by_reference = (at(Tok::kAmp) || at(Tok::kAmpAmp)) && kind(1) == Tok::kLBracket;
  return spec.type->is(TypeKind::kAuto) && (by_reference || at(Tok::kLBracket));
}

// auto [a, b], auto& [a, b], auto&& [a, b]
Parser::Binding Parser::binding_names(const Specifiers& spec) {
  Binding binding;
  binding.type = spec.type;
  if (accept(Tok::kAmp)) {
    binding.type = sema_.types.lref(spec.type);
  } else if (accept(Tok::kAmpAmp)) {
    binding.type = sema_.types.rref(spec.type);
  }
  advance();  // '['
  binding.loc = loc();
  while (at(Tok::kIdentifier)) {
    binding.names.emplace_back(peek().ident, loc());
    advance();
    while (at(Tok::kLBracket) && kind(1) == Tok::kLBracket) skip_balanced();
    if (!accept(Tok::kComma)) break;
  }
  expect(Tok::kRBracket, message::kAfterBindingNames);
  return binding;
}

void Parser::structured_binding(Specifiers& spec, std::vector<VarDecl*>& out) {
  const Binding binding = binding_names(spec);
  auto* whole = sema_.make<VarDecl>();
  whole->name = sema_.idents.get("(bound)");
  whole->loc = binding.loc;
  whole->type = binding.type;
  const Token* start = cur_;
  if (accept(Tok::kEqual) && !at(Tok::kLBrace)) {
    Expr* from = assignment();
    if (from->type->is_array() && from->is_lvalue) {  // `auto` would turn it into a pointer
      whole->type = sema_.types.lref(from->type);
      whole->init = from;
    }
  }
  if (whole->init == nullptr) {
    cur_ = start;
    initialiser(whole, true);
  }
  bind_parts(whole, binding, out);
}

// The names of a binding, as references to the parts of an initialised variable.
void Parser::bind_parts(VarDecl* whole, const Binding& binding, std::vector<VarDecl*>& out) {
  whole->parent = scope_;
  out.push_back(whole);
  const bool is_known = !whole->type->is_error();
  const std::vector<Expr*> parts = is_known ? parts_of(whole) : std::vector<Expr*>();
  const bool fits = parts.size() == binding.names.size();
  if (is_known && !fits) {
    sema_.error(whole->loc, message::kBindingCount(to_string(strip_ref(whole->type)),
                                                   base::format_plural(parts.size(), "member"),
                                                   std::to_string(binding.names.size())));
  }
  for (size_t i = 0; i < binding.names.size(); ++i) {
    auto* v = sema_.make<VarDecl>();
    v->name = binding.names[i].first;
    v->loc = binding.names[i].second;
    v->type = sema_.basic(TypeKind::kError);
    if (fits && !parts[i]->type->is_error()) {
      const bool is_bits =
          is_bit_field(parts[i]);  // a copy, which cannot be modified: references cannot bind to bit-fields
      v->init = is_bits ? read_bits(sema_, parts[i]) : parts[i];
      v->type = v->init->is_lvalue ? QualType(sema_.types.lref(parts[i]->type)) : v->init->type;
      v->type.is_const |= is_bits;
      out.push_back(v);
    }
    sema_.declare(scope_, v);
  }
}

// union { int i; float f; }; in a function: an unnamed object whose members are declared in the scope.
void Parser::unnamed_object(Specifiers& s, std::vector<VarDecl*>& out) {
  Declarator whole;
  whole.name = sema_.idents.get("__unnamed" + std::to_string(++sema_.impl->unnamed));
  whole.loc = s.loc;
  whole.type = s.type;
  VarDecl* object = local_variable(s, whole);
  if (object->type->is_error()) return;
  out.push_back(object);
  for (FieldDecl* field : s.type->class_decl->fields) {
    if (field->name == nullptr || field->bit_width >= 0) continue;
    Decl* member = field;
    auto* v = sema_.make<VarDecl>();
    v->name = field->name;
    v->loc = field->loc;
    v->init = sema_.member_of_class(sema_.var_ref(object, field->loc), std::span<Decl* const>(&member, 1),
                                    field->loc, nullptr);
    v->type = sema_.types.lref(v->init->type);
    out.push_back(v);
    sema_.declare(scope_, v);
  }
}

std::vector<Expr*> Parser::parts_of(VarDecl* whole) {
  std::vector<Expr*> parts;
  const QualType type = strip_ref(whole->type);
  Expr* object = sema_.var_ref(whole, whole->loc);
  if (const auto count = tuple_size(type); count && sema_.complete_class(type->class_decl)) {
    for (int64_t i = 0; i < *count; ++i) parts.push_back(tuple_part(object, i, whole->loc));
  } else if (type->is_class() && sema_.complete_class(type->class_decl)) {
    const ClassDecl* c = type->class_decl;
    while (c->fields.empty() && c->bases.size() == 1) c = c->bases[0].decl;
    for (FieldDecl* f : c->fields) {
      Decl* d = f;
      parts.push_back(sema_.member_of_class(object, std::span<Decl* const>(&d, 1), whole->loc, nullptr));
    }
  } else if (type->is_array()) {
    for (uint64_t i = 0; i < type->count; ++i) {
      Expr* index = sema_.int_constant(sema_.basic(TypeKind::kInt), i, whole->loc);
      parts.push_back(sema_.subscript(object, std::span<Expr* const>(&index, 1), whole->loc));
    }
  }
  return parts;
}

// std::tuple_size<T>::value; absent: T is not tuple-like.
std::optional<int64_t> Parser::tuple_size(QualType type) {
  if (!type->is_class()) return {};
  for (Decl* d : sema_.lookup_in(sema_.idents.get("std"), sema_.global)) {
    auto* ns = decl_cast<NamespaceDecl>(d, DeclKind::kNamespace);
    if (ns == nullptr) continue;
    for (Decl* found : sema_.lookup_in(sema_.idents.get("tuple_size"), ns->members)) {
      auto* t = decl_cast<TemplateDecl>(found, DeclKind::kTemplate);
      if (t == nullptr || t->of != TemplateDecl::Of::kClass) continue;
      TemplateArg arg;
      arg.kind = TemplateArg::Kind::kType;
      arg.type = type.unqualified();
      Tentative attempt(sema_.diagnostics);
      ClassDecl* c = sema_.instantiate_class(t, {arg}, loc());
      if (c == nullptr || !sema_.complete_class(c)) continue;
      for (Decl* value : sema_.lookup_in(sema_.idents.get("value"), c->members)) {
        auto* v = decl_cast<VarDecl>(value, DeclKind::kVar);
        if (v != nullptr && sema_.complete_var(v))
          return sema_.constant_integer(sema_.var_ref(v, loc()), false);
      }
    }
  }
  return {};
}

// get<index>(whole), or whole.get<index>().
Expr* Parser::tuple_part(Expr* whole, int64_t index, SourceLoc at_loc) {
  OverloadSet set;
  set.name = sema_.idents.get("get");
  TemplateArg arg;
  arg.kind = TemplateArg::Kind::kValue;
  arg.type = sema_.basic(TypeKind::kULong);
  arg.value = index;
  for (Decl* d : sema_.lookup_in(set.name, whole->type->class_decl->members)) {
    if (d->kind == DeclKind::kTemplate) set.object = whole, set.candidates.push_back(d);
  }
  set.explicit_args = {arg};
  set.has_explicit_args = true;
  set.loc = at_loc;
  return sema_.call(set, set.object != nullptr ? std::vector<Expr*>() : std::vector<Expr*>{whole}, at_loc);
}

// ---- range-for

// After `for (`: is there a ':' that belongs to no '?', preceded by at most one ';'?
bool Parser::at_range_for() const {
  Cursor ahead({cur_, end_});
  int semis = 0;
  int questions = 0;
  while (!ahead.at_end() && !ahead.at(Tok::kRParen)) {
    switch (ahead.kind()) {
      case Tok::kColon:
        if (questions-- == 0) return true;
        ahead.advance();
        break;
      case Tok::kSemi:
        if (++semis > 1) return false;
        ahead.advance();
        break;
      case Tok::kQuestion:
        ++questions;
        ahead.advance();
        break;
      case Tok::kLParen:
      case Tok::kLBrace:
      case Tok::kLBracket: ahead.skip_balanced(); break;
      default: ahead.advance(); break;
    }
  }
  return false;
}

// The sequence of a range-for, and its begin and end.
struct Parser::Range {
  std::vector<Stmt*> init;
  VarDecl* it = nullptr;  // nullptr: not iterable, reported
  VarDecl* end = nullptr;
};

VarDecl* Parser::hidden_variable(const char* name, Expr* init, std::vector<Stmt*>& out) {
  auto* v = sema_.make<VarDecl>();
  v->name = sema_.idents.get(name);
  v->loc = init->loc;
  v->type = init->type.unqualified();
  v->init = init;
  sema_.declare(scope_, v);
  auto* s = sema_.make<DeclStmt>();
  s->loc = init->loc;
  s->vars.push_back(v);
  out.push_back(s);
  return v;
}

// begin(range) or range.begin(), and the same for end.
Expr* Parser::range_bound(Expr* range, const char* name, SourceLoc at_loc) {
  OverloadSet set;
  set.name = sema_.idents.get(name);
  set.loc = at_loc;
  const bool is_member = !sema_.lookup_in(set.name, range->type->class_decl->members).empty();
  if (!is_member) {
    set.candidates = sema_.lookup(set.name, scope_);
    return sema_.call(set, {range}, at_loc);
  }
  Expr* e = sema_.member(range, false, set.name, at_loc, scope_, &set);
  return e != nullptr ? e : sema_.call(set, {}, at_loc);
}

Parser::Range Parser::loop_range(SourceLoc at_loc) {
  Range out;
  Expr* range;
  if (at(Tok::kLBrace)) {
    Sema::BracedInit* list = braced();
    const QualType elem = list->items.empty() || list->items[0].expr == nullptr
                              ? sema_.basic(TypeKind::kInt)
                              : list->items[0].expr->type.unqualified();
    range = sema_.init_list(sema_.types.unsized_array(elem), *list);
  } else {
    range = expression();
  }
  expect(Tok::kRParen, message::kAfterRange);
  if (range->kind == ExprKind::kError) return out;
  if (!range->is_lvalue) range = sema_.var_ref(hidden_variable("(range)", range, out.init), at_loc);
  Expr* first = nullptr;
  Expr* last = nullptr;
  if (range->type->is_array()) {
    first = sema_.decay(range);
    Expr* count = sema_.int_constant(sema_.basic(TypeKind::kLong), range->type->count, at_loc);
    last = sema_.binary(Tok::kPlus, sema_.decay(range), count, at_loc);
  } else if (range->type->is_class()) {
    if (!sema_.complete_class(range->type->class_decl)) return out;
    first = range_bound(range, "begin", at_loc);
    last = range_bound(range, "end", at_loc);
  } else {
    sema_.error(range, message::kNotRange(to_string(range->type)));
    return out;
  }
  if (first->kind == ExprKind::kError || last->kind == ExprKind::kError) return out;
  out.it = hidden_variable("(it)", first, out.init);
  out.end = hidden_variable("(end)", last, out.init);
  return out;
}

// for (T x : range) over arrays, and classes with begin() and end().
Stmt* Parser::range_for(SourceLoc at_loc, int unroll) {
  auto* s = sema_.make<LoopStmt>(StmtKind::kFor);
  s->unroll = unroll;
  Cursor ahead({cur_, end_});
  ahead.skip_to({Tok::kColon, Tok::kSemi});
  if (ahead.at(Tok::kSemi)) s->init.push_back(statement());
  Specifiers spec = specifiers();
  const bool is_binding = at_binding(spec);
  Binding binding;
  Declarator d;
  if (is_binding) {
    binding = binding_names(spec);
  } else {
    d = declarator(spec.type);
    binding.type = d.type;
    binding.loc = d.loc;
  }
  expect(Tok::kColon, message::kInRangeLoop);
  const Range range = loop_range(at_loc);
  s->init.insert(s->init.end(), range.init.begin(), range.init.end());

  push_scope();
  auto* v = sema_.make<VarDecl>();
  v->name = is_binding ? sema_.idents.get("(bound)") : d.name;
  v->loc = binding.loc;
  v->type = sema_.basic(TypeKind::kError);
  auto* element = sema_.make<DeclStmt>();
  element->loc = at_loc;
  if (range.it != nullptr) {
    auto it = [&] { return sema_.var_ref(range.it, at_loc); };
    s->condition =
        sema_.to_bool(sema_.binary(Tok::kExclaimEqual, it(), sema_.var_ref(range.end, at_loc), at_loc));
    s->step = sema_.unary(Tok::kPlusPlus, it(), at_loc);
    Expr* value = sema_.unary(Tok::kStar, it(), at_loc);
    v->type = deduce_auto(sema_, binding.type, value);
    if (!v->type) v->type = sema_.basic(TypeKind::kError);
    if (!v->type->is_error()) v->init = sema_.init_copy(v->type, value, "the loop's variable");
    s->before_body.push_back(element);
  }
  if (is_binding) {
    bind_parts(v, binding, element->vars);
  } else {
    sema_.declare(scope_, v);
    element->vars.push_back(v);
  }
  ++loop_depth_;
  s->body = scoped_statement();
  --loop_depth_;
  pop_scope();
  pop_scope();
  return s;
}

}  // namespace quern::lang
