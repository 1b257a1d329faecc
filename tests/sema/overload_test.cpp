#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

// Checks at compile time which overload a call selects: each returns its number.
void picks(const std::string& overloads, const std::string& checks) {
  std::string body;
  size_t at = 0;
  while (at < checks.size()) {
    const size_t end = checks.find(';', at);
    body += "static_assert(" + checks.substr(at, end - at) + ", \"\");\n";
    at = end + 1;
  }
  body_ok("#define D __device__ constexpr int\n" + overloads, body);
}

TEST(Overload, Ranks) {
  picks(
      "D g(int) { return 1; } D g(float) { return 2; } D g(double) { return 3; } D g(unsigned) { return 4; }",
      "g(1) == 1;g(1.0f) == 2;g(1.0) == 3;g(1u) == 4;g('a') == 1;g(true) == 1;g((short)1) == 1;");
  picks("D g(double) { return 1; } D g(int) { return 2; }", "g(1.0f) == 1;");
  picks("D g(long) { return 1; } D g(...) { return 2; }", "g(1) == 1;g(1.0f) == 1;");
  picks("D g(bool) { return 1; } D g(const void*) { return 2; }", "g((int*)nullptr) == 2;g(1) == 1;");
  picks("D g(int*) { return 1; } D g(const int*) { return 2; } D g(void*) { return 3; }",
        "g((int*)0) == 1;g((const int*)0) == 2;g((float*)0) == 3;");
  picks("enum E { kE }; D g(E) { return 1; } D g(int) { return 2; }", "g(kE) == 1;g(0) == 2;");
  picks("enum E { kE }; D g(int) { return 1; } D g(double) { return 2; }", "g(kE) == 1;");
  picks("D g(int, float) { return 1; } D g(float, float) { return 2; }", "g(1, 2) == 1;g(1.0f, 2) == 2;");
}

TEST(Overload, References) {
  picks(
      "D g(int&) { return 1; } D g(const int&) { return 2; } D g(int&&) { return 3; }"
      "D at() { int x = 0; return g(x); } D ct() { const int x = 0; return g((const int&)x); }"
      "D mt() { int x = 0; return g(static_cast<int&&>(x)); }",
      "g(1) == 3;at() == 1;ct() == 2;mt() == 3;");
  picks("D g(const int&) { return 1; } D g(float) { return 2; } D at() { int x = 0; return g(x); }",
        "at() == 1;g(2.0f) == 2;");
}

TEST(Overload, Classes) {
  picks(
      "struct A { int a; }; struct B : A {}; struct C : B {};"
      "D g(const A&) { return 1; } D g(const B&) { return 2; }",
      "g(C{}) == 2;g(B{}) == 2;g(A{}) == 1;");
  picks(
      "struct A { float v; __device__ constexpr A(float x) : v(x) {} };"
      "D g(A) { return 1; } D g(double) { return 2; } D h(A) { return 3; }",
      "g(1.0f) == 2;g(A(1)) == 1;h(2) == 3;");
  picks(
      "struct V { int x; __device__ constexpr int get() { return 1; } __device__ constexpr int get() const { "
      "return 2; } };"
      "D at() { V v{0}; return v.get(); } D ct() { const V v{0}; return v.get(); }",
      "at() == 1;ct() == 2;V{}.get() == 1;");
}

TEST(Overload, Templates) {
  picks(
      "template <class T> D g(T) { return 1; } D g(int) { return 2; } template <class T> D g(T*) { return 3; "
      "}",
      "g(1) == 2;g(1.0f) == 1;g((int*)0) == 3;g<int>(1) == 1;");
  picks(
      "template <class T> struct V { T x; }; template <class T> D g(T) { return 1; } template <class T> D "
      "g(V<T>) { return 2; }",
      "g(V<int>{}) == 2;g(1) == 1;");
  picks("template <class T> D g(T, int) { return 1; } template <class T, class U> D g(T, U) { return 2; }",
        "g(1, 2) == 1;g(1, 2.0f) == 2;");
  picks("template <class... T> D g(T...) { return 1; } template <class T> D g(T) { return 2; }",
        "g(1) == 2;g(1, 2) == 1;g() == 1;");
}

TEST(Overload, DefaultArgumentsAndVariadic) {
  picks("D g(int a, int b = 2, int c = 3) { return a + b + c; }", "g(1) == 6;g(1, 1) == 5;g(1, 1, 1) == 3;");
}

TEST(Overload, UserFunctionsBeatTheLibrary) {
  body_ok("__device__ constexpr float fmaxf(float a, float b) { return 7.0f; }",
          "static_assert(fmaxf(1.0f, 2.0f) == 7.0f, \"\");");
}

TEST(Overload, FoundByArguments) {
  picks(
      "namespace geo { struct P { int x; }; D size(P) { return 3; } D operator+(P, P) { return 4; } "
      "namespace in { enum E { kE }; D tag(E) { return 5; } } }",
      "size(geo::P{}) == 3;geo::P{} + geo::P{} == 4;tag(geo::in::kE) == 5;");
}

TEST(Overload, SaysWhatDoesNotFit) {
  const std::string three = "__device__ void foo(int a, int b, int c) {}";
  body_error(three, "foo(1, 2);",
             because(message::kNoMatchingFunction("foo"), message::kArgumentCount("3 arguments", "2")));
  body_error("__device__ void foo() {}", "foo(1);",
             because(message::kNoMatchingFunction("foo"), message::kArgumentCount("no arguments", "1")));
  body_error("__device__ void foo(int a, int b = 1) {}", "foo();",
             because(message::kNoMatchingFunction("foo"), message::kArgumentCount("1 to 2 arguments", "0")));
  body_error("__device__ void foo(int* p) {}", "foo(c);",
             message::kArgumentType("foo", "int*", "'p' (1st)", "const float*"));
  body_error("__device__ void foo(int, int*) {}", "foo(1, f);",
             message::kArgumentType("foo", "int*", "2", "float"));
  body_error("__device__ void foo(int) {} __device__ void foo(float) {}", "foo(d);",
             message::kCallAmbiguous("foo", "foo(int)", "foo(float)"));
  body_error("__device__ void foo(int*) {} __device__ void foo(float2) {}", "foo(d);",
             message::kNoMatchingFunctionFor("foo", "double", "foo(int*)"));
  body_error("__device__ void foo(int) {} __device__ void foo(int, int, int) {}", "foo(1, 2);",
             because(message::kNoMatchingFunction("foo"), message::kOverloadCounts("2", "1 or 3", "2")));
  body_error("__device__ void foo(int) {} __device__ void foo(int*, int) {}", "foo(f, 2);",
             message::kArgumentType("foo", "int*", "1", "float"));
  body_error("", "float x = sqrtt(f);",
             with_hint(message::kNoSuchFunction("sqrtt"), message::kDidYouMean("sqrt")));
  body_error("struct V { float x; __device__ void set(float v) { x = v; } };", "const V v{1}; v.set(2);",
             message::kObjectConst("V::set", "'v'"));
}

}  // namespace
}  // namespace quern::lang
