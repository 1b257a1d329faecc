// Uses of the device library's templates, types and constants, by header. Functions without template parameters are
// covered by generated calls (coverage_test.cpp).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <mma.h>

namespace cg = cooperative_groups;

enum class Small : unsigned char { kA, kB };
struct Base {
  int a;
};
struct Derived : Base {};
union Bits {
  float f;
  unsigned u;
};
struct Adder {
  __device__ int operator()(int a, int b) const { return a + b; }
};

__global__ void memory_and_math(float* f, int* p, double* d) {
  f[0] = __ldg(f) + __ldca(f) + __ldcg(f) + __ldcs(f) + __ldlu(f) + __ldcv(f);
  __stwb(f, 1.0f);
  __stcg(f, 1);
  __stcs(f, f[1]);
  __stwt((float4*)f, make_float4(1, 2, 3, 4));
  // Integers count as double.
  d[0] = sqrt(p[0]) + cbrt(3) + exp(2u) + exp2(2) + expm1(1) + log(p[0]) + log2(3) + log10(10l) + log1p(1) + logb(8);
  d[1] = sin(1) + cos(1) + tan(1) + asin(1) + acos(1) + atan(1) + sinh(1) + cosh(1) + tanh(1) + asinh(1) + acosh(1);
  d[2] = atanh(0) + erf(1) + erfc(1) + tgamma(5) + lgamma(5) + floor(1) + ceil(1) + trunc(1) + round(1) + rint(1);
  d[3] = nearbyint(1) + fabs(-1) + ldexp(1, 2) + scalbn(1, 2) + ilogb(8) + hypot(3, 4) + pow(2, 3) + atan2(1, 2);
  d[4] = remainder(5, 3) + copysign(1, -1) + fdim(3, 1) + fmod(5, 3) + fmin(1, 2) + fmax(1.0f, 2) + fma(1, 2.0f, 3.0);
  p[0] = isnan(1) + isinf(1) + isfinite(1) + isnormal(1) + signbit(1) + fpclassify(f[0]) + isunordered(f[0], f[1]);
  p[1] = isgreater(f[0], f[1]) + isgreaterequal(f[0], f[1]) + isless(f[0], f[1]) + islessequal(f[0], f[1]);
  p[2] = islessgreater(f[0], f[1]);
  div_t q = div(7, 2);
  ldiv_t lq = div(7l, 2l);
  lldiv_t llq = div(7ll, 2ll);
  p[3] = q.quot + int(lq.rem) + int(llq.quot);
}

