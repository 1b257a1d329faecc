// Operators: which function or built-in operation an operator selects.
#include <algorithm>

#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

const Operator* find_operator(Tok tok) {
  struct Entry {
    Tok tok;
    Operator op;
  };
  using enum BinaryOp;
  static constexpr Entry kTable[] = {
      {Tok::kPlus, {"+", kAdd}},
      {Tok::kMinus, {"-", kSub}},
      {Tok::kStar, {"*", kMul}},
      {Tok::kSlash, {"/", kDiv}},
      {Tok::kPercent, {"%", kRem}},
      {Tok::kAmp, {"&", kAnd}},
      {Tok::kPipe, {"|", kOr}},
      {Tok::kCaret, {"^", kXor}},
      {Tok::kLessLess, {"<<", kShl}},
      {Tok::kEqualEqual, {"==", kEq}},
      {Tok::kExclaimEqual, {"!=", kNe}},
      {Tok::kLess, {"<", kLt}},
      {Tok::kLessEqual, {"<=", kLe}},
      {Tok::kGreater, {">", kGt}},
      {Tok::kSpaceship, {"<=>", kLt}},
      {Tok::kAmpAmp, {"&&", kLogicalAnd}},
      {Tok::kPipePipe, {"||", kLogicalOr}},
      {Tok::kComma, {",", kComma}},
      {Tok::kEqual, {"=", kComma, true}},
      {Tok::kPlusEqual, {"+=", kAdd, true}},
      {Tok::kMinusEqual, {"-=", kSub, true}},
      {Tok::kStarEqual, {"*=", kMul, true}},
      {Tok::kSlashEqual, {"/=", kDiv, true}},
      {Tok::kPercentEqual, {"%=", kRem, true}},
      {Tok::kAmpEqual, {"&=", kAnd, true}},
      {Tok::kPipeEqual, {"|=", kOr, true}},
      {Tok::kCaretEqual, {"^=", kXor, true}},
      {Tok::kLessLessEqual, {"<<=", kShl, true}},
  };
  for (const Entry& e : kTable) {
    if (e.tok == tok) return &e.op;
  }
  return nullptr;
}

bool is_member_only(std::string_view op) { return op == "=" || op == "[]" || op == "()" || op == "->"; }

Scope* enclosing_namespace(Scope* s) {
  while (s != nullptr && s->kind != Scope::Kind::kNamespace && s->kind != Scope::Kind::kGlobal) s = s->parent;
  return s;
}

void drop_methods(std::vector<Decl*>& decls) {
  std::erase_if(decls, [](Decl* d) {
    const TemplateDecl* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
    const Decl* f = t != nullptr ? t->pattern : d;
    return f->kind == DeclKind::kFunction && static_cast<const FunctionDecl*>(f)->is_method();
  });
}

std::vector<Decl*> operator_candidates(Sema& sema, Ident* name, std::string_view op,
                                       std::span<Expr* const> args) {
  std::vector<Decl*> free;
  if (!is_member_only(op)) {
    Scope* scope = enclosing_namespace(sema.current_scope);
    add_decls(free, sema.lookup(name, scope != nullptr ? scope : sema.global));
    add_decls(free, found_by_arguments(sema, name, args));
    drop_methods(free);
  }
  std::vector<Decl*> out;
  ClassDecl* decl = class_of(args[0]->type);
  if (decl != nullptr && sema.complete_class(decl)) {
    // The implicit assignment of a class hides those of its bases.
    const auto own = decl->members->names.find(name);
    if (op != "=")
      add_decls(out, sema.lookup_in(name, decl->members));
    else if (own != decl->members->names.end())
      add_decls(out, own->second);
  }
  add_decls(out, free);
  return out;
}

Expr* cannot_take(Sema& sema, const Operator& op, const Expr* left, const Expr* right, SourceLoc loc) {
  const std::string a = to_string(left->type.unqualified());
  const std::string b = to_string(right->type.unqualified());
  sema.error(loc, static_cast<uint32_t>(op.text.size()),
             with_hint(message::kOperands(op.text, a, b),
                       message::kDefineBinaryOperator(op.text, op.is_assignment ? a + "&" : a, b)));
  return sema.error_expr(loc);
}

Expr* binary_operator(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc);

Expr* negated(Sema& sema, Expr* value, SourceLoc loc) {
  UnaryExpr* e = make_expr<UnaryExpr>(sema, sema.basic(TypeKind::kBool), loc);
  e->op = UnaryOp::kNot;
  e->operand = sema.to_bool(value);
  return is_error(e->operand) ? e->operand : e;
}

