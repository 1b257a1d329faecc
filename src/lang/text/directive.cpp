// Directives: identification, and conditional groups. #define, #if expressions, #include and #pragma are
// elsewhere.
#include "lang/text/directive.hpp"

#include <string>

#include "lang/text/literal.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/preprocessor_impl.hpp"

namespace quern::lang {

namespace {

struct NamedDirective {
  std::string_view name;
  Directive directive;
};

constexpr NamedDirective kDirectives[] = {
    {"define", Directive::kDefine},
    {"include", Directive::kInclude},
    {"if", Directive::kIf},
    {"ifdef", Directive::kIfdef},
    {"ifndef", Directive::kIfndef},
    {"endif", Directive::kEndif},
    {"else", Directive::kElse},
    {"elif", Directive::kElif},
    {"undef", Directive::kUndef},
    {"pragma", Directive::kPragma},
    {"error", Directive::kError},
    {"elifdef", Directive::kElifdef},
    {"elifndef", Directive::kElifndef},
    {"include_next", Directive::kInclude},
    {"import", Directive::kInclude},
    {"warning", Directive::kIgnored},
    {"line", Directive::kLine},
    {"ident", Directive::kIgnored},
    {"sccs", Directive::kIgnored},
};

}  // namespace

Directive find_directive(std::string_view name) {
  for (const NamedDirective& known : kDirectives) {
    if (known.name == name) return known.directive;
  }
  return Directive::kUnknown;
}

// The '#' has been read. Leaves the current file's lexer at the start of the next line, or in an included
// file.
void Preprocessor::handle_directive() {
  lexer().begin_directive();
  Token name;
  lexer().next(name);
  if (name.kind == Tok::kEnd || name.kind == Tok::kNumber) {  // a lone '#', or a compiler's line mark
    if (name.kind == Tok::kNumber) mark_line(name);
    lexer().end_directive();
    return;
  }
  dispatch(find_directive(name.text), name);
}

void Preprocessor::dispatch(Directive directive, const Token& name) {
  switch (directive) {
    case Directive::kInclude: return include(name);  // ends the directive itself, before it enters the file
    case Directive::kIf:
    case Directive::kIfdef:
    case Directive::kIfndef: return begin_conditional(directive, name);
    case Directive::kElif:
    case Directive::kElifdef:
    case Directive::kElifndef:
    case Directive::kElse:
    case Directive::kEndif: return else_conditional(directive, name);
    case Directive::kDefine: define_macro(lexer()); break;
    case Directive::kUndef: undef_macro(); break;
    case Directive::kPragma: handle_pragma(lexer(), name.loc); break;
    case Directive::kError: report_error_directive(name); break;
    case Directive::kLine: {
      Token number;
      lexer().next(number);
      mark_line(number);
      break;
    }
    case Directive::kIgnored: break;
    case Directive::kUnknown: error(name, message::kDirectiveUnknown(name.text)); break;
  }
  lexer().end_directive();
}

void Preprocessor::report_error_directive(const Token& name) {
  const std::string_view text = lexer().rest_of_line();
  error(name, text.empty() ? message::kErrorDirective() : message::kErrorDirectiveText(text));
}

// #line 12 "file.cu", at its number.
void Preprocessor::mark_line(const Token& number) {
  const NumberLiteral line = decode_number(number.text);
  if (number.kind != Tok::kNumber || line.is_float || line.error || line.value > INT32_MAX) {
    if (number.kind != Tok::kIdentifier) error(number, message::kLineNumberMissing());
    return;
  }
  Token name;
  lexer().next(name);
  const std::string file = name.kind == Tok::kString ? decode_string(name.text).bytes : std::string();
  sources_.mark_line(number.loc, static_cast<uint32_t>(line.value), file);
}

void Preprocessor::begin_conditional(Directive directive, const Token& name) {
  conditionals_.push_back({name.loc});
  const bool live = evaluate(directive, name);
  lexer().end_directive();
  if (stopped_) return;
  conditionals_.back().taken = live;
  if (!live) skip_group();
}

// In an active group: the conditional has had its group, whatever follows.
void Preprocessor::else_conditional(Directive directive, const Token& name) {
  if (conditionals_.size() == files_.back()->outer_conditionals) {
    error(name, message::kIfMissing(name.text));
    return lexer().end_directive();
  }
  if (directive == Directive::kEndif) {
    conditionals_.pop_back();
    return lexer().end_directive();
  }
  check_not_after_else(name);
  if (directive == Directive::kElse) conditionals_.back().seen_else = true;
  lexer().end_directive();
  skip_group();
}

bool Preprocessor::check_not_after_else(const Token& name) {
  if (!conditionals_.back().seen_else) return true;
  Diagnostic* d = error(name, message::kAfterElse(name.text));
  if (d != nullptr)
    d->notes.push_back({Severity::kNote, conditionals_.back().loc, 2, message::kIfIsHere(), {}});
  return false;
}

// Skips groups of the innermost conditional until one is active, or to its #endif.
void Preprocessor::skip_group() {
  size_t nested = 0;
  while (lexer().skip_to_directive()) {
    Token name;
    lexer().next(name);
    const Directive directive = find_directive(name.text);
    Conditional& conditional = conditionals_.back();
    bool live = false;
    if (directive >= Directive::kIf && directive <= Directive::kIfndef) {
      ++nested;
    } else if (nested != 0) {
      if (directive == Directive::kEndif) --nested;
    } else if (directive == Directive::kEndif) {
      conditionals_.pop_back();
      return lexer().end_directive();
    } else if (directive == Directive::kElse) {
      live = check_not_after_else(name) && !conditional.taken;
      conditional.seen_else = true;
    } else if (directive >= Directive::kElif && directive <= Directive::kElifndef) {
      live = check_not_after_else(name) && !conditional.taken && evaluate(directive, name);
      if (stopped_) return;
    }
    lexer().end_directive();
    if (live) {
      conditional.taken = true;
      return;
    }
  }
}

bool Preprocessor::evaluate(Directive directive, const Token& name) {
  switch (directive) {
    case Directive::kIfdef:
    case Directive::kElifdef: return evaluate_defined(name);
    case Directive::kIfndef:
    case Directive::kElifndef: return !evaluate_defined(name);
    default: return evaluate_expression(name);
  }
}

bool Preprocessor::evaluate_defined(const Token& name) {
  Token macro;
  lexer().next(macro);
  if (macro.ident == nullptr) {
    error(macro.kind == Tok::kEnd ? name : macro, message::kMacroNameMissing(name.text));
    return false;
  }
  return is_defined(*macro.ident);
}

}  // namespace quern::lang
