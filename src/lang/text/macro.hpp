// A macro as the preprocessor holds it.
#pragma once

#include <cstdint>
#include <span>

#include "lang/text/token.hpp"

namespace quern::lang {

// What Token::pp says of a token in a macro's body: which parameter it stands for (index + 1, 0: none), and
// flags.
inline constexpr uint16_t kPpParamMask = 0x0FFF;
inline constexpr uint16_t kPpVaOptBegin = 0x1000;  // `__VA_OPT__ (`
inline constexpr uint16_t kPpVaOptEnd = 0x2000;    // its `)`
inline constexpr uint16_t kPpStringise = 0x4000;   // # stands before it
inline constexpr uint16_t kPpPaste = 0x8000;       // ## stands behind it
inline constexpr size_t kMaxParams = 256;          // what the standard asks for

enum class BuiltinMacro : uint8_t {
  kNone,
  kFile,
  kLine,
  kCounter,
  kDate,
  kTime,
  kHasInclude,
  kHasFeature,  // __has_builtin, __has_attribute, … : we have none of what they ask for
};

// Lives in the preprocessor until it is destroyed, also after #undef: calls in progress may still use it.
struct Macro {
  Ident* name = nullptr;
  SourceLoc loc;                   // of the name in its #define; nowhere for predefined ones
  std::span<Ident* const> params;  // with __VA_ARGS__ (or its GNU name) as the last when variadic
  std::span<const Token> body;
  BuiltinMacro builtin = BuiltinMacro::kNone;
  bool function_like = false;
  bool variadic = false;
  bool plain = true;      // the body has no parameters, no # and no ##: it can be read in place
  bool disabled = false;  // its replacement is being rescanned: its own name in there is not expanded
};

}  // namespace quern::lang
