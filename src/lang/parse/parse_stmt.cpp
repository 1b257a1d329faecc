// Statements.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

namespace {

class DepthGuard {
 public:
  explicit DepthGuard(Sema& sema) : sema_(sema) { ++sema_.depth; }
  ~DepthGuard() { --sema_.depth; }
  bool too_deep() const { return sema_.depth > Sema::kMaxDepth; }

 private:
  Sema& sema_;
};

}  // namespace

void Parser::recover() {
  skip_to({Tok::kSemi, Tok::kRBrace});
  accept(Tok::kSemi);
}

BlockStmt* Parser::block() {
  auto* b = sema_.make<BlockStmt>();
  b->loc = loc();
  expect(Tok::kLBrace, message::kAtStartOfBlock);
  push_scope();
  while (!at_end() && !at(Tok::kRBrace)) {
    const Token* before = cur_;
    b->body.push_back(statement());
    if (cur_ == before) advance();  // always make progress
  }
  if (!accept(Tok::kRBrace)) error_here(message::kBraceMissing());
  pop_scope();
  return b;
}

int Parser::unroll_pragma() {
  int unroll = 0;
  while (word_of(peek()) == Word::kUnroll) {
    advance();
    unroll = -1;
    if (!at(Tok::kLParen)) continue;
    const Token* open = cur_;
    skip_balanced();
    if (open + 1 >= cur_ - 1) continue;
    Parser inner(sema_, {open + 1, cur_ - 1}, scope_, function_);
    if (auto n = inner.constant()) unroll = static_cast<int>(std::clamp<int64_t>(*n, 1, 1 << 20));
  }
  return unroll;
}

Stmt* Parser::statement() {
  DepthGuard guard(sema_);
  const SourceLoc at_loc = loc();
  if (guard.too_deep()) {
    error_here(message::kStatementsTooDeep());
    if (at(Tok::kLBrace)) {
      skip_balanced();
    } else {
      recover();
    }
    return sema_.make<NullStmt>();
  }
  while (at(Tok::kLBracket) && kind(1) == Tok::kLBracket)
    skip_balanced();  // [[likely]] and similar attributes
  if (word_of(peek()) == Word::kUnroll) loop_unroll_ = unroll_pragma();
  const int unroll = loop_unroll_;
  loop_unroll_ = 0;
  Stmt* s = nullptr;
  switch (kind()) {
    case Tok::kSemi:
      advance();
      s = sema_.make<NullStmt>();
      break;
    case Tok::kLBrace: s = block(); break;
    case Tok::kw_if: s = if_statement(); break;
    case Tok::kw_for:
      loop_unroll_ = unroll;
      s = for_statement();
      break;
    case Tok::kw_while:
      loop_unroll_ = unroll;
      s = while_statement();
      break;
    case Tok::kw_do:
      loop_unroll_ = unroll;
      s = do_statement();
      break;
    case Tok::kw_switch: s = switch_statement(); break;
    case Tok::kw_case:
    case Tok::kw_default: s = case_statement(); break;
    case Tok::kw_break:
      if (loop_depth_ + switch_depth_ == 0) error_here(message::kBreakMisplaced());
      advance();
      expect(Tok::kSemi, message::kAfterBreak);
      s = sema_.make<BreakStmt>();
      break;
    case Tok::kw_continue:
      if (loop_depth_ == 0) error_here(message::kContinueMisplaced());
      advance();
      expect(Tok::kSemi, message::kAfterContinue);
      s = sema_.make<ContinueStmt>();
      break;
    case Tok::kw_return: s = return_statement(); break;
    case Tok::kw_goto: {
      auto* g = sema_.make<GotoStmt>();
      advance();
      if (at(Tok::kIdentifier)) {
        g->label = peek().ident;
        advance();
      } else {
        error_here(message::kGotoLabelMissing());
      }
      expect(Tok::kSemi, message::kAfterGoto);
      gotos_.push_back(g);
      s = g;
      break;
    }
    case Tok::kw_try:
    case Tok::kw_catch:
      error_here(message::kExceptions());
      skip_to({Tok::kLBrace});
      skip_balanced();
      s = sema_.make<NullStmt>();
      break;
    case Tok::kw_asm: s = asm_statement(); break;
    case Tok::kIdentifier:
      if (kind(1) == Tok::kColon && kind(2) != Tok::kColon) {
        auto* l = sema_.make<LabelStmt>();
        l->label = peek().ident;
        labels_.push_back(l->label);
        advance(2);
        l->body = at(Tok::kRBrace) ? static_cast<Stmt*>(sema_.make<NullStmt>()) : statement();
        s = l;
        break;
      }
      if (word_of(peek()) == Word::kAsm) {
        s = asm_statement();
        break;
      }
      [[fallthrough]];
    default:
      if (at_declaration()) {
        s = declaration_statement();
      } else {
        auto* e = sema_.make<ExprStmt>();
        const size_t errors = sema_.diagnostics.error_count();
        e->expr = expression();
        if (!accept(Tok::kSemi)) {
          if (sema_.diagnostics.error_count() == errors) {
            // The place to write it is after the previous token.
            const Token* last = cur_ - 1;
            sema_.error(
                SourceLoc{last->loc.offset +
                          (last->from_macro ? 0 : static_cast<uint32_t>(last->text.size()))},
                at_end() ? message::kSemicolonMissing() : message::kSemicolonMissingBefore(peek().text));
          }
          recover();
        }
        s = e;
      }
      break;
  }
  s->loc = at_loc;
  return s;
}

