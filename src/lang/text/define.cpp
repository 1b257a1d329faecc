// #define and #undef.
#include <algorithm>
#include <string>

#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

bool same_definition(const Macro& a, const Macro& b) {
  const auto same_token = [](const Token& x, const Token& y) {
    return x.kind == y.kind && x.text == y.text && x.pp == y.pp;
  };
  return a.function_like == b.function_like && a.variadic == b.variadic && a.builtin == b.builtin &&
         std::ranges::equal(a.params, b.params) && std::ranges::equal(a.body, b.body, same_token);
}

}  // namespace

void Preprocessor::define_macro(Lexer& lexer) {
  Token name;
  lexer.next(name);
  if (name.ident == nullptr) {
    if (name.kind >= Tok::kLParen && name.text.size() > 1 && name.text[0] >= 'a')
      return;  // `#define and &&`: unchanged
    error(name, message::kDefineNameMissing());
    return;
  }
  if (name.ident == defined_ || name.ident == va_args_ || name.ident == va_opt_) {
    error(name, message::kReservedMacroName(name.text));
    return;
  }
  Macro macro;
  macro.name = name.ident;
  macro.loc = name.loc;
  params_scratch_.clear();
  Token token;
  lexer.next(token);
  if (token.kind == Tok::kLParen && !token.space_before) {
    macro.function_like = true;
    if (!parse_params(lexer, macro)) return;
    lexer.next(token);
  }
  macro.params = params_scratch_;
  if (!parse_body(lexer, macro, token)) return;
  install(macro);
}

// From after the '(' of a function-like macro to after its ')'.
bool Preprocessor::parse_params(Lexer& lexer, Macro& macro) {
  std::vector<Ident*>& params = params_scratch_;
  const std::string_view name = macro.name->text;
  const auto fail = [&](const Token& at, base::MessageText message) {
    error(at, std::move(message));
    return false;
  };
  Token token;
  lexer.next(token);
  if (token.kind == Tok::kRParen) return true;
  for (;; lexer.next(token)) {
    if (token.kind == Tok::kEllipsis) {
      params.push_back(va_args_);
      macro.variadic = true;
      lexer.next(token);
    } else if (token.ident != nullptr) {
      if (std::ranges::find(params, token.ident) != params.end()) {
        return fail(token, message::kMacroParameterTwice(token.text, name));
      }
      params.push_back(token.ident);
      lexer.next(token);
      if (token.kind == Tok::kEllipsis) {  // GNU: args...
        macro.variadic = true;
        lexer.next(token);
      }
    } else {
      return fail(token, message::kMacroParameterMissing(name));
    }
    if (token.kind == Tok::kRParen) break;
    if (token.kind != Tok::kComma || macro.variadic) {
      return fail(token, message::kMacroParenMissing(name));
    }
  }
  if (params.size() <= kMaxParams) return true;
  return fail(token, message::kTooManyMacroParameters(std::to_string(kMaxParams), name));
}

// Records in an identifier of the body which parameter it is.
void Preprocessor::classify(const Macro& macro, Token& token) const {
  if (token.ident == nullptr) return;
  const auto found = std::ranges::find(macro.params, token.ident);
  if (found != macro.params.end()) token.pp |= static_cast<uint16_t>(found - macro.params.begin() + 1);
}

// Reads the body into body_scratch_, with # and ## folded into the tokens that they apply to.
bool Preprocessor::parse_body(Lexer& lexer, Macro& macro, Token token) {
  body_scratch_.clear();
  size_t va_opt_open = 0;  // parentheses open inside __VA_OPT__( … ), with its own
  uint16_t va_opt_flags = 0;
  for (; token.kind != Tok::kEnd; lexer.next(token)) {
    if (token.kind == Tok::kHashHash) {
      if (!mark_paste(token)) return false;
      macro.plain = false;
      continue;
    }
    if (token.kind == Tok::kHash && macro.function_like) {
      if (!take_stringised(lexer, macro, token)) return false;
    } else {
      classify(macro, token);
    }
    if (macro.variadic && token.ident == va_opt_ && va_opt_open == 0) {
      va_opt_flags = token.pp & kPpStringise;
      token.pp |= kPpVaOptBegin;
      Token paren;
      lexer.next(paren);
      if (paren.kind == Tok::kLParen) va_opt_open = 1;
    } else if (va_opt_open != 0) {
      if (token.kind == Tok::kLParen) ++va_opt_open;
      if (token.kind == Tok::kRParen && --va_opt_open == 0) token.pp = kPpVaOptEnd | va_opt_flags;
    }
    if (token.pp != 0) macro.plain = false;
    body_scratch_.push_back(token);
    if ((token.pp & kPpVaOptBegin) && va_opt_open == 0) break;
  }
  const uint16_t last = body_scratch_.empty() ? uint16_t{0} : body_scratch_.back().pp;
  if (va_opt_open != 0 || (last & kPpVaOptBegin)) {
    error(body_scratch_.back(), message::kVaOptTextMissing());
    return false;
  }
  if (last & kPpPaste) {
    error(body_scratch_.back(), message::kPasteNeedsRight());
    return false;
  }
  return true;
}

bool Preprocessor::mark_paste(const Token& operator_token) {
  if (body_scratch_.empty() || (body_scratch_.back().pp & kPpVaOptBegin)) {
    error(operator_token, message::kPasteNeedsLeft());
    return false;
  }
  body_scratch_.back().pp |= kPpPaste;
  return true;
}

// Replaces the # in `token` by the following token, marked.
bool Preprocessor::take_stringised(Lexer& lexer, const Macro& macro, Token& token) {
  const bool space = token.space_before;
  lexer.next(token);
  token.space_before = space;
  classify(macro, token);
  if ((token.pp & kPpParamMask) == 0 && !(macro.variadic && token.ident == va_opt_)) {
    error(token, message::kStringizeParameterMissing());
    return false;
  }
  token.pp |= kPpStringise;
  return true;
}

// Stores the macro, with copies of the parameters and of body_scratch_.
void Preprocessor::install(Macro& macro) {
  macro.params = param_lists_.copy(params_scratch_);
  macro.body = bodies_.copy(body_scratch_);
  const auto* old = static_cast<const Macro*>(macro.name->macro);
  const bool users = old != nullptr && old->loc && !sources_.is_builtin(*sources_.file_of(old->loc));
  if (users && !same_definition(*old, macro)) {
    const std::string_view name = macro.name->text;
    const auto length = static_cast<uint32_t>(macro.name->text.size());
    Diagnostic* d = diagnostics_.warning(macro.loc, length, message::kMacroRedefined(name));
    if (d != nullptr)
      d->notes.push_back({Severity::kNote, old->loc, length, message::kFirstDefinedHere(name), {}});
  }
  macros_.push_back(macro);
  set_macro(*macro.name, &macros_.back(), true);
}

void Preprocessor::undef_macro() {
  Token name;
  lexer().next(name);
  if (name.ident == nullptr) {
    error(name, message::kMacroNameMissing("undef"));
    return;
  }
  set_macro(*name.ident, nullptr, false);
  undefined_.push_back(name.ident);
}

void Preprocessor::set_macro(Ident& name, Macro* macro, bool maybe) {
  name.macro = macro;
  name.maybe_macro = maybe;
}

}  // namespace quern::lang
