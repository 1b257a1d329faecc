#include "base/json_value.hpp"

#include <gtest/gtest.h>

namespace quern::base {
namespace {

TEST(JsonValue, ReadsWhatJsonHas) {
  const auto v = parse_json(
      R"( {"a": [1, -2.5e1, true, false, null], "b": {"c": "x\n\"\u00e9\ud83d\ude00"}, "d": {}} )");
  ASSERT_TRUE(v.ok());
  const JsonValue* a = v->find("a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->items.size(), 5u);
  EXPECT_EQ(a->items[1].number, -25);
  EXPECT_TRUE(a->items[2].truth);
  EXPECT_EQ(a->items[4].kind, JsonValue::Kind::kNull);
  EXPECT_EQ(v->find("b")->text_of("c"), "x\n\"é😀");
  EXPECT_EQ(v->number_of("b", 7), 7);
  EXPECT_EQ(v->find("e"), nullptr);
}

TEST(JsonValue, RefusesWhatIsNone) {
  for (const char* text : {"", "[", "[1,]", "{\"a\"}", "{a:1}", "tru", "1 2", "\"\\x\"", "\"\n\"",
                           "\"\\ud800\"", "[1", "{\"a\":1,}", "--1", "\"\\u12\""})
    EXPECT_FALSE(parse_json(text).ok()) << text;
  EXPECT_FALSE(parse_json(std::string(1000, '[')).ok());  // and does not overflow the stack
  EXPECT_EQ(parse_json("[1,x]").error().message(), "the text is not JSON at byte 3");
}

// A file may contain any number; converting one that does not fit is undefined behavior.
TEST(JsonValue, WholeNumbersAreLimited) {
  const auto v = parse_json(R"({"a": 12, "b": -1, "c": 1.6e77, "d": "text"})");
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->uint_of("a"), 12u);
  EXPECT_EQ(v->uint_of("a", 10), 10u);
  EXPECT_EQ(v->uint_of("b"), 0u);
  EXPECT_EQ(v->uint_of("c"), ~uint64_t{0});
  EXPECT_EQ(v->uint_of("c", 0xffffffff), 0xffffffffu);
  EXPECT_EQ(v->uint_of("d"), 0u);
}

}  // namespace
}  // namespace quern::base