// a == b may use b == a, and a != b may use !(a == b), if only those are defined.
Expr* rewritten_equality(Sema& sema, const Operator& op, std::span<Expr* const> args, SourceLoc loc) {
  Expr* swapped[] = {args[1], args[0]};
  if (op.op == BinaryOp::kEq) return overloaded_operator(sema, "==", swapped, loc);
  Expr* equal = overloaded_operator(sema, "==", args, loc);
  if (equal == nullptr) equal = overloaded_operator(sema, "==", swapped, loc);
  return equal == nullptr || is_error(equal) ? equal : negated(sema, equal, loc);
}

// a < b may use (a <=> b) < 0 or 0 < (b <=> a) if only <=> is defined.
Expr* rewritten_comparison(Sema& sema, const Operator& op, std::span<Expr* const> args, SourceLoc loc) {
  if (op.op == BinaryOp::kEq || op.op == BinaryOp::kNe) return rewritten_equality(sema, op, args, loc);
  if (op.op < BinaryOp::kLt || op.op > BinaryOp::kGe || op.text == "<=>") return nullptr;
  Expr* zero = sema.int_constant(sema.basic(TypeKind::kInt), 0, loc);
  if (Expr* order = overloaded_operator(sema, "<=>", args, loc)) {
    return is_error(order) ? order : binary_operator(sema, op, order, zero, loc);
  }
  Expr* swapped[] = {args[1], args[0]};
  Expr* order = overloaded_operator(sema, "<=>", swapped, loc);
  return order == nullptr || is_error(order) ? order : binary_operator(sema, op, zero, order, loc);
}

// The built-in a <=> b: the library converts it to a std::strong_ordering or std::partial_ordering.
Expr* three_way(Sema& sema, Expr* a, Expr* b, SourceLoc loc) {
  OverloadSet set;
  set.name = sema.idents.get("__three_way");
  set.loc = loc;
  set.length = 3;
  for (Decl* d : sema.lookup_in(sema.idents.get("std"), sema.global)) {
    if (NamespaceDecl* ns = decl_cast<NamespaceDecl>(d, DeclKind::kNamespace))
      set.candidates = sema.lookup_in(set.name, ns->members);
  }
  if (a->type->is_arithmetic() && b->type->is_arithmetic()) {
    const QualType type = sema.common_arithmetic(a->type, b->type);
    a = sema.convert(a, type);
    b = sema.convert(b, type);
  }
  return sema.call(set, {a, b}, loc);
}

Expr* comma(Sema& sema, Expr* left, Expr* right, SourceLoc loc) {
  if (is_bit_field(right)) right = read_bits(sema, right);
  Expr* e = make_binary(sema, BinaryOp::kComma, left, right, right->type, loc);
  e->type = right->type;
  e->is_lvalue = right->is_lvalue;
  return e;
}

Expr* binary_operator(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc) {
  if (is_error(left) || is_error(right)) return sema.error_expr(loc);
  if (op.text == "=") return assign(sema, left, right, loc);
  if (is_braced(left) || is_braced(right)) {
    sema.error(loc, message::kOperandList(op.text));
    return sema.error_expr(loc);
  }
  if (is_class_or_enum(left) || is_class_or_enum(right)) {
    Expr* args[] = {left, right};
    Expr* e = overloaded_operator(sema, op.text, args, loc);
    if (e == nullptr) e = rewritten_comparison(sema, op, args, loc);
    if (e != nullptr) return e;
  }
  if (op.op == BinaryOp::kComma) return comma(sema, left, right, loc);
  if (op.is_assignment) {
    Expr* value = scalar_operand(sema, right, left);
    if (left->type->is_class() || value == nullptr) return cannot_take(sema, op, left, right, loc);
    return compound_assign(sema, op, left, value, loc);
  }
  const bool is_logical = op.op == BinaryOp::kLogicalAnd || op.op == BinaryOp::kLogicalOr;
  if (is_logical) return builtin_binary(sema, op, left, right, loc);  // explicit operator bool counts here
  Expr* a = scalar_operand(sema, left, right);
  Expr* b = scalar_operand(sema, right, left);
  if (a == nullptr || b == nullptr) return cannot_take(sema, op, left, right, loc);
  if (is_error(a) || is_error(b)) return sema.error_expr(loc);
  if (op.text == "<=>") return three_way(sema, a, b, loc);
  return builtin_binary(sema, op, a, b, loc);
}