__global__ void types(char* memory) {
  static_assert(sizeof(char1) == 1 && sizeof(char2) == 2 && sizeof(char3) == 3 && alignof(char4) == 4);
  static_assert(sizeof(uchar1) == 1 && alignof(uchar2) == 2 && alignof(uchar3) == 1 && alignof(uchar4) == 4);
  static_assert(sizeof(short1) == 2 && alignof(short2) == 4 && sizeof(short3) == 6 && alignof(short4) == 8);
  static_assert(sizeof(ushort1) == 2 && alignof(ushort2) == 4 && sizeof(ushort3) == 6 && alignof(ushort4) == 8);
  static_assert(sizeof(int1) == 4 && alignof(int2) == 8 && sizeof(int3) == 12 && alignof(int4) == 16);
  static_assert(sizeof(uint1) == 4 && alignof(uint2) == 8 && sizeof(uint3) == 12 && alignof(uint4) == 16);
  static_assert(sizeof(long1) == 8 && alignof(long2) == 16 && sizeof(long3) == 24 && alignof(long4) == 16);
  static_assert(sizeof(ulong1) == 8 && alignof(ulong2) == 16 && sizeof(ulong3) == 24 && alignof(ulong4) == 16);
  static_assert(sizeof(longlong1) == 8 && alignof(longlong2) == 16 && sizeof(longlong3) == 24);
  static_assert(sizeof(ulonglong1) == 8 && alignof(ulonglong2) == 16 && sizeof(ulonglong3) == 24);
  static_assert(alignof(longlong4) == 16 && alignof(ulonglong4) == 16 && sizeof(ulonglong4) == 32);
  static_assert(sizeof(float1) == 4 && alignof(float2) == 8 && sizeof(float3) == 12 && alignof(float4) == 16);
  static_assert(sizeof(double1) == 8 && alignof(double2) == 16 && sizeof(double3) == 24 && alignof(double4) == 16);
  static_assert(alignof(long4_16a) == 16 && alignof(long4_32a) == 32 && alignof(ulong4_16a) == 16);
  static_assert(alignof(ulong4_32a) == 32 && alignof(longlong4_16a) == 16 && alignof(longlong4_32a) == 32);
  static_assert(alignof(ulonglong4_16a) == 16 && alignof(ulonglong4_32a) == 32);
  static_assert(alignof(double4_16a) == 16 && alignof(double4_32a) == 32);
  static_assert(sizeof(__half2) == 4 && alignof(half2) == 4 && sizeof(__nv_bfloat162) == 4);
  static_assert(sizeof(nv_bfloat162) == 4 && sizeof(cuComplex) == 8 && sizeof(cuFloatComplex) == 8);
  static_assert(sizeof(cuDoubleComplex) == 16 && sizeof(clock_t) == 8);
  static_assert(sizeof(size_t) == 8 && sizeof(ssize_t) == 8 && sizeof(ptrdiff_t) == 8 && sizeof(intptr_t) == 8);
  static_assert(sizeof(uintptr_t) == 8 && sizeof(intmax_t) == 8 && sizeof(uintmax_t) == 8 && sizeof(max_align_t) == 8);
  static_assert(sizeof(nullptr_t) == 8 && sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(int32_t) == 4);
  static_assert(sizeof(int64_t) == 8 && sizeof(uint8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(uint32_t) == 4);
  static_assert(sizeof(uint64_t) == 8 && sizeof(int_least8_t) == 1 && sizeof(int_least16_t) == 2);
  static_assert(sizeof(int_least32_t) == 4 && sizeof(int_least64_t) == 8 && sizeof(uint_least8_t) == 1);
  static_assert(sizeof(uint_least16_t) == 2 && sizeof(uint_least32_t) == 4 && sizeof(uint_least64_t) == 8);
  static_assert(sizeof(int_fast8_t) == 1 && sizeof(int_fast16_t) == 8 && sizeof(int_fast32_t) == 8);
  static_assert(sizeof(int_fast64_t) == 8 && sizeof(uint_fast8_t) == 1 && sizeof(uint_fast16_t) == 8);
  static_assert(sizeof(uint_fast32_t) == 8 && sizeof(uint_fast64_t) == 8 && sizeof(uint) == 4 && sizeof(ushort) == 2);
  static_assert(sizeof(ulong) == 8 && sizeof(u_char) == 1 && sizeof(u_short) == 2 && sizeof(u_int) == 4);
  static_assert(sizeof(u_long) == 8 && sizeof(u_int8_t) == 1 && sizeof(u_int16_t) == 2 && sizeof(u_int32_t) == 4);
  static_assert(sizeof(u_int64_t) == 8 && sizeof(std::byte) == 1);
  dim3 grid(2, 3);
  uint3 u = grid;
  dim3 again = u;
  memory[0] = char(grid.z + again.y);
}

template <class T>
constexpr bool is_int = std::is_same_v<T, int>;

__global__ void traits(int* p) {
  static_assert(std::integral_constant<int, 3>::value == 3 && std::bool_constant<true>::value);
  static_assert(std::true_type::value && !std::false_type::value && std::integral_constant<int, 4>()() == 4);
  static_assert(is_int<std::type_identity<int>::type> && is_int<std::type_identity_t<int>>);
  static_assert(is_int<std::remove_const<const int>::type> && is_int<std::remove_const_t<const int>>);
  static_assert(is_int<std::remove_volatile<volatile int>::type> && is_int<std::remove_volatile_t<volatile int>>);
  static_assert(is_int<std::remove_cv<const volatile int>::type> && is_int<std::remove_cv_t<const int>>);
  static_assert(is_int<std::remove_reference<int&&>::type> && is_int<std::remove_reference_t<int&>>);
  static_assert(is_int<std::remove_cvref<const int&>::type> && is_int<std::remove_cvref_t<const int&>>);
  static_assert(is_int<std::remove_pointer<int*>::type> && is_int<std::remove_pointer_t<int* const>>);
  static_assert(is_int<std::remove_extent<int[3]>::type> && is_int<std::remove_extent_t<int[]>>);
  static_assert(is_int<std::remove_all_extents<int[3][4]>::type> && is_int<std::remove_all_extents_t<int[2][3]>>);
  static_assert(std::is_same_v<std::add_const<int>::type, const int> && std::is_same_v<std::add_const_t<int>, const int>);
  static_assert(std::is_volatile<std::add_volatile<int>::type>::value && std::is_volatile_v<std::add_volatile_t<int>>);
  static_assert(std::is_const_v<std::add_cv<int>::type> && std::is_const<std::add_cv_t<int>>::value);
  static_assert(std::is_same<std::add_pointer<int&>::type, int*>::value && std::is_pointer_v<std::add_pointer_t<int>>);
  static_assert(std::is_lvalue_reference<std::add_lvalue_reference<int>::type>::value);
  static_assert(std::is_lvalue_reference_v<std::add_lvalue_reference_t<int>>);
  static_assert(std::is_rvalue_reference<std::add_rvalue_reference<int>::type>::value);
  static_assert(std::is_rvalue_reference_v<std::add_rvalue_reference_t<int>>);
  static_assert(is_int<std::conditional<true, int, float>::type> && is_int<std::conditional_t<false, float, int>>);
  static_assert(is_int<std::enable_if<true, int>::type> && std::is_void_v<std::enable_if_t<true>>);
  static_assert(std::is_same_v<std::decay<int[3]>::type, int*> && is_int<std::decay_t<const int&>>);
  static_assert(std::is_same_v<std::make_unsigned<int>::type, unsigned>);
  static_assert(std::is_same_v<std::make_unsigned_t<long>, unsigned long> && is_int<std::make_signed_t<unsigned>>);
  static_assert(std::is_same_v<std::make_signed<unsigned char>::type, signed char>);
  static_assert(std::is_same_v<std::underlying_type<Small>::type, unsigned char>);
  static_assert(std::is_same_v<std::underlying_type_t<Small>, unsigned char>);
  static_assert(std::is_same_v<std::common_type<int, float>::type, float>);
  static_assert(std::is_same_v<std::common_type_t<int, float, double>, double>);
  static_assert(is_int<std::invoke_result<Adder, int, int>::type> && is_int<std::invoke_result_t<Adder, int, int>>);
  static_assert(std::is_invocable_v<Adder, int, int> && !std::is_invocable<Adder, int>::value);
  static_assert(sizeof(std::aligned_storage<8, 8>::type) == 8 && alignof(std::aligned_storage_t<8, 8>) == 8);
  static_assert(sizeof(off_t) + sizeof(time_t) + sizeof(pid_t) + sizeof(mode_t) == 24);
  static_assert(std::is_void<std::void_t<int, float>>::value && std::is_same<decltype(std::declval<int>()), int&&>::value);

  static_assert(std::is_integral<int>::value && std::is_integral_v<bool> && !std::is_integral_v<float>);
  static_assert(std::is_pointer<int*>::value && !std::is_pointer_v<int> && std::is_const_v<const int>);
  static_assert(std::is_reference<int&>::value && std::is_reference_v<int&&> && !std::is_reference_v<int>);
  static_assert(std::is_array<int[2]>::value && std::is_array_v<int[]> && std::is_class<Base>::value);
  static_assert(std::is_class_v<Derived> && std::is_enum<Small>::value && std::is_enum_v<Small>);
  static_assert(std::is_union<Bits>::value && std::is_union_v<Bits> && !std::is_union_v<Base>);
  static_assert(std::is_function<int(int)>::value && std::is_function_v<void()> && !std::is_function_v<int>);
  static_assert(std::is_trivially_copyable<float4>::value && std::is_trivially_copyable_v<int>);
  static_assert(std::is_empty<Adder>::value && !std::is_empty_v<Base>);
  static_assert(std::is_floating_point<float>::value && std::is_floating_point_v<double>);
  static_assert(!std::is_floating_point_v<__half> && !std::is_arithmetic_v<__half>);
  static_assert(std::is_arithmetic<char>::value && std::is_arithmetic_v<double> && !std::is_arithmetic_v<int*>);
  static_assert(std::is_signed<int>::value && std::is_signed_v<float> && !std::is_signed_v<unsigned>);
  static_assert(std::is_unsigned<unsigned>::value && std::is_unsigned_v<bool> && !std::is_unsigned_v<int>);
  static_assert(std::is_null_pointer<std::nullptr_t>::value && !std::is_null_pointer_v<int*>);
  static_assert(std::is_fundamental<int>::value && !std::is_fundamental_v<Base> && std::is_compound<Base>::value);
  static_assert(std::is_compound_v<int*> && std::is_scalar<int*>::value && std::is_scalar_v<Small>);
  static_assert(std::is_object<int>::value && !std::is_object_v<int&>);
  static_assert(std::is_trivial<int>::value && std::is_trivial_v<Base> && std::is_pod<Base>::value);
  static_assert(std::is_pod_v<int> && std::is_standard_layout<Base>::value && std::is_standard_layout_v<int>);
  static_assert(std::is_trivially_destructible<int>::value && std::is_trivially_destructible_v<Base>);
  static_assert(std::is_default_constructible<Base>::value && std::is_default_constructible_v<int>);
  static_assert(std::is_copy_constructible<Base>::value && std::is_copy_constructible_v<int>);
  static_assert(std::is_move_constructible<Base>::value && std::is_move_constructible_v<int>);
  static_assert(std::is_same<int, int>::value && !std::is_same_v<int, long>);
  static_assert(std::is_base_of<Base, Derived>::value && !std::is_base_of_v<Derived, Base>);
  static_assert(std::is_convertible<int, float>::value && !std::is_convertible_v<Base, int>);
  static_assert(std::is_constructible<dim3, int, int>::value && std::is_constructible_v<float, int>);
  static_assert(std::conjunction<std::is_integral<int>, std::is_signed<int>>::value);
  static_assert(std::conjunction_v<> && !std::conjunction_v<std::true_type, std::false_type>);
  static_assert(std::disjunction<std::false_type, std::true_type>::value && !std::disjunction_v<>);
  static_assert(std::negation<std::false_type>::value && !std::negation_v<std::true_type>);
  static_assert(std::alignment_of<float4>::value == 16 && std::alignment_of_v<int> == 4);
  static_assert(std::rank<int[2][3]>::value == 2 && std::rank_v<int> == 0);
  static_assert(std::extent<int[2][3]>::value == 2 && std::extent_v<int[2][3], 1> == 3);
  static_assert(cuda::std::is_same_v<cuda::std::remove_cv_t<const int>, int>);

  static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<int>::lowest() == -2147483647 - 1);
  static_assert(std::numeric_limits<short>::min() == -32768 && std::numeric_limits<unsigned char>::max() == 255);
  static_assert(std::numeric_limits<long>::digits10 == 18 && std::numeric_limits<unsigned long>::digits == 64);
  static_assert(std::numeric_limits<unsigned long long>::max() == 18446744073709551615ull);
  static_assert(std::numeric_limits<bool>::max() && std::numeric_limits<char>::is_signed);
  static_assert(std::numeric_limits<float>::has_infinity && std::numeric_limits<float>::digits == 24);
  static_assert(std::numeric_limits<const double>::max() > 1e308 && std::numeric_limits<double>::epsilon() < 1e-15);
  static_assert(!std::numeric_limits<Base>::is_specialized && std::numeric_limits<__half>::max_exponent == 16);
  p[0] = std::numeric_limits<signed char>::max() + std::numeric_limits<long long>::radix;
  p[1] = int(float(std::numeric_limits<__half>::max()) + float(std::numeric_limits<__nv_bfloat16>::lowest()));
  p[2] = int(std::numeric_limits<float>::infinity() + std::numeric_limits<float>::denorm_min());
  p[3] = isnan(std::numeric_limits<double>::quiet_NaN());
}

