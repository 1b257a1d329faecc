#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

TEST(Conversion, UsualArithmetic) {
  body_ok(
      "template <class A, class B> struct same { static constexpr bool value = false; };\n"
      "template <class A> struct same<A, A> { static constexpr bool value = true; };",
      R"(
  char ch = 'a'; short sh = 1; unsigned u = 2; long l = 3; unsigned long ul = 4; bool b = true;
  static_assert(same<decltype(ch + ch), int>::value, "char promotes");
  static_assert(same<decltype(sh + b), int>::value, "short promotes");
  static_assert(same<decltype(n + u), unsigned>::value, "int and unsigned");
  static_assert(same<decltype(u + l), long>::value, "unsigned and long");
  static_assert(same<decltype(l + ul), unsigned long>::value, "long and unsigned long");
  static_assert(same<decltype(n + f), float>::value, "int and float");
  static_assert(same<decltype(f + d), double>::value, "float and double");
  static_assert(same<decltype(f * 2.0), double>::value, "a double literal");
  static_assert(same<decltype(ch << 1L), int>::value, "shifts take the left type");
  static_assert(same<decltype(p - p), long>::value, "pointer difference");
  static_assert(same<decltype(n < f), bool>::value, "comparison");
  static_assert(same<decltype(-sh), int>::value, "unary promotes");
  static_assert(same<decltype(true ? 1 : 2.0f), float>::value, "conditional"); )");
}

TEST(Conversion, FoldsConstants) {
  body_ok("", R"(
  static_assert((int)3.99 == 3, "");
  static_assert((int)-3.99 == -3, "");
  static_assert((unsigned char)257 == 1, "");
  static_assert((signed char)255 == -1, "");
  static_assert((bool)0.5f, "");
  static_assert((long long)(unsigned)-1 == 4294967295LL, "");
  static_assert(-1 < 0u ? false : true, "unsigned comparison");
  static_assert(sizeof(1 ? 'a' : 'b') == 1, ""); )");
}

TEST(Conversion, Pointers) {
  body_ok("struct B { int b; }; struct D : B { int d; };", R"(
  const int* cp = p; void* v = p; const void* cv = c; int* null = 0; int* null2 = nullptr;
  D o; B* base = &o; const B* cbase = &o; B& r = o; const B& cr = o;
  if (p) n = 1; if (!p && cp == nullptr && p != NULL && 0 == p) n = 2;
  bool t = p; int a[4]; int* first = a; const int* cfirst = a; )");
  body_error("", "float* x = c;", message::kExpectsType("'x'", "float*", "const float*"));
  body_error(
      "", "int* x = q;",
      with_hint(message::kExpectsType("'x'", "int*", "float*"), message::kWriteReinterpretCast("int*")));
  body_error("", "int* x = 5;", message::kExpectsType("'x'", "int*", "int"));
  body_error(
      "", "int x = p;",
      with_hint(message::kExpectsType("'x'", "int", "int*"), message::kWriteReinterpretCast("size_t")));
  body_error("struct B {}; struct D : B {};", "B b; D* o = &b;",
             with_hint(message::kExpectsType("'o'", "D*", "B*"), message::kWriteReinterpretCast("D*")));
  body_error("", "int** pp = &p; const int** x = pp;",
             with_hint(message::kExpectsType("'x'", "const int**", "int**"),
                       message::kWriteReinterpretCast("const int**")));
  body_ok("", "int** pp = &p; int* const* x = pp; const int* const* y = pp;");
}

TEST(Conversion, Enums) {
  const std::string enums = "enum Color { kRed, kGreen = 4 }; enum class Mode : unsigned char { kA, kB };";
  body_ok(enums,
          "int x = kGreen; float y = kRed; Color z = kGreen; p[kGreen] = kGreen + 1; Mode m = Mode::kB;"
          "static_assert(kGreen + 1 == 5, \"\"); if (m == Mode::kA) n = static_cast<int>(m);"
          "static_assert(sizeof(Mode) == 1, \"\"); static_assert((int)Mode::kB == 1, \"\");");
  body_error(enums, "Color z = 4;",
             with_hint(message::kExpectsType("'z'", "Color", "int"), message::kWriteStaticCast("Color")));
  body_error(enums, "int z = Mode::kA;",
             with_hint(message::kExpectsType("'z'", "int", "Mode"), message::kWriteStaticCast("int")));
  body_error(enums, "Mode z = kRed;",
             with_hint(message::kExpectsType("'z'", "Mode", "Color"), message::kWriteStaticCast("Mode")));
}

TEST(Conversion, References) {
  body_ok(
      "__device__ void take(const float& x) {} __device__ void move(float&& x) {} __device__ void ref(int& "
      "x) { x = 1; }",
      "take(f); take(1); take(n); take(f + 1); move(2.0f); move(n); ref(n); ref(p[3]); int& r = n; r = 3; "
      "const int& t = 5; float&& u = f * 2;");
  body_error("__device__ void ref(int& x) {}", "ref(5);",
             message::kArgumentTemporary("ref", "int&", "'x' (1st)"));
  body_error("__device__ void ref(int& x) {}", "const int t = n; ref(t);",
             message::kArgumentType("ref", "int&", "'x' (1st)", "const int"));
  body_error("__device__ void ref(int& x) {}", "ref(f);",
             message::kArgumentType("ref", "int&", "'x' (1st)", "float"));
  body_error("", "int& r = 5;", message::kReferenceNeedsVariable("int&"));
  body_error("", "const int t = n; int& r = t;", message::kBindingDrops("const int", "int&", "const"));
}

TEST(Conversion, UserDefined) {
  const std::string types =
      "struct Meters { float v; __device__ constexpr Meters(float x) : v(x) {} "
      "__device__ constexpr operator float() const { return v; } };"
      "struct Flag { int i; __device__ explicit constexpr operator bool() const { return i != 0; } };"
      "struct Id { int i; __device__ explicit constexpr Id(int x) : i(x) {} };"
      "__device__ constexpr float twice(Meters m) { return m.v * 2; }";
  body_ok(
      types,
      "Meters m = 3.0f; f = m; f = twice(2.0f); f = twice(n); d = m; Flag g{n}; if (g) n = 1; n = g ? 1 : 2; "
      "n = !g && g;"
      "static_assert(twice(4) == 8.0f, \"\"); Id i(3); Id j{4}; f = m + 1; f = 2 * m; n = m > 1.0f; f += m;");
  body_error(types, "Id i = 3;", message::kExpectsType("'i'", "Id", "int"));
  body_error(types, "Flag g{1}; int x = g;", message::kExpectsType("'x'", "int", "Flag"));
  body_error("", "float4 v; float x = v;", message::kExpectsType("'x'", "float", "float4"));
  body_error("", "float4 v; f = v;", message::kExpectsType("'f'", "float", "float4"));
  body_error("struct S {};", "S s; if (s) n = 1;", message::kConditionType("S"));
  body_error("__device__ void none() {}", "int x = none();", message::kNoValueFor("'none(…)'", "'x'"));
}

TEST(Conversion, Half) {
  body_ok("#include <cuda_fp16.h>\n#include <cuda_bf16.h>",
          "__half h = 1.5f; float x = h; double y = h; h = h + h; h = h * 2; h += h; f = h + f; "
          "__nv_bfloat16 b = f; f = b;"
          "if (h > __half(2.0f)) n = 1; h = n; n = h; h = -h; half t = h;");
}

}  // namespace
}  // namespace quern::lang
