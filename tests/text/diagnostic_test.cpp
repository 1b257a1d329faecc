#include "lang/text/diagnostic.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "lang/text/utf8.hpp"

namespace quern::lang {
namespace {

base::MessageText said(std::string text, std::string hint = {}) {
  return {nullptr, std::move(text), std::move(hint)};
}

// One file, and the location of a part of its text.
struct OneFile {
  explicit OneFile(std::string text, std::string name = "t.cu") {
    file = sources.add(std::move(name), std::move(text));
  }

  SourceLoc at(std::string_view piece) const {
    return {sources.start(file).offset + static_cast<uint32_t>(sources.text(file).find(piece))};
  }
  std::string show(std::string_view piece, std::string message) const {
    return render(
        {Severity::kError, at(piece), static_cast<uint32_t>(piece.size()), said(std::move(message)), {}},
        sources);
  }

  SourceMap sources;
  SourceMap::FileId file = 0;
};

TEST(SourceMap, Positions) {
  SourceMap sources;
  const auto a = sources.add("a.cu", "x\nyz\n");
  const auto b = sources.add("b.cu", "", true);
  const auto c = sources.add("c.cu", "end");
  const auto at = [&](SourceMap::FileId file, uint32_t offset) {
    const FilePos pos = sources.resolve({sources.start(file).offset + offset});
    return std::string(pos.file) + ":" + std::to_string(pos.line) + ":" + std::to_string(pos.column);
  };
  EXPECT_EQ(at(a, 0), "a.cu:1:1");
  EXPECT_EQ(at(a, 1), "a.cu:1:2");  // the newline belongs to its line
  EXPECT_EQ(at(a, 3), "a.cu:2:2");
  EXPECT_EQ(at(a, 5), "a.cu:3:1");  // the end has a location
  EXPECT_EQ(at(b, 0), "b.cu:1:1");
  EXPECT_EQ(at(c, 2), "c.cu:1:3");
  EXPECT_EQ(sources.line_text({sources.start(a).offset + 3}), "yz");
  EXPECT_EQ(sources.line_text({sources.start(a).offset + 1}), "x");
  EXPECT_EQ(sources.line_text({sources.start(a).offset + 5}), "");
  EXPECT_TRUE(sources.is_builtin(b));
  EXPECT_FALSE(sources.file_of({}));
  EXPECT_FALSE(sources.file_of({1000}));
  EXPECT_EQ(sources.resolve({}).line, 0u);
}

TEST(SourceMap, TextsStayWhereTheyAre) {
  SourceMap sources;
  const std::string_view kept = sources.keep("abc");
  const std::string_view text = sources.text(sources.add("a", "short"));
  for (int i = 0; i < 3000; ++i) {
    sources.add("n", "t");
    sources.keep(std::string(static_cast<size_t>(i), 'x'));
  }
  EXPECT_EQ(kept, "abc");
  EXPECT_EQ(kept.data()[3], '\0');
  EXPECT_EQ(text, "short");
}

TEST(Render, AsAPersonReadsIt) {
  std::string text;
  for (int i = 1; i < 14; ++i) text += "\n";
  text += "    float inv = 1.0f / sqrtt(r2 + eps);\n";
  EXPECT_EQ(
      OneFile(text, "nbody.cu").show("sqrtt", "no function named 'sqrtt' is in scope; did you mean 'sqrt'?"),
      "nbody.cu:14:24: error: no function named 'sqrtt' is in scope; did you mean 'sqrt'?\n"
      "   14 |     float inv = 1.0f / sqrtt(r2 + eps);\n"
      "      |                        ^~~~~\n");
}

TEST(Render, TabsAreExpandedInBothLines) {
  EXPECT_EQ(OneFile("\tab\tc = d;").show("c", "m"),
            "t.cu:1:5: error: m\n"
            "    1 |     ab  c = d;\n"
            "      |         ^\n");
}

TEST(Render, CharactersCountAsColumns) {
  EXPECT_EQ(OneFile("/* \u00e9\u6f22 */ x").show("x", "m"),
            "t.cu:1:13: error: m\n"
            "    1 | /* \u00e9\u6f22 */ x\n"
            "      |           ^\n");
}

TEST(Render, ForeignAndControlBytesAreHarmless) {
  EXPECT_EQ(OneFile("a\xFF\x1b[31m\x7f\u202E b").show("b", "m\n\x1b[0m\xFF"),
            "t.cu:1:13: error: m ?[0m\uFFFD\n"
            "    1 | a\uFFFD?[31m?? b\n"
            "      |           ^\n");
}

TEST(Render, LongLinesAreCutAroundTheCaret) {
  const std::string text = std::string(5000, 'x') + " HERE " + std::string(5000, 'y');
  const std::string out = OneFile(text).show("HERE", "m");
  EXPECT_LT(out.size(), 400u);
  const size_t line = out.find("\n    1 | ") + 9;
  const size_t caret_line = out.find("\n      | ") + 9;
  const size_t caret = out.find('^') - caret_line;
  // The ellipsis takes three bytes for its one column.
  EXPECT_EQ(out.substr(line + caret + 2, 4), "HERE");
  EXPECT_EQ(out.substr(caret_line + caret, 5), "^~~~\n");
  EXPECT_EQ(out.substr(line, 3), "\u2026");
  EXPECT_EQ(out.substr(caret_line - 9 - 3, 3), "\u2026");
}

TEST(Render, UnderlineEndsWithItsLine) {
  OneFile one("ab\ncd");
  EXPECT_EQ(render({Severity::kError, one.at("b"), 100, said("m"), {}}, one.sources),
            "t.cu:1:2: error: m\n    1 | ab\n      |  ^\n");
  EXPECT_EQ(render({Severity::kError, {one.at("d").offset + 1}, 1, said("m"), {}}, one.sources),
            "t.cu:2:3: error: m\n    2 | cd\n      |   ^\n");
}

TEST(Render, CarriageReturnIsNotShown) {
  EXPECT_EQ(OneFile("ab\r\n").show("a", "m"), "t.cu:1:1: error: m\n    1 | ab\n      | ^\n");
}

TEST(Render, NotesAndWarnings) {
  OneFile one("int a;\nint a;\n");
  Diagnostic d{Severity::kWarning, {one.at("a").offset + 7}, 1, said("again"), {}};
  d.notes.push_back({Severity::kNote, one.at("a"), 1, said("first here"), {}});
  EXPECT_EQ(render(d, one.sources),
            "t.cu:2:5: warning: again\n"
            "    2 | int a;\n"
            "      |     ^\n"
            "  t.cu:1:5: note: first here\n"
            "      1 | int a;\n"
            "        |     ^\n");
}

TEST(Render, NowhereHasNoSource) {
  SourceMap sources;
  EXPECT_EQ(render({Severity::kError, {}, 1, said("no such file"), {}}, sources), "error: no such file\n");
}

TEST(Render, ColourOnlyWhenAsked) {
  OneFile one("a");
  Diagnostics diagnostics(one.sources);
  diagnostics.error(one.at("a"), said("m"));
  EXPECT_EQ(diagnostics.render(false).find('\x1b'), std::string::npos);
  const std::string coloured = diagnostics.render(true);
  EXPECT_NE(coloured.find("\x1b[1;31merror: \x1b[0m"), std::string::npos);
  EXPECT_TRUE(coloured.ends_with("\x1b[0m\n"));
}

TEST(Diagnostics, OneErrorPerLine) {
  OneFile one("a b\nc\n");
  Diagnostics diagnostics(one.sources);
  EXPECT_NE(diagnostics.error(one.at("a"), said("first")), nullptr);
  EXPECT_EQ(diagnostics.error(one.at("b"), said("second")), nullptr);
  EXPECT_NE(diagnostics.warning(one.at("b"), 1, said("warning")), nullptr);
  EXPECT_NE(diagnostics.error(one.at("c"), said("third")), nullptr);
  EXPECT_NE(diagnostics.error({}, said("nowhere")), nullptr);
  EXPECT_NE(diagnostics.error({}, said("nowhere else")), nullptr);
  EXPECT_EQ(diagnostics.error_count(), 4u);
  EXPECT_EQ(diagnostics.all().size(), 5u);
}

TEST(Diagnostics, SameMessageAtMostThreeTimesAndALimit) {
  OneFile one(std::string(100, '\n'));
  const auto line = [&](uint32_t i) { return SourceLoc{one.sources.start(one.file).offset + i}; };
  Diagnostics diagnostics(one.sources, 5);
  for (uint32_t i = 0; i < 10; ++i) diagnostics.error(line(i), said("same"));
  EXPECT_EQ(diagnostics.all().size(), 3u);
  for (uint32_t i = 10; i < 20; ++i) diagnostics.error(line(i), said("other " + std::to_string(i)));
  EXPECT_EQ(diagnostics.all().size(), 5u);
  EXPECT_EQ(diagnostics.error_count(), 20u);
  EXPECT_TRUE(diagnostics.render().ends_with("15 more errors are not shown\n"));
}

TEST(Diagnostics, HintIsKeptApart) {
  OneFile one("a");
  Diagnostics diagnostics(one.sources);
  const Diagnostic* d = diagnostics.error(one.at("a"), with_hint(said("wrong"), said("do that")));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->message.text, "wrong");
  EXPECT_EQ(d->message.hint, "do that");
  EXPECT_EQ(diagnostics.log()[0].message, "wrong; do that");
  EXPECT_TRUE(diagnostics.render().starts_with("t.cu:1:1: error: wrong; do that\n")) << diagnostics.render();
}

TEST(Diagnostics, ReasonKeepsItsHint) {
  const base::MessageText whole = because(said("cannot do it", "lost"), said("it is late", "come earlier"));
  EXPECT_EQ(whole.text, "cannot do it: it is late");
  EXPECT_EQ(whole.hint, "come earlier");
}

TEST(Diagnostics, MutedErrorsAreOnlyCounted) {
  OneFile one("a");
  Diagnostics diagnostics(one.sources);
  diagnostics.push_mute();
  EXPECT_EQ(diagnostics.error(one.at("a"), said("m")), nullptr);
  diagnostics.pop_mute();
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.muted_errors(), 1u);
  EXPECT_NE(diagnostics.error(one.at("a"), said("m")), nullptr);
}

TEST(Utf8, RejectsWhatIsNotUtf8) {
  EXPECT_EQ(decode_utf8("A").value, 0x41u);
  EXPECT_EQ(decode_utf8("\u00e9").value, 0xE9u);
  EXPECT_EQ(decode_utf8("\u20ac").bytes, 3u);
  EXPECT_EQ(decode_utf8("\U0001F600").value, 0x1F600u);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80\x80", "\xE2\x82x"}) {
    EXPECT_EQ(decode_utf8(bad).bytes, 0u) << bad;
  }
  std::string out;
  append_utf8(out, 0xD800);
  EXPECT_EQ(out, "\uFFFD");
}

}  // namespace
}  // namespace quern::lang