// ---- declarations

// The library's assertions are messages for its users, reported at the place of use.
void Parser::fail_assertion(const Expr* condition, const std::string& text) {
  const SourceLoc asked = sema_.impl->asked;
  if (asked && !text.empty()) {
    sema_.error(asked, message::kLibraryAssertion(text));
  } else {
    sema_.error(condition, text.empty() ? message::kAssertionFailed() : message::kAssertionFailedText(text));
  }
}

Stmt* Parser::declaration_statement() {
  auto* s = sema_.make<DeclStmt>();
  const bool is_class = at(Tok::kw_struct) || at(Tok::kw_class) || at(Tok::kw_union) || at(Tok::kw_enum);
  if (at(Tok::kw_using) || at(Tok::kw_namespace)) {
    Scanner scanner(sema_, {cur_, end_}, scope_, false);
    const Token* start = cur_;
    skip_to({Tok::kSemi});
    Scanner one(sema_, {start, cur_}, scope_, false);
    one.run();
    expect(Tok::kSemi, message::kAfterDeclaration);
    return s;
  }
  if (at(Tok::kw_static_assert)) {
    advance();
    expect(Tok::kLParen, message::kAfterStaticAssert);
    Expr* condition = conditional();
    std::string text;
    if (accept(Tok::kComma) && at(Tok::kString)) text = as<StringExpr>(string_literal())->text;
    expect(Tok::kRParen, message::kAfterCondition);
    expect(Tok::kSemi, message::kAfterStaticAssert);
    if (condition->kind != ExprKind::kError) {
      Expr* as_bool = sema_.to_bool(condition);
      auto v = sema_.constant_integer(as_bool);
      if (v && *v == 0) fail_assertion(condition, text);
    }
    return s;
  }
  Specifiers spec = specifiers();
  if (spec.is_typedef) {
    while (!at_end()) {
      Declarator d = declarator(spec.type);
      if (at(Tok::kLParen)) d.type = apply_suffixes(d.type, d);
      auto* t = sema_.make<TypedefDecl>();
      t->name = d.name;
      t->loc = d.loc;
      t->type = d.type;
      t->state = Lazy::kDone;
      if (d.name != nullptr) sema_.declare(scope_, t);
      if (!accept(Tok::kComma)) break;
    }
    expect(Tok::kSemi, message::kAfterTypedef);
    return s;
  }
  if (is_class && at(Tok::kSemi)) {
    if (spec.type->is_class() && spec.type->class_decl->name == nullptr) unnamed_object(spec, s->vars);
    advance();
    return s;
  }
  if (spec.type->is_error()) {
    recover();
    // Names declared with an unknown type are declared anyway, so that one mistake is one error.
    return s;
  }
  if (at_binding(spec)) {
    structured_binding(spec, s->vars);
  } else {
    init_declarators(spec, s->vars);
  }
  if (!accept(Tok::kSemi)) {
    error_here(message::kSemicolonAfterDeclaration());
    recover();
  }
  return s;
}

