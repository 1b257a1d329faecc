#include "sema/sema_case.hpp"

namespace quern::lang {
namespace {

TEST(Intrinsic, Results) {
  body_ok(
      "template <class A, class B> struct same { static constexpr bool value = false; }; template <class A> "
      "struct same<A, A> { static constexpr bool value = true; };",
      R"(
  static_assert(same<decltype(__quern_sin(f)), float>::value, ""); static_assert(same<decltype(__quern_pow(d, f)), double>::value, "");
  static_assert(same<decltype(__quern_popc(1ull)), int>::value, ""); static_assert(same<decltype(__quern_isnan(f)), bool>::value, "");
  static_assert(same<decltype(__quern_ballot(1u, true)), unsigned>::value, ""); static_assert(same<decltype(__quern_clock()), unsigned long long>::value, "");
  static_assert(same<decltype(__quern_atomic_add(p, 1, 1)), int>::value, ""); static_assert(same<decltype(__quern_bitcast<int>(f)), int>::value, "");
  static_assert(same<decltype(__quern_shuffle_down(~0u, f, 1, 32)), float>::value, ""); static_assert(same<decltype(__quern_dot4(1, 2, 3u)), unsigned>::value, "");
  static_assert(same<decltype(__quern_thread_id(0)), unsigned>::value, ""); static_assert(same<decltype(__quern_ilogb(d)), int>::value, "");
  f = __quern_fast_exp(f) + __quern_add_r(f, 1, 2) + __quern_convert_r<float>(d, 1) + __quern_fast_div(f, 3.0f); __quern_barrier(); __quern_fence(2);
  n = __quern_atomic_cas(p, 1, 2, 0); __quern_atomic_store(p, 2, 1); n = __quern_is_shared(p); n = __quern_barrier_count(n > 1); __quern_nanosleep(5); )");
}

TEST(Intrinsic, Types) {
  body_ok(
      "struct A { int i; }; struct B : A {}; struct C { __device__ C(const C&) {} }; union U { int i; }; "
      "enum E { kE }; struct Conv { __device__ operator int() const { return 1; } };",
      R"(
  static_assert(__quern_is_same<int, int>() && !__quern_is_same<int, const int>(), "");
  static_assert(__quern_is_integral<char>() && !__quern_is_integral<float>() && __quern_is_floating<double>(), "");
  static_assert(__quern_is_signed<int>() && __quern_is_unsigned<unsigned char>() && __quern_is_unsigned<bool>() && __quern_is_signed<float>(), "");
  static_assert(__quern_is_pointer<int*>() && __quern_is_const<const int>() && !__quern_is_const<const int*>() && __quern_is_reference<int&&>(), "");
  static_assert(__quern_is_class<A>() && !__quern_is_class<U>() && __quern_is_union<U>() && __quern_is_enum<E>() && __quern_is_void<void>(), "");
  static_assert(__quern_is_base_of<A, B>() && __quern_is_base_of<A, A>() && !__quern_is_base_of<B, A>() && __quern_rank<int[2][3]>() == 2, "");
  static_assert(__quern_is_convertible<int, float>() && !__quern_is_convertible<A, int>() && __quern_is_convertible<B*, A*>() && __quern_is_convertible<Conv, int>(), "");
  static_assert(__quern_is_trivially_copyable<B>() && !__quern_is_trivially_copyable<C>() && !__quern_is_empty<A>(), ""); )");
}

TEST(Intrinsic, PrintfAndAssert) {
  body_ok("enum E { kE };",
          "printf(\"%d %f %s\\n\", n, f, \"text\"); int k = printf(\"%d\", (char)1); assert(n > 0); assert(p "
          "&& \"message\"); printf(\"%d %p\", kE, p);");
  body_error("", "float4 v; printf(\"%f\", v);", message::kPrintfArgument("float4"));
  body_error("", "const char* t = \"x\"; printf(t);", message::kPrintfFormat());
}

TEST(Intrinsic, Refused) {
  body_error("", "__quern_atomic_add(p, 1, 7);", message::kIntrinsicConstant("__quern_atomic_add", "2", "7"));
  body_error("", "n = __quern_sin(n);", message::kIntrinsicNotFloat("__quern_sin", "int"));
  body_error("", "n = __quern_bitcast<double>(f);",
             message::kIntrinsicSizes("__quern_bitcast", "float", "double"));
  body_error("", "f = __quern_fma(f, f);", message::kIntrinsicArguments("__quern_fma", "3", "2"));
}

}  // namespace
}  // namespace quern::lang