__global__ void utilities(int* p, float* f) {
  constexpr int three = std::max(std::min(3, 4), 2);
  static_assert(three == 3 && std::clamp(5, 0, 4) == 4 && std::min(3, 4, std::greater<int>()) == 4);
  std::swap(p[0], p[1]);
  int old = std::exchange(p[0], std::move(p[1]));
  int copy = std::forward<int>(old);
  p[1] = *std::addressof(copy) + std::as_const(copy);
  f[0] = std::bit_cast<float>(p[0]) + std::bit_cast<float4>(make_uint4(1, 2, 3, 4)).x;
  static_assert(std::popcount(7u) == 3 && std::countl_zero(1u) == 31 && std::countr_zero((unsigned char)0) == 8);
  static_assert(std::countl_one((unsigned char)0xf0) == 4 && std::countr_one(7u) == 3 && std::bit_width(5u) == 3);
  static_assert(std::has_single_bit(8u) && std::bit_floor(9u) == 8 && std::bit_ceil(9u) == 16);
  static_assert(std::rotl(0x80000001u, 1) == 3 && std::rotr(3u, 1) == 0x80000001u);

  std::pair<int, float> pair(1, 2.0f);
  auto other = std::make_pair(1, 2.0f);
  if (pair == other || pair != other || pair < other || pair > other) std::get<0>(pair) = 3;
  p[2] = pair.first + int(pair.second);
  static_assert(std::is_same_v<std::make_index_sequence<3>, std::index_sequence<0, 1, 2>>);
  static_assert(std::is_same_v<std::make_integer_sequence<int, 2>, std::integer_sequence<int, 0, 1>>);
  static_assert(std::is_same_v<std::index_sequence_for<int, float>, std::index_sequence<0, 1>>);

  std::array<int, 3> array = {1, 2, 3};
  array.fill(4);
  for (int x : array) p[3] += x;
  array[1] = array.front() + array.back() + int(array.size());
  if (array == array || array != array) p[4] = array.at(1) + *array.data();
  int plain[3] = {1, 2, 3};
  for (auto it = std::begin(plain); it != std::end(plain); ++it) p[5] += *it + int(std::size(plain));
  std::fill(plain, plain + 3, 7);
  std::fill_n(plain, 2, 8);
  std::copy(plain, plain + 3, p + 6);
  p[9] = int(std::lower_bound(p, p + 4, 3) - p) + int(std::upper_bound(p, p + 4, 3) - p);
  p[10] = std::accumulate(plain, plain + 3, 0);

  std::tuple<int, float, double> tuple(1, 2.0f, 3.0);
  std::get<1>(tuple) = 4.0f;
  auto made = std::make_tuple(1, 2.0f);
  static_assert(std::tuple_size<decltype(made)>::value == 2 && std::tuple_size_v<std::pair<int, int>> == 2);
  static_assert(std::is_same_v<std::tuple_element<1, decltype(made)>::type, float>);
  static_assert(std::is_same_v<std::tuple_element_t<0, std::array<int, 3>>, int>);
  int a;
  float b;
  std::tie(a, b) = made;
  f[1] = b + a + float(std::get<2>(tuple)) + std::apply([](int x, float y) { return x + y; }, made);
  if (made == made) p[11] = 1;

  p[12] = std::plus<int>()(1, 2) + std::minus<>()(1, 2) + std::multiplies<int>()(1, 2) + std::divides<>()(4, 2);
  p[13] = std::modulus<int>()(5, 3) + std::bit_and<>()(6, 3) + std::bit_or<int>()(1, 2) + std::bit_xor<>()(1, 2);
  p[14] = std::equal_to<>()(1, 1) + std::not_equal_to<int>()(1, 2) + std::less<>()(1, 2) + std::less_equal<>()(1, 2);
  p[15] = std::greater<>()(1, 2) + std::greater_equal<int>()(1, 2) + std::logical_and<>()(true, false);
  p[16] = std::logical_or<bool>()(true, false) + std::negate<>()(1) + std::bit_not<int>()(1) + std::logical_not<>()(true);
  p[17] = std::identity()(3) + std::invoke(Adder(), 1, 2);
  std::reference_wrapper<int> wrapped = std::ref(p[18]);
  wrapped.get() = std::cref(p[17]);
  f[2] = std::sqrt(2.0f) + float(std::pow(2.0f, 3)) + std::abs(-1.0f) + std::lerp(0.0f, 1.0f, 0.5f);
  p[19] = std::midpoint(1, 5) + std::gcd(12, 18);
}

