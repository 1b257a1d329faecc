// Inline PTX: asm("…" : outputs : inputs : clobbers). Its instructions become statements of the kernel
// language (ptx_text.hpp), so that they mean the same on every device.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/parse/ptx_text.hpp"
#include "lang/sema/impl.hpp"
#include "lang/text/lexer.hpp"

namespace quern::lang {

namespace {

TokenRange tokens_of(Sema& sema, const std::string& text, SourceLoc at) {
  const std::string_view kept = sema.sources.keep(text);
  Lexer lexer = Lexer::at_fixed_place(LexShared{sema.sources, sema.idents, sema.diagnostics}, kept, at);
  auto& list = sema.impl->token_lists.emplace_back();
  for (Token token;;) {
    lexer.next(token);
    if (token.kind == Tok::kEnd) break;
    if (token.kind == Tok::kIdentifier && token.ident->keyword != Tok::kIdentifier)
      token.kind = token.ident->keyword;
    list.push_back(token);
  }
  return {list.data(), list.data() + list.size()};
}

}  // namespace

// "=r"(x): the operand as the variable __asm_N, a reference if it is written.
bool Parser::asm_operand(bool is_output, std::vector<PtxOperand>& operands, std::vector<Stmt*>& out) {
  if (at(Tok::kLBracket)) skip_balanced();  // [name]
  if (!at(Tok::kString)) {
    error_here(message::kConstraintMissing());
    return false;
  }
  const std::string constraint = as<StringExpr>(string_literal())->text;
  PtxOperand operand;
  operand.kind = constraint.empty() ? ' ' : constraint.back();
  operand.is_written = is_output;
  operand.is_read = !is_output || constraint.front() == '+';
  const SourceLoc at_loc = loc();
  expect(Tok::kLParen, message::kAfterConstraint);
  Expr* e = expression();
  expect(Tok::kRParen, message::kAfterOperand);
  if (e->kind == ExprKind::kError) return false;
  if (std::string_view("rfhldn").find(operand.kind) == std::string_view::npos) {
    sema_.error(at_loc, message::kPtxConstraint(constraint));
    return false;
  }
  const std::string name = "__asm_" + std::to_string(operands.size());
  if (operand.kind == 'n') operand.constant = sema_.constant_integer(e);
  operands.push_back(operand);
  if (!is_output) {
    hidden_variable(name.c_str(), sema_.decay(e), out);
    return true;
  }
  if (!e->is_lvalue || is_bit_field(e)) {
    sema_.error(at_loc, message::kPtxOutputNotVariable());
    return false;
  }
  auto* v = sema_.make<VarDecl>();
  v->name = sema_.idents.get(name);
  v->loc = at_loc;
  v->init = e;
  v->type = sema_.types.lref(e->type);
  sema_.declare(scope_, v);
  auto* s = sema_.make<DeclStmt>();
  s->loc = at_loc;
  s->vars.push_back(v);
  out.push_back(s);
  return true;
}

// The lists after the text, up to ')'. All clobbers are memory.
bool Parser::asm_operands(std::vector<PtxOperand>& operands, std::vector<Stmt*>& out) {
  int section = 0;
  while (!at_end() && !at(Tok::kRParen)) {
    if (accept(Tok::kColonColon)) {
      section += 2;
    } else if (accept(Tok::kColon)) {
      ++section;
    } else if (section >= 3) {
      if (operands.empty() || operands.back().kind != kPtxClobber)
        operands.push_back({.kind = kPtxClobber, .constant = {}, .is_read = false});
      advance();
    } else if (!accept(Tok::kComma) && (section == 0 || !asm_operand(section == 1, operands, out))) {
      if (section == 0) error_here(message::kPtxNotString());
      return false;
    }
  }
  return accept(Tok::kRParen);
}

bool Parser::asm_instructions(const PtxText& ptx, SourceLoc at_loc, std::vector<Stmt*>& out) {
  return std::all_of(ptx.statements.begin(), ptx.statements.end(),
                     [&](const PtxStatement& one) { return asm_instruction(one, at_loc, out); });
}

// One instruction; if it does not match a library function, the instruction is not supported.
bool Parser::asm_instruction(const PtxStatement& one, SourceLoc at_loc, std::vector<Stmt*>& out) {
  bool is_known = one.function.empty() || !sema_.lookup(sema_.idents.get(one.function), sema_.global).empty();
  if (is_known) {
    const Tentative attempt(sema_.diagnostics);
    Parser inner(sema_, tokens_of(sema_, one.text, at_loc), scope_, function_);
    while (!inner.at_end()) out.push_back(inner.statement());
    is_known = !attempt.failed();
  }
  if (!is_known) sema_.error(at_loc, message::kPtxUnsupported(one.instruction));
  return is_known;
}

// The statement as it is on NVIDIA devices, if it has an instruction that is more than a function of
// registers; otherwise, and on other devices, its instructions one by one. If only the simulator executes one
// of them, the statement is kept on all other devices.
bool Parser::asm_body(const PtxText& ptx, BlockStmt* b) {
  if (ptx.error && (!ptx.is_native || ptx.without_meaning.empty())) {
    sema_.error(b->loc, *ptx.error);
    return false;
  }
  if (!ptx.is_native) return asm_instructions(ptx, b->loc, b->body);
  const auto native = [&](std::vector<Stmt*>& out) {
    return asm_instruction({"", "", ptx.native}, b->loc, out);
  };
  const bool is_refused_elsewhere = !ptx.without_meaning.empty();
  if (is_refused_elsewhere && (!ptx.is_simulated || ptx.error)) return native(b->body);
  auto* either = sema_.make<IfStmt>();
  auto *kept = sema_.make<BlockStmt>(), *translated = sema_.make<BlockStmt>();
  either->loc = kept->loc = translated->loc = b->loc;
  if (is_refused_elsewhere) {
    const Tentative attempt(sema_.diagnostics);
    if (!asm_instructions(ptx, b->loc, translated->body)) translated->body.clear();
  }
  if (is_refused_elsewhere && translated->body.empty()) return native(b->body);
  // Other devices than NVIDIA's and the simulator refuse what is kept.
  const std::string is_kept = is_refused_elsewhere
                                  ? "__quern_ptx_form() != 2u"
                                  : "__quern_ptx_form() >= " + std::to_string(ptx.architecture) + "u";
  Parser condition(sema_, tokens_of(sema_, is_kept, b->loc), scope_, function_);
  either->condition = sema_.to_bool(condition.expression());
  either->then_branch = kept;
  either->else_branch = translated;
  b->body.push_back(either);
  return native(kept->body) && (is_refused_elsewhere || asm_instructions(ptx, b->loc, translated->body));
}

Stmt* Parser::asm_statement() {
  auto* b = sema_.make<BlockStmt>();
  b->loc = loc();
  advance();
  while (at(Tok::kw_volatile) || at(Tok::kIdentifier) || at(Tok::kw_inline)) advance();
  expect(Tok::kLParen, message::kAfterAsm);
  if (!at(Tok::kString)) {
    error_here(message::kPtxNotString());
    recover();
    return b;
  }
  const std::string ptx = as<StringExpr>(string_literal())->text;
  push_scope();
  std::vector<PtxOperand> operands;
  bool is_good = asm_operands(operands, b->body);
  is_good = is_good && asm_body(translate_ptx(ptx, operands, sema_.impl->token_lists.size()), b);
  pop_scope();
  if (!is_good) {
    recover();
  } else {
    expect(Tok::kSemi, message::kAfterInlinePtx);
  }
  return b;
}

}  // namespace quern::lang
