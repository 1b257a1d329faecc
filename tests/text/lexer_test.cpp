#include <chrono>

#include <gtest/gtest.h>

#include "text_case.hpp"

namespace quern::lang {
namespace {

std::vector<Tok> kinds(const std::string& text) {
  const TextCase run(text);
  std::vector<Tok> out;
  for (const Token& token : run.tokens) out.push_back(token.kind);
  return out;
}

// The tokens' texts with '|' between them, whatever the spacing.
std::string split(const std::string& text) {
  const TextCase run(text);
  std::string out;
  for (const Token& token : run.tokens) out += (out.empty() ? "" : "|") + std::string(token.text);
  return out;
}

TEST(Lexer, DistinguishesTheClasses) {
  EXPECT_EQ(kinds("a 1 \"s\" 'c' while @"), (std::vector{Tok::kIdentifier, Tok::kNumber, Tok::kString,
                                                         Tok::kChar, Tok::kw_while, Tok::kUnknown}));
}

TEST(Lexer, EveryPunctuatorRoundTrips) {
#define X(name, written)                                                       \
  if (Tok::k##name != Tok::kHash) {                                            \
    EXPECT_EQ(kinds(std::string("x ") + written)[1], Tok::k##name) << written; \
    EXPECT_EQ(spelling(Tok::k##name), written);                                \
  }
  QUERN_PUNCTUATORS(X)
#undef X
}

TEST(Lexer, EveryKeywordRoundTrips) {
#define X(name)                                           \
  EXPECT_EQ(kinds(#name), (std::vector{Tok::kw_##name})); \
  EXPECT_EQ(spelling(Tok::kw_##name), #name);
  QUERN_KEYWORDS(X)
#undef X
}

TEST(Lexer, TakesTheLongestPunctuator) {
  EXPECT_EQ(split("a+++b"), "a|++|+|b");
  EXPECT_EQ(split("a<<=b<=c<=>d"), "a|<<=|b|<=|c|<=>|d");
  EXPECT_EQ(split("p->*q->r.*s...t::u"), "p|->*|q|->|r|.*|s|...|t|::|u");
  EXPECT_EQ(split("a..b"), "a|.|.|b");
  EXPECT_EQ(split("a- ->b"), "a|-|->|b");
}

TEST(Lexer, ClosingAnglesComeSingleAndGlued) {
  const TextCase run("a>>b > >c >= d >>= e >>>(f)");
  std::string out;
  for (const Token& token : run.tokens) {
    if (token.kind == Tok::kGreater) out += token.glued ? "G" : "s";
    if (token.kind == Tok::kEqual) out += "=";
  }
  EXPECT_EQ(out, "GsssG=GG=GGs");
}

TEST(Lexer, LaunchOpensAreOneToken) {
  EXPECT_EQ(split("k<<<g, b>>>(x)"), "k|<<<|g|,|b|>|>|>|(|x|)");
  EXPECT_EQ(kinds("k<<<")[1], Tok::kLaunchOpen);
  EXPECT_EQ(split("a << <b"), "a|<<|<|b");
}

TEST(Lexer, OperatorsSpelledAsWords) {
  EXPECT_EQ(kinds("a and b"), (std::vector{Tok::kIdentifier, Tok::kAmpAmp, Tok::kIdentifier}));
  EXPECT_EQ(kinds("not a"), (std::vector{Tok::kExclaim, Tok::kIdentifier}));
  EXPECT_EQ(TextCase("a xor_eq b").tokens[1].ident, nullptr);
}

TEST(Lexer, NumbersTakeSignsSeparatorsAndSuffixes) {
  EXPECT_EQ(split("1'000'000 0x1p-3f 1e+5 .5 1.f 0xFFull 1'a"), "1'000'000|0x1p-3f|1e+5|.5|1.f|0xFFull|1'a");
  EXPECT_EQ(split("a.5"), "a|.5");
  EXPECT_EQ(split("1-2"), "1|-|2");
}

TEST(Lexer, StringsKeepPrefixesAndEscapes) {
  EXPECT_EQ(split(R"(u8"a" L'b' U"c" u"\"" "\\" 'n' '\'')"), R"(u8"a"|L'b'|U"c"|u"\""|"\\"|'n'|'\'')");
  EXPECT_EQ(split("Lx \"a\"u"), "Lx|\"a\"|u");
}

TEST(Lexer, RawStringsRunOverLinesAndQuotes) {
  EXPECT_EQ(split("R\"(a\"\nb)\" x"), "R\"(a\"\nb)\"|x");
  EXPECT_EQ(split("u8R\"--(a)\" )--\" x"), "u8R\"--(a)\" )--\"|x");
  EXPECT_EQ(split("R\"(a\\\nb)\""), "R\"(a\\\nb)\"");  // no splices in here
  EXPECT_EQ(complaint("x R\"q(never\n"), at("1:3", message::kRawStringNotClosed()));
}

TEST(Lexer, SplicesJoinLinesAnywhere) {
  EXPECT_EQ(split("fo\\\no"), "foo");
  EXPECT_EQ(split("fo\\  \t\no"), "foo");
  EXPECT_EQ(split("fo\\\r\no"), "foo");
  EXPECT_EQ(split("a +\\\n+ b"), "a|++|b");
  EXPECT_EQ(split("12\\\n34 1e\\\n+5 .\\\n5"), "1234|1e+5|.5");
  EXPECT_EQ(split("\"ab\\\ncd\" '\\\nx'"), "\"abcd\"|'x'");
  EXPECT_EQ(split("a\\\n b"), "a|b");
  EXPECT_EQ(split("f();\\\ng();"), "f|(|)|;|g|(|)|;");
  EXPECT_EQ(split("L\\\n\"x\""), "L\"x\"");
  EXPECT_EQ(split("x \\\n\\\n\\\ny"), "x|y");
}

TEST(Lexer, TokensAfterSplicesHaveTheirOwnPosition) {
  const TextCase run("fo\\\no bar");
  ASSERT_EQ(run.tokens.size(), 2u);
  EXPECT_EQ(run.sources.resolve(run.tokens[1].loc).line, 2u);
  EXPECT_EQ(run.sources.resolve(run.tokens[1].loc).column, 3u);
}

TEST(Lexer, CommentsAreWhiteSpace) {
  EXPECT_EQ(split("a/* x */b // c\nd"), "a|b|d");
  EXPECT_EQ(split("a // goes on \\\nhere\nb"), "a|b");
  EXPECT_EQ(split("a /\\\n/ x\nb /\\\n* y *\\\n/ c"), "a|b|c");
  EXPECT_EQ(split("a /**/ b /***/ c /*/ d */ e"), "a|b|c|e");
  EXPECT_EQ(split("\"/*\" a \"*/\""), "\"/*\"|a|\"*/\"");
  EXPECT_EQ(complaint("a\n b /* never"), at("2:4", message::kCommentNotClosed()));
  EXPECT_EQ(complaint("a /*/"), at("1:3", message::kCommentNotClosed()));
}

TEST(Lexer, UnknownBytesAreTokensNotErrors) {
  const TextCase run("a ` \x80 \\ b");
  EXPECT_TRUE(run.diagnostics.all().empty());
  ASSERT_EQ(run.tokens.size(), 5u);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(run.tokens[i].kind, Tok::kUnknown);
}

TEST(Lexer, StrayUnicodeIsOneTokenAndLettersAreNames) {
  EXPECT_EQ(split("\u201Ca\u201D \u00B5 x\u00E9y"), "\u201C|a|\u201D|\u00B5|x\u00E9y");
  EXPECT_EQ(kinds("\u201C")[0], Tok::kUnknown);
  EXPECT_EQ(kinds("\u00B5")[0], Tok::kIdentifier);
}

TEST(Lexer, ForeignBytesInCommentsAndStringsAreHarmless) {
  EXPECT_EQ(expand("a /* \xFF\xFE */ \"\xC3\" // \x80\nb"), "a \"\xC3\" b");
}

TEST(Lexer, ByteOrderMarksAreSkippedAndZeroBytesAreNoText) {
  EXPECT_EQ(expand("\xEF\xBB\xBF#define A 1\nA"), "1");
  const std::string sentence = "unexpected zero byte: the source is not UTF-8 text";
  EXPECT_EQ(expand(std::string("a\0b\0", 4)), "FAILED 1:2 " + sentence);
  EXPECT_EQ(expand(std::string("\"a\0b\" c", 7)), "FAILED 1:3 " + sentence);
}

TEST(Lexer, CarriageReturnsAreWhiteSpace) {
  EXPECT_EQ(expand("#define A 1\r\n#if A\r\nyes A\r\n#endif\r\n"), "yes 1");
}

TEST(Lexer, OpenQuotesAreErrorsWhereUsed) {
  EXPECT_EQ(complaint("a \"b\nc"), at("1:3", message::kStringNotClosed()));
  EXPECT_EQ(complaint("a 'b\nc"), at("1:3", message::kCharacterNotClosed()));
  EXPECT_EQ(complaint("L\"b\\"), at("1:1", message::kStringNotClosed()));
  EXPECT_EQ(expand("#define A don't\nb"), "b");
  EXPECT_EQ(expand("#if 0\ndon't \"\n#endif\nb"), "b");
}

TEST(Lexer, SpacingIsNoted) {
  const TextCase run("a b\n  c+d/**/e");
  std::string out;
  for (const Token& token : run.tokens) out += token.line_start ? 'L' : token.space_before ? 's' : '-';
  EXPECT_EQ(out, "LsL--s");
}

TEST(Lexer, EqualNamesAreTheSamePointer) {
  TextCase run("alpha beta alpha");
  EXPECT_EQ(run.tokens[0].ident, run.tokens[2].ident);
  EXPECT_NE(run.tokens[0].ident, run.tokens[1].ident);
  EXPECT_EQ(run.idents.get("beta"), run.tokens[1].ident);
}

TEST(IdentTable, KeepsThousandsApart) {
  IdentTable table;
  std::vector<Ident*> all;
  for (int i = 0; i < 20000; ++i) all.push_back(table.get("name_" + std::to_string(i)));
  for (int i = 0; i < 20000; ++i) {
    ASSERT_EQ(table.get("name_" + std::to_string(i)), all[static_cast<size_t>(i)]);
    ASSERT_EQ(all[static_cast<size_t>(i)]->text, "name_" + std::to_string(i));
  }
  EXPECT_EQ(table.get("while")->keyword, Tok::kw_while);
}

// Inputs for which a naive scanner takes quadratic time.
TEST(Lexer, HostileTextTakesLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  std::string quotes = "#if 0\n";
  for (int i = 0; i < 200000; ++i) quotes += "\\\"R\"(";
  EXPECT_EQ(TextCase(quotes).messages().size(), 1u);
  std::string spliced = "\"";
  for (int i = 0; i < 200000; ++i) spliced += "ab\\\n";
  EXPECT_EQ(TextCase(spliced + "\"").tokens.size(), 1u);
  std::string pluses;
  for (int i = 0; i < 100000; ++i) pluses += "+\\\n";
  EXPECT_EQ(TextCase(pluses).tokens.size(), 50000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace quern::lang
