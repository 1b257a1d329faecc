// Variables and their initialisers.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {
namespace {

bool holds_function(const ConstValue& value) {
  return value.function != nullptr || std::any_of(value.members.begin(), value.members.end(), holds_function);
}

}  // namespace

// ---- variables

void Parser::initialiser(VarDecl* var, bool allow_paren) {
  if (var->type->is(TypeKind::kAuto) && var->type->template_ != nullptr) {
    var->init = deduced_init(var->type, allow_paren, var->loc);
    return note_constant(var);
  }
  const std::string what =
      "'" + (var->name != nullptr ? std::string(var->name->text) : std::string("this")) + "'";
  const SourceLoc at_loc = loc();
  const bool is_auto = has_auto(var->type);
  const bool keeps_references = var->type.type == sema_.types.decltype_auto();
  const Token* first = at(Tok::kEqual) ? cur_ + 1 : cur_;
  auto take = [&](Expr* e) {
    if (is_auto) {
      QualType t = keeps_references ? decltype_of(e, first) : deduce_auto(sema_, var->type, e);
      if (!t) {
        sema_.error(e, message::kTypeNotDeduced(what, to_string(e->type)));
        t = sema_.basic(TypeKind::kError);
      }
      var->type = t;
    }
    Expr* init = sema_.init_copy(var->type, e, what);
    const bool is_fixed = var->is_constexpr || var->type.is_const;
    if (is_fixed && var->type->is_function_pointer()) var->known_function = constant_target(sema_, init);
    return init;
  };
  if (accept(Tok::kEqual)) {
    if (at(Tok::kLBrace)) {
      Sema::BracedInit* list = braced();
      if (is_auto) {
        sema_.error(at_loc, message::kTypeFromList(what));
        var->type = sema_.basic(TypeKind::kError);
        return;
      }
      var->init = sema_.init_list(var->type, *list);
    } else {
      var->init = take(assignment());
    }
  } else if (at(Tok::kLBrace)) {
    Sema::BracedInit* list = braced();
    if (is_auto) {
      if (list->items.size() == 1 && list->items[0].expr != nullptr) {
        var->init = take(list->items[0].expr);
      } else {
        sema_.error(at_loc, message::kTypeFromList(what));
        var->type = sema_.basic(TypeKind::kError);
      }
      return;
    }
    var->init = sema_.init_list(var->type, *list);
  } else if (allow_paren && at(Tok::kLParen)) {
    advance();
    std::vector<Expr*> args = arguments(Tok::kRParen);
    if (is_auto || var->type->is_ref()) {
      var->init = args.size() == 1 ? take(args[0]) : error_here(message::kNeedsOneInitializer(what));
    } else {
      var->init = sema_.init_direct(var->type, std::move(args), at_loc);
    }
  } else {
    if (is_auto) {
      sema_.error(var->loc, message::kAutoNeedsInitializer(what));
      var->type = sema_.basic(TypeKind::kError);
      return;
    }
    if (var->type->is_ref() && var->storage != Storage::kParam) {
      sema_.error(var->loc, message::kReferenceNeedsInitializer(what));
      return;
    }
    const bool outlives = var->storage == Storage::kConstant || var->storage == Storage::kDevice ||
                          (var->storage == Storage::kHost && var->is_constexpr);
    if (var->storage == Storage::kLocal || (outlives && var->type->is_class())) {
      var->init = sema_.init_default(var->type, var->loc);
    }
  }
  // int a[] = {1, 2, 3}: the initialiser determines the extent.
  if (var->init != nullptr && var->type->is_array() && var->type->is_unsized && var->init->type->is_array()) {
    var->type = QualType(var->init->type.type, var->type.is_const, var->type.is_volatile);
  }
  note_constant(var);
}

// Whether the variable's value is known at compile time; a constexpr one's must be.
void Parser::note_constant(VarDecl* var) {
  const bool constant =
      var->is_constexpr || var->type.is_const || (var->type->is_array() && var->type->elem.is_const);
  if (!constant || var->init == nullptr || var->type->is_ref() || var->init->kind == ExprKind::kError) return;
  ConstValue value;
  std::string why;
  var->is_const_init = evaluate(sema_, var->init, value, &why);
  if (!var->is_const_init && var->is_constexpr) {
    sema_.error(var->init, message::kConstexprNotConstant(var->name->text, why));
  }
  // A pointer to a function cannot be created at run time: the object is created from its value.
  if (var->is_const_init && var->is_constexpr && var->type->is_class() && holds_function(value)) {
    if (Expr* made = to_expr(sema_, value, var->init->loc)) var->init = made;
  }
}

// V x(1, 2), V x{1, 2}, V x = e: the template arguments are deduced from the initialiser. The type is put in
// its place.
Expr* Parser::deduced_init(QualType& type, bool allow_paren, SourceLoc at_loc) {
  TemplateDecl* t = type->template_;
  std::vector<Expr*> args;
  Sema::BracedInit* list = nullptr;
  const bool is_copy = accept(Tok::kEqual);
  if (at(Tok::kLBrace)) {
    list = braced();
    for (const Sema::BracedInit::Item& item : list->items) {
      args.push_back(item.expr != nullptr ? item.expr : sema_.braced_expr(*item.list));
    }
  } else if (is_copy) {
    args.push_back(assignment());
  } else if (allow_paren && accept(Tok::kLParen)) {
    args = arguments(Tok::kRParen);
  }
  const QualType found = sema_.deduce_class(t, args, at_loc);
  type = QualType(found.type, type.is_const, type.is_volatile);
  if (found->is_error()) return sema_.error_expr(at_loc);
  if (list != nullptr) return sema_.init_list(type, *list);
  return is_copy ? sema_.init_copy(type, args[0], {}) : sema_.init_direct(type, std::move(args), at_loc);
}

bool Parser::variable_named(VarDecl* var) {
  Specifiers s = specifiers();
  QualType base = s.type;
  if (s.is_constexpr) {
    var->is_constexpr = true;
    base.is_const = true;
  }
  if (s.align) var->align = s.align;
  for (;;) {
    Declarator d = declarator(base);
    if (at(Tok::kLess)) skip_angles();  // a specialisation's arguments
    if (at(Tok::kLParen) && d.type->is_function()) skip_balanced();
    if (d.name == var->name) {
      var->type = d.type;
      if (d.align) var->align = d.align;
      if (var->is_constexpr && d.type->is_pointer()) var->type.is_const = true;
      if (var->type->is_error()) return false;
      initialiser(var, true);
      return !var->type->is_error();
    }
    skip_to({Tok::kComma});
    if (!accept(Tok::kComma)) return false;
  }
}

}  // namespace quern::lang
