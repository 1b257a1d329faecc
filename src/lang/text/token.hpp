// Tokens, and the table that makes equal identifiers the same pointer.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "lang/text/source.hpp"

namespace quern::lang {

// Punctuators, keywords, and the classes of the rest. `>>` and `>>>` come as single '>' tokens whose `glued`
// flag says that the next '>' follows without space, so that template argument lists close without special
// cases; `<<<` comes as kLaunchOpen. Operators '>>', '>>=' and '>=' are joined again by the expression
// parser.
enum class Tok : uint8_t {
  kEnd,
  kIdentifier,
  kNumber,   // integer or floating literal, unparsed spelling
  kString,   // with quotes; adjacent strings are not yet joined
  kChar,     // with quotes
  kUnknown,  // a byte that starts no token; an error only where it is used
// clang-format off
#define QUERN_PUNCTUATORS(X)                                                                                          \
  X(LParen, "(") X(RParen, ")") X(LBrace, "{") X(RBrace, "}") X(LBracket, "[") X(RBracket, "]") X(Semi, ";")          \
  X(Comma, ",") X(Colon, ":") X(ColonColon, "::") X(Question, "?") X(Dot, ".") X(Ellipsis, "...") X(Arrow, "->")      \
  X(DotStar, ".*") X(ArrowStar, "->*") X(Plus, "+") X(Minus, "-") X(Star, "*") X(Slash, "/") X(Percent, "%")          \
  X(Amp, "&") X(Pipe, "|") X(Caret, "^") X(Tilde, "~") X(Exclaim, "!") X(Equal, "=") X(Less, "<") X(Greater, ">")     \
  X(PlusPlus, "++") X(MinusMinus, "--") X(AmpAmp, "&&") X(PipePipe, "||") X(EqualEqual, "==") X(ExclaimEqual, "!=")   \
  X(LessEqual, "<=") X(LessLess, "<<") X(PlusEqual, "+=") X(MinusEqual, "-=") X(StarEqual, "*=")                      \
  X(SlashEqual, "/=") X(PercentEqual, "%=") X(AmpEqual, "&=") X(PipeEqual, "|=") X(CaretEqual, "^=")                  \
  X(LessLessEqual, "<<=") X(LaunchOpen, "<<<") X(Spaceship, "<=>") X(Hash, "#") X(HashHash, "##")
#define X(name, spelling) k##name,
  QUERN_PUNCTUATORS(X)
#undef X
#define QUERN_KEYWORDS(X)                                                                                             \
  X(alignas) X(alignof) X(asm) X(auto) X(bool) X(break) X(case) X(catch) X(char) X(class) X(const) X(constexpr)       \
  X(const_cast) X(continue) X(decltype) X(default) X(delete) X(do) X(double) X(dynamic_cast) X(else) X(enum)          \
  X(explicit) X(extern) X(false) X(float) X(for) X(friend) X(goto) X(if) X(inline) X(int) X(long) X(mutable)          \
  X(namespace) X(new) X(noexcept) X(nullptr) X(operator) X(private) X(protected) X(public) X(register)                \
  X(reinterpret_cast) X(return) X(short) X(signed) X(sizeof) X(static) X(static_assert) X(static_cast) X(struct)      \
  X(switch) X(template) X(this) X(thread_local) X(throw) X(true) X(try) X(typedef) X(typeid) X(typename) X(union)     \
  X(unsigned) X(using) X(virtual) X(void) X(volatile) X(while) X(requires) X(concept)
// clang-format on
#define X(name) kw_##name,
      QUERN_KEYWORDS(X)
#undef X
};

// An interned identifier: compare by pointer. `user` slots let the preprocessor and the parser hang data on a
// name without hashing it again.
struct Ident {
  std::string_view text;
  Tok keyword = Tok::kIdentifier;  // the keyword this spells, or kIdentifier
  bool maybe_macro = true;         // the preprocessor's: false once the name is known not to be a macro
  void* macro = nullptr;           // the preprocessor's, its current definition
  void* decls = nullptr;           // the parser's, see sema/scope.hpp
};

// Owns the identifiers of one compilation; the pointers and their texts stay valid as long as the table.
// `and`, `or`, `not` … are mapped to the punctuators that they spell.
class IdentTable {
 public:
  IdentTable();
  IdentTable(const IdentTable&) = delete;
  IdentTable& operator=(const IdentTable&) = delete;

  Ident* get(std::string_view text);

 private:
  struct Slot {
    uint32_t hash = 0;
    Ident* ident = nullptr;  // nullptr: free
  };

  Ident* insert(std::string_view text, uint32_t hash);
  void grow();
  std::string_view store(std::string_view text);

  std::vector<Slot> slots_;  // open addressing, size a power of two, at most half full
  std::deque<Ident> idents_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  size_t free_size_ = 0;
};

struct Token {
  Tok kind = Tok::kEnd;
  bool space_before = false;
  bool line_start = false;
  bool glued = false;       // on '>': another '>' or '=' follows immediately
  bool from_macro = false;  // spelled in a macro's body; loc is then the place where the macro is used
  bool painted = false;     // the preprocessor's: names a macro but must not be expanded again
  uint16_t pp = 0;          // the preprocessor's: the role of a token in a macro's body, see macro.hpp
  SourceLoc loc;
  std::string_view text;   // spelling
  Ident* ident = nullptr;  // for identifiers and keywords
};

static_assert(sizeof(void*) != 8 || sizeof(Token) == 40, "tokens are held by the hundred thousand");

std::string_view spelling(Tok kind);  // "(", "while", or "identifier", "number", …

}  // namespace quern::lang
