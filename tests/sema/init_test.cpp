#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

TEST(Init, Aggregates) {
  body_ok(
      "struct P { int x, y; }; struct L { P a, b; int w; }; struct D : P { int z; }; struct M { int a[3]; "
      "float f; };"
      "struct N { int i = 7; int j; P p = {1, 2}; };",
      R"(
  constexpr P p1{1, 2}; constexpr P p2 = {3}; constexpr P p3{}; static_assert(p1.y == 2 && p2.x == 3 && p2.y == 0 && p3.x == 0, "");
  constexpr L l1{{1, 2}, {3, 4}, 5}; constexpr L l2{1, 2, 3, 4, 5}; constexpr L l3{p1, 7, 8, 9};
  static_assert(l1.b.x == 3 && l2.b.y == 4 && l2.w == 5 && l3.a.y == 2 && l3.b.x == 7 && l3.w == 9, "");
  constexpr D d1{{1, 2}, 3}; constexpr D d2{1, 2, 3}; static_assert(d1.z == 3 && d2.y == 2 && d2.z == 3, "");
  constexpr M m1{{1, 2, 3}, 4}; constexpr M m2{1, 2, 3, 4}; static_assert(m1.a[2] == 3 && m2.f == 4.0f, "");
  constexpr P g{.x = 4, .y = 5}; constexpr P h{.y = 6}; static_assert(g.x == 4 && h.x == 0 && h.y == 6, "");
  constexpr N n1{}; constexpr N n2{1, 2}; static_assert(n1.i == 7 && n1.p.y == 2 && n2.i == 1 && n2.j == 2 && n2.p.x == 1, "");
  N n3; n3.j = n3.i; P pa(1, 2); P pb = P{3, 4}; auto pc = P(5, 6); P pd(pc); pd = {7, 8}; )");
  body_error("struct P { int x, y; };", "P v{1, 2, 3};", message::kTooManyInitializers("P", "2 members"));
  body_error("struct P { int x, y; };", "P v{.z = 1};", message::kNoSuchMember("P", "z"));
  body_error(
      "struct P { int x, y; };", "P v{1, p};",
      with_hint(message::kExpectsType("'y'", "int", "int*"), message::kWriteReinterpretCast("size_t")));
  body_error("struct R { int& r; };", "R v{};", message::kMemberReferenceUninitialized("r", "R"));
}

TEST(Init, Arrays) {
  body_ok(
      "struct P { int x, y; }; struct C { int v; __device__ constexpr C() : v(9) {} __device__ constexpr "
      "C(int x) : v(x) {} };",
      R"(
  int a[3] = {1, 2, 3}; int b[] = {1, 2, 3, 4}; static_assert(sizeof(b) == 16, ""); int z[5] = {}; int y[2][2] = {1, 2, 3, 4};
  constexpr int t[2][3] = {{1, 2}, {3}}; static_assert(t[0][1] == 2 && t[0][2] == 0 && t[1][0] == 3, "");
  constexpr P ps[] = {{1, 2}, {3, 4}, 5, 6}; static_assert(sizeof(ps) == 24 && ps[2].y == 6, "");
  constexpr C cs[3] = {1, 2}; static_assert(cs[1].v == 2 && cs[2].v == 9, ""); C ds[4]; ds[0] = 3;
  char s[] = "abc"; static_assert(sizeof(s) == 4, ""); char r[8] = "abc"; const char* text = "abc"; )");
  body_error("", "int a[2] = {1, 2, 3};", message::kTooManyInitializers("int[2]", "2 elements"));
  body_error("", "int a[2] = 3;", message::kVariableNeedsList("'a'", "int"));
  body_error("", "char s[2] = \"abc\";", message::kStringTooLong("char[2]", "2", "3"));
}

