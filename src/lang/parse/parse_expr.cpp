// Expressions: operators, argument lists, packs.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

// Counts nesting so that no input can exhaust the stack.
class DepthGuard {
 public:
  explicit DepthGuard(Sema& sema) : sema_(sema) { ++sema_.depth; }
  ~DepthGuard() { --sema_.depth; }
  bool too_deep() const { return sema_.depth > Sema::kMaxDepth; }

 private:
  Sema& sema_;
};

// A sequence of operators creates a tree as deep as their number, which later passes walk recursively.
constexpr int kMaxChain = 10'000;

}  // namespace

Expr* Parser::too_long() {
  Expr* e = error_here(message::kTooManyOperators());
  skip_to({Tok::kSemi});
  return e;
}

// The binary operator at the cursor: its precedence (0: none) and how many tokens spell it ('>' comes in
// pieces).
int Parser::precedence(Tok& op, size_t& tokens) const {
  tokens = 1;
  op = kind();
  switch (op) {
    case Tok::kPipePipe: return 1;
    case Tok::kAmpAmp: return 2;
    case Tok::kPipe: return 3;
    case Tok::kCaret: return 4;
    case Tok::kAmp: return 5;
    case Tok::kEqualEqual:
    case Tok::kExclaimEqual: return 6;
    case Tok::kLess:
    case Tok::kLessEqual: return 7;
    case Tok::kGreater: {
      if (!peek().glued) return no_greater_ > 0 ? 0 : 7;
      if (kind(1) == Tok::kEqual) {  // '>=' closes no list of template arguments
        tokens = 2;
        return 7;
      }
      if (no_greater_ > 0) return 0;
      if (kind(1) == Tok::kEqualEqual) return 7;
      if (kind(1) == Tok::kGreater && peek(1).glued && kind(2) == Tok::kEqual)
        return 0;  // '>>=': an assignment
      tokens = 2;
      return 9;  // '>>'
    }
    case Tok::kSpaceship: return 8;
    case Tok::kLessLess: return 9;
    case Tok::kPlus:
    case Tok::kMinus: return 10;
    case Tok::kStar:
    case Tok::kSlash:
    case Tok::kPercent: return 11;
    default: return 0;
  }
}

Expr* Parser::binary(int min_precedence) {
  Expr* left = unary();
  for (int count = 0;; ++count) {
    Tok op;
    size_t tokens;
    const int p = precedence(op, tokens);
    if (p == 0 || p < min_precedence) return left;
    if (op == Tok::kAmpAmp || op == Tok::kPipePipe || op == Tok::kPlus || op == Tok::kStar) {
      if (kind(tokens) == Tok::kEllipsis) return left;  // a fold expression: handled by the parenthesis
    }
    const SourceLoc at_loc = loc();
    advance(tokens);
    DepthGuard guard(sema_);
    if (guard.too_deep()) {
      skip_to({Tok::kSemi});
      return error_here(message::kExpressionTooDeep());
    }
    if (count == kMaxChain) {
      return too_long();
    }
    Expr* right = binary(p + 1);
    if (op == Tok::kGreater && tokens == 2) {
      left =
          p == 9 ? sema_.shift_right(left, right, at_loc, false) : sema_.greater_equal(left, right, at_loc);
    } else {
      left = sema_.binary(op, left, right, at_loc);
    }
  }
}

Expr* Parser::conditional() {
  Expr* condition = binary(1);
  if (!at(Tok::kQuestion)) return condition;
  const SourceLoc at_loc = loc();
  advance();
  DepthGuard guard(sema_);
  if (guard.too_deep()) {
    skip_to({Tok::kSemi});
    return error_here(message::kExpressionTooDeep());
  }
  if (at(Tok::kColon)) {
    return error_here(message::kGnuConditional());
  }
  const int saved = no_greater_;
  no_greater_ = 0;
  Expr* a = expression();
  no_greater_ = saved;
  expect(Tok::kColon, message::kInConditional);
  Expr* b = assignment();
  return sema_.conditional(condition, a, b, at_loc);
}