// Each name that std takes over from the global namespace.
__global__ void std_names(float* f, int* p, char* m) {
  using namespace std;
  f[0] = std::sqrt(f[1]) + std::cbrt(f[1]) + std::exp(f[1]) + std::exp2(f[1]) + std::expm1(f[1]) + std::log(f[1]) +
         std::log2(f[1]) + std::log10(f[1]) + std::log1p(f[1]) + std::logb(f[1]) + std::sin(f[1]) + std::cos(f[1]) +
         std::tan(f[1]) + std::asin(f[1]) + std::acos(f[1]) + std::atan(f[1]) + std::sinh(f[1]) + std::cosh(f[1]) +
         std::tanh(f[1]) + std::asinh(f[1]) + std::acosh(f[1]) + std::atanh(f[1]) + std::erf(f[1]) + std::erfc(f[1]) +
         std::tgamma(f[1]) + std::lgamma(f[1]) + std::floor(f[1]) + std::ceil(f[1]) + std::trunc(f[1]) +
         std::round(f[1]) + std::rint(f[1]) + std::nearbyint(f[1]) + std::fabs(f[1]) + std::nanf("");
  f[2] = std::hypot(f[0], f[1]) + std::hypot(f[0], f[1], f[2]) + std::pow(f[0], f[1]) + std::atan2(f[0], f[1]) +
         std::remainder(f[0], f[1]) + std::copysign(f[0], f[1]) + std::nextafter(f[0], f[1]) + std::fdim(f[0], f[1]) +
         std::fmod(f[0], f[1]) + std::fmin(f[0], f[1]) + std::fmax(f[0], f[1]) + std::fma(f[0], f[1], f[2]) +
         std::ldexp(f[0], 2) + std::scalbn(f[0], 2) + std::scalbln(f[0], 2l) + std::modf(f[0], f + 3) +
         std::frexp(f[0], p) + std::remquo(f[0], f[1], p) + float(std::nan(""));
  p[0] = std::ilogb(f[0]) + int(std::lrint(f[0])) + int(std::llrint(f[0])) + int(std::lround(f[0])) +
         int(std::llround(f[0])) + std::abs(p[1]) + int(std::labs(2l)) + int(std::llabs(2ll)) + std::isnan(f[0]) +
         std::isinf(f[0]) + std::isfinite(f[0]) + std::isnormal(f[0]) + std::signbit(f[0]) + std::fpclassify(f[0]);
  f[4] = std::sqrtf(f[1]) + std::cbrtf(f[1]) + std::expf(f[1]) + std::exp2f(f[1]) + std::expm1f(f[1]) + std::logf(f[1]) +
         std::log2f(f[1]) + std::log10f(f[1]) + std::log1pf(f[1]) + std::sinf(f[1]) + std::cosf(f[1]) + std::tanf(f[1]) +
         std::powf(f[0], f[1]) + std::fmaf(f[0], f[1], f[2]);
  std::memcpy(m, m + 64, 16);
  std::memset(m, 0, 16);
  p[2] = max(p[0], p[1]) + min(p[2], 3) + std::div(7, 2).quot;
}

