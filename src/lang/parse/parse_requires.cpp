// requires-expressions: whether expressions on types are valid.
#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {

// requires (params) { … }
Expr* Parser::requires_expression() {
  const SourceLoc at_loc = loc();
  advance();
  Scope* outer = scope_;
  push_scope();
  bool all = true;
  if (at(Tok::kLParen)) {
    const Token* open = cur_;
    skip_balanced();
    const Token* after = cur_;
    Tentative attempt(sema_.diagnostics);
    FunctionDecl scratch;
    scratch.scope = outer;
    cur_ = open;
    parameters(&scratch);
    declare_params(sema_, scope_, &scratch);
    all = !attempt.failed();
    cur_ = after;
  }
  if (!at(Tok::kLBrace)) {
    set_scope(outer);
    return error_here(message::kRequiresBraceMissing());
  }
  const Token* open = cur_;
  skip_balanced();
  Cursor body({open + 1, cur_ - 1});
  while (!body.at_end() && all) {
    const Token* start = body.position();
    body.skip_to({Tok::kSemi});
    if (start < body.position()) all = requirement({start, body.position()});
    body.accept(Tok::kSemi);
  }
  set_scope(outer);
  return sema_.bool_constant(all, at_loc);
}

// One requirement, without its ';'.
bool Parser::requirement(TokenRange text) {
  if (text.begin == nullptr) return false;
  if (text.begin->kind == Tok::kw_requires &&
      (text.begin + 1 == text.end || (text.begin + 1)->kind != Tok::kLBrace))
    return holds(sema_, {text.begin + 1, text.end}, scope_);
  Tentative attempt(sema_.diagnostics);
  Parser parser(sema_, text, scope_, function_);
  if (parser.at(Tok::kw_typename)) {
    const QualType type = parser.type_id();
    return !attempt.failed() && parser.at_end() && !type->is_error();
  }
  if (!parser.at(Tok::kLBrace)) {
    const Expr* e = parser.expression();
    return !attempt.failed() && parser.at_end() && e->kind != ExprKind::kError;
  }
  const Token* open = parser.position();
  parser.skip_balanced();
  Parser inner(sema_, {open + 1, parser.position() - 1}, scope_, function_);
  const Expr* e = inner.expression();
  if (attempt.failed() || !inner.at_end() || e->kind == ExprKind::kError) return false;
  parser.accept(Tok::kw_noexcept);
  if (!parser.accept(Tok::kArrow)) return parser.at_end();
  return satisfies(sema_, {parser.position(), text.end}, scope_, type_with_category(sema_, e));
}

}  // namespace quern::lang
