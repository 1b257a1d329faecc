// Constant expressions, tested through the value that reaches the kernel, and the reasons why an expression
// is not constant.
#include "lower/lowered.hpp"

namespace quern::lang {
namespace {

// The constant value of `expression`, after `declarations`.
std::string value_of(const std::string& declarations, const std::string& expression) {
  const std::string body = body_of(declarations + "constexpr auto value = " + expression +
                                   "; __global__ void k(decltype(value + 0)* p) { *p = value; }");
  constexpr std::string_view kStore = "store %p, ";
  if (!body.starts_with(kStore)) return body;
  return body.substr(kStore.size(), body.find(':') - kStore.size());
}

std::string reason(const std::string& declarations, const std::string& expression) {
  const std::string message = first_error(declarations + "constexpr int value = " + expression +
                                          "; __global__ void k(int* p) { *p = value; }");
  const size_t at = message.find("not constant: ");
  return at == std::string::npos ? message : message.substr(at + 14);
}

TEST(ConstEval, Operators) {
  EXPECT_EQ(value_of("", "-7 / 2 * 10 + -7 % 3"), "-31");
  EXPECT_EQ(value_of("", "1 << 33"), "2");
  EXPECT_EQ(value_of("", "7u - 8u"), "4294967295");
  EXPECT_EQ(value_of("", "2147483647 + 1"), "-2147483648");
  EXPECT_EQ(value_of("", "(unsigned char)300 + (signed char)200"), "-12");
  EXPECT_EQ(value_of("", "(int)1e20f"), "2147483647");
  EXPECT_EQ(value_of("", "0.1f + 0.2f"), "0.3");
  EXPECT_EQ(value_of("", "true ? 1 : 1 / 0"), "1");
  EXPECT_EQ(value_of("", "false && 1 / 0 ? 1 : 2"), "2");
}

TEST(ConstEval, LoopsAndVariables) {
  EXPECT_EQ(
      value_of(
          "constexpr int f() { int a[5] = {1, 2, 3}; int s = 0;"
          " for (int i = 0; i < 5; ++i) { if (i == 1) continue; if (i == 4) break; s += a[i]; } return s; }",
          "f()"),
      "4");
  EXPECT_EQ(value_of("constexpr int f() { int i = 0; do { i += 3; } while (i < 10); while (true) { if (i-- "
                     "== 5) return i; } }",
                     "f()"),
            "4");
}

TEST(ConstEval, SwitchFallsThrough) {
  const std::string f =
      "constexpr int f(int x) { switch (x) { case 1: return 10; case 2: x += 5; case 3: x += 7; break; "
      "default: x = 0; } return x; }";
  EXPECT_EQ(value_of(f, "f(1) * 1000000 + f(2) * 10000 + f(3) * 100 + f(9)"), "10141000");
}

TEST(ConstEval, PointersAndReferences) {
  EXPECT_EQ(value_of("constexpr int f() { int a[4] = {1, 2, 3, 4}; int* b = a + 1; int* e = a + 4; int s = 0;"
                     " while (b != e) s += *b++; return s * 10 + (int)(e - a); }",
                     "f()"),
            "94");
  EXPECT_EQ(value_of("constexpr void swap2(int& a, int& b) { int t = a; a = b; b = t; }"
                     "constexpr int f() { int a = 1, b = 2; swap2(a, b); return a * 10 + b; }",
                     "f()"),
            "21");
  EXPECT_EQ(value_of("constexpr const char* s = \"hey\";", "s[1] + 0"), "101");
}

TEST(ConstEval, Classes) {
  const std::string p =
      "struct P { int x, y; constexpr P(int a, int b) : x(a), y(b) {} constexpr int len() const { return x * "
      "x + y * y; }"
      " constexpr P operator+(const P& o) const { return P(x + o.x, y + o.y); } constexpr void bump() { ++x; "
      "} };"
      "constexpr int f() { P r(1, 1); r.bump(); r.bump(); P& s = r; s.y = 10; P t = r; t.x = 0; return r.x * "
      "100 + r.y + t.x; }"
      "constexpr P q = P(1, 2) + P(2, 2);";
  EXPECT_EQ(value_of(p, "f()"), "310");
  EXPECT_EQ(value_of(p, "q.len() + q.x"), "28");
}

TEST(ConstEval, BasesAndDefaultMembers) {
  EXPECT_EQ(
      value_of("struct A { int a = 5; int b[2] = {6, 7}; }; struct B : A { int c; constexpr B() : c(8) {} };"
               "constexpr B bb{}; constexpr int of(const A& x) { return x.a; }",
               "bb.a * 100 + bb.b[1] * 10 + bb.c + of(bb)"),
      "583");
}

TEST(ConstEval, Recursion) {
  EXPECT_EQ(value_of("constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }", "gcd(48, 36)"),
            "12");
  EXPECT_EQ(
      value_of("constexpr unsigned long long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }",
               "fib(15)"),
      "610");
}

TEST(ConstEval, LambdasAndLibraryFunctions) {
  EXPECT_EQ(value_of("", "[](int x) { return x + 1; }(4)"), "5");
  EXPECT_EQ(value_of("", "max(3, 4) + min(1, 2)"), "5");
}

TEST(ConstEval, ReasonsWhyNot) {
  EXPECT_EQ(reason("", "1 / 0"), "it divides by zero");
  EXPECT_EQ(reason("constexpr int f() { int a[2] = {}; return a[2]; }", "f()"),
            "an index is outside its array");
  EXPECT_EQ(reason("constexpr int f() { int x; return x; }", "f()"),
            "it reads a variable that has no value yet");
  EXPECT_EQ(reason("constexpr int f() { for (;;) {} return 0; }", "f()"),
            "the evaluation takes more than 1000000 steps");
  EXPECT_EQ(reason("constexpr int f(int n) { return f(n + 1); }", "f(0)"),
            "the evaluation calls more than 256 functions deep");
  EXPECT_EQ(reason("constexpr int f() { int* p = nullptr; return *p; }", "f()"),
            "it reads through a null pointer");
  EXPECT_EQ(reason("__device__ int f() { return 1; }", "f()"), "'f' is not constexpr");
  EXPECT_EQ(reason("constexpr float f() { float a = 1; return *(int*)&a; }", "(int)f()"),
            "it reads memory as another type");
}

}  // namespace
}  // namespace quern::lang
