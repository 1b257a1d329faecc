// Packs: expansions and folds.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"

namespace quern::lang {

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
      if (sema_.impl->pack_index.contains(d)) continue;  // an outer expansion has already chosen
      if (std::find(packs.begin(), packs.end(), d) != packs.end()) continue;
      if (!first && size != count) sema_.error(t->loc, message::kPackLengthsDiffer());
      count = first ? size : std::min(count, size);
      first = false;
      packs.push_back(d);
    }
  }
  if (first) {
    count = 0;
    sema_.error(range.begin->loc, message::kNoPackInExpansion());
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

// The operators '>>', '>=' and '>>=' are several tokens.
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
        sema_.error(at_loc, message::kFoldOfEmptyPack(spelling(op.begin->kind)));
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
