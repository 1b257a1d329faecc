#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

const char kVec[] =
    "struct Vec { float x, y;"
    " __device__ constexpr Vec operator-() const { return {-x, -y}; }"
    " __device__ constexpr Vec& operator+=(const Vec& o) { x += o.x; y += o.y; return *this; }"
    " __device__ constexpr float& operator[](int i) { return i == 0 ? x : y; }"
    " __device__ constexpr bool operator==(const Vec& o) const { return x == o.x && y == o.y; }"
    " __device__ constexpr Vec& operator++() { ++x; return *this; }"
    " __device__ constexpr Vec operator++(int) { Vec old = *this; ++x; return old; } };"
    "__device__ constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }"
    "__device__ constexpr Vec operator*(Vec a, float s) { return {a.x * s, a.y * s}; }"
    "__device__ constexpr Vec operator*(float s, Vec a) { return a * s; }"
    "__device__ constexpr bool operator<(const Vec& a, const Vec& b) { return a.x < b.x; }"
    "__device__ constexpr Vec operator<<(Vec a, int n) { return {a.x * n, a.y}; }"
    "__device__ constexpr Vec operator>>(Vec a, int n) { return {a.x / n, a.y}; }";

TEST(Operator, Overloaded) {
  body_ok(kVec, R"(
  constexpr Vec a{1, 2}, b{3, 4};
  static_assert((a + b).x == 4.0f, ""); static_assert((-a).y == -2.0f, "");
  static_assert((a * 2).y == 4.0f, ""); static_assert((2 * a).x == 2.0f, "");
  static_assert(a == a && a != b && a < b, ""); static_assert((a << 3).x == 3.0f, ""); static_assert((b >> 3).x == 1.0f, "");
  Vec v = a; v += b; v[1] = 3; v++; ++v; v = v + v * 2.0f; f = v[0]; )");
  body_error(
      kVec, "Vec v{1, 2}; v = v * v;",
      with_hint(message::kOperands("*", "Vec", "Vec"), message::kDefineBinaryOperator("*", "Vec", "Vec")));
  body_error(kVec, "Vec v{1, 2}; v *= f;",
             with_hint(message::kOperands("*=", "Vec", "float"),
                       message::kDefineBinaryOperator("*=", "Vec&", "float")));
  body_error(kVec, "Vec v{1, 2}; v = !v;", message::kConditionType("Vec"));
  body_error(kVec, "Vec v{1, 2}; v = ~v;",
             with_hint(message::kUnaryNotInteger("~", "Vec"), message::kDefineUnaryOperator("~", "Vec")));
  body_error("", "float4 a, b; a = a + b;",
             with_hint(message::kOperands("+", "float4", "float4"),
                       message::kDefineBinaryOperator("+", "float4", "float4")));
}

TEST(Operator, MemberAndFriend) {
  body_ok(
      "struct A { int i; __device__ friend constexpr A operator+(A a, A b) { return {a.i + b.i}; }"
      " __device__ constexpr A operator-(A b) const { return {i - b.i}; }"
      " __device__ constexpr int operator()(int k) const { return i * k; } };"
      "struct It { int* at; __device__ int& operator*() const { return *at; } __device__ It* operator->() { "
      "return this; }"
      " __device__ It& operator=(int* q) { at = q; return *this; } };",
      "static_assert((A{3} + A{4}).i == 7, \"\"); static_assert((A{3} - A{4}).i == -1, \"\"); "
      "static_assert(A{3}(5) == 15, \"\");"
      "It it{p}; *it = 4; it->at = p; it = p + 1; It other = it; other = it;");
}