__global__ void complex_numbers(float* f) {
  std::complex<float> z(1, 2);
  z = z * z / z + 2.0f - z + (-z) + (+z) + 2.0f * z * 3.0f / 2.0f + (1.0f + z) + (1.0f - z) + (z - 1.0f) + 1.0f / z;
  z += z;
  z -= z;
  z *= z;
  z /= z;
  z *= 2.0f;
  z /= 2.0f;
  if (z == z || z != z) z.real(3.0f);
  f[0] = std::abs(z) + std::arg(z) + std::norm(std::conj(z)) + std::real(z) + std::imag(z) + std::polar(1.0f, 2.0f).imag();
  f[1] = std::exp(z).real() + std::log(z).imag() + std::sqrt(z).imag() + std::pow(z, 2.0f).real();
  cuda::std::complex<double> w(z.real(), z.imag());
  f[2] = float(w.real());
}

__global__ void atomics(int* p, float* f, unsigned long long* q) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(p[0]);
  ref.fetch_add(1, cuda::memory_order_relaxed);
  ref.fetch_sub(1, cuda::memory_order_consume);
  ref.fetch_and(1, cuda::memory_order_acquire);
  ref.fetch_or(1, cuda::memory_order_release);
  ref.fetch_xor(1, cuda::memory_order_acq_rel);
  ref.fetch_min(1, cuda::memory_order_seq_cst);
  ref.fetch_max(1);
  int expected = ref.load();
  ref.compare_exchange_strong(expected, 4);
  ref.compare_exchange_weak(expected, 4, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  ref.store(ref.exchange(3));
  ref++;
  --ref;
  ref += 2;
  ref |= 4;
  cuda::memory_order order = cuda::std::memory_order_relaxed;
  cuda::thread_scope scope = cuda::thread_scope_system;
  cuda::atomic_thread_fence(order, scope);
  cuda::atomic_thread_fence(std::memory_order_acq_rel, cuda::thread_scope_thread);
  std::memory_order standard = std::memory_order_consume + std::memory_order_acquire + std::memory_order_release;
  if (standard != std::memory_order_seq_cst) std::atomic_thread_fence(std::memory_order_seq_cst);
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> counter;
  if (threadIdx.x == 0) counter.store(0);
  __syncthreads();
  q[0] = counter.fetch_add(1) + counter.load();
  std::atomic_ref<float> real(f[0]);
  real.fetch_add(1.0f);
  std::atomic<int>& plain = *reinterpret_cast<std::atomic<int>*>(p + 1);
  plain = 4;
  plain.fetch_add(1);
}