void Parser::init_declarators(Specifiers& spec, std::vector<VarDecl*>& out) {
  do {
    Declarator d = declarator(spec.type);
    if (d.name == nullptr) {
      error_here(message::kVariableNameMissing());
      return;
    }
    // In C++, T name(T2); inside a function declares a function; in a kernel this is assumed only if the
    // arguments are types.
    if (VarDecl* v = local_variable(spec, d)) out.push_back(v);
  } while (accept(Tok::kComma));
}

// C auto x = …: the concept is checked for the deduced type.
void Parser::check_auto(const Specifiers& spec, const VarDecl* v) {
  std::string why;
  const QualType type = strip_ref(v->type).unqualified();
  if (type->is_error() || satisfies(sema_, spec.constraint, scope_, type, &why)) return;
  sema_.error(v->loc, static_cast<uint32_t>(v->name->text.size()),
              message::kConceptNotSatisfied(v->name->text, to_string(type), why));
}

VarDecl* Parser::local_variable(Specifiers& spec, Declarator& d) {
  auto* v = sema_.make<VarDecl>();
  v->name = d.name;
  v->loc = d.loc;
  v->type = d.type;
  v->align = d.align ? d.align : spec.align;
  v->is_restrict = d.is_restrict || spec.is_restrict;
  v->is_constexpr = spec.is_constexpr;
  if (spec.is_constexpr) v->type.is_const = true;
  if (v->type->is_array() && spec.is_constexpr && !v->type->elem.is_const) {
    const QualType elem = v->type->elem.with_const();
    v->type = v->type->is_unsized ? sema_.types.unsized_array(elem) : sema_.types.array(elem, v->type->count);
  }
  if (spec.shared) {
    v->storage = Storage::kShared;
  } else if (spec.constant) {
    v->storage = Storage::kConstant;
  } else if (spec.is_static || spec.is_extern) {
    const bool constant = v->type.is_const || (v->type->is_array() && v->type->elem.is_const);
    v->storage = constant ? Storage::kHost : Storage::kDevice;
  }
  for (auto it = scope_->locals.rbegin(); it != scope_->locals.rend(); ++it) {
    if (it->first == d.name && it->second->kind == DeclKind::kVar) {
      sema_.error(d.loc, static_cast<uint32_t>(d.name->text.size()), message::kDeclaredTwice(d.name->text));
      break;
    }
  }
  const bool unsized_shared = v->storage == Storage::kShared && v->type->is_array() && v->type->is_unsized;
  if (unsized_shared && !spec.is_extern) {
    sema_.error(d.loc, message::kSharedSizeUnknown());
  }
  if (v->type->is_void()) {
    sema_.error(d.loc, message::kVariableVoid(d.name->text));
    v->type = sema_.basic(TypeKind::kError);
  }
  if (v->type->is_class() && !sema_.require_complete(v->type, d.loc)) v->type = sema_.basic(TypeKind::kError);
  // The name is declared in its own initialiser (where its use is an error), except for `auto`.
  const bool is_auto = v->type->is(TypeKind::kAuto);
  if (!is_auto) sema_.declare(scope_, v);
  if (v->type->is_error()) {
    if (at(Tok::kEqual) || at(Tok::kLParen) || at(Tok::kLBrace)) skip_to({Tok::kComma, Tok::kSemi});
    return v;
  }
  initialiser(v, true);
  if (!spec.constraint.empty()) check_auto(spec, v);
  if (is_auto) sema_.declare(scope_, v);
  if (v->storage == Storage::kShared && v->init != nullptr) {
    const bool trivial = v->init->kind == ExprKind::kError;
    if (!trivial) sema_.error(d.loc, message::kSharedInitialized());
    v->init = nullptr;
  }
  if (v->type->is_array() && v->type->is_unsized && v->storage != Storage::kShared && !v->type->is_error()) {
    sema_.error(d.loc, message::kExtentMissing(d.name->text));
    v->type = sema_.basic(TypeKind::kError);
  }
  return v;
}

