// kernel<<<grid, block, shared, stream>>>(arguments) in device code.
#include <utility>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/launches.hpp"

namespace quern::lang {

namespace {

// At '>>>', which is three tokens without space between them.
bool at_launch_close(const Cursor& c) {
  const auto is_glued = [&](size_t n) { return c.kind(n) == Tok::kGreater && c.peek(n).glued; };
  return is_glued(0) && is_glued(1) && c.kind(2) == Tok::kGreater;
}

// The first token of the '>>>' that closes the configuration; nullptr: there is none.
const Token* launch_close(Cursor c) {
  while (!c.at_end() && !c.at(Tok::kSemi) && !at_launch_close(c)) {
    if (c.at(Tok::kLParen) || c.at(Tok::kLBrace) || c.at(Tok::kLBracket)) {
      c.skip_balanced();
    } else {
      c.advance();
    }
  }
  return at_launch_close(c) ? c.position() : nullptr;
}

}  // namespace

// At '<<<'.
Expr* Parser::launch(const Operand& kernel) {
  const SourceLoc at_loc = kernel.is_set ? kernel.set.loc : loc();
  const Token* const close = launch_close(Cursor({cur_ + 1, end_}));
  if (close == nullptr) {
    Expr* e = error_here(message::kLaunchNotClosed());
    skip_to({Tok::kSemi});
    return e;
  }
  advance();
  const Token* const end = std::exchange(end_, close);
  const int saved = std::exchange(no_greater_, 0);
  std::vector<Expr*> config;
  while (!at_end()) {
    config.push_back(at(Tok::kLBrace) ? sema_.braced_expr(*braced()) : assignment());
    if (!accept(Tok::kComma)) break;
  }
  const bool is_read = at_end();
  if (!is_read) error_here(message::kLaunchConfiguration());
  cur_ = close;
  end_ = end;
  no_greater_ = saved;
  advance(3);
  if (!at(Tok::kLParen)) return error_here(message::kLaunchWithoutArguments());
  advance();
  std::vector<Expr*> args = arguments(Tok::kRParen);
  if (!is_read) return sema_.error_expr(at_loc);
  if (!kernel.is_set) {
    if (kernel.expr->kind != ExprKind::kError) sema_.error(kernel.expr, message::kLaunchNotByName());
    return sema_.error_expr(at_loc);
  }
  return launch_from_device(sema_, kernel.set, std::move(config), std::move(args), at_loc);
}

}  // namespace quern::lang
