#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

TEST(Cast, Numbers) {
  body_ok("enum E { kA, kB = 3 }; enum class M { kX, kY };", R"(
  static_assert(int(2.9f) == 2 && (int)true == 1 && static_cast<float>(3) == 3.0f && (E)3 == kB && static_cast<int>(M::kY) == 1, "");
  static_assert((unsigned)-1 == 0xffffffffu && (M)1 == M::kY && int() == 0 && float(1) / 2 == 0.5f && (char)65 == 'A', "");
  (void)n; static_cast<void>(f); n = (int)f; f = (float)n / 3; bool b = (bool)p; unsigned long long a = (unsigned long long)p; )");
}

TEST(Cast, Pointers) {
  body_ok("struct B { int b; }; struct X { int x; }; struct D : X, B { int d; };", R"(
  float4* v = reinterpret_cast<float4*>(q); const float4* w = (const float4*)c; v[0] = w[0]; *(int*)q = 3; int bits = *(int*)&f; int& r = reinterpret_cast<int&>(f); r = 1;
  float* m = const_cast<float*>(c); const int* ci = const_cast<const int*>(p); void* a = q; float* back = static_cast<float*>(a); char* bytes = (char*)p;
  size_t s = reinterpret_cast<size_t>(p); int* from = reinterpret_cast<int*>(s); uintptr_t t = (uintptr_t)q; volatile int* vol = (volatile int*)p; *vol = 2;
  D d; B* b = &d; D* up = static_cast<D*>(b); D& dr = static_cast<D&>(*b); B& br = static_cast<B&>(d); X copy = static_cast<X>(d); long l = (long)p; (int&)f = 2; )");
  body_error("", "int* x = static_cast<int*>(q);",
             with_hint(message::kCast("static_cast", "float*", "int*"), message::kUseReinterpretCast()));
  body_error("", "int x = reinterpret_cast<int>(f);",
             with_hint(message::kCast("reinterpret_cast", "float", "int"), message::kUseStaticCastOrBits()));
  body_error("", "int* x = reinterpret_cast<int*>(c);",
             message::kCastDropsConst("reinterpret_cast", "const float*", "int*"));
}

TEST(Cast, Refused) {
  body_error("", "float4 v; n = (int)v;", message::kCannotConvert("float4", "int"));
  body_error("", "int x = reinterpret_cast<int>(p);",
             message::kCastTooFewBits("reinterpret_cast", "int*", "int"));
  body_error("", "float* x = static_cast<float*>(c);",
             message::kCastDropsConst("static_cast", "const float*", "float*"));
  body_error("", "int* x = const_cast<int*>(c);", message::kCast("const_cast", "const float*", "int*"));
  body_error("", "f = (float)p;", message::kCast("a cast", "int*", "float"));
  body_error("", "float2 v = (float2)n;", message::kCannotConvert("int", "float2"));
  body_error("struct N { __device__ N(int, int) {} };", "N x = (N)n;",
             because(message::kNoMatchingConstructor("N"), message::kArgumentCount("2 arguments", "1")));
}

}  // namespace
}  // namespace quern::lang