bool is_stepped(QualType t) { return (t->is_arithmetic() && !t->is_bool()) || t->is_pointer(); }

Expr* inc_dec(Sema& sema, bool increment, bool prefix, Expr* operand, SourceLoc loc) {
  const std::string_view op = increment ? "++" : "--";
  if (is_error(operand)) return sema.error_expr(loc);
  if (is_class_or_enum(operand)) {
    Expr* args[] = {operand, sema.int_constant(sema.basic(TypeKind::kInt), 0, loc)};
    if (Expr* e = overloaded_operator(sema, op, std::span(args, prefix ? 1 : 2), loc)) return e;
  }
  if (!is_stepped(operand->type)) {
    sema.error(loc, 2, message::kNotNumberOrPointer(op, to_string(operand->type)));
    return sema.error_expr(loc);
  }
  if (!check_assignable(sema, operand, op, loc)) return sema.error_expr(loc);
  const QualType type = prefix ? operand->type : operand->type.unqualified();
  if (type->is_pointer() && !sema.require_complete(type->elem, loc)) return sema.error_expr(loc);
  IncDecExpr* e = make_expr<IncDecExpr>(sema, type, loc, prefix && !is_bit_field(operand));
  e->length = 2;
  e->is_increment = increment;
  e->is_prefix = prefix;
  e->object = operand;
  return e;
}

Expr* dereference(Sema& sema, Expr* operand, SourceLoc loc) {
  Expr* p = scalar_operand(sema, operand);
  if (p != nullptr && is_error(p)) return p;
  if (p == nullptr || !p->type->is_pointer()) {
    sema.error(loc, message::kDereferenceNotPointer(to_string(operand->type)));
    return sema.error_expr(loc);
  }
  if (p->type->elem->is_function()) return p;
  if (p->type->elem->is_void()) {
    sema.error(loc, message::kDereferenceVoid(to_string(p->type)));
    return sema.error_expr(loc);
  }
  return deref(sema, p, loc);
}

Expr* take_address(Sema& sema, Expr* operand, SourceLoc loc) {
  if (operand->kind == ExprKind::kFunction) return operand;
  if (!operand->is_lvalue || is_xvalue(operand)) {
    sema.error(loc, message::kAddressOfTemporary());
    return sema.error_expr(loc);
  }
  if (is_bit_field(operand)) {
    sema.error(loc, message::kAddressOfBitField(describe(operand)));
    return sema.error_expr(loc);
  }
  Expr* e = address_of(sema, operand);
  if (e->kind == ExprKind::kAddress) e->loc = loc;
  return e;
}

Expr* arithmetic_unary(Sema& sema, Tok op, Expr* operand, SourceLoc loc) {
  const std::string text(spelling(op));
  Expr* value = sema.promote(operand);
  if (is_error(value)) return value;
  const QualType t = value->type;
  if (op == Tok::kPlus && t->is_pointer()) return value;
  const bool fits = op == Tok::kTilde ? t->is_integer() : t->is_arithmetic();
  if (!fits) {
    base::MessageText problem = op == Tok::kTilde ? message::kUnaryNotInteger(text, to_string(operand->type))
                                                  : message::kUnaryNotNumber(text, to_string(operand->type));
    if (t->is_class())
      problem =
          with_hint(std::move(problem), message::kDefineUnaryOperator(text, to_string(t.unqualified())));
    sema.error(loc, std::move(problem));
    return sema.error_expr(loc);
  }
  UnaryExpr* e = make_expr<UnaryExpr>(sema, t.unqualified(), loc);
  e->op = op == Tok::kPlus ? UnaryOp::kPlus : op == Tok::kMinus ? UnaryOp::kMinus : UnaryOp::kBitNot;
  e->operand = value;
  return e;
}

}  // namespace

Expr* overloaded_operator(Sema& sema, std::string_view op, std::span<Expr* const> args, SourceLoc loc) {
  if (std::none_of(args.begin(), args.end(), [](const Expr* e) { return is_class_or_enum(e); }))
    return nullptr;
  OverloadSet set;
  set.name = sema.idents.get("operator" + std::string(op));
  set.loc = loc;
  set.length = static_cast<uint32_t>(op.size());
  set.candidates = operator_candidates(sema, set.name, op, args);
  if (set.candidates.empty()) return nullptr;
  // Between enums and numbers the built-in operator is used, unless a function takes exactly that enum.
  const bool has_class =
      std::any_of(args.begin(), args.end(), [](const Expr* e) { return e->type->is_class(); });
  const Call call{.set = &set, .args = args, .is_operator = true, .allow_user = has_class};
  const Choice choice = choose(sema, call);
  if (choice.function == nullptr) return nullptr;
  if (choice.rival != nullptr) {
    report_ambiguous(sema, call, choice, loc);
    return sema.error_expr(loc);
  }
  std::vector<Expr*> rest(args.begin(), args.end());
  Expr* object = nullptr;
  if (choice.function->is_method()) {
    object = rest.front();
    rest.erase(rest.begin());
  }
  return sema.call_function(choice.function, object, std::move(rest), loc);
}

