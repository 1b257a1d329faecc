#include <gtest/gtest.h>

#include "text_case.hpp"

namespace quern::lang {
namespace {

// Whether `#if expression` is true; otherwise its error.
std::string holds(const std::string& expression, const std::string& before = "") {
  return expand(before + "#if " + expression + "\nyes\n#else\nno\n#endif");
}

TEST(Condition, Arithmetic) {
  EXPECT_EQ(holds("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9"), "yes");
  EXPECT_EQ(holds("10 - 4 - 3 == 3 && 100 / 10 / 5 == 2 && 17 % 5 == 2"), "yes");
  EXPECT_EQ(holds("(1 << 4) == 16 && (256 >> 4) == 16 && 1 << 2 + 1 == 8"), "yes");
  EXPECT_EQ(holds("(6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5 && ~0 == -1 && !0 && !!5"), "yes");
  EXPECT_EQ(holds("1 < 2 && 2 > 1 && 2 <= 2 && 2 >= 2 && 1 != 2 && 2 >= 1 && !(1 >= 2)"), "yes");
  EXPECT_EQ(holds("-1 < 0 && -7 / 2 == -3 && -7 % 2 == -1 && -8 >> 1 == -4"), "yes");
  EXPECT_EQ(holds("1 | 6 & 2 ^ 2 == 2"), "yes");
  EXPECT_EQ(holds("0x10 == 16 && 010 == 8 && 0b101 == 5 && 1'000 == 1000"), "yes");
  EXPECT_EQ(holds("'a' == 97 && '\\n' == 10 && '\\x41' == 'A'"), "yes");
  EXPECT_EQ(holds("true && !false && (1 ? 2 : 3) == 2 && (0 ? 1 : 0 ? 2 : 3) == 3"), "yes");
  EXPECT_EQ(holds("3 - 3"), "no");
  EXPECT_EQ(holds("1 and not 0 or 0"), "yes");
}

TEST(Condition, UnsignedAndWide) {
  EXPECT_EQ(holds("-1 > 0u"), "yes");
  EXPECT_EQ(holds("-1 > 0"), "no");
  EXPECT_EQ(holds("0xFFFFFFFFFFFFFFFF == -1"), "yes");
  EXPECT_EQ(holds("0x7FFFFFFFFFFFFFFF + 1 < 0"), "yes");  // wraps around
  EXPECT_EQ(holds("18446744073709551615 / 2 == 9223372036854775807"), "yes");
  EXPECT_EQ(holds("(-9223372036854775807 - 1) / -1 < 0 && (-9223372036854775807 - 1) % -1 == 0"), "yes");
  EXPECT_EQ(holds("(1 << 64) == 0 && (1 << -1) == 0 && (4 << -1) == 2 && -1 >> 100 == -1"), "yes");
  EXPECT_EQ(holds("(1 ? -1 : 0u) > 0"), "yes");
}

TEST(Condition, MacrosAndNames) {
  EXPECT_EQ(holds("N > 3 && F(N) == 8", "#define N 4\n#define F(x) (2*x)\n"), "yes");
  EXPECT_EQ(holds("UNKNOWN"), "no");
  EXPECT_EQ(holds("UNKNOWN == 0"), "yes");
  EXPECT_EQ(holds("__CUDA_ARCH__ >= 700 && CUDART_VERSION >> 1 >= 6000"), "yes");
  EXPECT_EQ(holds("while == 0"), "yes");
}

TEST(Condition, Defined) {
  EXPECT_EQ(holds("defined A && defined(A) && !defined B && !defined ( B )", "#define A\n"), "yes");
  EXPECT_EQ(holds("HAS_A", "#define A 0\n#define HAS_A defined(A)\n"), "yes");
  EXPECT_EQ(holds("defined(__has_include) && defined __has_builtin"), "yes");
  EXPECT_EQ(holds("defined"), "FAILED 1:5 'defined' needs the name of a macro");
  EXPECT_EQ(holds("defined(A"), "FAILED 1:5 a ')' is missing after 'defined'");
}

TEST(Condition, ShortCircuit) {
  EXPECT_EQ(holds("0 && 1/0"), "no");
  EXPECT_EQ(holds("1 || 1/0"), "yes");
  EXPECT_EQ(holds("1 ? 1 : 1/0"), "yes");
  EXPECT_EQ(holds("0 && (1 || 1/0) || 1"), "yes");
  EXPECT_EQ(holds("defined(F) && F", ""), "no");
}

TEST(Condition, HasQuestions) {
  EXPECT_EQ(holds("__has_builtin(__builtin_expect)"), "no");
  EXPECT_EQ(holds("__has_cpp_attribute(no_unique_address) >= 1 || __has_attribute(x(y))"), "no");
  EXPECT_EQ(
      expand(
          "#if __has_include(\"a.h\") && !__has_include(\"b.h\") && !__has_include(<no/such>)\nyes\n#endif",
          {{"a.h", "x"}}),
      "yes");
  EXPECT_EQ(holds("__has_include(A)", "#define A \"b.h\"\n"), "no");
  EXPECT_EQ(holds("__has_include 3"), "FAILED 1:5 __has_include needs (\"file\") or (<file>)");
}

TEST(Condition, Mistakes) {
  EXPECT_EQ(holds("1/0"), "FAILED 1:6 division by zero in this #if");
  EXPECT_EQ(holds("1%0"), "FAILED 1:6 division by zero in this #if");
  EXPECT_EQ(holds(""), "FAILED 1:2 #if has no expression");
  EXPECT_EQ(holds("(1"), "FAILED 1:2 a ')' is missing in this #if");
  EXPECT_EQ(holds("1 +"), "FAILED 1:2 a value is missing at the end of this #if");
  EXPECT_EQ(holds("1 2"), "FAILED 1:7 expected an operator before '2' in this #if");
  EXPECT_EQ(holds("1 ? 2"), "FAILED 1:2 expected ':' after the '?' in this #if");
  EXPECT_EQ(holds("1.5"), "FAILED 1:5 #if takes integers only, and '1.5' is not an integer");
  EXPECT_EQ(holds("12x"), "FAILED 1:5 'x' is not an integer suffix");
  EXPECT_EQ(holds("\"a\""), "FAILED 1:5 expected a value instead of '\"a\"' in this #if");
  EXPECT_EQ(holds("F(3)"), "FAILED 1:5 'F' is not a function-like macro");
  EXPECT_EQ(holds("99999999999999999999"), "FAILED 1:5 '99999999999999999999' does not fit into 64 bits");
  EXPECT_EQ(holds("'ab'"), "FAILED 1:5 'ab' contains more than one character; use a string with \"");
  EXPECT_EQ(complaint("#ifdef\n#endif"), at("1:2", message::kMacroNameMissing("ifdef")));
  EXPECT_EQ(complaint("#ifndef 3\n#endif"), at("1:9", message::kMacroNameMissing("ifndef")));
}

TEST(Condition, DeepNestingIsAnErrorNotACrash) {
  const std::string deep(100000, '(');
  EXPECT_NE(complaint("#if " + deep + "1\n#endif").find("nested more than"), std::string::npos);
  EXPECT_NE(complaint("#if " + std::string(100000, '!') + "1\n#endif").find("nested more than"),
            std::string::npos);
  std::string ternaries;
  for (int i = 0; i < 100000; ++i) ternaries += "0?1:";
  EXPECT_NE(complaint("#if " + ternaries + "1\n#endif").find("nested more than"), std::string::npos);
  EXPECT_EQ(holds(std::string(100, '(') + "1" + std::string(100, ')')), "yes");
  std::string sum = "0";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_EQ(holds(sum + "==100000"), "yes");
}

TEST(Conditional, Groups) {
  EXPECT_EQ(expand("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne"), "b e");
  EXPECT_EQ(expand("#if 1\na\n#elif 1/0\nb\n#else\nd\n#endif\ne"), "a e");
  EXPECT_EQ(expand("#if 0\n#elif 0\nb\n#else\nd\n#endif\ne"), "d e");
  EXPECT_EQ(expand("#ifdef A\na\n#endif\n#ifndef A\nb\n#endif"), "b");
  EXPECT_EQ(
      expand("#define A\n#ifdef B\nb\n#elifdef A\na\n#else\nc\n#endif\n#ifdef B\n#elifndef A\nx\n#endif"),
      "a");
}

TEST(Conditional, NestInLiveAndDeadGroups) {
  EXPECT_EQ(expand("#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\n#if 1\nd\n#else\ne\n#endif\n#endif\nf"),
            "b c f");
  EXPECT_EQ(expand("#if 0\n#ifdef X\n#elif bad (\n#else\n#endif\n#error no\n#nonsense\n#else\nok\n#endif"),
            "ok");
}

TEST(Conditional, DeadTextIsNotRead) {
  EXPECT_EQ(expand("#if 0\nit's \"open\n/* #endif */ ' \\\n#endif\n// #endif\n\"/*\"\n#endif\nlive"), "live");
  EXPECT_EQ(expand("#if 0\n/*\n#endif\n*/\n#endif\nlive"), "live");
  EXPECT_EQ(expand("#if 0\nR\"(\n#endif\n)\"\n#endif\nlive"), "live");
  EXPECT_EQ(expand("#if 0\n#error it's broken\n# if 1 // don't\n#endif\n#endif\nlive"), "live");
}

TEST(Conditional, SpellingsOfDirectives) {
  EXPECT_EQ(expand("  #  if 1\n\t#\tdefine A 2\n/**/ # /* */ define B 3\n#\n# 12 \"file.c\"\nA B\n  # endif"),
            "2 3");
  EXPECT_EQ(expand("#if \\\n 1\nyes\n#endif // NAME\n#ifdef A /* over\nlines */\n#else\nno\n#endif GUARD"),
            "yes no");
  EXPECT_EQ(expand("a # if 0\n"), "a # if 0");
}

TEST(Conditional, Unbalanced) {
  EXPECT_EQ(complaint("a\n#if 1\nb"), at("2:2", message::kEndifMissing()));
  EXPECT_EQ(complaint("a\n#if 0\nb\n#else"), at("2:2", message::kEndifMissing()));
  EXPECT_EQ(complaint("#endif"), at("1:2", message::kIfMissing("endif")));
  EXPECT_EQ(complaint("#else\n"), at("1:2", message::kIfMissing("else")));
  EXPECT_EQ(complaint("#elif 1"), at("1:2", message::kIfMissing("elif")));
  EXPECT_EQ(complaint("#if 1\n#else\n#else\n#endif"), at("3:2", message::kAfterElse("else")));
  EXPECT_EQ(complaint("#if 0\n#else\n#elif 1\n#endif"), at("3:2", message::kAfterElse("elif")));
}

TEST(Conditional, DeepNestingWorks) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "#if 1\n";
  text += "x\n";
  for (int i = 0; i < 10000; ++i) text += "#endif\n";
  EXPECT_EQ(expand(text), "x");
  EXPECT_EQ(expand("#if 0\n" + text + "#endif\ny"), "y");
}

TEST(Directive, ErrorAndOthers) {
  EXPECT_EQ(complaint("#error don't use  this \n"),
            at("1:2", message::kErrorDirectiveText("don't use  this")));
  EXPECT_EQ(complaint("#error"), at("1:2", message::kErrorDirective()));
  EXPECT_EQ(expand("#warning don't care\n#line 7 \"x\"\n#ident \"v1\"\na"), "a");
  EXPECT_EQ(complaint("#foo bar"), at("1:2", message::kDirectiveUnknown("foo")));
  EXPECT_EQ(complaint("#!/bin/sh"), at("1:2", message::kDirectiveUnknown("!")));
}

TEST(Pragma, UnrollBecomesTokens) {
  EXPECT_EQ(expand("#pragma unroll\nfor"), "__quern_unroll__() for");
  EXPECT_EQ(expand("#pragma unroll 4\nfor"), "__quern_unroll__( 4) for");
  EXPECT_EQ(expand("#define N 8\n#pragma unroll(N)\n#pragma unroll N\nfor"),
            "__quern_unroll__(8) __quern_unroll__( 8) for");
  EXPECT_EQ(expand("#pragma unroll (A)+(B) // all\nfor"), "__quern_unroll__( (A)+(B)) for");
  EXPECT_EQ(expand("#pragma unroll (A*(B))\nfor"), "__quern_unroll__(A*(B)) for");
  EXPECT_EQ(expand("#pragma nounroll\nfor"), "__quern_unroll__(1) for");
  EXPECT_EQ(expand("#pragma GCC unroll 2\nfor"), "__quern_unroll__( 2) for");
}

TEST(Pragma, Operator) {
  EXPECT_EQ(expand("_Pragma(\"unroll\") for"), "__quern_unroll__() for");
  EXPECT_EQ(expand("#define UNROLL(n) _Pragma(#n)\nUNROLL(unroll 4) for"), "__quern_unroll__( 4) for");
  EXPECT_EQ(expand("#define S(x) #x\n#define DO(x) _Pragma(S(unroll x))\nDO(16) for"),
            "__quern_unroll__( 16) for");
  EXPECT_EQ(expand("a _Pragma(\"GCC diagnostic push\") b"), "a b");
  EXPECT_EQ(complaint("_Pragma(3)"), at("1:1", message::kPragmaStringMissing()));
  EXPECT_EQ(complaint("_Pragma"), at("1:1", message::kPragmaStringMissing()));
}

TEST(Pragma, OthersAreIgnored) {
  EXPECT_EQ(
      expand(
          "#pragma omp parallel for\n#pragma GCC diagnostic ignored \"-Wx\"\n#pragma nv_diag_suppress 177\n"
          "#pragma\n#pragma don't\na"),
      "a");
}

TEST(Pragma, InsideMacroArguments) {
  EXPECT_EQ(expand("#define F(x) [x]\nF(a\n#pragma unroll 2\nb)"), "[a __quern_unroll__( 2) b]");
}

}  // namespace
}  // namespace quern::lang