__global__ void groups(int* p, float* f, unsigned long long* q) {
  cg::thread_block block = cg::this_thread_block();
  block.sync();
  auto warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<32> same = warp;
  auto four = cg::tiled_partition<4>(warp);
  p[0] = int(warp.thread_rank() + warp.size() + warp.meta_group_rank() + warp.meta_group_size() + four.num_threads());
  f[0] = cg::reduce(warp, f[0], cg::plus<float>()) + cg::reduce(same, f[0], cg::greater<float>{}) +
         cg::reduce(four, f[0], cg::less<float>());
  f[1] = four.shfl(f[0], 1) + four.shfl_up(f[0], 1) + four.shfl_down(f[0], 2) + four.shfl_xor(f[0], 1);
  __half h = warp.shfl(__float2half(f[1]), 1);
  float3 vector = warp.shfl_xor(make_float3(f[0], f[1], f[2]), 1);
  short small = warp.shfl(short(p[0]), 2);
  f[2] = float(h) + vector.y + small + warp.shfl(1.0, 0);
  int all;
  p[1] = int(warp.match_any(p[1]) + warp.match_all(p[1], all) + warp.ballot(p[1]) + warp.any(1) + warp.all(1));

  cg::coalesced_group active = cg::coalesced_threads();
  p[2] = active.shfl(p[2], 0) + active.shfl_up(p[2], 1) + active.shfl_down(p[2], 1) + int(active.thread_rank());
  p[3] = int(active.ballot(1) + active.match_any(1) + active.match_all(1, all) + active.any(1) + active.all(0));
  p[4] = cg::reduce(active, p[4], cg::bit_or<int>()) + cg::reduce(active, p[4], cg::bit_and<int>()) +
         cg::reduce(active, p[4], cg::bit_xor<int>());
  auto part = cg::tiled_partition(active, 4);
  auto eight = cg::tiled_partition<8>(active);
  p[5] = int(part.meta_group_rank() + eight.meta_group_size());

  cg::thread_group any = block;
  any.sync();
  any = warp;
  cg::thread_group dynamic = cg::tiled_partition(block, 16);
  dynamic.sync();
  p[6] = int(dynamic.thread_rank() + dynamic.size() + any.num_threads());
  p[7] = cg::inclusive_scan(warp, p[7]) + cg::inclusive_scan(active, p[7], cg::plus<int>());
  p[8] = cg::exclusive_scan(warp, p[8]) + cg::exclusive_scan(active, p[8], cg::plus<int>());
  auto labelled = cg::labeled_partition(warp, p[0]);
  auto halves = cg::binary_partition(active, p[0] > 0);
  p[9] = int(labelled.size() + halves.size() + cg::size(block));

  __shared__ int tile[64];
  cg::memcpy_async(block, tile, p, sizeof(int) * 64);
  cg::memcpy_async(block, tile, p, cg::aligned_size_t<16>(64));
  cg::memcpy_async(block, tile, 64, p, 64);
  cg::wait(block);
  cg::wait_prior<1>(block);
  cg::invoke_one(warp, [](int) {}, 3);
  f[3] = cg::invoke_one_broadcast(warp, [](float x) { return x; }, f[2]);
  cg::sync(block);
  q[0] = cg::thread_rank(warp) + cg::group_size(block) + cg::is_valid(block);

  __shared__ cg::block_tile_memory<128> scratch;
  auto other = cg::this_thread_block(scratch);
  other.barrier_wait(other.barrier_arrive());
  p[10] = int(other.group_index().x + other.thread_index().y + other.group_dim().z + other.dim_threads().x);
  auto old_tile = cg::experimental::tiled_partition<8>(block);
  p[11] = cg::experimental::reduce(old_tile, p[11], cg::plus<int>());

  cg::grid_group grid = cg::this_grid();
  grid.sync();
  q[1] = grid.thread_rank() + grid.size() + grid.num_blocks() + grid.block_rank() + grid.num_threads() + grid.is_valid();
  q[2] = grid.thread_index().x + grid.dim_threads().y + grid.group_dim().z + grid.block_index().x + grid.dim_blocks().y;
}