TEST(Operator, BuiltIn) {
  body_ok("", R"(
  static_assert(7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1, "");
  static_assert((1 << 4) == 16 && (-8 >> 1) == -4 && (0xF0 & 0x3C) == 0x30 && (5 ^ 3) == 6 && (5 | 2) == 7 && ~0 == -1, "");
  static_assert((3 > 2 && 2 >= 2) || false, ""); static_assert((1, 2) == 2, ""); static_assert(!0, "");
  n += f; n -= 2; n *= 3; n /= 2; n %= 7; n &= 3; n |= 4; n ^= 1; n <<= 2; n >>= 1; f += 1; f -= n; f *= d; f /= 2;
  ++n; n++; --n; n--; ++p; p--; p += 2; p -= n; q = q + n; q = n + q; q = q - 1; long diff = q - c;
  *p = *(p + 1); p[n] = n[p]; bool b = p < p + 1; b = n; b |= n > 3; n = -n + +n; int x, y; x = y = n; (x) = 3; (n ? x : y) = 4; )");
  body_error("", "n = f % 2;",
             with_hint(message::kOperandsNotIntegers("%", "float"), message::kWriteRemainder("fmodf")));
  body_error("", "n = 2 % d;",
             with_hint(message::kOperandsNotIntegers("%", "double"), message::kWriteRemainder("fmod")));
  body_error("", "f %= 2;",
             with_hint(message::kOperandsNotIntegers("%=", "float"), message::kWriteRemainder("fmodf")));
  body_error("", "n = n & f;", message::kOperandsNotIntegers("&", "float"));
  body_error("", "n = f << 2;", message::kOperandsNotIntegers("<<", "float"));
  body_error("", "n = p + q;", message::kOperands("+", "int*", "float*"));
  body_error("", "p = p * 2;", message::kOperands("*", "int*", "int"));
  body_error("", "bool b = p == q;",
             with_hint(message::kCannotCompare("int*", "float*"), message::kCastOneOfThem()));
  body_error("", "bool b = p == 3;", message::kCannotCompare("int*", "int"));
  body_error("", "long x = p - q;", message::kOperands("-", "int*", "float*"));
  body_error("", "void* v = p; v = v + 1;",
             with_hint(message::kPointerStep("+", "void*"), message::kCastToElementPointer()));
  body_error("__device__ void none() {}", "n = none() + 1;", message::kOperandVoid("+", "'none(…)'"));
  body_error("enum class M { kA };", "n = M::kA + 1;",
             with_hint(message::kOperands("+", "M", "int"), message::kCastScopedEnum("M")));
}

TEST(Operator, AddressAndDereference) {
  body_ok("",
          "int a[3][4]; int(*row)[4] = a; int* e = &a[1][2]; int* s = *a; row = &a[1]; n = *&n; p = &*p; **a "
          "= 1; float2 v; float* x = &v.x;");
  body_error("", "n = *f;", message::kDereferenceNotPointer("float"));
  body_error("", "p = &5;", message::kAddressOfTemporary());
  body_error("", "p = &(n + 1);", message::kAddressOfTemporary());
  body_error("", "void* v = p; n = *v;", message::kDereferenceVoid("void*"));
  body_error("", "n = f[2];", message::kIndexNotPointer("'f'", "float"));
  body_error("", "n = p[f];", message::kIndexNotInteger("float"));
  body_error("struct S {};", "S s; n = s[1];",
             with_hint(message::kIndexNotPointer("'s'", "S"), message::kDefineIndexOperator()));
}

TEST(Operator, Assignment) {
  body_error("", "const int x = n; x = 2;", message::kAssignToConst("'x'"));
  body_error("", "c[n] = 2;", message::kAssignToConst("'c[…]'"));
  body_error("", "const float2 v{1, 2}; v.x = 2;", message::kAssignToConst("'v.x'"));
  body_error("", "n + 1 = 2;", because(message::kCannotAssign("a value"), message::kIsNotVariable()));
  body_error("", "5 = n;", because(message::kCannotAssign("a value"), message::kIsConstant()));
  body_error("", "const int x = n; x++;", message::kChangeConst("'x'"));
  body_error("", "const int x = n; x += 2;", message::kAssignToConst("'x'"));
  body_error("", "int a[2], b[2]; a = b;", message::kAssignToArray("'a'"));
  body_error("__constant__ float t[4];", "t[1] = 2;", message::kAssignToConstantMemory("'t[…]'", "t"));
  body_error("struct S { int i; __device__ void f() const { i = 1; } };", "S s; s.f();",
             message::kAssignToConst("'i'"));
  body_error("enum E { kE };", "E e = kE; e |= 1;", message::kAssignResultType("|=", "int", "'e'", "E"));
  body_error("enum E { kE };", "E e = kE; ++e;", message::kNotNumberOrPointer("++", "E"));
}

TEST(Operator, Conditional) {
  body_ok("struct A { int i; }; struct B : A {};",
          "f = n ? f : 1; q = n ? q : nullptr; const float* r = n ? q : c; const void* v = n ? (const "
          "void*)p : q; float2 w = n ? make_float2(1, 2) : float2{3, 4};"
          "n ? (void)n : (void)f; A a{1}; A x = n ? a : A{2}; const A y{2}; A z = n ? a : y; int e[2], g[3]; "
          "int* h = n ? e : g;");
  body_error("", "n = n ? p : 1.0f;", message::kBranchTypes("int*", "float"));
  body_error("__device__ void none() {}", "n = n ? none() : 1;", message::kBranchWithoutValue());
  body_error("", "float4 v; n = v ? 1 : 2;", message::kConditionType("float4"));
}

TEST(Operator, ErrorsDoNotCascade) {
  body_error("", "n = (f % 2) + (p * 3) - unknown;",
             with_hint(message::kOperandsNotIntegers("%", "float"), message::kWriteRemainder("fmodf")));
  body_error("", "float x = nowhere + 1; x = x * 2; f = x;", message::kNotDeclared("nowhere"));
}

}  // namespace
}  // namespace quern::lang