// ---- control flow

Stmt* Parser::scoped_statement() {
  push_scope();
  Stmt* s = statement();
  pop_scope();
  return s;
}

// The inside of if ( … ), while ( … ): a condition, optionally after an init-statement, or one that declares
// a variable.
Expr* Parser::condition(std::vector<Stmt*>& init) {
  Cursor ahead({cur_, end_});
  ahead.skip_to({Tok::kSemi, Tok::kRParen});
  if (ahead.at(Tok::kSemi)) {
    init.push_back(at_declaration() ? declaration_statement() : statement());
  }
  if (at_declaration()) return declared_condition(init);
  Expr* e = expression();
  if (e->kind == ExprKind::kError) {
    skip_to({Tok::kRParen});
    return e;
  }
  return sema_.to_bool(e);
}

Expr* Parser::declared_condition(std::vector<Stmt*>& init) {
  auto* s = sema_.make<DeclStmt>();
  s->loc = loc();
  Specifiers spec = specifiers();
  Declarator d = declarator(spec.type);
  if (d.name == nullptr) return error_here(message::kVariableNameMissing());
  VarDecl* v = local_variable(spec, d);
  s->vars.push_back(v);
  init.push_back(s);
  if (v->type->is_error()) return sema_.error_expr(v->loc);
  return sema_.to_bool(sema_.var_ref(v, v->loc));
}

// Skips one statement without parsing it.
void Parser::skip_statement() {
  while (at(Tok::kLBracket) && kind(1) == Tok::kLBracket) skip_balanced();
  while (word_of(peek()) == Word::kUnroll) {
    advance();
    if (at(Tok::kLParen)) skip_balanced();
  }
  switch (kind()) {
    case Tok::kLBrace: skip_balanced(); return;
    case Tok::kw_if:
    case Tok::kw_for:
    case Tok::kw_while:
    case Tok::kw_switch:
      advance();
      accept(Tok::kw_constexpr);
      while (at(Tok::kExclaim) || word_of(peek()) == Word::kConsteval) advance();
      if (at(Tok::kLParen)) skip_balanced();
      skip_statement();
      if (accept(Tok::kw_else)) skip_statement();
      return;
    case Tok::kw_do:
      advance();
      skip_statement();
      [[fallthrough]];
    default:
      skip_to({Tok::kSemi});
      accept(Tok::kSemi);
      return;
  }
}

// At `consteval` or `!consteval`: std::is_constant_evaluated().
Expr* Parser::consteval_condition() {
  const SourceLoc at_loc = loc();
  const bool is_negated = accept(Tok::kExclaim);
  advance();
  OverloadSet set;
  set.name = sema_.idents.get("is_constant_evaluated");
  set.loc = at_loc;
  for (Decl* d : sema_.lookup_in(sema_.idents.get("std"), sema_.global)) {
    if (auto* ns = decl_cast<NamespaceDecl>(d, DeclKind::kNamespace))
      set.candidates = sema_.lookup_in(set.name, ns->members);
  }
  Expr* asked = sema_.call(set, {}, at_loc);
  return is_negated ? sema_.unary(Tok::kExclaim, asked, at_loc) : asked;
}