__global__ void __cluster_dims__(2) clusters(int* p) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
  mine = int(cluster.block_rank() + cluster.num_blocks() + cluster.thread_rank() + cluster.num_threads());
  cluster.sync();
  p[0] = *cluster.map_shared_rank(&mine, 1) + int(cluster.size() + cluster.thread_index().x + cluster.dim_threads().y);
  p[1] = int(cluster.block_index().x + cluster.dim_blocks().z);
  cluster.barrier_wait(cluster.barrier_arrive());
}

template <class T, class Stored, class Sum, int M, int N, int K>
__device__ void multiply(const Stored* a, const Stored* b, Sum* c) {
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, more;
  wmma::layout_t layout = wmma::mem_row_major;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(more, c, 32, layout);
  wmma::load_matrix_sync(left, a, 32);
  wmma::load_matrix_sync(right, b, 32);
  wmma::mma_sync(sum, left, right, more);
  wmma::store_matrix_sync(c, sum, 32, wmma::mem_col_major);
}

__global__ void matrices(const __half* h, const __nv_bfloat16* n, float* f, double* d, const signed char* s, int* p) {
  multiply<__half, __half, float, 16, 16, 16>(h, h, f);
  multiply<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>(n, n, f);
  multiply<nvcuda::wmma::precision::tf32, float, float, 16, 16, 8>(f, f, f);
  multiply<signed char, signed char, int, 8, 32, 16>(s, s, p);
  multiply<double, double, double, 8, 8, 4>(d, d, d);
  // Fragments of these are refused; they are types all the same.
  namespace small = nvcuda::wmma::experimental::precision;
  p[0] = sizeof(small::u4) + sizeof(small::s4) + sizeof(small::b1);
}

