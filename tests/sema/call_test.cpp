#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

TEST(Call, HostFunctions) {
  body_error("void host(int) {}", "host(1);", message::kHostFunction("host"));
  body_error("__host__ int host() { return 1; }", "n = host();", message::kHostFunction("host"));
  body_error("struct S { int i; int get() const { return i; } };", "S s{1}; n = s.get();",
             message::kHostFunction("S::get"));
  body_error("__global__ void other() {}", "other();", message::kLaunchInKernel());
  body_error("int counter;", "n = counter;", message::kHostVariableUsed("counter"));
  body_ok(
      "constexpr int sq(int x) { return x * x; } __host__ __device__ int both(int x) { return x; } const int "
      "kN = 4; constexpr float kF = 2.5f;"
      "static const double kD = 3.0; constexpr int kT[] = {1, 2, 3};",
      "n = sq(3) + both(2) + kN + kT[n]; f = kF * kD; int a[kN]; struct L { int i; int get() { return i; } "
      "}; L l{3}; n = l.get();");
  body_error("struct B { __device__ B(int) {} }; __device__ void gone(int) = delete;", "gone(1);",
             message::kDeletedFunction("gone(int)"));
}

TEST(Call, Methods) {
  body_ok(
      "struct Base { int b; __device__ constexpr int twice() const { return b * 2; } };"
      "struct S : Base { int i; static const int kSize = 4; static __device__ constexpr int two() { return "
      "2; }"
      " __device__ constexpr int get(int k = 1) const { return i * k + helper(); } __device__ constexpr int "
      "helper() const { return this->b; }"
      " template <class T> __device__ constexpr T as() const { return T(i); } __device__ S& self() { return "
      "*this; } };",
      "constexpr S s{{1}, 5}; static_assert(s.get() == 6 && s.get(2) == 11 && s.twice() == 2 && S::two() == "
      "2 && s.two() == 2 && S::kSize == 4, \"\");"
      "static_assert(s.as<float>() == 5.0f, \"\"); S t = s; t.self().self().i = 3; S* pt = &t; n = pt->get() "
      "+ pt->twice() + pt->i + pt->b;");
}

TEST(Call, Members) {
  const std::string types = "struct Vec3 { float x, y, z; __device__ float length() const { return x; } };";
  body_error(types, "Vec3 v{}; f = v.lenght();",
             with_hint(message::kNoSuchMember("Vec3", "lenght"), message::kDidYouMean("length")));
  body_error(types, "Vec3 v{}; f = v.w;", message::kNoSuchMember("Vec3", "w"));
  body_error("", "f = f.x;", message::kValueWithoutMembers("'f'", "float"));
  body_error(types, "Vec3 v{}; f = v->x;", message::kNotPointer("'v'", "x"));
  body_error(types, "Vec3 v{}; Vec3* p3 = &v; f = p3.x;", message::kIsPointer("'p3'", "x"));
  body_error("struct F;", "F* x = nullptr; n = x->i;", message::kDeclaredNotDefined("F"));
  body_error("", "n = threadIdx.w;", message::kNoSuchMember("uint3", "w"));
  body_ok("",
          "n = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x + warpSize; uint3 t = threadIdx; dim3 b = "
          "blockDim; n = t.y + b.x;");
  body_error("", "threadIdx.x = 3;", because(message::kCannotAssign("a value"), message::kIsNotVariable()));
}

TEST(Call, FunctorsAndLambdas) {
  body_ok(
      "struct Add { int k; __device__ constexpr int operator()(int x) const { return x + k; } template "
      "<class T> __device__ T operator()(T a, T b) const { return a + b; } };"
      "template <class F> __device__ constexpr int apply(F g, int x) { return g(x); } template <class F> "
      "__device__ int forward(F&& g, int x) { return g(x); }",
      "Add add{3}; n = add(4) + add(1, 2); f = add(1.0f, f); static_assert(apply(Add{2}, 5) == 7, \"\");"
      "auto twice = [](int x) { return 2 * x; }; n = twice(3) + apply(twice, 4) + apply([=](int x) { return "
      "x + n; }, 5); n = forward([&](int x) { return x * n; }, 2);"
      "int sum = 0; auto acc = [&sum](int x) { sum += x; }; acc(3); auto m = [k = 1]() mutable { return ++k; "
      "}; n = m();");
  body_error("", "n(3);", message::kNotFunction("'n'", "int"));
}

TEST(Call, FunctionPointers) {
  const std::string functions =
      "__device__ int inc(int x) { return x + 1; } __device__ int dec(int x) { return x - 1; }"
      "__device__ int apply(int (*g)(int), int x) { return g ? g(x) : 0; } typedef int (*Op)(int);"
      "template <class F> __device__ int call(F g, int x) { return g(x); } template <int (*G)(int)> "
      "__device__ int fixed(int x) { return G(x); }"
      "__device__ int outer(Op g, int x) { return apply(g, x) + (*g)(x); }";
  body_ok(functions,
          "n = apply(inc, 1) + apply(&dec, 2) + call(inc, 3) + fixed<inc>(4) + outer(dec, 5); Op g = inc; n "
          "= g(3); auto h = &dec; n = h(2); n = inc == dec;");
  body_ok(functions + "__device__ Op table[2];",
          "n = table[n](3); Op g = inc; g = dec; n = g(1); n = apply(n ? inc : dec, 2);");
  body_error(functions + "__device__ Op table[2];", "n = table[n](3, 4);",
             message::kPointerArguments("'table[…]'", "1 argument", "2"));
  body_error("struct S { int i; __device__ int get() { return i; } };", "auto m = &S::get;",
             message::kMemberPointer("S::get"));
}

TEST(Call, LambdasAsFunctionPointers) {
  const std::string apply = "__device__ int apply(int (*g)(int), int x) { return g(x); }";
  body_ok(apply,
          "n = apply([](int x) { return x + 1; }, 3); int (*g)(int) = [](int x) { return x * 2; }; n = g(n) "
          "+ apply(g, 2);");
  body_error(apply, "n = apply([=](int x) { return x + n; }, 3);",
             message::kArgumentType("apply", "int (*)(int)", "'g' (1st)", "lambda"));
  body_ok(apply, "int (*g)(int) = [](int x) { return x; }; g = [](int x) { return -x; }; n = g(2);");
}

TEST(Call, References) {
  body_ok(
      "__device__ int& pick(int& a, int& b, bool w) { return w ? a : b; } __device__ void swap2(float& a, "
      "float& b) { float t = a; a = b; b = t; }"
      "template <class T> __device__ T&& mv(T& x) { return static_cast<T&&>(x); } __device__ void sink(int&& "
      "x) {}",
      "int m = 2; pick(n, m, true) = 5; swap2(q[0], q[1]); sink(mv(n)); sink(3); __shared__ float s[4]; "
      "swap2(s[0], s[1]);");
}

TEST(Call, AutoResults) {
  body_ok(
      "template <class T> __device__ auto half_of(T x) { return x / 2; } __device__ auto pair(int a) -> "
      "float2 { return make_float2(a, a); }",
      "f = half_of(f); n = half_of(n); f = pair(2).x;");
}

}  // namespace
}  // namespace quern::lang
