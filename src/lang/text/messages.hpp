// Diagnostics of the lexer and the preprocessor, and phrases that every part of the front end uses.
#pragma once

#include "base/message.hpp"

namespace quern::lang::message {

using base::Message;

// The list of diagnostics
inline constexpr Message<0> kOneMoreError{"1 more error is not shown"};
inline constexpr Message<1> kMoreErrors{"{} more errors are not shown"};

// Source text
inline constexpr Message<0> kZeroByte{"unexpected zero byte: the source is not UTF-8 text"};
inline constexpr Message<0> kCommentNotClosed{"this comment is never closed"};
inline constexpr Message<0> kRawStringNotClosed{"this raw string is never closed"};
inline constexpr Message<0> kStringNotClosed{"a closing \" is missing on this line"};
inline constexpr Message<0> kCharacterNotClosed{"a closing ' is missing on this line"};

// Numbers
inline constexpr Message<1> kNotOctalDigit{
    "'{}' is not an octal digit, and numbers that begin with 0 are octal"};
inline constexpr Message<0> kDigitsMissing{"a number needs digits after its prefix"};
inline constexpr Message<0> kDigitSeparator{"a ' in a number must be between two digits"};
inline constexpr Message<1> kIntegerSuffix{"'{}' is not an integer suffix"};
inline constexpr Message<0> kFloatIncomplete{"this floating-point number is not complete"};
inline constexpr Message<0> kFloatExponentMissing{
    "a hexadecimal floating-point number needs an exponent, such as p0"};
inline constexpr Message<1> kFloatSuffix{"'{}' is not a floating-point suffix"};

// Characters and strings
inline constexpr Message<0> kEscapeNeedsDigits{"this escape needs hexadecimal digits"};
inline constexpr Message<1> kEscapeNeedsCountedDigits{"this escape needs {} hexadecimal digits"};
inline constexpr Message<1> kEscapeUnknown{"'\\{}' is not an escape sequence"};
inline constexpr Message<0> kEscapeTooLarge{"this escape does not fit into a char"};
inline constexpr Message<0> kRawStringIncomplete{"this raw string is not complete"};
inline constexpr Message<0> kStringIncomplete{"this string is not complete"};
inline constexpr Message<0> kCharacterIncomplete{"this character is not complete"};
inline constexpr Message<0> kCharacterEmpty{"'' contains no character"};
inline constexpr Message<1> kSeveralCharacters{"{} contains more than one character", "use a string with \""};
inline constexpr Message<1> kCharacterTooLarge{"'{}' does not fit into a char"};

// Directives
inline constexpr Message<1> kDirectiveUnknown{"'#{}' is not a directive"};
inline constexpr Message<0> kErrorDirective{"#error"};
inline constexpr Message<1> kErrorDirectiveText{"#error: {}"};
inline constexpr Message<0> kLineNumberMissing{"#line needs a line number"};
inline constexpr Message<0> kPragmaStringMissing{"_Pragma needs one string in parentheses"};

// Conditions
inline constexpr Message<1> kIfMissing{"this #{} has no matching #if"};
inline constexpr Message<1> kAfterElse{"this #{} comes after the #else of the same #if"};
inline constexpr Message<0> kIfIsHere{"the #if is here"};
inline constexpr Message<0> kEndifMissing{"this #if is never closed with #endif"};
inline constexpr Message<1> kMacroNameMissing{"#{} needs the name of a macro"};
inline constexpr Message<1> kConditionMissing{"#{} has no expression"};
inline constexpr Message<1> kConditionOperatorMissing{"expected an operator before '{}' in this #if"};
inline constexpr Message<0> kConditionColonMissing{"expected ':' after the '?' in this #if"};
inline constexpr Message<0> kConditionParenMissing{"a ')' is missing in this #if"};
inline constexpr Message<0> kConditionValueMissing{"a value is missing at the end of this #if"};
inline constexpr Message<1> kConditionNotValue{"expected a value instead of '{}' in this #if"};
inline constexpr Message<1> kConditionNotInteger{"#if takes integers only, and '{}' is not an integer"};
inline constexpr Message<1> kConditionNumberTooLarge{"'{}' does not fit into 64 bits"};
inline constexpr Message<1> kConditionNotFunction{"'{}' is not a function-like macro"};
inline constexpr Message<0> kConditionDivisionByZero{"division by zero in this #if"};
inline constexpr Message<1> kConditionTooDeep{"this #if is nested more than {} deep"};
inline constexpr Message<0> kDefinedNameMissing{"'defined' needs the name of a macro"};
inline constexpr Message<0> kDefinedParenMissing{"a ')' is missing after 'defined'"};

// Definitions of macros
inline constexpr Message<0> kDefineNameMissing{"#define needs the name of the macro"};
inline constexpr Message<1> kReservedMacroName{"'{}' cannot be the name of a macro"};
inline constexpr Message<2> kMacroParameterTwice{"'{}' appears twice in the parameters of macro '{}'"};
inline constexpr Message<1> kMacroParameterMissing{"expected a name in the parameters of macro '{}'"};
inline constexpr Message<1> kMacroParenMissing{"expected ')' in the parameters of macro '{}'"};
inline constexpr Message<2> kTooManyMacroParameters{
    "there are more than {} names in the parameters of macro '{}'"};
inline constexpr Message<0> kVaOptTextMissing{"__VA_OPT__ needs text in parentheses after it"};
inline constexpr Message<0> kPasteNeedsRight{"'##' needs a token after it"};
inline constexpr Message<0> kPasteNeedsLeft{"'##' needs a token before it"};
inline constexpr Message<0> kStringizeParameterMissing{"'#' needs a parameter of the macro after it"};
inline constexpr Message<1> kMacroRedefined{"macro '{}' is redefined with a different body"};
inline constexpr Message<1> kFirstDefinedHere{"'{}' was first defined here"};
inline constexpr Message<1> kDefinedHere{"'{}' is defined here"};

// Uses of macros
inline constexpr Message<1> kMacroArgumentsNotClosed{"the arguments of macro '{}' are never closed with ')'"};
inline constexpr Message<3> kMacroArgumentCount{"macro '{}' takes {}, got {}"};
inline constexpr Message<3> kMacroArgumentMinimum{"macro '{}' takes at least {}, got {}"};
inline constexpr Message<2> kPasteFailed{"'{}' ## '{}' does not form one token"};
inline constexpr Message<1> kMacroArgumentsTooDeep{
    "macro calls in macro arguments are nested more than {} deep"};
inline constexpr Message<1> kTooManyTokens{
    "macros and includes expand to more than {} tokens, so the rest of the source is ignored"};

// Included files
inline constexpr Message<1> kIncludeNameMissing{"#{} needs \"file\" or <file>"};
inline constexpr Message<0> kHasIncludeNameMissing{"__has_include needs (\"file\") or (<file>)"};
inline constexpr Message<0> kIncludesDisabled{"including files is disabled"};
inline constexpr Message<1> kIncludeTooDeep{"includes are nested more than {} deep"};
inline constexpr Message<2> kIncludesItself{"{} includes itself: {}", "put '#pragma once' at its top"};

}  // namespace quern::lang::message