TEST(Init, Constructors) {
  const std::string types =
      "struct V { float x, y; __device__ constexpr V() : x(1), y(2) {} __device__ constexpr V(float s) : "
      "x(s), y(s) {}"
      " __device__ constexpr V(float a, float b) : x(a), y(b) {} };"
      "struct W { V v; int n = 3; }; struct Need { int i; __device__ Need(int k) : i(k) {} };"
      "template <class T> struct Box { T v; __device__ constexpr Box(T x) : v(x) {} template <class U> "
      "__device__ constexpr Box(const Box<U>& o) : v(o.v) {} };"
      "struct Def { int i; Def() = default; __device__ constexpr Def(int k) : i(k) {} };";
  body_ok(types, R"(
  constexpr V a; constexpr V b(3); constexpr V c2{4, 5}; constexpr V e = 6; constexpr V g = {7, 8}; constexpr V h = V(); constexpr V i{};
  static_assert(a.y == 2 && b.y == 3 && c2.y == 5 && e.x == 6 && g.y == 8 && h.x == 1 && i.y == 2, "");
  constexpr W w; static_assert(w.v.x == 1 && w.n == 3, ""); constexpr W w2{5}; static_assert(w2.v.y == 5 && w2.n == 3, "");
  Need m(3); Need k = m; Box<float> bf(1.5f); Box<double> bd(bf); Box<double> be = bf; Def df; Def dg{}; Def dh(3); df = dh; V arr[3]; )");
  body_error(types, "Need x;", message::kOnlyConstructor("Need", "Need(int)"));
  body_error(types, "Need x(1, 2);",
             because(message::kNoMatchingConstructor("Need"), message::kArgumentCount("1 argument", "2")));
  body_error(types, "Need x(p);", message::kArgumentType("Need", "int", "'k' (1st)", "int*"));
  body_error(types, "V x(1, 2, 3);",
             because(message::kNoMatchingConstructor("V"), message::kOverloadCounts("3", "0, 1 or 2", "3")));
  body_error("struct H { int i; H(int k) : i(k) {} };", "H h(1);", message::kHostConstructor("H"));
  body_error("struct H { int i; H() = delete; __device__ H(int k) : i(k) {} };", "H h;",
             message::kDeletedFunction("H()"));
  body_error("", "int x{1, 2};", message::kInitializerCount("int", "2"));
  body_error("", "int x(1, 2);", message::kInitializerCount("int", "2"));
}

TEST(Init, CopyConstructors) {
  body_ok(
      "struct T { int i; __device__ constexpr T(int k) : i(k) {} __device__ constexpr T(const T& o) : i(o.i "
      "+ 1) {} };"
      "__device__ constexpr T pass(T t) { return t; } __device__ constexpr int copies() { T a(1); T b = a; T "
      "c2(b); return c2.i; }"
      "struct D : T { __device__ constexpr D() : T(5) {} }; __device__ constexpr int slice() { D d; T t = d; "
      "return t.i; }",
      "static_assert(copies() == 3, \"\"); static_assert(slice() == 6, \"\");");
}

TEST(Init, Unions) {
  body_ok("union U { float f; unsigned u; }; struct S { int k; union { int a; float b; }; int z; };",
          "U u{1.0f}; n = u.u; U v; v.u = 3; f = v.f; U w{.u = 5}; S s{1, 2, 3}; s.b = 1.0f; n = s.a + s.z; "
          "U zero{};");
  body_error("union U { float f; unsigned u; };", "U u{1.0f, 2};",
             message::kTooManyInitializers("U", "1 member"));
}

TEST(Init, BracesAsArguments) {
  body_ok(
      "struct P { int x, y; }; __device__ constexpr int sum(P p) { return p.x + p.y; } __device__ constexpr "
      "int sum(const int& a, P p) { return a + p.y; }"
      "__device__ P make(int a) { return {a, 2}; }",
      "static_assert(sum({1, 2}) == 3, \"\"); static_assert(sum({}, {1, 5}) == 5, \"\"); P v = make(1); v = "
      "{3, 4};");
}

TEST(Init, ConceptNeedsAuto) {
  body_error("template <class T> concept Number = true;", "Number x = 3;",
             message::kConceptNeedsAuto("Number"));
}

}  // namespace
}  // namespace quern::lang
