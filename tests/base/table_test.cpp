#include "base/table.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace quern::base {
namespace {

TEST(Table, AlignsByColumnsNotBytes) {
  Table table({{"device"}, {"memory", Align::kRight}, {"fp64", Align::kCentre}, {"note"}});
  table.add_row({"NVIDIA H200", "139 GiB", "✓", "default"});
  table.add_row({"16× Xeon", "8 GiB", "–"});
  table.add_note("└ also as vulkan:0");
  EXPECT_EQ(table.to_string(),
            "  device        memory  fp64  note\n"
            "  NVIDIA H200  139 GiB   ✓    default\n"
            "  16× Xeon       8 GiB   –\n"
            "  └ also as vulkan:0\n");
  EXPECT_EQ(table.row_count(), 2u);
}

TEST(Table, ColoursDoNotChangeTheLayout) {
  Table table({{"a"}, {"b"}}, 0);
  table.add_row({Cell("ok", Style::kGreen), "1"});
  table.add_row({"failed", "2"});
  EXPECT_EQ(table.to_string(false), "a       b\nok      1\nfailed  2\n");
  EXPECT_EQ(table.to_string(true),
            "\x1b[1ma\x1b[0m       \x1b[1mb\x1b[0m\n\x1b[32mok\x1b[0m      1\nfailed  2\n");
}

TEST(Table, CutsLongCellsAndKeepsCellsOnOneLine) {
  Table table({{"reason", Align::kLeft, 6}, {""}}, 0);
  table.add_row({"two words", "a\nb"});
  EXPECT_EQ(table.to_string(), "reason\ntwo w…  a b\n");
}

TEST(Table, WithoutTitlesHasNoTitleLineAndExtraCellsFollow) {
  Table table({{""}, {""}}, 1);
  table.add_row({"a", "b", "c"});
  EXPECT_EQ(table.to_string(), " a  b  c\n");
  EXPECT_EQ(Table({{""}}).to_string(), "");
  table.add_row({"", ""});
  table.add_row({"", "x "});
  EXPECT_EQ(table.to_string(), " a  b   c\n\n    x\n");
}

TEST(Utf8, WidthsOfWideCombiningAndEscapedText) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("✓×µ"), 3u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("🚀"), 2u);
  EXPECT_EQ(display_width("\x1b[1;31mred\x1b[0m"), 3u);
  EXPECT_EQ(display_width("\xff\xfe"), 2u);
  EXPECT_EQ(display_width("\x1b["), 1u);
}

TEST(Utf8, FitsWithoutCuttingACharacter) {
  EXPECT_EQ(fit_width("漢字漢", 6), "漢字漢");
  EXPECT_EQ(fit_width("漢字漢", 5), "漢字…");
  EXPECT_EQ(fit_width("漢字漢", 4), "漢…");
  EXPECT_EQ(fit_width("abc", 1), "…");
  EXPECT_EQ(fit_width("abc", 0), "");
}

TEST(Utf8, EveryCodePointReadsBack) {
  for (char32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    std::string text;
    append_utf8(text, code_point);
    const Decoded decoded = decode_utf8(text);
    ASSERT_EQ(decoded.valid, !surrogate) << static_cast<unsigned>(code_point);
    if (surrogate) continue;
    ASSERT_EQ(decoded.code_point, code_point);
    ASSERT_EQ(decoded.length, text.size());
    if (text.size() > 1) {
      text.pop_back();
      ASSERT_FALSE(is_valid_utf8(text));
    }
  }
}

}  // namespace
}  // namespace quern::base