Expr* Parser::assignment() {
  DepthGuard guard(sema_);
  if (guard.too_deep()) {
    error_here(message::kExpressionTooDeep());
    skip_to({Tok::kSemi});
    return sema_.error_expr(loc());
  }
  if (at(Tok::kw_throw)) {
    Expr* e = error_here(message::kExceptions());
    skip_to({Tok::kSemi, Tok::kColon});
    return e;
  }
  Expr* left = conditional();
  const SourceLoc at_loc = loc();
  switch (kind()) {
    case Tok::kEqual:
    case Tok::kPlusEqual:
    case Tok::kMinusEqual:
    case Tok::kStarEqual:
    case Tok::kSlashEqual:
    case Tok::kPercentEqual:
    case Tok::kAmpEqual:
    case Tok::kPipeEqual:
    case Tok::kCaretEqual:
    case Tok::kLessLessEqual: {
      const Tok op = kind();
      advance();
      if (at(Tok::kLBrace)) {  // x = {…}
        Sema::BracedInit* list = braced();
        if (left->kind == ExprKind::kError) return left;
        return sema_.binary(op, left, sema_.init_list(left->type.unqualified(), *list), at_loc);
      }
      Expr* right = assignment();
      return sema_.binary(op, left, right, at_loc);
    }
    case Tok::kGreater:
      if (peek().glued && kind(1) == Tok::kGreater && peek(1).glued && kind(2) == Tok::kEqual &&
          no_greater_ == 0) {
        advance(3);
        Expr* right = assignment();
        return sema_.shift_right(left, right, at_loc, true);
      }
      return left;
    default: return left;
  }
}

Expr* Parser::expression() {
  Expr* left = assignment();
  for (int count = 0; at(Tok::kComma); ++count) {
    const SourceLoc at_loc = loc();
    advance();
    if (count == kMaxChain) {
      return too_long();
    }
    Expr* right = assignment();
    left = sema_.binary(Tok::kComma, left, right, at_loc);
  }
  return left;
}

std::optional<int64_t> Parser::constant() {
  Expr* e = conditional();
  if (e->kind == ExprKind::kError) return {};
  return sema_.constant_integer(e);
}

// ---- unary

Expr* Parser::unary() { return value(unary_operand()); }

Parser::Operand Parser::unary_operand() {
  DepthGuard guard(sema_);
  Operand out;
  if (guard.too_deep()) {
    error_here(message::kExpressionTooDeep());
    skip_to({Tok::kSemi});
    out.expr = sema_.error_expr(loc());
    return out;
  }
  const SourceLoc at_loc = loc();
  switch (kind()) {
    case Tok::kPlus:
    case Tok::kMinus:
    case Tok::kExclaim:
    case Tok::kTilde:
    case Tok::kStar:
    case Tok::kPlusPlus:
    case Tok::kMinusMinus: {
      const Tok op = kind();
      advance();
      out.expr = sema_.unary(op, unary(), at_loc);
      return out;
    }
    case Tok::kAmp: {
      advance();
      Operand operand = unary_operand();
      if (operand.is_set) {
        out.expr = value(operand);  // the address of a function is the function
      } else if (operand.expr->kind == ExprKind::kFunction) {
        out.expr = operand.expr;
      } else {
        out.expr = sema_.unary(Tok::kAmp, operand.expr, at_loc);
      }
      return out;
    }
    case Tok::kAmpAmp: {
      out.expr = error_here(message::kUnexpectedAndAnd());
      advance();
      return out;
    }
    default: return postfix(primary());
  }
}

