// Macro calls: collecting arguments, substituting them into the body, # and ##.
#include <string>

#include "base/text.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

std::string arguments(size_t n) { return base::format_plural(n, "argument"); }

// Represents an empty argument next to ##.
Token placemarker(SourceLoc at, const Token& like) {
  Token token;
  token.loc = at;
  token.space_before = like.space_before;
  return token;
}

}  // namespace

// Reads up to the ')' that closes the call; the '(' has been read. False: the text ended first.
bool Preprocessor::collect_args(Call& call) {
  const Macro& macro = call.macro;
  size_t nesting = 0;
  args_.push_back({{arg_tokens_.size(), arg_tokens_.size()}, {}, false});
  for (;;) {
    Token token;
    next_unexpanded(token);
    if (token.kind == Tok::kEnd) {
      if (!stopped_) {
        error(call.name, message::kMacroArgumentsNotClosed(call.name.text));
      }
      return false;
    }
    if (token.kind == Tok::kRParen && nesting-- == 0) break;
    if (token.kind == Tok::kLParen) ++nesting;
    const bool variadic_part = macro.variadic && args_.size() - call.first == macro.params.size();
    if (token.kind == Tok::kComma && nesting == 0 && !variadic_part) {
      args_.back().raw.end = arg_tokens_.size();
      args_.push_back({{arg_tokens_.size(), arg_tokens_.size()}, {}, false});
      continue;
    }
    if (token.kind == Tok::kUnknown) check_quote(token);  // it may have consumed the ')'
    if (token.line_start) {
      token.space_before = true;
      token.line_start = false;
    }
    arg_tokens_.push_back(token);
  }
  args_.back().raw.end = arg_tokens_.size();
  call.count = args_.size() - call.first;
  if (!spend(arg_tokens_.size() - args_[call.first].raw.begin, call.name.loc)) return false;
  check_arg_count(call);
  return true;
}

// After an error the call continues with empty arguments for the missing ones.
void Preprocessor::check_arg_count(Call& call) {
  const Macro& macro = call.macro;
  const size_t wanted = macro.params.size();
  const Range first = args_[call.first].raw;
  if (wanted == 0 && call.count == 1 && first.size() == 0) call.count = 0;
  call.no_variadic = macro.variadic && (call.count + 1 == wanted || (wanted == 1 && first.size() == 0));
  if (call.count != wanted && !call.no_variadic) {
    const std::string got = std::to_string(call.count);
    Diagnostic* d = error(
        call.name, macro.variadic ? message::kMacroArgumentMinimum(call.name.text, arguments(wanted - 1), got)
                                  : message::kMacroArgumentCount(call.name.text, arguments(wanted), got));
    if (d != nullptr && macro.loc) {
      d->notes.push_back({Severity::kNote,
                          macro.loc,
                          static_cast<uint32_t>(macro.name->text.size()),
                          message::kDefinedHere(macro.name->text),
                          {}});
    }
  }
  while (call.count < wanted) {
    args_.push_back({{first.begin, first.begin}, {}, false});
    ++call.count;
  }
}

// The body with its parameters replaced, ready to be rescanned.
void Preprocessor::substitute(const Call& call, std::vector<Token>& out) {
  const SourceLoc at = call.name.loc;
  bool pasting = false;
  size_t va_opt_start = 0;
  bool va_opt_pasted = false;
  bool va_opt_space = false;
  for (size_t i = 0; i < call.macro.body.size() && !stopped_; ++i) {
    const Token& body = call.macro.body[i];
    if (body.pp & kPpVaOptBegin) {
      if (variadic_is_empty(call)) {
        while (!(call.macro.body[i].pp & kPpVaOptEnd)) ++i;
        const bool stringised = (body.pp & kPpStringise) != 0;
        append(stringised ? make_string("", body, at) : placemarker(at, body), pasting, at, out);
        pasting = (call.macro.body[i].pp & kPpPaste) != 0;
      } else {
        va_opt_start = out.size();
        va_opt_pasted = pasting;
        va_opt_space = body.space_before;
      }
      continue;
    }
    if (body.pp & kPpVaOptEnd) {
      if (body.pp & kPpStringise) {
        const Token text = stringise(out.data() + va_opt_start, out.data() + out.size(), body, at);
        out.resize(va_opt_start);
        append(text, false, at, out);
      }
      if (!va_opt_pasted && va_opt_start < out.size()) out[va_opt_start].space_before = va_opt_space;
    } else if (body.pp & kPpParamMask) {
      append_arg(call, body, pasting, out);
    } else {
      Token token = body;
      token.loc = at;
      token.from_macro = true;
      token.pp = 0;
      append(token, pasting, at, out);
    }
    pasting = (body.pp & kPpPaste) != 0;
  }
}

