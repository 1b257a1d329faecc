#include "base/terminal_filter.hpp"

#include <gtest/gtest.h>

#include "base/terminal.hpp"

namespace quern::base {
namespace {

std::string filtered(std::string_view text) {
  TerminalFilter filter;
  const std::string out = filter.feed(text);
  return out + filter.finish();
}

TEST(TerminalFilter, PassesText) {
  for (const char* text : {"", "plain\ttext\n", "naïve — 漢字 🙂\n", "a line\r\n"})
    EXPECT_EQ(filtered(text), text);
}

TEST(TerminalFilter, PassesOwnColours) {
  for (const Style style : {Style::kBold, Style::kDim, Style::kRed, Style::kBlue}) {
    const std::string text = paint("text", style, true);
    EXPECT_EQ(filtered(text), text);
  }
  EXPECT_EQ(filtered("\x1b[1;31merror\x1b[0m"), "\x1b[1;31merror\x1b[0m");
}

TEST(TerminalFilter, ControlSequencesAreShown) {
  EXPECT_EQ(filtered("\x1b]0;title\x07"), "\\u001b]0;title\\u0007");
  EXPECT_EQ(filtered("\x1b[2J\x1b[H"), "\\u001b[2J\\u001b[H");
  EXPECT_EQ(filtered("\x1b[8mhidden"), "\\u001b[8mhidden");
  EXPECT_EQ(filtered("\x1b[1;8m"), "\\u001b[1;8m");
  EXPECT_EQ(filtered("evil\rgood"), "evil\\u000dgood");
  EXPECT_EQ(filtered("a\bb\x7f"), "a\\u0008b\\u007f");
  EXPECT_EQ(filtered(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(filtered("\u009b2J"), "\\u009b2J");        // CSI as one character
  EXPECT_EQ(filtered("if (\u202e)"), "if (\\u202e)");  // changes the direction of text
}

TEST(TerminalFilter, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(filtered("a\x9b\xff"), "a\ufffd\ufffd");
  EXPECT_EQ(filtered("\xe2\x82"), "\ufffd\ufffd");
}

TEST(TerminalFilter, PiecesOfAnySizeGiveTheSame) {
  const std::string text = "a\x1b[1;31m漢\x1b[2J\r\n\r\x9b🙂\x1b[99999999999999999999m\x1b";
  const std::string whole = filtered(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    TerminalFilter filter;
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size) out += filter.feed(text.substr(at, size));
    EXPECT_EQ(out + filter.finish(), whole) << size;
  }
}

}  // namespace
}  // namespace quern::base
