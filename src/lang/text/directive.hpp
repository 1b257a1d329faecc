// The preprocessor's directives by name. Internal to the preprocessor.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::lang {

enum class Directive : uint8_t {
  kUnknown,
  kIf,
  kIfdef,
  kIfndef,
  kElif,
  kElifdef,
  kElifndef,
  kElse,
  kEndif,
  kDefine,
  kUndef,
  kInclude,
  kPragma,
  kError,
  kLine,
  kIgnored,  // #warning, #ident: accepted, without effect
};

Directive find_directive(std::string_view name);

}  // namespace quern::lang
