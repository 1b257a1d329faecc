// Macro replacement: reading tokens through the stack of replacements that are being rescanned.
#include <string>

#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

constexpr size_t kMaxArgDepth = 400;  // macro calls inside arguments of macro calls: these recurse

}  // namespace

void Preprocessor::next(Token& token) {
  do {
    next_unexpanded(token);
  } while (token.ident != nullptr && token.ident->maybe_macro && !token.painted && expand(token));
}

void Preprocessor::next_unexpanded(Token& token) {
  bool space = false;  // an empty expansion had white space before it
  while (depth_ != 0) {
    Context& context = contexts_[depth_ - 1];
    if (context.cur == context.end) {
      if (context.barrier) {
        token = Token{};
        return;
      }
      space |= context.first && context.name.space_before;
      pop_context();
      continue;
    }
    token = *context.cur++;
    if (token.kind == Tok::kEnd) {  // a placemarker
      space |= token.space_before;
      continue;
    }
    if (context.in_place) {
      token.loc = context.name.loc;
      token.from_macro = true;
      if (context.first) {
        token.space_before = context.name.space_before;
        token.line_start = context.name.line_start;
        context.first = false;
      }
    }
    if (token.ident != nullptr && token.ident->macro != nullptr) {
      token.painted |= static_cast<const Macro*>(token.ident->macro)->disabled;
    }
    token.space_before |= space;
    return;
  }
  next_from_file(token);
  token.space_before |= space;
}

// Requires depth_ == 0. A directive may push tokens (`#pragma unroll`), which then come first.
void Preprocessor::next_from_file(Token& token) {
  while (!files_.empty()) {
    lexer().next(token);
    if (token.kind == Tok::kHash && token.line_start) {
      handle_directive();
      if (depth_ != 0) return next_unexpanded(token);
    } else if (token.kind != Tok::kEnd) {
      return;
    } else if (!leave_file()) {
      return;
    }
  }
  token = Token{};
}

// Replaces a macro's name: true if the replacement is read next, false if the token stays as it is.
bool Preprocessor::expand(Token& token) {
  Macro* const found = macro_of(*token.ident);
  if (found == nullptr) return false;
  Macro& macro = *found;
  if (macro.disabled) {
    token.painted = true;
    return false;
  }
  if (macro.builtin != BuiltinMacro::kNone) return expand_builtin(token, macro);
  if (!macro.function_like && macro.plain) {
    if (!spend(macro.body.size(), token.loc)) return true;
    Context& context = push_context();
    context.cur = macro.body.data();
    context.end = context.cur + macro.body.size();
    context.macro = &macro;
    context.in_place = context.first = true;
    context.name = token;
    macro.disabled = true;
    return true;
  }
  Call call{token, macro, args_.size()};
  if (macro.function_like) {
    Token paren;
    next_unexpanded(paren);
    if (paren.kind != Tok::kLParen) {
      put_back(paren);
      return false;
    }
  }
  const size_t first_token = arg_tokens_.size();
  if (macro.function_like && !collect_args(call)) {
    args_.resize(call.first);
    arg_tokens_.resize(first_token);
    return false;
  }
  expand_call(call);
  args_.resize(call.first);
  arg_tokens_.resize(first_token);
  return true;
}

void Preprocessor::expand_call(const Call& call) {
  if (arg_depth_ >= kMaxArgDepth) {
    error(call.name, message::kMacroArgumentsTooDeep(std::to_string(kMaxArgDepth)));
    return give_up();
  }
  ++arg_depth_;
  const size_t first_expanded = expanded_tokens_.size();
  std::vector<Token> out = take_buffer();
  substitute(call, out);
  expanded_tokens_.resize(first_expanded);
  --arg_depth_;
  if (stopped_) out.clear();
  if (out.empty()) out.emplace_back();  // a placemarker
  for (Token& token : out) {
    token.space_before = call.name.space_before;
    token.line_start = call.name.line_start;
    if (token.kind != Tok::kEnd) break;  // the first that is no placemarker
  }
  push_tokens(std::move(out), &call.macro);
}

void Preprocessor::put_back(const Token& token) {
  if (token.kind == Tok::kEnd) return;  // will be found again at its place
  std::vector<Token> one = take_buffer();
  one.push_back(token);
  push_tokens(std::move(one));
}

Preprocessor::Context& Preprocessor::push_context() {
  if (depth_ == contexts_.size()) contexts_.emplace_back();
  Context& context = contexts_[depth_++];
  context.macro = nullptr;
  context.barrier = context.in_place = context.first = false;
  return context;
}

void Preprocessor::push_tokens(std::vector<Token>&& tokens, Macro* macro) {
  Context& context = push_context();
  context.storage = std::move(tokens);
  context.cur = context.storage.data();
  context.end = context.cur + context.storage.size();
  context.macro = macro;
  if (macro != nullptr) macro->disabled = true;
}

// Copies the tokens: the stacks that they may come from can be reallocated while they are read.
void Preprocessor::push_barrier(const Token* begin, const Token* end) {
  std::vector<Token> tokens = take_buffer();
  tokens.assign(begin, end);
  push_tokens(std::move(tokens));
  contexts_[depth_ - 1].barrier = true;
}

void Preprocessor::pop_context() {
  Context& context = contexts_[--depth_];
  if (context.macro != nullptr) context.macro->disabled = false;
  if (context.storage.capacity() != 0) {
    context.storage.clear();
    buffers_.push_back(std::move(context.storage));
  }
}

void Preprocessor::pop_barrier() {
  while (!contexts_[depth_ - 1].barrier) pop_context();
  pop_context();
}

std::vector<Token> Preprocessor::take_buffer() {
  if (buffers_.empty()) return {};
  std::vector<Token> buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

// Counts the work of macros and includes, which can be exponential in the size of the text.
bool Preprocessor::spend(size_t tokens, SourceLoc at) {
  spent_ += tokens + 1;
  if (spent_ <= options_.max_tokens) return true;
  if (!stopped_) {
    diagnostics_.error(at, message::kTooManyTokens(std::to_string(options_.max_tokens)));
    give_up();
  }
  return false;
}

// Ends all input here.
void Preprocessor::give_up() {
  stopped_ = true;
  for (size_t i = 0; i < depth_; ++i) contexts_[i].cur = contexts_[i].end;
  for (const auto& file : files_) file->lexer.stop();
  conditionals_.clear();
  for (const auto& file : files_) file->outer_conditionals = 0;
}

}  // namespace quern::lang