Stmt* Parser::if_statement() {
  const SourceLoc at_loc = loc();
  advance();
  const bool is_constexpr = accept(Tok::kw_constexpr);
  auto* s = sema_.make<IfStmt>();
  if (const Token& word = peek(at(Tok::kExclaim) ? 1 : 0); word_of(word) == Word::kConsteval) {
    push_scope();
    s->condition = consteval_condition();
  } else {
    expect(Tok::kLParen, message::kAfterIf);
    push_scope();
    s->condition = condition(s->init);
    expect(Tok::kRParen, message::kAfterCondition);
  }
  if (is_constexpr && s->condition->kind != ExprKind::kError) {
    auto v = sema_.constant_integer(s->condition);
    const bool taken = v && *v != 0;
    auto* b = sema_.make<BlockStmt>();
    b->loc = at_loc;
    b->body = s->init;
    // The branch not taken is not even parsed.
    if (taken) {
      b->body.push_back(scoped_statement());
    } else {
      skip_statement();
    }
    if (accept(Tok::kw_else)) {
      if (taken) {
        skip_statement();
      } else {
        b->body.push_back(scoped_statement());
      }
    }
    pop_scope();
    return b;
  }
  s->then_branch = scoped_statement();
  if (accept(Tok::kw_else)) s->else_branch = scoped_statement();
  pop_scope();
  return s;
}

Stmt* Parser::while_statement() {
  auto* s = sema_.make<LoopStmt>(StmtKind::kWhile);
  s->unroll = loop_unroll_;
  loop_unroll_ = 0;
  advance();
  expect(Tok::kLParen, message::kAfterWhile);
  push_scope();
  s->condition = condition(s->each);
  expect(Tok::kRParen, message::kAfterCondition);
  ++loop_depth_;
  s->body = scoped_statement();
  --loop_depth_;
  pop_scope();
  return s;
}

Stmt* Parser::do_statement() {
  auto* s = sema_.make<LoopStmt>(StmtKind::kDo);
  s->unroll = loop_unroll_;
  loop_unroll_ = 0;
  advance();
  ++loop_depth_;
  s->body = scoped_statement();
  --loop_depth_;
  if (!accept(Tok::kw_while)) {
    error_here(message::kDoWhileMissing());
    return s;
  }
  expect(Tok::kLParen, message::kAfterWhile);
  Expr* e = expression();
  s->condition = e->kind == ExprKind::kError ? e : sema_.to_bool(e);
  expect(Tok::kRParen, message::kAfterCondition);
  expect(Tok::kSemi, message::kAfterLoop);
  return s;
}

Stmt* Parser::for_statement() {
  const SourceLoc at_loc = loc();
  const int unroll = loop_unroll_;
  loop_unroll_ = 0;
  advance();
  expect(Tok::kLParen, message::kAfterFor);
  push_scope();
  if (at_range_for()) return range_for(at_loc, unroll);
  auto* s = sema_.make<LoopStmt>(StmtKind::kFor);
  s->unroll = unroll;
  if (!accept(Tok::kSemi)) s->init.push_back(statement());
  if (!at(Tok::kSemi)) {
    if (at_declaration()) {
      s->condition = declared_condition(s->each);
    } else {
      Expr* e = expression();
      s->condition = e->kind == ExprKind::kError ? e : sema_.to_bool(e);
      if (e->kind == ExprKind::kError) skip_to({Tok::kSemi, Tok::kRParen});
    }
  }
  expect(Tok::kSemi, message::kAfterLoopCondition);
  if (!at(Tok::kRParen)) {
    s->step = expression();
    if (s->step->kind == ExprKind::kError) skip_to({Tok::kRParen});
  }
  expect(Tok::kRParen, message::kAfterLoopHead);
  ++loop_depth_;
  s->body = scoped_statement();
  --loop_depth_;
  pop_scope();
  return s;
}

