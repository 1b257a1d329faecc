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
             "static_cast cannot convert 'float*' to 'int*'; write reinterpret_cast");
  body_error("", "int x = reinterpret_cast<int>(f);",
             "reinterpret_cast cannot convert 'float' to 'int'; write static_cast, or __float_as_int or "
             "similar for bits");
  body_error("", "int* x = reinterpret_cast<int*>(c);",
             "reinterpret_cast cannot convert 'const float*' to 'int*': it drops const");
}

TEST(Cast, Refused) {
  body_error("", "float4 v; n = (int)v;", "cannot convert 'float4' to 'int'");
  body_error("", "int x = reinterpret_cast<int>(p);",
             "reinterpret_cast cannot convert 'int*' to 'int': it has too few bits; write size_t");
  body_error("", "float* x = static_cast<float*>(c);",
             "static_cast cannot convert 'const float*' to 'float*': it drops const");
  body_error("", "int* x = const_cast<int*>(c);", "const_cast cannot convert 'const float*' to 'int*'");
  body_error("", "f = (float)p;", "a cast cannot convert 'int*' to 'float'");
  body_error("", "float2 v = (float2)n;", "cannot convert 'int' to 'float2'");
  body_error("struct N { __device__ N(int, int) {} };", "N x = (N)n;",
             "no matching constructor of 'N': it takes 2 arguments, got 1");
}

}  // namespace
}  // namespace quern::lang