__global__ void use_asynchronous(float* out, const float* in) {
  namespace cg = cooperative_groups;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float tile[32];
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) {
    cuda::init(&bar, 32);
    cuda::init(&done, 32);
  }
  block.sync();
  cuda::pipeline<cuda::thread_scope_block> all = cuda::make_pipeline(block, &state);
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<4>(128), all);
  cuda::pipeline_producer_commit(all, bar);
  cuda::pipeline_consumer_wait_prior<1>(all);
  all.quit();
  auto some = cuda::make_pipeline(block, &state, 16);
  auto roles = cuda::make_pipeline(block, &state, cuda::pipeline_role::consumer);
  done.count_down();
  out[0] = tile[0] + bar.try_wait(bar.arrive()) + done.try_wait() + bar.max();
}

__global__ void use_spans(float* out) {
  std::span<float> s(out, 4);
  std::span<float, 4> fixed = s;
  static_assert(std::span<float>::extent == std::dynamic_extent);
  std::optional<float> none = std::nullopt;
  std::nullopt_t also_none = std::nullopt;
  none = also_none;
  out[0] = s.empty() + s.front() + fixed[1] + none.value_or(1) + s.data()[2] + *s.begin() + *(s.end() - 1);
}

__global__ void use_cuda_math(int* out, int n) {
  out[0] = cuda::ceil_div(n, 4) + cuda::round_up(n, 4u) + cuda::round_down(n, 4);
  out[1] = cuda::minimum<int>()(n, 2) + cuda::maximum<int>()(n, 2);
}

struct ConceptBase {};
struct ConceptHeir : ConceptBase {};

__global__ void use_concepts(int* out) {
  static_assert(std::same_as<int, int> && !std::same_as<int, long>);
  static_assert(std::integral<int> && !std::integral<float>);
  static_assert(std::signed_integral<int> && !std::signed_integral<unsigned>);
  static_assert(std::unsigned_integral<unsigned> && !std::unsigned_integral<int>);
  static_assert(std::floating_point<float> && !std::floating_point<int>);
  static_assert(std::derived_from<ConceptHeir, ConceptBase> && !std::derived_from<ConceptBase, ConceptHeir>);
  static_assert(std::convertible_to<int, float> && !std::convertible_to<int, ConceptBase>);
  static_assert(std::common_with<int, float> && !std::common_with<int, ConceptBase>);
  static_assert(std::assignable_from<int&, float> && !std::assignable_from<int&, ConceptBase>);
  static_assert(std::destructible<int>);
  static_assert(std::constructible_from<float, int> && !std::constructible_from<ConceptBase, int>);
  static_assert(std::default_initializable<int>);
  static_assert(std::move_constructible<int>);
  static_assert(std::copy_constructible<int>);
  static_assert(std::movable<int>);
  static_assert(std::copyable<int>);
  static_assert(std::semiregular<int>);
  static_assert(std::equality_comparable<int> && !std::equality_comparable<ConceptBase>);
  static_assert(std::equality_comparable_with<int, long>);
  static_assert(std::totally_ordered<int> && !std::totally_ordered<ConceptBase>);
  static_assert(std::regular<int> && !std::regular<ConceptBase>);
  auto less = [](int a, int b) { return a < b; };
  static_assert(std::invocable<decltype(less), int, int> && !std::invocable<decltype(less), int>);
  static_assert(std::regular_invocable<decltype(less), int, int>);
  static_assert(std::predicate<decltype(less), int, int>);
  static_assert(std::relation<decltype(less), int, int>);
  std::strong_ordering strong = 1 <=> out[0];
  std::weak_ordering weak = strong;
  out[0] = strong < 0 && weak != 0;
}

// Handles of the host, which kernels may only carry about.
struct HandlesOfTheHost {
  cudaStream_t stream;
  cudaEvent_t event;
  CUstream_st* same_stream;
  CUevent_st* same_event;
};
__global__ void use_handles(int* out) {
  static_assert(std::is_trivially_copy_assignable_v<HandlesOfTheHost>);
  static_assert(std::is_trivially_move_assignable_v<HandlesOfTheHost>);
  static_assert(std::is_trivially_copy_assignable<int>::value && std::is_trivially_move_assignable<int>::value);
  out[0] = sizeof(HandlesOfTheHost);
}

__global__ void use_nothrow(int* out) {
  const std::nothrow_t tag = std::nothrow;
  int* p = new (tag) int(3);
  out[0] = p != nullptr ? *p : 0;
  delete p;
}