Stmt* Parser::switch_statement() {
  auto* s = sema_.make<SwitchStmt>();
  advance();
  expect(Tok::kLParen, message::kAfterSwitch);
  push_scope();
  Cursor ahead({cur_, end_});
  ahead.skip_to({Tok::kSemi, Tok::kRParen});
  if (ahead.at(Tok::kSemi)) s->init.push_back(statement());
  Expr* e = expression();
  if (e->kind == ExprKind::kError) {
    skip_to({Tok::kRParen});
  } else if (e->type->is_enum() && e->type->enum_decl->is_scoped) {
    e = sema_.c_style_cast(
        e->type->enum_decl->underlying ? e->type->enum_decl->underlying : sema_.basic(TypeKind::kInt), e,
        e->loc);
    e = sema_.promote(e);
  } else if (e->type->is_integer() || e->type->is_enum()) {
    e = sema_.promote(e);
  } else {
    sema_.error(e, message::kSwitchNotInteger(to_string(e->type)));
    e = sema_.error_expr(e->loc);
  }
  s->value = e;
  expect(Tok::kRParen, message::kAfterSwitchValue);
  ++switch_depth_;
  s->body = scoped_statement();
  --switch_depth_;
  pop_scope();
  return s;
}

Stmt* Parser::case_statement() {
  auto* s = sema_.make<CaseStmt>();
  const SourceLoc at_loc = loc();
  if (switch_depth_ == 0) error_here(message::kLabelOutsideSwitch(peek().text));
  if (accept(Tok::kw_default)) {
    s->is_default = true;
  } else {
    advance();
    if (auto v = constant()) {
      s->value = s->last = *v;
      if (accept(Tok::kEllipsis)) {
        if (auto last = constant()) s->last = *last;
      }
    } else {
      skip_to({Tok::kColon, Tok::kSemi, Tok::kRBrace});
    }
  }
  expect(Tok::kColon, message::kAfterCase);
  s->loc = at_loc;
  s->body = at(Tok::kRBrace) ? static_cast<Stmt*>(sema_.make<NullStmt>()) : statement();
  return s;
}

Stmt* Parser::return_statement() {
  auto* s = sema_.make<ReturnStmt>();
  const SourceLoc at_loc = loc();
  advance();
  QualType& result = function_->result;
  if (at(Tok::kSemi)) {
    advance();
    if (result->is(TypeKind::kAuto)) result = sema_.basic(TypeKind::kVoid);
    if (!result->is_void() && !result->is_error()) {
      sema_.error(at_loc, 6, message::kReturnValueMissing(function_->name->text, to_string(result)));
    }
    return s;
  }
  Expr* e;
  const Token* first = cur_;
  if (at(Tok::kLBrace)) {
    Sema::BracedInit* list = braced();
    if (result->is(TypeKind::kAuto)) {
      sema_.error(at_loc, message::kResultFromList());
      e = sema_.error_expr(at_loc);
    } else {
      e = sema_.init_list(result, *list);
    }
  } else {
    e = expression();
  }
  if (!accept(Tok::kSemi)) {
    if (e->kind != ExprKind::kError) error_here(message::kSemicolonAfterReturn());
    recover();
  }
  if (e->kind == ExprKind::kError) {
    if (result->is(TypeKind::kAuto)) result = sema_.basic(TypeKind::kError);
    return s;
  }
  const bool keeps_references = result.type == sema_.types.decltype_auto();
  QualType deduced = keeps_references ? decltype_of(e, first) : deduce_auto(sema_, result, e);
  if (!deduced) {
    sema_.error(e, message::kResultNotDeduced(to_string(e->type)));
    return s;
  }
  result = deduced;
  if (result->is_void()) {
    if (!e->type->is_void()) {
      sema_.error(e, message::kReturnValueInVoid(function_->name->text));
    } else {
      s->value = e;
    }
    return s;
  }
  s->value =
      result->is_ref() ? sema_.convert(e, result, "the result") : sema_.init_copy(result, e, "the result");
  return s;
}

}  // namespace quern::lang
