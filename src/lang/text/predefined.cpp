// Predefined macros: looked up when their name is first seen, so that they cost nothing until then.
#include <string>

#include "lang/builtin/macros.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

struct PredefinedBuiltin {
  std::string_view name;
  BuiltinMacro builtin;
};

constexpr PredefinedBuiltin kBuiltins[] = {
    {"__FILE__", BuiltinMacro::kFile},
    {"__LINE__", BuiltinMacro::kLine},
    {"__COUNTER__", BuiltinMacro::kCounter},
    {"__DATE__", BuiltinMacro::kDate},
    {"__TIME__", BuiltinMacro::kTime},
    {"__has_include", BuiltinMacro::kHasInclude},
    {"__has_include_next", BuiltinMacro::kHasInclude},
    {"__has_builtin", BuiltinMacro::kHasFeature},
    {"__has_attribute", BuiltinMacro::kHasFeature},
    {"__has_cpp_attribute", BuiltinMacro::kHasFeature},
    {"__has_feature", BuiltinMacro::kHasFeature},
    {"__has_extension", BuiltinMacro::kHasFeature},
    {"__has_declspec_attribute", BuiltinMacro::kHasFeature},
    {"__has_warning", BuiltinMacro::kHasFeature},
};

std::string escape_quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

// The current definition of a name.
Macro* Preprocessor::macro_of(Ident& name) {
  if (name.macro == nullptr && name.maybe_macro) name.maybe_macro = define_predefined(name);
  return static_cast<Macro*>(name.macro);
}

bool Preprocessor::is_defined(Ident& name) {
  return macro_of(name) != nullptr || is_macro_in_cuda(name.text);
}

bool Preprocessor::define_predefined(Ident& name) {
  for (const PredefinedBuiltin& known : kBuiltins) {
    if (known.name != name.text) continue;
    Macro& macro = macros_.emplace_back();
    macro.name = &name;
    macro.builtin = known.builtin;
    set_macro(name, &macro, true);
    return true;
  }
  const PredefinedMacro* known = find_predefined_macro(name.text);
  if (known == nullptr) return false;
  std::string text(known->name);
  text.append(known->params).append(" ").append(known->body);
  Lexer lexer = Lexer::at_fixed_place(shared_, sources_.keep(text), SourceLoc{});
  define_macro(lexer);
  return true;
}

// Replaces `token` by the single token of the macro. Returns false: it must not be examined again.
bool Preprocessor::expand_builtin(Token& token, const Macro& macro) {
  switch (macro.builtin) {
    case BuiltinMacro::kFile:
      token = make_string(escape_quoted(sources_.resolve(token.loc).file), token, token.loc);
      break;
    case BuiltinMacro::kLine: token = make_number(sources_.resolve(token.loc).line, token); break;
    case BuiltinMacro::kCounter: token = make_number(counter_++, token); break;
    case BuiltinMacro::kDate:  // the same text produces the same tokens, whenever it is compiled
      token = make_string("Jan  1 1970", token, token.loc);
      break;
    case BuiltinMacro::kTime: token = make_string("00:00:00", token, token.loc); break;
    case BuiltinMacro::kHasInclude: token = make_number(has_include(token) ? 1 : 0, token); break;
    case BuiltinMacro::kHasFeature:
      if (skip_parenthesised()) token = make_number(0, token);
      break;
    case BuiltinMacro::kNone: break;
  }
  return false;
}

// Skips `( … )`. False if something else comes next.
bool Preprocessor::skip_parenthesised() {
  Token token;
  next_unexpanded(token);
  if (token.kind != Tok::kLParen) {
    put_back(token);
    return false;
  }
  for (size_t open = 1; open != 0 && token.kind != Tok::kEnd;) {
    next_unexpanded(token);
    if (token.kind == Tok::kLParen) ++open;
    if (token.kind == Tok::kRParen) --open;
  }
  return true;
}

}  // namespace quern::lang
