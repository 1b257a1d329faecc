// #pragma and _Pragma: those that affect kernels become tokens, the others are ignored.
#include <cstdlib>
#include <string>

#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

void Preprocessor::handle_pragma(Lexer& lexer, SourceLoc at) {
  Token name;
  lexer.next(name);
  if (name.text == "GCC") lexer.next(name);  // `GCC unroll N` means the same as `unroll N`
  if (name.text == "once") {
    if (files_.back()->known != nullptr) files_.back()->known->once = true;
  } else if (name.text == "unroll") {
    pragma_unroll(lexer, at);
  } else if (name.text == "pack") {
    pragma_pack(lexer, at);
  } else if (name.text == "nounroll") {
    Token one = name;
    one.loc = at;
    one.space_before = false;
    push_unroll(at, {make_number(1, one)});
  }
}

// `pack()`, `pack(N)`, `pack(push)`, `pack(push, N)`, `pack(pop)`: only records where structs are packed.
void Preprocessor::pragma_pack(Lexer& lexer, SourceLoc at) {
  uint32_t bytes = 0;
  bool keeps = false;
  Token token;
  for (lexer.next(token); token.kind != Tok::kEnd; lexer.next(token)) {
    if (token.text == "push") {
      packs_.push_back(pack_);
      keeps = true;
    } else if (token.text == "pop") {
      if (!packs_.empty()) {
        pack_ = packs_.back();
        packs_.pop_back();
      }
      keeps = true;
    } else if (token.kind == Tok::kNumber) {
      bytes = static_cast<uint32_t>(std::strtoul(std::string(token.text).c_str(), nullptr, 0));
    }
  }
  if (!keeps || bytes != 0) pack_ = bytes;
  sources_.mark_pack(at, pack_);
}

// `unroll`, `unroll N` or `unroll(N)`: the count's tokens are passed on unexpanded and are expanded when they
// are read.
void Preprocessor::pragma_unroll(Lexer& lexer, SourceLoc at) {
  std::vector<Token> count;
  Token token;
  for (lexer.next(token); token.kind != Tok::kEnd; lexer.next(token)) count.push_back(token);
  size_t closes_at = 0;  // the ')' that belongs to the first token, if that is a '('
  size_t open = 0;
  for (size_t i = 0; i < count.size(); ++i) {
    if (count[i].kind == Tok::kLParen) ++open;
    if (count[i].kind == Tok::kRParen && open != 0 && --open == 0 && closes_at == 0) closes_at = i;
    if (i == 0 && open == 0) break;
  }
  if (closes_at != 0 && closes_at + 1 == count.size()) {
    count.pop_back();
    count.erase(count.begin());
  }
  push_unroll(at, count);
}

void Preprocessor::push_unroll(SourceLoc at, const std::vector<Token>& count) {
  Token token;
  token.kind = Tok::kIdentifier;
  token.space_before = token.line_start = true;
  token.loc = at;
  token.ident = unroll_;
  token.text = unroll_->text;
  std::vector<Token> tokens = take_buffer();
  tokens.push_back(token);
  token.ident = nullptr;
  token.space_before = token.line_start = false;
  token.kind = Tok::kLParen;
  token.text = spelling(token.kind);
  tokens.push_back(token);
  tokens.insert(tokens.end(), count.begin(), count.end());
  token.kind = Tok::kRParen;
  token.text = spelling(token.kind);
  tokens.push_back(token);
  push_tokens(std::move(tokens));
}

// `#define UNROLL #pragma unroll`: nvcc treats the rest of such a replacement as the pragma, and headers rely
// on it.
bool Preprocessor::pragma_in_macro(SourceLoc at) {
  if (depth_ == 0) return false;
  Context& context = contexts_[depth_ - 1];
  if (context.cur == context.end || context.cur->text != "pragma") return false;
  std::string plain;
  for (++context.cur; context.cur != context.end; ++context.cur)
    plain += " " + std::string(context.cur->text);
  Lexer lexer = Lexer::at_fixed_place(shared_, sources_.keep(plain), at);
  lexer.begin_directive();
  handle_pragma(lexer, at);
  return true;
}

// _Pragma ( "text" ), after its name.
void Preprocessor::pragma_operator(const Token& name) {
  Token open;
  Token text;
  Token close;
  next(open);
  if (open.kind == Tok::kLParen) next(text);
  if (text.kind == Tok::kString) next(close);
  if (close.kind != Tok::kRParen || text.text.find('"') > 1) {
    if (!stopped_) error(name, message::kPragmaStringMissing());
    return;
  }
  std::string plain;
  const std::string_view quoted = text.text.substr(text.text.find('"') + 1);
  for (size_t i = 0; i + 1 < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 2 < quoted.size()) ++i;
    plain += quoted[i];
  }
  Lexer lexer = Lexer::at_fixed_place(shared_, sources_.keep(plain), name.loc);
  lexer.begin_directive();
  handle_pragma(lexer, name.loc);
}

}  // namespace quern::lang
