// Expressions: operators, argument lists, packs.
#include <algorithm>

#include "lang/sema/constraint.hpp"
#include "lang/sema/parser.hpp"

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

}  // namespace

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
      if (kind(1) == Tok::kEqual) {
        tokens = 2;
        return no_greater_ > 0 ? 0 : 7;  // '>='
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
  for (;;) {
    Tok op;
    size_t tokens;
    const int p = precedence(op, tokens);
    if (p == 0 || p < min_precedence) return left;
    if (op == Tok::kAmpAmp || op == Tok::kPipePipe || op == Tok::kPlus || op == Tok::kStar) {
      if (kind(tokens) == Tok::kEllipsis) return left;  // a fold expression: the parenthesis takes it
    }
    const SourceLoc at_loc = loc();
    advance(tokens);
    DepthGuard guard(sema_);
    if (guard.too_deep()) {
      skip_to({Tok::kSemi});
      return error_here("this expression is nested too deeply");
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
    return error_here("this expression is nested too deeply");
  }
  const int saved = no_greater_;
  no_greater_ = 0;
  Expr* a = expression();
  no_greater_ = saved;
  expect(Tok::kColon, "in the conditional expression");
  Expr* b = assignment();
  return sema_.conditional(condition, a, b, at_loc);
}

Expr* Parser::assignment() {
  DepthGuard guard(sema_);
  if (guard.too_deep()) {
    error_here("this expression is nested too deeply");
    skip_to({Tok::kSemi});
    return sema_.error_expr(loc());
  }
  if (at(Tok::kw_throw)) {
    Expr* e = error_here("exceptions are not supported in kernels");
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
    case Tok::kLaunchOpen: {
      Expr* e = error_here("launching a kernel from a kernel is not supported");
      skip_to({Tok::kSemi});
      return e;
    }
    default: return left;
  }
}

Expr* Parser::expression() {
  Expr* left = assignment();
  while (at(Tok::kComma)) {
    const SourceLoc at_loc = loc();
    advance();
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
    error_here("this expression is nested too deeply");
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
      out.expr = error_here("'&&' cannot stand here");
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
    sema_.error(set.loc, set.length, "'" + text + "' is a template; say which one: '" + text + "<…>'");
  } else {
    // Several functions of one name: whoever uses it may know the type it wants. We do not look that far.
    sema_.error(set.loc, set.length,
                "'" + text + "' names several functions; cast it to the type that is meant");
  }
  return sema_.error_expr(set.loc);
}

// ---- postfix

// object.Base::member: the member of that class, whatever a derived class has under the name.
Expr* Parser::qualified_member(Expr* object, bool arrow, const NameRef& ref, Operand& out) {
  if (arrow) object = sema_.unary(Tok::kStar, object, ref.loc);
  if (object->kind == ExprKind::kError) return object;
  if (ref.decls.empty()) {
    sema_.error(ref.loc, ref.length, undeclared(ref, "is not declared here"));
    return sema_.error_expr(ref.loc);
  }
  Expr* e = sema_.member_of_class(object, ref.decls, ref.loc, &out.set);
  if (e != nullptr) return e;
  out.is_set = true;
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
  if (at(Tok::kTilde)) {  // an explicit destructor call does nothing we could see
    advance();
    NameRef ref;
    name(ref);
    if (at(Tok::kLParen)) skip_balanced();
    return sema_.named_cast(Tok::kw_static_cast, sema_.basic(TypeKind::kVoid), object, loc());
  }
  NameRef ref;
  const SourceLoc at_loc = loc();
  if (at(Tok::kw_operator)) {
    if (!name(ref)) return error_here("a member's name is missing");
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
    return error_here("a member's name is missing");
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
  for (;;) {
    const SourceLoc at_loc = loc();
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
        expect(Tok::kRBracket, "after the index");
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
        operand.expr = error_here("pointers to members are not supported in kernels");
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
    error_here("'" + std::string(spelling(close)) + "' is missing after the arguments");
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
    error_here("these braces are nested too deeply");
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
  expect(Tok::kRBrace, "at the end of the list");
  return list;
}

// ---- packs

bool Parser::expansion_range(TokenRange& pattern) {
  if (pattern_ || sema_.impl->packs == 0) return false;
  Cursor ahead({cur_, end_});
  while (!ahead.at_end()) {
    switch (ahead.kind()) {
      case Tok::kComma:
      case Tok::kRParen:
      case Tok::kRBrace:
      case Tok::kRBracket:
      case Tok::kSemi: return false;
      case Tok::kGreater: return false;
      case Tok::kEllipsis: {
        const Tok next = ahead.kind(1);
        const bool ends = next == Tok::kComma || next == Tok::kRParen || next == Tok::kRBrace ||
                          next == Tok::kGreater || next == Tok::kEnd;
        pattern = {cur_, ahead.position()};
        return ends && ahead.position() > cur_;
      }
      case Tok::kLParen:
      case Tok::kLBrace:
      case Tok::kLBracket: ahead.skip_balanced(); break;
      case Tok::kLess:
        if (!ahead.skip_angles()) ahead.advance();
        break;
      default: ahead.advance(); break;
    }
  }
  return false;
}

std::vector<const Decl*> Parser::packs_in(TokenRange range, size_t& count) {
  std::vector<const Decl*> packs;
  bool first = true;
  for (const Token* t = range.begin; t < range.end; ++t) {
    const bool is_auto = t->kind == Tok::kw_auto && autos_from_ != nullptr;
    if (t->kind != Tok::kIdentifier && !is_auto) continue;
    if (t > range.begin && ((t - 1)->kind == Tok::kDot || (t - 1)->kind == Tok::kArrow)) continue;
    Ident* word = is_auto ? auto_param_name(sema_, autos_from_, t) : t->ident;
    for (Decl* d : sema_.lookup(word, scope_)) {
      size_t size = 0;
      if (d->kind == DeclKind::kPackParam) {
        auto* b = static_cast<BoundDecl*>(d);
        if (b->pattern_index >= 0) continue;
        size = b->arg.pack.size();
      } else if (auto* v = decl_cast<VarDecl>(d, DeclKind::kVar); v != nullptr && v->is_param_pack) {
        size = v->pack.size();
      } else {
        continue;
      }
      if (sema_.impl->pack_index.contains(d)) continue;  // an outer expansion has chosen already
      if (std::find(packs.begin(), packs.end(), d) != packs.end()) continue;
      if (!first && size != count) sema_.error(t->loc, "packs of different lengths are expanded together");
      count = first ? size : std::min(count, size);
      first = false;
      packs.push_back(d);
    }
  }
  if (first) {
    count = 0;
    sema_.error(range.begin->loc, "there is no pack to expand here");
  }
  return packs;
}

void Parser::expand_pack(TokenRange pattern, const std::function<void()>& each) {
  size_t count = 0;
  const std::vector<const Decl*> packs = packs_in(pattern, count);
  const Token* saved_end = end_;
  for (size_t i = 0; i < count; ++i) {
    for (const Decl* p : packs) sema_.impl->pack_index[p] = i;
    cur_ = pattern.begin;
    end_ = pattern.end;
    each();
  }
  for (const Decl* p : packs) sema_.impl->pack_index.erase(p);
  end_ = saved_end;
  cur_ = pattern.end;
  accept(Tok::kEllipsis);
}

namespace {

bool is_fold_operator(const Token& t) {
  return (t.kind >= Tok::kPlus && t.kind <= Tok::kLessLessEqual) || t.kind == Tok::kComma;
}

// The operators '>>', '>=' and '>>=' come in pieces.
const Token* operator_before(const Token* dots, const Token* begin) {
  if (dots <= begin || !is_fold_operator(dots[-1])) return dots;
  const Token* op = dots - 1;
  while (op > begin && op[-1].kind == Tok::kGreater && op[-1].glued) --op;
  return op;
}

const Token* operator_after(const Token* at, const Token* end) {
  if (at >= end || !is_fold_operator(*at)) return at;
  while (at->kind == Tok::kGreater && at->glued && at + 1 < end) ++at;
  return at + 1;
}

}  // namespace

// At the content of a parenthesis: ( pack op ... ), ( ... op pack ), ( init op ... op pack ).
Expr* Parser::fold_expression(bool& is_fold) {
  is_fold = false;
  if (sema_.impl->packs == 0) return nullptr;
  const Token* open = cur_;
  Cursor whole({cur_, end_});
  whole.skip_balanced();
  const Token* close = whole.position() - 1;
  const Token* dots = nullptr;
  for (Cursor c({open + 1, close}); !c.at_end();) {
    if (c.at(Tok::kEllipsis)) {
      dots = c.position();
      break;
    }
    if (c.at(Tok::kLess) && c.skip_angles()) continue;
    if (c.at(Tok::kLParen) || c.at(Tok::kLBrace) || c.at(Tok::kLBracket)) {
      c.skip_balanced();
    } else {
      c.advance();
    }
  }
  if (dots == nullptr || dots == close) return nullptr;
  const SourceLoc at_loc = open->loc;
  const Token* before = operator_before(dots, open + 1);
  const Token* after = operator_after(dots + 1, close);
  if (before == dots && after == dots + 1) return nullptr;
  is_fold = true;
  const TokenRange op = before < dots ? TokenRange{before, dots} : TokenRange{dots + 1, after};
  TokenRange left{open + 1, before < dots ? before : open + 1};
  TokenRange right{after > dots + 1 ? after : close, close};
  auto has_pack = [&](TokenRange r) {
    Tentative attempt(sema_.diagnostics);
    size_t n = 0;
    const bool any = !r.empty() && !packs_in(r, n).empty();
    return any;
  };
  std::vector<Expr*> items;
  const bool pack_left = has_pack(left);
  const TokenRange pack_range = pack_left ? left : right;
  const TokenRange init_range = pack_left ? right : left;
  const bool is_left_fold = before == dots || !pack_left;  // (... op pack) and (init op ... op pack)
  expand_pack(pack_range, [&] { items.push_back(assignment()); });
  Expr* init = nullptr;
  if (!init_range.empty()) {
    Parser p(sema_, init_range, scope_, function_);
    init = p.assignment();
  }
  cur_ = close + 1;
  auto join = [&](Expr* a, Expr* b) {
    const size_t tokens = static_cast<size_t>(op.end - op.begin);
    const bool shifts = tokens > 1 && op.begin[1].kind == Tok::kGreater;
    if (shifts) return sema_.shift_right(a, b, at_loc, tokens == 3);
    return tokens == 2 ? sema_.greater_equal(a, b, at_loc) : sema_.binary(op.begin->kind, a, b, at_loc);
  };
  if (items.empty() && init == nullptr) {
    switch (op.begin->kind) {
      case Tok::kAmpAmp: return sema_.bool_constant(true, at_loc);
      case Tok::kPipePipe: return sema_.bool_constant(false, at_loc);
      case Tok::kComma: break;
      default:
        sema_.error(at_loc, "'" + std::string(spelling(op.begin->kind)) +
                                "' has no value for a pack without elements; write (init op ... op pack)");
        return sema_.error_expr(at_loc);
    }
    return sema_.init_value(sema_.basic(TypeKind::kVoid), at_loc);
  }
  if (is_left_fold) {
    Expr* all = init;
    for (Expr* e : items) all = all == nullptr ? e : join(all, e);
    return all;
  }
  Expr* all = init;
  for (auto it = items.rbegin(); it != items.rend(); ++it) all = all == nullptr ? *it : join(*it, all);
  return all;
}

}  // namespace quern::lang
