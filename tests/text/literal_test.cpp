#include "lang/text/literal.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lang/text/messages.hpp"

namespace quern::lang {
namespace {

// The error of a literal, with its hint.
template <class Literal>
std::string problem(const Literal& literal) {
  return literal.error ? literal.error->str() : "no error";
}

uint64_t integer(std::string_view text) {
  const NumberLiteral n = decode_number(text);
  EXPECT_FALSE(n.error) << text;
  EXPECT_FALSE(n.is_float) << text;
  EXPECT_FALSE(n.overflow) << text;
  return n.value;
}

double real(std::string_view text) {
  const NumberLiteral n = decode_number(text);
  EXPECT_FALSE(n.error) << text;
  EXPECT_TRUE(n.is_float) << text;
  return n.real;
}

TEST(Number, Integers) {
  EXPECT_EQ(integer("0"), 0u);
  EXPECT_EQ(integer("1'000'000"), 1000000u);
  EXPECT_EQ(integer("0xDEADbeef"), 0xDEADBEEFu);
  EXPECT_EQ(integer("0X1'F"), 0x1Fu);
  EXPECT_EQ(integer("017"), 15u);
  EXPECT_EQ(integer("0b1011"), 11u);
  EXPECT_EQ(integer("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(integer("0xFFFFFFFFFFFFFFFF"), 18446744073709551615u);
  EXPECT_EQ(integer("0xe"), 14u);
}

TEST(Number, Bases) {
  EXPECT_TRUE(decode_number("10").is_decimal);
  EXPECT_TRUE(decode_number("0").is_decimal);
  EXPECT_FALSE(decode_number("010").is_decimal);
  EXPECT_FALSE(decode_number("0x10").is_decimal);
  EXPECT_FALSE(decode_number("0b1").is_decimal);
}

TEST(Number, IntegerSuffixes) {
  struct Case {
    std::string_view text;
    bool is_unsigned;
    int longs;
    bool is_size;
  };
  for (const Case& c : {Case{"1", false, 0, false},
                        {"1u", true, 0, false},
                        {"1L", false, 1, false},
                        {"1ll", false, 2, false},
                        {"1LL", false, 2, false},
                        {"1ULL", true, 2, false},
                        {"1llU", true, 2, false},
                        {"1lu", true, 1, false},
                        {"1z", false, 0, true},
                        {"1uz", true, 0, true},
                        {"0xFul", true, 1, false}}) {
    const NumberLiteral n = decode_number(c.text);
    EXPECT_FALSE(n.error) << c.text;
    EXPECT_EQ(n.is_unsigned, c.is_unsigned) << c.text;
    EXPECT_EQ(n.longs, c.longs) << c.text;
    EXPECT_EQ(n.is_size, c.is_size) << c.text;
  }
}

TEST(Number, IntegerMistakes) {
  for (const char* bad : {"1lL", "1uu", "1lul", "1x", "1zl", "12_km", "1f", "0x1g", "0b2"}) {
    EXPECT_TRUE(decode_number(bad).error) << bad;
  }
  EXPECT_EQ(problem(decode_number("12_km")), message::kIntegerSuffix("_km").str());
  EXPECT_EQ(problem(decode_number("089")), message::kNotOctalDigit("8").str());
  EXPECT_EQ(problem(decode_number("0x")), message::kDigitsMissing().str());
  EXPECT_EQ(problem(decode_number("1'")), message::kDigitSeparator().str());
  EXPECT_TRUE(decode_number("18446744073709551616").overflow);
  EXPECT_TRUE(decode_number("0x10000000000000000").overflow);
}

TEST(Number, Floats) {
  EXPECT_EQ(real("1.5"), 1.5);
  EXPECT_EQ(real("1."), 1.0);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("1e3"), 1000.0);
  EXPECT_EQ(real("1E+3"), 1000.0);
  EXPECT_EQ(real("12.5e-1"), 1.25);
  EXPECT_EQ(real("1'000.5"), 1000.5);
  EXPECT_EQ(real("08.5"), 8.5);
  EXPECT_EQ(real("0x1p3"), 8.0);
  EXPECT_EQ(real("0x1.8p+1"), 3.0);
  EXPECT_EQ(real("0x.8P0"), 0.5);
  EXPECT_EQ(real("0xA.p-1f"), 5.0);
  EXPECT_EQ(real("3.14159265358979323846"), 3.14159265358979323846);
  EXPECT_EQ(real("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(real("2.2250738585072014e-308"), std::numeric_limits<double>::min());
  EXPECT_EQ(real("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(real("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Number, FloatSuffixes) {
  EXPECT_TRUE(decode_number("1.f").is_float_suffix);
  EXPECT_TRUE(decode_number("1e3F").is_float_suffix);
  EXPECT_FALSE(decode_number("1.0").is_float_suffix);
  EXPECT_EQ(decode_number("1.0L").longs, 1);
  EXPECT_EQ(decode_number("1.0l").longs, 1);
}

TEST(Number, SinglePrecisionIsRoundedOnce) {
  EXPECT_EQ(real("0.1f"), static_cast<double>(0.1f));
  // Just above the midpoint of two floats, by less than a double can represent: rounding twice would go down
  // to even.
  EXPECT_EQ(real("1.00000005960464477540f"), static_cast<double>(std::nextafterf(1.0f, 2.0f)));
  EXPECT_EQ(real("3.402823466e+38f"), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(real("1.40129846e-45f"), static_cast<double>(std::numeric_limits<float>::denorm_min()));
  EXPECT_EQ(real("1.175494351e-38F"), static_cast<double>(std::numeric_limits<float>::min()));
  EXPECT_EQ(real("1e-42f"), static_cast<double>(1e-42f));
}

TEST(Number, OutOfRange) {
  EXPECT_TRUE(decode_number("1e400").overflow);
  EXPECT_TRUE(std::isinf(decode_number("1e400").real));
  EXPECT_TRUE(decode_number("1e39f").overflow);
  EXPECT_TRUE(decode_number("0x1p1024").overflow);
  EXPECT_TRUE(decode_number("1" + std::string(400, '0') + ".0").overflow);
  EXPECT_TRUE(decode_number("1e99999999999999999999").overflow);
  EXPECT_FALSE(decode_number("1e-400").overflow);
  EXPECT_EQ(decode_number("1e-400").real, 0.0);
  EXPECT_FALSE(decode_number("0." + std::string(400, '0') + "1").overflow);
  EXPECT_EQ(decode_number("1e-50f").real, 0.0);
  EXPECT_FALSE(decode_number("0x1p-2000").overflow);
  EXPECT_FALSE(decode_number("0e999999").overflow);
}

TEST(Number, FloatMistakes) {
  for (const char* bad : {"1.2.3", "1e", "1e+", "0x1.8", "0x.p1", "1.0q", "1.0fl", "1.0_s", "0x1p", "."}) {
    EXPECT_TRUE(decode_number(bad).error) << bad;
  }
  EXPECT_EQ(problem(decode_number("0x1.8")), message::kFloatExponentMissing().str());
  EXPECT_EQ(problem(decode_number("1.0h")), message::kFloatSuffix("h").str());
}

TEST(Char, Values) {
  const auto value = [](std::string_view text) {
    const CharLiteral c = decode_char(text);
    EXPECT_FALSE(c.error) << text;
    return c.value;
  };
  EXPECT_EQ(value("'a'"), 'a');
  EXPECT_EQ(value("'\\n'"), '\n');
  EXPECT_EQ(value("'\\0'"), 0u);
  EXPECT_EQ(value("'\\377'"), 255u);
  EXPECT_EQ(value("'\\x41'"), 0x41u);
  EXPECT_EQ(value("'\\''"), '\'');
  EXPECT_EQ(value("'\"'"), '"');
  EXPECT_EQ(value("'\\\\'"), '\\');
  EXPECT_EQ(value("L'\u00e9'"), 0xE9u);
  EXPECT_EQ(value("U'\\U0001F600'"), 0x1F600u);
  EXPECT_EQ(value("u'\\u20ac'"), 0x20ACu);
  EXPECT_EQ(decode_char("u8'a'").prefix, LiteralPrefix::kUtf8);
  EXPECT_EQ(decode_char("L'a'").prefix, LiteralPrefix::kWide);
}

TEST(Char, Mistakes) {
  EXPECT_EQ(problem(decode_char("'ab'")), message::kSeveralCharacters("'ab'").str());
  EXPECT_EQ(problem(decode_char("''")), message::kCharacterEmpty().str());
  EXPECT_EQ(problem(decode_char("'\\q'")), message::kEscapeUnknown("q").str());
  EXPECT_EQ(problem(decode_char("'\u00e9'")), message::kCharacterTooLarge("'\u00e9'").str());
  EXPECT_EQ(problem(decode_char("'\\x100'")), message::kCharacterTooLarge("'\\x100'").str());
  EXPECT_EQ(problem(decode_char("'\\xg'")), message::kEscapeNeedsDigits().str());
  EXPECT_EQ(problem(decode_char("'\\u12'")), message::kEscapeNeedsCountedDigits("4").str());
}

TEST(String, Values) {
  const auto bytes = [](std::string_view text) {
    const StringLiteral s = decode_string(text);
    EXPECT_FALSE(s.error) << text;
    return s.bytes;
  };
  EXPECT_EQ(bytes("\"\""), "");
  EXPECT_EQ(bytes("\"a\\tb\\n\""), "a\tb\n");
  EXPECT_EQ(bytes("\"%d\\0x\""), std::string("%d\0x", 4));
  EXPECT_EQ(bytes("\"\\1234\""), "S4");
  EXPECT_EQ(bytes("\"\\xe9\""), "\xE9");
  EXPECT_EQ(bytes("\"\\u00e9\u00e9\""), "\u00e9\u00e9");
  EXPECT_EQ(bytes("L\"\\xe9\""), "\u00e9");
  EXPECT_EQ(bytes("\"\xFF\""), "\xFF");
  EXPECT_EQ(bytes("R\"(a\\n\"b)\""), "a\\n\"b");
  EXPECT_EQ(bytes("u8R\"xy(a)\")xy\""), "a)\"");
  EXPECT_EQ(decode_string("U\"a\"").prefix, LiteralPrefix::kUtf32);
}

TEST(String, Mistakes) {
  EXPECT_EQ(problem(decode_string("\"\\q\"")), message::kEscapeUnknown("q").str());
  EXPECT_EQ(problem(decode_string("\"\\x123\"")), message::kEscapeTooLarge().str());
  EXPECT_EQ(problem(decode_string("\"abc")), message::kStringIncomplete().str());
  EXPECT_EQ(problem(decode_string("R\"(abc")), message::kRawStringIncomplete().str());
}

}  // namespace
}  // namespace quern::lang
