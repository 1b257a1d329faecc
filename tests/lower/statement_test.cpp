// Statements: control flow as regions.
#include "lower/lowered.hpp"

namespace quern::lang {
namespace {

TEST(LowerStatement, GuardsBecomeNestedIfs) {
  EXPECT_EQ(body_of(kernel("if (n > 1 && n < 9 && p[n] > 0) p[0] = 1;")),
            "%0 = gt i32 %n, 1\n"
            "%1 = lt i32 %n, 9\n"
            "%2 = and bool %0, %1\n"
            "if %2 {\n"
            "  %3 = offset ptr<global> %p, %n scale 4\n"
            "  %4 = load i32 %3\n"
            "  %5 = gt i32 %4, 0\n"
            "  if %5 {\n"
            "    store %p, 1:i32\n"
            "  }\n"
            "}\n");
}

TEST(LowerStatement, ConstantConditionsTakeOneBranch) {
  EXPECT_EQ(body_of(kernel("if (sizeof(int) == 4) p[0] = 1; else p[0] = 2; if (false) p[1] = 3;")),
            "store %p, 1:i32\n");
}

TEST(LowerStatement, ForLoop) {
  EXPECT_EQ(
      body_of(kernel("for (int i = 0; i < n; ++i) { if (i == 3) continue; if (i == 5) break; p[i] = i; }")),
      "%i = var i32\n"
      "store %i, 0:i32\n"
      "loop L0 {\n"
      "  %0 = load i32 %i\n"
      "  %1 = lt i32 %0, %n\n"
      "  yield %1\n"
      "} body {\n"
      "  %2 = load i32 %i\n"
      "  %3 = eq i32 %2, 3\n"
      "  if %3 {\n"
      "    continue L0\n"
      "  }\n"
      "  %4 = load i32 %i\n"
      "  %5 = eq i32 %4, 5\n"
      "  if %5 {\n"
      "    exit L0\n"
      "  }\n"
      "  %6 = load i32 %i\n"
      "  %7 = load i32 %i\n"
      "  %8 = offset ptr<global> %p, %7 scale 4\n"
      "  store %8, %6\n"
      "} step {\n"
      "  %9 = load i32 %i\n"
      "  %10 = add i32 %9, 1\n"
      "  store %i, %10\n"
      "}\n");
}

TEST(LowerStatement, DoLoopTestsInItsStep) {
  EXPECT_EQ(body_of(kernel("do { p[0] = 1; } while (p[1] < n);")),
            "loop L0 {\n"
            "} body {\n"
            "  store %p, 1:i32\n"
            "} step {\n"
            "  %0 = offset ptr<global> %p, 1:i32 scale 4\n"
            "  %1 = load i32 %0\n"
            "  %2 = lt i32 %1, %n\n"
            "  yield %2\n"
            "}\n");
}

TEST(LowerStatement, DoOnceIsAScope) {
  EXPECT_EQ(body_of(kernel("do { if (n) break; p[0] = 1; } while (0);")),
            "scope L0 {\n"
            "  %0 = convert bool %n\n"
            "  if %0 {\n"
            "    exit L0\n"
            "  }\n"
            "  store %p, 1:i32\n"
            "}\n");
}

TEST(LowerStatement, ConditionThatDeclares) {
  EXPECT_EQ(body_of(kernel("while (int z = p[0]) p[1] = z;")),
            "%z = var i32\n"
            "loop L0 {\n"
            "  %0 = load i32 %p\n"
            "  store %z, %0\n"
            "  %1 = load i32 %z\n"
            "  %2 = convert bool %1\n"
            "  yield %2\n"
            "} body {\n"
            "  %3 = load i32 %z\n"
            "  %4 = offset ptr<global> %p, 1:i32 scale 4\n"
            "  store %4, %3\n"
            "}\n");
}

TEST(LowerStatement, UnrollIsKept) {
  const std::string text =
      "__global__ void k(int* p) {\n#pragma unroll 4\nfor (int i = 0; i < 8; ++i) p[i] = 1;\n}";
  EXPECT_NE(body_of(text).find("loop L0 unroll(4) {"), std::string::npos) << body_of(text);
}

TEST(LowerStatement, PlainSwitch) {
  EXPECT_EQ(body_of(kernel(
                "switch (n) { case 0: p[0] = 1; break; case 1: case 2 ... 4: return; default: p[0] = 3; }")),
            "switch L0 %n {\n"
            "  case 0 {\n"
            "    store %p, 1:i32\n"
            "  }\n"
            "  case 1, 2, 3, 4 {\n"
            "    return\n"
            "  }\n"
            "  default {\n"
            "    store %p, 3:i32\n"
            "  }\n"
            "}\n");
}

TEST(LowerStatement, FallThrough) {
  EXPECT_EQ(body_of(kernel("switch (n) { case 0: p[0] = 1; case 1: p[0] = 2; break; default: p[0] = 3; }")),
            "scope L0 {\n"
            "  %0 = var i32\n"
            "  store %0, 2:i32\n"
            "  switch L1 %n {\n"
            "    case 0 {\n"
            "      store %0, 0:i32\n"
            "    }\n"
            "    case 1 {\n"
            "      store %0, 1:i32\n"
            "    }\n"
            "  }\n"
            "  %1 = load i32 %0\n"
            "  %2 = le i32 %1, 0\n"
            "  if %2 {\n"
            "    store %p, 1:i32\n"
            "  }\n"
            "  %3 = le i32 %1, 1\n"
            "  if %3 {\n"
            "    store %p, 2:i32\n"
            "    exit L0\n"
            "  }\n"
            "  %4 = le i32 %1, 2\n"
            "  if %4 {\n"
            "    store %p, 3:i32\n"
            "  }\n"
            "}\n");
}

TEST(LowerStatement, ConstantSwitchRunsOneWay) {
  EXPECT_EQ(body_of("template <int N> __global__ void k(int* p) {"
                    "switch (N) { case 1: p[0] = 1; case 2: p[0] = 2; break; default: p[0] = 3; } }"
                    "void host(int* p) { k<1><<<1, 1>>>(p); }",
                    "k<1>"),
            "scope L0 {\n"
            "  store %p, 1:i32\n"
            "  store %p, 2:i32\n"
            "  exit L0\n"
            "}\n");
}

TEST(LowerStatement, VariablesOfASwitchLiveBeforeIt) {
  const std::string body =
      body_of(kernel("switch (n) { int t; case 0: t = 1; p[0] = t; break; case 1: t = 2; p[0] = t; }"));
  EXPECT_TRUE(body.starts_with("%t = var i32\nswitch")) << body;
}

TEST(LowerStatement, GotoOutOfLoops) {
  EXPECT_EQ(body_of(kernel("for (;;) { for (;;) { if (p[0]) goto done; } } done: p[1] = 2;")),
            "scope L0 {\n"
            "  loop L1 {\n"
            "  } body {\n"
            "    loop L2 {\n"
            "    } body {\n"
            "      %0 = load i32 %p\n"
            "      %1 = convert bool %0\n"
            "      if %1 {\n"
            "        exit L0\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n"
            "%2 = offset ptr<global> %p, 1:i32 scale 4\n"
            "store %2, 2:i32\n");
}

TEST(LowerStatement, GotoBack) {
  EXPECT_EQ(body_of(kernel("again: p[0]++; if (p[0] < n) goto again; p[1] = 3;")),
            "loop L0 {\n"
            "} body {\n"
            "  %0 = load i32 %p\n"
            "  %1 = add i32 %0, 1\n"
            "  store %p, %1\n"
            "  %2 = load i32 %p\n"
            "  %3 = lt i32 %2, %n\n"
            "  if %3 {\n"
            "    continue L0\n"
            "  }\n"
            "  exit L0\n"
            "}\n"
            "%4 = offset ptr<global> %p, 1:i32 scale 4\n"
            "store %4, 3:i32\n");
}

TEST(LowerStatement, CrossingGotosNest) {
  EXPECT_EQ(body_of(kernel("if (n) goto a; p[0] = 1; if (p[1]) goto b; a: p[0] = 2; b: p[0] = 3;")),
            "scope L0 {\n"
            "  scope L1 {\n"
            "    %0 = convert bool %n\n"
            "    if %0 {\n"
            "      exit L1\n"
            "    }\n"
            "    store %p, 1:i32\n"
            "    %1 = offset ptr<global> %p, 1:i32 scale 4\n"
            "    %2 = load i32 %1\n"
            "    %3 = convert bool %2\n"
            "    if %3 {\n"
            "      exit L0\n"
            "    }\n"
            "  }\n"
            "  store %p, 2:i32\n"
            "}\n"
            "store %p, 3:i32\n");
}

TEST(LowerStatement, VariablesOfAGotoLoopAreVisibleAfterIt) {
  EXPECT_EQ(body_of(kernel("again: int v = p[0]; if (v < n) goto again; p[1] = v;")),
            "%v = var i32\n"
            "loop L0 {\n"
            "} body {\n"
            "  %0 = load i32 %p\n"
            "  store %v, %0\n"
            "  %1 = load i32 %v\n"
            "  %2 = lt i32 %1, %n\n"
            "  if %2 {\n"
            "    continue L0\n"
            "  }\n"
            "  exit L0\n"
            "}\n"
            "%3 = load i32 %v\n"
            "%4 = offset ptr<global> %p, 1:i32 scale 4\n"
            "store %4, %3\n");
}

TEST(LowerStatement, GotoOutOfAGotoLoop) {
  const std::string body = body_of(kernel("top: if (p[0] > n) goto end; p[0]++; goto top; end: p[1] = 1;"));
  EXPECT_TRUE(body.starts_with("scope L0 {\n  loop L1 {")) << body;
}

TEST(LowerStatement, ReturnsOfAllPathsNeedNoValueAtTheEnd) {
  const std::string text =
      "__device__ int sign(int x) { if (x > 0) return 1; else return -1; }"
      "__device__ int open(int x) { if (x > 0) return 1; }" +
      kernel("p[0] = sign(n) + open(n);");
  EXPECT_EQ(body_of(text, "sign").find("undef"), std::string::npos);
  EXPECT_NE(body_of(text, "open").find("return undef"), std::string::npos);
}

}  // namespace
}  // namespace quern::lang