Expr* Sema::unary(Tok op, Expr* operand, SourceLoc loc) {
  if (is_error(operand)) return error_expr(loc);
  if (op == Tok::kPlusPlus || op == Tok::kMinusMinus)
    return inc_dec(*this, op == Tok::kPlusPlus, true, operand, loc);
  if (is_class_or_enum(operand) && op != Tok::kAmp) {
    Expr* args[] = {operand};
    if (Expr* e = overloaded_operator(*this, spelling(op), args, loc)) return e;
  }
  switch (op) {
    case Tok::kAmp: return take_address(*this, operand, loc);
    case Tok::kStar: return dereference(*this, operand, loc);
    case Tok::kExclaim: return negated(*this, operand, loc);
    default: return arithmetic_unary(*this, op, operand, loc);
  }
}

Expr* Sema::postfix_inc_dec(bool increment, Expr* operand, SourceLoc loc) {
  return inc_dec(*this, increment, false, operand, loc);
}

Expr* Sema::binary(Tok op, Expr* left, Expr* right, SourceLoc loc) {
  if (const Operator* found = find_operator(op)) return binary_operator(*this, *found, left, right, loc);
  if (!is_error(left) && !is_error(right)) error(loc, message::kOperatorUnsupported(spelling(op)));
  return error_expr(loc);
}

Expr* Sema::shift_right(Expr* left, Expr* right, SourceLoc loc, bool assign) {
  const Operator op{assign ? ">>=" : ">>", BinaryOp::kShr, assign};
  return binary_operator(*this, op, left, right, loc);
}

Expr* Sema::greater_equal(Expr* left, Expr* right, SourceLoc loc) {
  return binary_operator(*this, Operator{">=", BinaryOp::kGe, false}, left, right, loc);
}

Expr* Sema::subscript(Expr* base, std::span<Expr* const> indices, SourceLoc loc) {
  if (is_error(base) || any_error(indices)) return error_expr(loc);
  if (base->type->is_class()) {
    std::vector<Expr*> args{base};
    args.insert(args.end(), indices.begin(), indices.end());
    if (Expr* e = overloaded_operator(*this, "[]", args, loc)) return e;
  }
  if (indices.size() != 1) {
    error(loc, message::kIndexCount(std::to_string(indices.size())));
    return error_expr(loc);
  }
  Expr* pointer = scalar_operand(*this, base);
  Expr* index = is_braced(indices[0]) ? nullptr : scalar_operand(*this, indices[0]);
  if ((pointer != nullptr && is_error(pointer)) || (index != nullptr && is_error(index)))
    return error_expr(loc);
  if (pointer != nullptr && index != nullptr && !pointer->type->is_pointer() && index->type->is_pointer()) {
    std::swap(pointer, index);  // i[p]
  }
  if (pointer == nullptr || !pointer->type->is_pointer()) {
    base::MessageText problem = message::kIndexNotPointer(describe(base), to_string(base->type));
    if (base->type->is_class()) problem = with_hint(std::move(problem), message::kDefineIndexOperator());
    error(loc, std::move(problem));
    return error_expr(loc);
  }
  if (index == nullptr ||
      !(index->type->is_integer() || (index->type->is_enum() && !is_scoped_enum(index->type)))) {
    const Expr* given = index != nullptr ? index : indices[0];
    error(given,
          is_braced(given) ? message::kIndexList() : message::kIndexNotInteger(to_string(given->type)));
    return error_expr(loc);
  }
  const QualType elem = pointer->type->elem;
  if (elem->is_void() || elem->is_function()) {
    error(loc, message::kIndexVoid(to_string(pointer->type)));
    return error_expr(loc);
  }
  if (!require_complete(elem, loc)) return error_expr(loc);
  IndexExpr* e = make_expr<IndexExpr>(*this, elem, base->loc, true);
  e->length = base->length;
  e->pointer = pointer;
  e->index = index->type->is_enum() || index->type->is_bool() ? promote(index) : index;
  return e;
}

}  // namespace quern::lang