void Preprocessor::append_arg(const Call& call, const Token& param, bool pasting, std::vector<Token>& out) {
  const SourceLoc at = call.name.loc;
  const size_t index = (param.pp & kPpParamMask) - 1u;
  const Range raw = args_[call.first + index].raw;
  if (param.pp & kPpStringise) {
    if (!spend(raw.size(), at)) return;
    const Token* const tokens = arg_tokens_.data();
    return append(stringise(tokens + raw.begin, tokens + raw.end, param, at), pasting, at, out);
  }
  // GNU: `, ## __VA_ARGS__` removes the comma if no argument is given, and pastes nothing otherwise.
  const bool after_paste = pasting;
  const bool unexpanded = pasting || (param.pp & kPpPaste);
  const bool last = call.macro.variadic && index + 1 == call.macro.params.size();
  if (pasting && last && !out.empty() && out.back().kind == Tok::kComma && out.back().from_macro) {
    if (call.no_variadic) out.pop_back();
    pasting = false;
  }
  const Range range = unexpanded ? raw : expanded_arg(call, index);
  const std::vector<Token>& from = unexpanded ? arg_tokens_ : expanded_tokens_;
  if (!spend(range.size(), at)) return;
  if (range.size() == 0) return append(placemarker(at, param), pasting, at, out);
  Token first = from[range.begin];
  first.space_before = param.space_before && !after_paste;
  append(first, pasting, at, out);
  out.insert(out.end(), from.begin() + static_cast<ptrdiff_t>(range.begin) + 1,
             from.begin() + static_cast<ptrdiff_t>(range.end));
}

// An argument after full macro replacement, done when first needed.
Preprocessor::Range Preprocessor::expanded_arg(const Call& call, size_t index) {
  const size_t at = call.first + index;
  if (args_[at].is_expanded) return args_[at].expanded;
  const Range raw = args_[at].raw;
  Range result{expanded_tokens_.size(), 0};
  push_barrier(arg_tokens_.data() + raw.begin, arg_tokens_.data() + raw.end);
  for (;;) {
    Token token;
    next(token);
    if (token.kind == Tok::kEnd) break;
    expanded_tokens_.push_back(token);
  }
  pop_barrier();
  result.end = expanded_tokens_.size();
  args_[at].expanded = result;
  args_[at].is_expanded = true;
  return result;
}

bool Preprocessor::variadic_is_empty(const Call& call) {
  return expanded_arg(call, call.macro.params.size() - 1).size() == 0;
}

void Preprocessor::append(Token token, bool pasting, SourceLoc at, std::vector<Token>& out) {
  if (pasting && !out.empty()) return paste(token, at, out);
  out.push_back(token);
}

// Joins the last token with `right`. Two '>' stay two glued tokens, as the lexer would produce them.
void Preprocessor::paste(const Token& right, SourceLoc at, std::vector<Token>& out) {
  Token& left = out.back();
  if (right.kind == Tok::kEnd) return;
  if (left.kind == Tok::kEnd) {
    const bool space = left.space_before;
    left = right;
    left.space_before = space;
    return;
  }
  std::string text(left.text);
  text += right.text;
  Lexer lexer = Lexer::at_fixed_place(shared_, text, at);
  Token joined;
  lexer.next(joined);
  if (joined.kind == Tok::kEnd || !lexer.at_text_end()) {
    if (left.kind == Tok::kGreater && (right.kind == Tok::kGreater || right.kind == Tok::kEqual)) {
      left.glued = true;
    } else {
      Token name = left;
      name.loc = at;
      error(name, message::kPasteFailed(left.text, right.text));
    }
    out.push_back(right);
    return;
  }
  joined.text = joined.ident != nullptr ? joined.ident->text : sources_.keep(joined.text);
  joined.space_before = left.space_before;
  joined.line_start = left.line_start;
  joined.from_macro = true;
  left = joined;
}

Token Preprocessor::stringise(const Token* begin, const Token* end, const Token& like, SourceLoc at) {
  std::string content;
  for (const Token* t = begin; t != end; ++t) {
    if (t != begin && t->space_before && !content.empty()) content += ' ';
    const bool quoted = t->kind == Tok::kString || t->kind == Tok::kChar;
    for (const char c : t->text) {
      if (quoted && (c == '"' || c == '\\')) content += '\\';
      if (c == '\n') {  // in a raw string
        content += "\\n";
      } else {
        content += c;
      }
    }
  }
  return make_string(content, like, at);
}

Token Preprocessor::make_string(std::string_view content, const Token& like, SourceLoc at) {
  Token token = like;
  token.kind = Tok::kString;
  token.loc = at;
  token.ident = nullptr;
  token.from_macro = true;
  token.pp = 0;
  token.text = sources_.keep("\"" + std::string(content) + "\"");
  return token;
}

Token Preprocessor::make_number(uint64_t value, const Token& like) {
  Token token = like;
  token.kind = Tok::kNumber;
  token.ident = nullptr;
  token.from_macro = true;
  token.text = sources_.keep(std::to_string(value));
  return token;
}

}  // namespace quern::lang
