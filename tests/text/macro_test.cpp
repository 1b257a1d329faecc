#include <gtest/gtest.h>

#include "text_case.hpp"

namespace quern::lang {
namespace {

TEST(Macro, ObjectLike) {
  EXPECT_EQ(expand("#define N 16\n#define M (N*2)\nint a[M+N];"), "int a[(16*2)+16];");
  EXPECT_EQ(expand("#define EMPTY\nEMPTY a EMPTY b"), "a b");
  EXPECT_EQ(expand("#define P(x\n"), "FAILED 1:12 expected ')' in the parameters of macro 'P'");
  EXPECT_EQ(expand("#define F (x)\nF"), "(x)");
}

TEST(Macro, KeywordsCanBeMacros) {
  EXPECT_EQ(expand("#define inline\n#define int long\ninline int f"), "long f");
}

TEST(Macro, FunctionLikeNeedsItsParenthesis) {
  EXPECT_EQ(expand("#define F(x) [x]\nF(1) F (2) F\n(3) F F(4)"), "[1] [2] [3] F [4]");
  EXPECT_EQ(expand("#define F() z\nF() F( ) F"), "z z F");
  EXPECT_EQ(expand("#define F(x) [x]\nF"), "F");
}

TEST(Macro, ArgumentsMayHoldParenthesesButBracketsDoNotProtectCommas) {
  EXPECT_EQ(expand("#define F(x,y) x|y\nF((1,2),3) F([1,2])"), "(1,2)|3 [1|2]");
}

TEST(Macro, CallsSpanLines) { EXPECT_EQ(expand("#define F(x,y) x y\nF(1,\n  2\n) 3"), "1 2 3"); }

TEST(Macro, DirectivesInsideArguments) {
  EXPECT_EQ(expand("#define F(x) [x]\nF(1\n#if 1\n+2\n#else\n+3\n#endif\n)"), "[1 +2]");
  EXPECT_EQ(expand("#define F(x) [x]\nF(1\n#define A 5\nA)"), "[1 5]");
  EXPECT_EQ(expand("#define F(x) [x]\nF(1\n#undef F\n) F(2)"), "[1] F(2)");
}

// The examples of the standard, [cpp.rescan] and [cpp.concat].
TEST(Macro, StandardExampleRescanning) {
  const std::string defines =
      "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h "
      "g(~\n"
      "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x "
      "## y\n"
      "#define str(x) # x\n";
  EXPECT_EQ(expand(defines + "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
            "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);");
  EXPECT_EQ(expand(defines + "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);");
  EXPECT_EQ(expand(defines + "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"),
            "int i[] = { 1, 23, 4, 5, };");
  EXPECT_EQ(expand(defines + "char c[2][6] = { str(hello), str() };"), "char c[2][6] = { \"hello\", \"\" };");
}

TEST(Macro, StandardExampleStringsAndPastes) {
  const std::string defines =
      "#define str(s) # s\n#define xstr(s) str(s)\n"
      "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n"
      "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
      "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n";
  EXPECT_EQ(expand(defines + "debug(1, 2);"), "printf(\"x\" \"1\" \"= %d, x\" \"2\" \"= %s\", x1, x2);");
  EXPECT_EQ(
      expand(defines + "fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // away\n == 0) str(: @\\n), s);"),
      "fputs(\"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\", s);");
  EXPECT_EQ(expand(defines + "xstr(INCFILE(2).h)"), "\"vers2.h\"");
  EXPECT_EQ(expand(defines + "glue(HIGH, LOW); xglue(HIGH, LOW)"), "\"hello\"; \"hello\" \", world\"");
}

TEST(Macro, StandardExamplePlacemarkers) {
  EXPECT_EQ(expand("#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), "
                   "t(,11,), t(,,12), t(,,) };"),
            "int j[] = { 123, 45, 67, 89, 10, 11, 12, };");
  EXPECT_EQ(expand("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
                   "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);"),
            "char p[] = \"x ## y\";");
}

TEST(Macro, StandardExampleVariadic) {
  const std::string defines =
      "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
      "#define report(test, ...) ((test) ? puts(#test) : printf(__VA_ARGS__))\n";
  EXPECT_EQ(expand(defines + "debug(\"Flag\"); debug(\"X = %d\\n\", x);"),
            "fprintf(stderr, \"Flag\"); fprintf(stderr, \"X = %d\\n\", x);");
  EXPECT_EQ(expand(defines + "showlist(The first, second, and third items.);"),
            "puts(\"The first, second, and third items.\");");
  EXPECT_EQ(expand(defines + "report(x>y, \"x is %d but y is %d\", x, y);"),
            "((x>y) ? puts(\"x>y\") : printf(\"x is %d but y is %d\", x, y));");
}

TEST(Macro, StandardExampleVaOpt) {
  const std::string defines =
      "#define F(...) f(0 __VA_OPT__(,) __VA_ARGS__)\n#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)\n"
      "#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })\n#define EMP\n"
      "#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__\n#define H3(X, ...) #__VA_OPT__(X##X X##X)\n"
      "#define H4(X, ...) __VA_OPT__(a X ## X) ## b\n#define H5A(...) __VA_OPT__()/**/__VA_OPT__()\n"
      "#define H5B(X) a ## X ## b\n#define H5C(X) H5B(X)\n";
  EXPECT_EQ(expand(defines + "F(a, b, c) F() F(EMP)"), "f(0 , a, b, c) f(0 ) f(0 )");
  EXPECT_EQ(expand(defines + "G(a, b, c) G(a, ) G(a)"), "f(0, a , b, c) f(0, a ) f(0, a )");
  EXPECT_EQ(expand(defines + "SDEF(foo); SDEF(bar, 1, 2);"), "S foo ; S bar = { 1, 2 };");
  EXPECT_EQ(expand(defines + "H2(a, b, c, d)"), "ab, c, d");
  EXPECT_EQ(expand(defines + "H3(, 0)"), "\"\"");
  EXPECT_EQ(expand(defines + "H4(, 1)"), "a b");
  EXPECT_EQ(expand(defines + "H5C(H5A())"), "ab");
}

TEST(Macro, GnuVariadics) {
  const std::string defines =
      "#define P(fmt, args...) p(fmt, ##args)\n#define Q(fmt, ...) p(fmt, ##__VA_ARGS__)\n";
  EXPECT_EQ(expand(defines + "P(1); P(1,); P(1, 2, 3);"), "p(1); p(1,); p(1,2, 3);");
  EXPECT_EQ(expand(defines + "Q(1); Q(1,); Q(1, 2, 3);"), "p(1); p(1,); p(1,2, 3);");
  EXPECT_EQ(expand("#define N 4\n#define Q(...) p(0, ##__VA_ARGS__)\nQ() Q(N, N)"), "p(0) p(0,4, 4)");
}

TEST(Macro, NoEndlessRecursion) {
  EXPECT_EQ(expand("#define foo foo\nfoo"), "foo");
  EXPECT_EQ(expand("#define a b\n#define b a\na b"), "a b");
  EXPECT_EQ(expand("#define f(x) f(x)+g(x)\n#define g(x) f(x)\nf(1)"), "f(1)+f(1)");
  EXPECT_EQ(
      expand("#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)"),
      "42");
}

TEST(Macro, PaintedNamesStayPainted) {
  EXPECT_EQ(expand("#define f(x) x f\n#define id(x) x\nid(f(1)(2))"), "1 f(2)");
  EXPECT_EQ(expand("#define A A B\n#define B A\n#define id(x) x\nid(id(A))"), "A A");
}

TEST(Macro, ArgumentsAreExpandedButNotNextToOperators) {
  EXPECT_EQ(expand("#define N 4\n#define S(x) #x\n#define C(x) x##1 1##x x\nS(N) C(N)"), "\"N\" N1 1N 4");
}

TEST(Macro, DeferredExpansion) {
  EXPECT_EQ(expand("#define EMPTY()\n#define DEFER(x) x EMPTY()\n#define A() 123\n#define E(x) x\nDEFER(A)() "
                   "E(DEFER(A)())"),
            "A () 123");
}

TEST(Macro, CountingArguments) {
  EXPECT_EQ(expand("#define PICK(a,b,c,d,n,...) n\n#define COUNT(...) PICK(__VA_ARGS__,4,3,2,1,0)\n"
                   "COUNT(x) COUNT(x,y) COUNT(x,y,z)"),
            "1 2 3");
}

TEST(Macro, StringiseSpacingAndEscapes) {
  EXPECT_EQ(expand("#define S(x) #x\nS(  a   +  b  )"), "\"a + b\"");
  EXPECT_EQ(expand("#define S(x) #x\nS(a\n  b/* c */d)"), "\"a b d\"");
  EXPECT_EQ(expand("#define S(x) #x\nS('\"' \"\\n\")"), R"("'\"' \"\\n\"")");
  EXPECT_EQ(expand("#define S(...) #__VA_ARGS__\nS(a ,b,  c) S(x>>=y)"), "\"a ,b, c\" \"x>>=y\"");
  EXPECT_EQ(expand("#define H # x\nH"), "# x");  // no operator in object-like macros
}

TEST(Macro, PasteMakesAnyToken) {
  EXPECT_EQ(expand("#define C(a,b) a##b\nC(x,1) C(1,x) C(<,<=) C(-,>) C(L,\"s\") C(.,5) C(1.,5e3)"),
            "x1 1x <<= -> L\"s\" .5 1.5e3");
  const TextCase angles("#define C(a,b) a##b\nC(>,>)");
  ASSERT_EQ(angles.tokens.size(), 2u);
  EXPECT_TRUE(angles.tokens[0].glued);
  EXPECT_EQ(TextCase("#define C(a,b) a##b\nC(whi,le)").tokens[0].kind, Tok::kw_while);
}

TEST(Macro, PasteThatMakesNoTokenIsAnError) {
  EXPECT_EQ(complaint("#define C(a,b) a##b\nC(x,+)"), at("2:1", message::kPasteFailed("x", "+")));
  EXPECT_EQ(complaint("#define C(a,b) a##b\nC(/,/)"), at("2:1", message::kPasteFailed("/", "/")));
}

TEST(Macro, PastedNamesAreExpanded) {
  EXPECT_EQ(expand("#define ab 7\n#define C(x,y) x##y\nC(a,b)"), "7");
  EXPECT_EQ(expand("#define C(x,y) x##y\n#define CC C(C,C)\nCC"),
            "CC");  // painted: made while CC is rescanned
}

TEST(Macro, WrongArgumentCounts) {
  const std::string two = "#define F(a, b) a b\n";
  EXPECT_EQ(complaint(two + "F(1)"), at("2:1", message::kMacroArgumentCount("F", "2 arguments", "1")));
  EXPECT_EQ(complaint(two + "F(1,2,3)"), at("2:1", message::kMacroArgumentCount("F", "2 arguments", "3")));
  EXPECT_EQ(complaint("#define F() a\nF(1)"),
            at("2:1", message::kMacroArgumentCount("F", "0 arguments", "1")));
  EXPECT_EQ(complaint("#define F(a,b,...) a\nF(1)"),
            at("2:1", message::kMacroArgumentMinimum("F", "2 arguments", "1")));
  const TextCase run(two + "F(1)");
  ASSERT_EQ(run.diagnostics.all()[0].notes.size(), 1u);
  EXPECT_EQ(run.diagnostics.all()[0].notes[0].message.str(), message::kDefinedHere("F").str());
}

TEST(Macro, OpenCallIsOneError) {
  EXPECT_EQ(complaint("#define F(x) x\n a F(1, (2)\n"), at("2:4", message::kMacroArgumentsNotClosed("F")));
  EXPECT_EQ(complaint("#define F(x) x\nF(\"a)\nb\n"), at("2:3", message::kStringNotClosed()));
}

TEST(Macro, BadDefinitions) {
  EXPECT_EQ(complaint("#define 3 4"), at("1:9", message::kDefineNameMissing()));
  EXPECT_EQ(complaint("#define"), at("1:8", message::kDefineNameMissing()));
  EXPECT_EQ(complaint("#define defined 1"), at("1:9", message::kReservedMacroName("defined")));
  EXPECT_EQ(complaint("#define F(a,a) a"), at("1:13", message::kMacroParameterTwice("a", "F")));
  EXPECT_EQ(complaint("#define F(1) a"), at("1:11", message::kMacroParameterMissing("F")));
  EXPECT_EQ(complaint("#define F(..., a) a"), at("1:14", message::kMacroParenMissing("F")));
  EXPECT_EQ(complaint("#define F(a) #b"), at("1:15", message::kStringizeParameterMissing()));
  EXPECT_EQ(complaint("#define F ## a"), at("1:11", message::kPasteNeedsLeft()));
  EXPECT_EQ(complaint("#define F a ##"), at("1:11", message::kPasteNeedsRight()));
  EXPECT_EQ(complaint("#define F(...) __VA_OPT__ a"), at("1:16", message::kVaOptTextMissing()));
  EXPECT_EQ(complaint("#undef 4"), at("1:8", message::kMacroNameMissing("undef")));
}

TEST(Macro, Redefinition) {
  EXPECT_EQ(expand("#define A 1\n#define A 1\nA"), "1");
  EXPECT_EQ(expand("#define A(x)  x + 1\n#define A(x) x   +  1\nA(2)"), "2 + 1");
  const TextCase run("#define A 1\n#define A 2\nA");
  EXPECT_EQ(run.text(), "2");
  EXPECT_EQ(run.message(), at("2:9 warning", message::kMacroRedefined("A")));
  EXPECT_FALSE(run.diagnostics.has_errors());
  EXPECT_EQ(expand("#define __CUDA_ARCH__ 700\n__CUDA_ARCH__"),
            "700");  // built-in ones may be replaced silently
  EXPECT_EQ(expand("#define A 1\n#undef A\n#define A 2\nA\n#undef A\n#undef B\nA"), "2 A");
}

TEST(Macro, BuiltIn) {
  EXPECT_EQ(expand("__LINE__\n__LINE__ __COUNTER__ __COUNTER__"), "1 2 0 1");
  EXPECT_EQ(expand("#define L __LINE__\n\nL"), "3");
  EXPECT_EQ(expand("__FILE__"), "\"t.cu\"");
  EXPECT_EQ(expand("__DATE__ __TIME__"), "\"Jan  1 1970\" \"00:00:00\"");
  EXPECT_EQ(expand("#define S(x) #x\n#define X(x) S(x)\nX(__LINE__)"), "\"3\"");
}

TEST(Macro, Predefined) {
  EXPECT_EQ(expand("__CUDACC__ __NVCC__ __CUDA_ARCH__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__"),
            "1 1 800 12 0");
  EXPECT_EQ(expand("CUDART_VERSION CUDA_VERSION __cplusplus __QUERN__ __linux__ __LP64__ __GNUC__ NDEBUG"),
            "12000 12000 202002L 1 1 1 12 NDEBUG");
}

TEST(Macro, PredefinedByTheBuiltInTable) {
  EXPECT_EQ(expand("#if INT_MAX == 2147483647 && defined(FLT_MAX) && !defined(NO_SUCH_MACRO)\nyes\n#endif"),
            "yes");
  EXPECT_EQ(expand("#undef INT_MAX\nINT_MAX\n#ifdef INT_MAX\nwrong\n#endif"), "INT_MAX");
  EXPECT_EQ(expand("#define INT_MAX 3\nINT_MAX\n#define UINT_MAX (1)\nUINT_MAX"), "3 (1)");
  EXPECT_EQ(
      expand("#ifndef __CUDACC__\nwrong\n#endif\n#undef __CUDACC__\n#ifdef __CUDACC__\nwrong\n#endif\n"), "");
}

TEST(Macro, ATableOfNamesServesManyRuns) {
  IdentTable idents;
  for (int run = 0; run < 3; ++run) {
    SourceMap sources;
    Diagnostics diagnostics(sources);
    const auto file =
        sources.add("t.cu", "#ifdef A\nwrong\n#endif\n#define A\n__QUERN__\n#undef __QUERN__\n");
    const Preprocessed done = preprocess(sources, file, idents, diagnostics, {});
    ASSERT_EQ(done.tokens.size(), 2u) << run;
    EXPECT_EQ(done.tokens[0].text, "1") << run;
  }
}

TEST(Macro, CommandLine) {
  PreprocessOptions options;
  options.defines = {{"N", "32"}, {"FLAG", ""}, {"SQ(x)", "((x)*(x))"}};
  EXPECT_EQ(expand("N FLAG SQ(N)\n#ifdef FLAG\nyes\n#endif", {}, options), "32 ((32)*(32)) yes");
}

TEST(Macro, PlacesOfExpandedTokens) {
  const TextCase run("#define ADD(a) a + 1\n  ADD(xyz)");
  ASSERT_EQ(run.tokens.size(), 3u);
  EXPECT_FALSE(run.tokens[0].from_macro);  // an argument is where it is written
  EXPECT_EQ(run.sources.resolve(run.tokens[0].loc).column, 7u);
  EXPECT_TRUE(run.tokens[1].from_macro);  // the body's tokens are where the macro is used
  EXPECT_EQ(run.sources.resolve(run.tokens[1].loc).line, 2u);
  EXPECT_EQ(run.sources.resolve(run.tokens[1].loc).column, 3u);
}

TEST(Macro, EveryTokenOfABodyIsWhereTheMacroIsUsed) {
  const TextCase run("#define F(x, ...) #x x##1 #__VA_OPT__(a) __VA_OPT__(b) __LINE__ +\n\nF(p, q)\n");
  ASSERT_EQ(run.text(), "\"p\" p1 \"a\" b 3 +");
  for (const Token& token : run.tokens) {
    EXPECT_EQ(run.sources.resolve(token.loc).line, 3u) << token.text;
    EXPECT_EQ(run.sources.resolve(token.loc).column, 1u) << token.text;
    EXPECT_TRUE(token.from_macro) << token.text;
  }
}

TEST(Macro, NamesForgetTheirMacrosAfterwards) {
  TextCase run("#define A 1\nA");
  EXPECT_EQ(run.idents.get("A")->macro, nullptr);
  EXPECT_EQ(run.idents.get("__LINE__")->macro, nullptr);
}

TEST(Macro, ExponentialExpansionIsCutOff) {
  std::string text = "#define M0 x\n";
  for (int i = 1; i < 64; ++i) {
    const std::string inner = "M" + std::to_string(i - 1);
    text += "#define M" + std::to_string(i) + " " + inner + " " + inner + "\n";
  }
  PreprocessOptions options;
  options.max_tokens = 10000;
  const TextCase run(text + "M63\nafter", {}, options);
  EXPECT_EQ(run.message(), at("65:1", message::kTooManyTokens("10000")));
  EXPECT_LE(run.tokens.size(), 10000u);
}

TEST(Macro, ExponentialArgumentsAreCutOff) {
  std::string call = "x";
  for (int i = 0; i < 60; ++i) call = "D(" + call + ")";
  PreprocessOptions options;
  options.max_tokens = 10000;
  EXPECT_NE(complaint("#define D(x) x x\n" + call, {}, options).find("expand to more than 10000 tokens"),
            std::string::npos);
}

TEST(Macro, DeepArgumentsAreCutOff) {
  std::string call = "x";
  for (int i = 0; i < 2000; ++i) call = "I(" + call + ")";
  EXPECT_NE(complaint("#define I(x) x\n" + call).find("macro calls in macro arguments are nested"),
            std::string::npos);
  std::string fine = "x";
  for (int i = 0; i < 200; ++i) fine = "I(" + fine + ")";
  EXPECT_EQ(expand("#define I(x) x\n" + fine), "x");
}

TEST(Macro, LongChainsNeedNoStack) {
  std::string text = "#define C0 end\n";
  for (int i = 1; i <= 50000; ++i)
    text += "#define C" + std::to_string(i) + " C" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(expand(text + "C50000"), "end");
}

}  // namespace
}  // namespace quern::lang