Expr* Parser::value(const Operand& operand) {
  if (!operand.is_set) return operand.expr;
  const OverloadSet& set = operand.set;
  std::vector<FunctionDecl*> choices;
  for (Decl* d : set.candidates) {
    if (d->kind == DeclKind::kFunction && !set.has_explicit_args)
      choices.push_back(static_cast<FunctionDecl*>(d));
    if (d->kind == DeclKind::kTemplate && set.has_explicit_args) {
      auto* t = static_cast<TemplateDecl*>(d);
      if (t->of != TemplateDecl::Of::kFunction || set.explicit_args.size() > t->params.size()) continue;
      FunctionDecl* f = sema_.instantiate_function(t, set.explicit_args, set.loc);
      if (f != nullptr && is_satisfied(sema_, template_constraint(sema_, t, f->template_args)))
        choices.push_back(f);
    }
  }
  const std::string text(set.name->text);
  if (choices.size() == 1) return sema_.function_ref(choices[0], set.loc);
  if (choices.empty()) {
    sema_.error(set.loc, set.length, message::kTemplateAsValue(text, text));
  } else {
    // Several functions of one name: the context may determine the type. This is not implemented.
    sema_.error(set.loc, set.length, message::kSeveralFunctions(text));
  }
  return sema_.error_expr(set.loc);
}

// ---- postfix

// object.Base::member: the member of that class, even if a derived class has the same name.
Expr* Parser::qualified_member(Expr* object, bool arrow, const NameRef& ref, Operand& out) {
  if (arrow) object = sema_.unary(Tok::kStar, object, ref.loc);
  if (object->kind == ExprKind::kError) return object;
  if (ref.decls.empty()) {
    sema_.error(ref.loc, ref.length, undeclared(ref, message::kNotDeclared));
    return sema_.error_expr(ref.loc);
  }
  Expr* e = sema_.member_of_class(object, ref.decls, ref.loc, &out.set);
  if (e != nullptr) return e;
  out.is_set = true;
  out.set.is_qualified = true;
  out.set.name = ref.name;
  out.set.loc = ref.loc;
  out.set.length = ref.length;
  out.set.explicit_args = ref.args;
  out.set.has_explicit_args = ref.has_args;
  return nullptr;
}

Expr* Parser::member_access(Expr* object, bool arrow, Operand& out) {
  advance();
  accept(Tok::kw_template);
  if (at(Tok::kTilde)) return destructor_call(object, arrow, false);
  if (at(Tok::kIdentifier) && kind(1) == Tok::kColonColon && kind(2) == Tok::kTilde) {
    advance(2);
    return destructor_call(object, arrow, true);
  }
  NameRef ref;
  const SourceLoc at_loc = loc();
  if (at(Tok::kw_operator)) {
    if (!name(ref)) return error_here(message::kMemberNameMissing());
  } else if (at(Tok::kIdentifier)) {
    if (kind(1) == Tok::kColonColon ||
        kind(1) == Tok::kLess) {  // object.Base::member, object.Base<T>::member
      const Token* start = cur_;
      if (try_name(ref) && ref.is_qualified) return qualified_member(object, arrow, ref, out);
      cur_ = start;
      ref = {};
    }
    ref.name = peek().ident;
    ref.loc = at_loc;
    ref.length = static_cast<uint32_t>(peek().text.size());
    advance();
  } else {
    return error_here(message::kMemberNameMissing());
  }
  Expr* e = sema_.member(object, arrow, ref.name, ref.loc, scope_, &out.set);
  if (e == nullptr) {
    out.is_set = true;
    out.set.length = ref.length;
    if (at(Tok::kLess)) {
      bool any_template = false;
      for (Decl* d : out.set.candidates) any_template |= d->kind == DeclKind::kTemplate;
      if (any_template && template_args(out.set.explicit_args)) out.set.has_explicit_args = true;
    }
  }
  return e;
}

