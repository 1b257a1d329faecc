// A macro in the preprocessor.
#pragma once

#include <cstdint>
#include <span>

#include "lang/text/token.hpp"

namespace quern::lang {

// Meaning of Token::pp in a macro's body: which parameter the token refers to (index + 1, 0: none), and
// flags.
inline constexpr uint16_t kPpParamMask = 0x0FFF;
inline constexpr uint16_t kPpVaOptBegin = 0x1000;  // `__VA_OPT__ (`
inline constexpr uint16_t kPpVaOptEnd = 0x2000;    // its `)`
inline constexpr uint16_t kPpStringise = 0x4000;   // # precedes it
inline constexpr uint16_t kPpPaste = 0x8000;       // ## follows it
inline constexpr size_t kMaxParams = 256;          // as the standard requires

enum class BuiltinMacro : uint8_t {
  kNone,
  kFile,
  kLine,
  kCounter,
  kDate,
  kTime,
  kHasInclude,
  kHasFeature,  // __has_builtin, __has_attribute, … : always 0
};

// Lives until the preprocessor is destroyed, also after #undef: calls in progress may still use it.
struct Macro {
  Ident* name = nullptr;
  SourceLoc loc;                   // of the name in its #define; none for predefined macros
  std::span<Ident* const> params;  // with __VA_ARGS__ (or its GNU name) as the last when variadic
  std::span<const Token> body;
  BuiltinMacro builtin = BuiltinMacro::kNone;
  bool function_like = false;
  bool variadic = false;
  bool plain = true;      // the body has no parameters, no # and no ##: it can be expanded in place
  bool disabled = false;  // its replacement is being rescanned: its name is not expanded there
};

}  // namespace quern::lang
