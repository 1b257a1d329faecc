// Identifiers that the lexer does not know as keywords but that have a meaning in declarations: those of CUDA
// and the host compilers.
#pragma once

#include "lang/text/token.hpp"

namespace quern::lang {

enum class Word : uint8_t {
  kNone,
  kGlobal,
  kDevice,
  kHost,
  kShared,
  kConstant,
  kManaged,
  kInline,
  kNoInline,
  kRestrict,
  kConst,
  kVolatile,
  kSigned,
  kLaunchBounds,
  kClusterDims,
  kAlign,
  kAttribute,
  kUnroll,
  kAsm,
  kAlignof,
  kTypeof,
  kConsteval,
  kIgnored,
  kIgnoredWithArgs,
};

void install_words(IdentTable& idents);  // marks the words in the table; once per table

Word word_of(const Token& token);
bool takes_arguments(Word word);  // is followed by a parenthesised list

}  // namespace quern::lang
