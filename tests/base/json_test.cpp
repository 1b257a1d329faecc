#include "base/json.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace quern::base {
namespace {

TEST(Json, WritesCompactly) {
  JsonWriter json;
  json.begin_object().member("kernel", "saxpy").member("ok", true).key("sizes").begin_array();
  json.value(1).value(-2).value(2.5).value(nullptr).end_array();
  json.key("empty").begin_object().end_object().key("none").begin_array().end_array().end_object();
  EXPECT_EQ(json.take(), R"({"kernel":"saxpy","ok":true,"sizes":[1,-2,2.5,null],"empty":{},"none":[]})");
}

TEST(Json, WritesIndented) {
  JsonWriter json(2);
  json.begin_object().member("a", 1).key("b").begin_array().value("x").value(false).end_array();
  json.key("c").begin_array().end_array().end_object();
  EXPECT_EQ(json.take(),
            "{\n"
            "  \"a\": 1,\n"
            "  \"b\": [\n"
            "    \"x\",\n"
            "    false\n"
            "  ],\n"
            "  \"c\": []\n"
            "}\n");
}

TEST(Json, NumbersReadBack) {
  JsonWriter json;
  json.begin_array()
      .value(std::numeric_limits<std::int64_t>::min())
      .value(~std::uint64_t{0})
      .value(0.1)
      .value(1e300);
  json.value(std::numeric_limits<double>::infinity())
      .value(std::numeric_limits<double>::quiet_NaN())
      .end_array();
  EXPECT_EQ(json.take(), "[-9223372036854775808,18446744073709551615,0.1,1e+300,null,null]");
}

TEST(Json, EscapesWhatMustBe) {
  EXPECT_EQ(json_quote("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f"), R"("a\"b\\c/\b\f\n\r\t\u0001\u001f\u007f")");
  EXPECT_EQ(json_quote(std::string_view("\0x", 2)), R"("\u0000x")");
  EXPECT_EQ(json_quote("µ✓𝄞"), "\"µ✓𝄞\"");
}

TEST(Json, InvalidUtf8BecomesTheReplacementCharacter) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(json_quote("a\xff"
                       "b"),
            "\"a" + bad + "b\"");
  EXPECT_EQ(json_quote("\xc3"), "\"" + bad + "\"");
  EXPECT_EQ(json_quote("\xc0\x80"), "\"" + bad + bad + "\"");
  EXPECT_EQ(json_quote("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");
  EXPECT_EQ(json_quote("\xe2\x9c"), "\"" + bad + bad + "\"");
  EXPECT_EQ(json_quote("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");
}

TEST(Json, KeysAreEscapedToo) {
  JsonWriter json;
  json.begin_object().member("a\"b", std::string("c")).member("d", std::string_view("e")).end_object();
  EXPECT_EQ(json.take(), R"({"a\"b":"c","d":"e"})");
}

TEST(Json, TakeEmptiesTheWriter) {
  JsonWriter json;
  EXPECT_EQ(json.value(1).take(), "1");
  EXPECT_EQ(json.value("x").take(), "\"x\"");
}

}  // namespace
}  // namespace quern::base
