// new and delete, and explicit calls of destructors.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/virtual.hpp"

namespace quern::lang {

namespace {

bool is_nothrow(const Expr* e) {
  return e->type && e->type->is_class() && e->type->class_decl->full_name == "std::nothrow_t";
}

// Whether the class or a base declares operator new.
bool has_own_new(Sema& sema, QualType type) {
  while (type->is_array()) type = type->elem;
  if (!type->is_class() || !sema.complete_class(type->class_decl)) return false;
  const ClassDecl* c = type->class_decl;
  if (c->members != nullptr && c->members->names.contains(sema.idents.get("operator new"))) return true;
  return std::any_of(c->bases.begin(), c->bases.end(),
                     [&](const BaseClass& base) { return has_own_new(sema, base.decl->type); });
}

}  // namespace

// A call of a function template of the library with one explicit argument.
Expr* Parser::call_library(std::string_view function, QualType argument, std::vector<Expr*> args,
                           SourceLoc at) {
  OverloadSet set;
  set.name = sema_.idents.get(function);
  set.loc = at;
  set.candidates = sema_.lookup_in(set.name, sema_.global);
  TemplateArg given;
  given.kind = TemplateArg::Kind::kType;
  given.type = argument.unqualified();
  set.explicit_args.push_back(given);
  set.has_explicit_args = true;
  return sema_.call(set, std::move(args), at);
}

// At `new`.
Expr* Parser::new_expression() {
  const SourceLoc at_loc = loc();
  advance();
  Expr* place = nullptr;
  if (at(Tok::kLParen)) {
    const Token* start = cur_;
    advance();
    if (at_type()) {
      cur_ = start;
    } else {
      const std::vector<Expr*> given = arguments(Tok::kRParen);
      if (given.size() != 1) return error_here(message::kPlacementForm());
      if (!is_nothrow(given[0])) place = given[0];
    }
  }
  QualType type = new_type();
  if (!type || type->is_error()) return sema_.error_expr(at_loc);
  Expr* count = nullptr;
  if (accept(Tok::kLBracket)) {
    count = expression();
    expect(Tok::kRBracket, message::kInNew);
    if (at(Tok::kLBracket)) type = array_suffix(type);
  }
  if (has_own_new(sema_, type)) {
    sema_.error(at_loc, message::kOwnNew(to_string(type)));
    return sema_.error_expr(at_loc);
  }
  if (count != nullptr) return new_array(type, count, place, at_loc);
  if (!sema_.require_complete(type, at_loc) || (place != nullptr && is_error(place)))
    return sema_.error_expr(at_loc);
  auto* e = sema_.make<NewExpr>();
  e->type = sema_.types.pointer(type);
  e->loc = at_loc;
  e->is_checked = place == nullptr;
  if (place == nullptr) {
    e->place = call_library("__lib_new", type, {}, at_loc);
  } else {
    const QualType any = sema_.types.pointer(sema_.basic(TypeKind::kVoid));
    e->place = sema_.named_cast(Tok::kw_static_cast, e->type, sema_.convert(place, any), at_loc);
  }
  e->init = new_init(type);
  if (is_error(e->place) || (e->init != nullptr && is_error(e->init))) return sema_.error_expr(at_loc);
  return e;
}

// The type after `new`, without array bounds.
QualType Parser::new_type() {
  if (accept(Tok::kLParen)) {
    const QualType type = type_id();
    expect(Tok::kRParen, message::kInNew);
    return type;
  }
  QualType type = specifiers().type;
  while (accept(Tok::kStar)) {
    type = sema_.types.pointer(type);
    while (accept(Tok::kw_const) || accept(Tok::kw_volatile)) {
    }
  }
  return type;
}

// The initialiser of one object; nullptr: its value is undefined.
Expr* Parser::new_init(QualType type) {
  const SourceLoc at_loc = loc();
  const QualType made = type.unqualified();
  if (at(Tok::kLBrace)) return sema_.init_list(made, *braced());
  if (!accept(Tok::kLParen)) return sema_.init_default(made, at_loc);
  std::vector<Expr*> args = arguments(Tok::kRParen);
  return args.empty() ? sema_.init_value(made, at_loc) : sema_.init_direct(made, std::move(args), at_loc);
}

Expr* Parser::new_array(QualType type, Expr* count, Expr* place, SourceLoc at) {
  bool is_value = false;
  if (accept(Tok::kLParen)) {
    is_value = true;
    expect(Tok::kRParen, message::kInNew);
  } else if (at_empty_braces()) {
    is_value = true;
    advance(2);
  }
  if (place != nullptr || this->at(Tok::kLBrace)) {
    Expr* e = error_here(message::kNewArrayForm());
    skip_to({Tok::kSemi});
    return e;
  }
  return call_library(is_value ? "__lib_value_array" : "__lib_default_array", type, {count}, at);
}

bool Parser::at_empty_braces() const { return kind() == Tok::kLBrace && kind(1) == Tok::kRBrace; }

// At `delete`.
Expr* Parser::delete_expression() {
  const SourceLoc at_loc = loc();
  advance();
  const bool is_array = at(Tok::kLBracket) && kind(1) == Tok::kRBracket;
  if (is_array) advance(2);
  Expr* pointer = sema_.decay(unary());
  if (is_error(pointer)) return pointer;
  if (!pointer->type->is_pointer() || pointer->type->elem->is_void() || pointer->type->elem->is_function()) {
    sema_.error(pointer, message::kDeleteNeedsPointer(to_string(pointer->type)));
    return sema_.error_expr(at_loc);
  }
  const QualType of = pointer->type->elem.unqualified();
  if (!sema_.require_complete(of, at_loc)) return sema_.error_expr(at_loc);
  pointer = sema_.c_style_cast(sema_.types.pointer(of), pointer, at_loc);
  if (is_array) return call_library("__lib_delete_array", of, {pointer}, at_loc);
  if (!of->is_class() || !has_virtual_destructor(sema_, of->class_decl))
    return call_library("__lib_delete", of, {pointer}, at_loc);
  return destroy(pointer, DestroyExpr::How::kDelete, at_loc);
}

Expr* Parser::destroy(Expr* pointer, DestroyExpr::How how, SourceLoc at) {
  auto* e = sema_.make<DestroyExpr>();
  e->type = sema_.basic(TypeKind::kVoid);
  e->loc = at;
  e->pointer = pointer;
  e->how = how;
  return e;
}

// At `~T()` after `object.` or `pointer->`; `is_static`: after `T::`, so that a virtual destructor is not
// dispatched.
Expr* Parser::destructor_call(Expr* object, bool arrow, bool is_static) {
  const SourceLoc at_loc = loc();
  advance();
  NameRef ref;
  name(ref);
  if (at(Tok::kLParen)) skip_balanced();
  if (is_error(object)) return object;
  Expr* pointer = arrow ? sema_.decay(object) : address_of(sema_, object);
  const bool is_class = pointer->type->is_pointer() && pointer->type->elem->is_class();
  if (!is_class) return sema_.named_cast(Tok::kw_static_cast, sema_.basic(TypeKind::kVoid), object, at_loc);
  ClassDecl* c = pointer->type->elem->class_decl;
  if (!sema_.require_complete(pointer->type->elem, at_loc)) return sema_.error_expr(at_loc);
  const bool is_virtual = !is_static && has_virtual_destructor(sema_, c);
  return destroy(pointer, is_virtual ? DestroyExpr::How::kVirtual : DestroyExpr::How::kStatic, at_loc);
}

}  // namespace quern::lang