Parser::Operand Parser::postfix(Operand operand) {
  for (int count = 0;; ++count) {
    const SourceLoc at_loc = loc();
    if (count > kMaxChain) {
      operand = {};
      operand.expr = too_long();
      return operand;
    }
    switch (kind()) {
      case Tok::kLParen: {
        advance();
        std::vector<Expr*> args = arguments(Tok::kRParen);
        const uint32_t length = operand.is_set ? operand.set.length : operand.expr->length;
        Expr* e = operand.is_set ? sema_.call(operand.set, std::move(args), operand.set.loc)
                                 : sema_.call_value(operand.expr, std::move(args), operand.expr->loc);
        e->length = std::max(e->length, length);
        operand = {};
        operand.expr = e;
        continue;
      }
      case Tok::kLaunchOpen: {
        Expr* e = launch(operand);
        operand = {};
        operand.expr = e;
        continue;
      }
      case Tok::kLBracket: {
        Expr* base = value(operand);
        advance();
        const int saved = no_greater_;
        no_greater_ = 0;
        std::vector<Expr*> indices;
        if (at(Tok::kLBrace)) {
          indices.push_back(sema_.braced_expr(*braced()));
        } else {
          indices.push_back(expression());
        }
        no_greater_ = saved;
        expect(Tok::kRBracket, message::kAfterIndex);
        operand = {};
        const uint32_t length = base->length;
        operand.expr = sema_.subscript(base, indices, base->loc);
        operand.expr->length = length;
        (void)at_loc;
        continue;
      }
      case Tok::kDot:
      case Tok::kArrow: {
        const bool arrow = at(Tok::kArrow);
        Expr* object = value(operand);
        operand = {};
        operand.expr = member_access(object, arrow, operand);
        continue;
      }
      case Tok::kPlusPlus:
      case Tok::kMinusMinus: {
        const bool increment = at(Tok::kPlusPlus);
        Expr* object = value(operand);
        advance();
        operand = {};
        operand.expr = sema_.postfix_inc_dec(increment, object, at_loc);
        continue;
      }
      case Tok::kDotStar:
      case Tok::kArrowStar:
        operand = {};
        operand.expr = error_here(message::kMemberPointers());
        advance();
        return operand;
      default: return operand;
    }
  }
}

std::vector<Expr*> Parser::arguments(Tok close) {
  std::vector<Expr*> args;
  const int saved = no_greater_;
  no_greater_ = 0;
  while (!at_end() && !at(close)) {
    TokenRange pattern;
    if (expansion_range(pattern)) {
      expand_pack(pattern, [&] { args.push_back(assignment()); });
    } else if (at(Tok::kLBrace)) {
      args.push_back(sema_.braced_expr(*braced()));
    } else {
      const Token* before = cur_;
      args.push_back(assignment());
      if (cur_ == before) break;
    }
    if (!accept(Tok::kComma)) break;
  }
  no_greater_ = saved;
  if (!accept(close)) {
    error_here(message::kArgumentParenMissing(spelling(close)));
    skip_to({close, Tok::kSemi});
    accept(close);
  }
  return args;
}

Sema::BracedInit* Parser::braced() {
  auto* list = sema_.make<Sema::BracedInit>();
  list->loc = loc();
  DepthGuard guard(sema_);
  if (guard.too_deep()) {
    error_here(message::kBracesTooDeep());
    skip_balanced();
    return list;
  }
  const int saved = no_greater_;
  no_greater_ = 0;
  advance();
  while (!at_end() && !at(Tok::kRBrace)) {
    Sema::BracedInit::Item item;
    if (at(Tok::kDot) && kind(1) == Tok::kIdentifier) {
      item.designator = peek(1).ident;
      advance(2);
      accept(Tok::kEqual);
    }
    TokenRange pattern;
    if (at(Tok::kLBrace)) {
      item.list = braced();
      list->items.push_back(item);
    } else if (expansion_range(pattern)) {
      expand_pack(pattern, [&] {
        Sema::BracedInit::Item each;
        each.expr = assignment();
        list->items.push_back(each);
      });
    } else {
      const Token* before = cur_;
      item.expr = assignment();
      list->items.push_back(item);
      if (cur_ == before) break;
    }
    if (!accept(Tok::kComma)) break;
  }
  no_greater_ = saved;
  expect(Tok::kRBrace, message::kAtEndOfList);
  return list;
}

}  // namespace quern::lang
