// The intrinsics that the device library is written with, for the host compiler. The library itself is the
// same text for every device (library/*.cuh), so a function behaves the same wherever a kernel runs.
#pragma once

#pragma GCC system_header  // names are reserved for the implementation

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "quern/kernel/host.hpp"
#include "quern/kernel/small_float.hpp"

namespace quern::kernel {

namespace host {

template <typename T>
concept Float = std::is_floating_point_v<T> || is_small_float<T>;

template <typename T>
constexpr std::uint64_t to_bits(T v) {
  if constexpr (sizeof(T) == 1)
    return std::bit_cast<std::uint8_t>(v);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<std::uint16_t>(v);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(v);
  else
    return std::bit_cast<std::uint64_t>(v);
}
template <typename T>
constexpr T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 1)
    return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}

template <typename T>
constexpr Number number_of() {
  if constexpr (std::is_integral_v<T>) {
    constexpr int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<Number>(static_cast<int>(Number::i8) + size + (std::is_signed_v<T> ? 0 : 1));
  } else if constexpr (std::is_same_v<T, double>) {
    return Number::f64;
  } else if constexpr (std::is_same_v<T, float>) {
    return Number::f32;
  } else {
    return std::is_same_v<T, __half> ? Number::f16 : Number::bf16;
  }
}

template <typename R, typename T, typename... More>
R call(Operation operation, int rounding, T first, More... more) {
  const std::uint64_t operands[] = {to_bits(first), to_bits(more)...};
  return from_bits<R>(
      evaluate(operation, number_of<R>(), number_of<T>(), operands, 1 + sizeof...(more), rounding));
}

// Atomic read-modify-write of *p; returns the old value.
template <typename T, typename Change>
T change(T* p, const Change& to) {
  T old, next;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do {
    next = to(old);
  } while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

// The lane that a shuffle reads, or the thread's own lane if that is outside its segment.
enum class Shuffle : std::uint8_t { index, up, down, exclusive_or };
constexpr unsigned source_lane(Shuffle kind, unsigned own, unsigned by, unsigned width) {
  const unsigned first = own & ~(width - 1) & 31u, last = first | ((width - 1) & 31u);
  switch (kind) {
    case Shuffle::index: return first | (by & (width - 1) & 31u);
    case Shuffle::up: return static_cast<int>(own - by) >= static_cast<int>(first) ? own - by : own;
    case Shuffle::down: return own + by <= last ? own + by : own;
    case Shuffle::exclusive_or: return (own ^ by) <= last ? own ^ by : own;
  }
  return own;
}
template <typename T>
T shuffle(Shuffle kind, unsigned mask, T v, unsigned by, int width) {
  const unsigned from = source_lane(kind, lane(), by, static_cast<unsigned>(width));
  const Runner::Meeting met = runner().meet(mask, to_bits(v));
  return (met.lanes >> from & 1u) != 0 ? from_bits<T>(met.values[from]) : v;
}
template <typename T, typename Combine>
T reduce(unsigned mask, T v, const Combine& combine) {
  const Runner::Meeting met = runner().meet(mask, to_bits(v));
  unsigned left = met.lanes;
  T out = v;
  for (bool first = true; left != 0; left &= left - 1, first = false) {
    const T other = from_bits<T>(met.values[std::countr_zero(left)]);
    out = first ? other : combine(out, other);
  }
  return out;
}
// The lanes that arrived, and those of them with this value.
struct Equal {
  unsigned lanes, equal;
};
template <typename T>
Equal equal_lanes(unsigned mask, T own, T wanted) {
  const Runner::Meeting met = runner().meet(mask, to_bits(own));
  Equal out{met.lanes, 0};
  for (unsigned i = 0; i < 32; ++i) {
    if ((met.lanes >> i & 1u) != 0 && met.values[i] == to_bits(wanted)) out.equal |= 1u << i;
  }
  return out;
}

}  // namespace host

// ---- Numbers.

template <typename To, typename From>
constexpr To __quern_bitcast(From v) {
  return std::bit_cast<To>(v);
}
template <typename To, typename From>
To __quern_convert_r(From v, int rounding) {
  return host::call<To>(host::Operation::convert_r, rounding, v);
}
template <typename T>
constexpr bool __quern_isnan(T v) {
  return v != v;
}
template <typename T>
constexpr bool __quern_isinf(T v) {
  return double(v) == std::numeric_limits<double>::infinity() ||
         double(v) == -std::numeric_limits<double>::infinity();
}
template <typename T>
constexpr bool __quern_signbit(T v) {
  return (host::to_bits(v) >> (sizeof(T) * 8 - 1)) != 0;
}
template <typename T>
constexpr T __quern_abs(T v) {
  if constexpr (host::Float<T>)
    return __quern_signbit(v) ? -v : v;
  else
    return v < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(v)) : v;
}
// If one operand is NaN, returns the other; -0 orders before 0.
template <typename A, typename B>
constexpr auto __quern_min(A x, B y) {
  using T = decltype(true ? x : y);
  const T a = x, b = y;
  if constexpr (host::Float<T>) {
    if (a != a) return b;
    return b != b || a < b || (a == b && __quern_signbit(a)) ? a : b;
  } else {
    return b < a ? b : a;
  }
}
template <typename A, typename B>
constexpr auto __quern_max(A x, B y) {
  using T = decltype(true ? x : y);
  const T a = x, b = y;
  if constexpr (host::Float<T>) {
    if (a != a) return b;
    return b != b || b < a || (a == b && !__quern_signbit(a)) ? a : b;
  } else {
    return a < b ? b : a;
  }
}

#define QUERN_MATH_1_(name, function) \
  template <typename T>               \
  T __quern_##name(T v) {             \
    const double x = double(v);       \
    return T(function);               \
  }
QUERN_MATH_1_(sqrt, std::sqrt(x))
QUERN_MATH_1_(rsqrt, 1 / std::sqrt(x))
QUERN_MATH_1_(cbrt, std::cbrt(x))
QUERN_MATH_1_(rcbrt, 1 / std::cbrt(x))
QUERN_MATH_1_(exp, std::exp(x))
QUERN_MATH_1_(exp2, std::exp2(x))
QUERN_MATH_1_(exp10, std::pow(10.0, x))
QUERN_MATH_1_(expm1, std::expm1(x))
QUERN_MATH_1_(log, std::log(x))
QUERN_MATH_1_(log2, std::log2(x))
QUERN_MATH_1_(log10, std::log10(x))
QUERN_MATH_1_(log1p, std::log1p(x))
QUERN_MATH_1_(sin, std::sin(x))
QUERN_MATH_1_(cos, std::cos(x))
QUERN_MATH_1_(tan, std::tan(x))
QUERN_MATH_1_(asin, std::asin(x))
QUERN_MATH_1_(acos, std::acos(x))
QUERN_MATH_1_(atan, std::atan(x))
QUERN_MATH_1_(sinh, std::sinh(x))
QUERN_MATH_1_(cosh, std::cosh(x))
QUERN_MATH_1_(tanh, std::tanh(x))
QUERN_MATH_1_(asinh, std::asinh(x))
QUERN_MATH_1_(acosh, std::acosh(x))
QUERN_MATH_1_(atanh, std::atanh(x))
QUERN_MATH_1_(erf, std::erf(x))
QUERN_MATH_1_(erfc, std::erfc(x))
QUERN_MATH_1_(tgamma, std::tgamma(x))
QUERN_MATH_1_(j0, ::j0(x))
QUERN_MATH_1_(j1, ::j1(x))
QUERN_MATH_1_(y0, ::y0(x))
QUERN_MATH_1_(y1, ::y1(x))
QUERN_MATH_1_(floor, std::floor(x))
QUERN_MATH_1_(ceil, std::ceil(x))
QUERN_MATH_1_(trunc, std::trunc(x))
QUERN_MATH_1_(round, std::round(x))
QUERN_MATH_1_(rint, std::rint(x))
QUERN_MATH_1_(fast_exp, std::exp(x))
QUERN_MATH_1_(fast_exp10, std::pow(10.0, x))
QUERN_MATH_1_(fast_log, std::log(x))
QUERN_MATH_1_(fast_log2, std::log2(x))
QUERN_MATH_1_(fast_log10, std::log10(x))
QUERN_MATH_1_(fast_sin, std::sin(x))
QUERN_MATH_1_(fast_cos, std::cos(x))
QUERN_MATH_1_(fast_tan, std::tan(x))
QUERN_MATH_1_(fast_tanh, std::tanh(x))
#undef QUERN_MATH_1_

#define QUERN_MATH_CALL_(name)                         \
  template <typename T>                                \
  T __quern_##name(T v) {                              \
    return host::call<T>(host::Operation::name, 0, v); \
  }
QUERN_MATH_CALL_(erfinv)
QUERN_MATH_CALL_(erfcinv)
QUERN_MATH_CALL_(erfcx)
QUERN_MATH_CALL_(normcdf)
QUERN_MATH_CALL_(normcdfinv)
QUERN_MATH_CALL_(sinpi)
QUERN_MATH_CALL_(cospi)
QUERN_MATH_CALL_(lgamma)
QUERN_MATH_CALL_(logb)
#undef QUERN_MATH_CALL_
template <typename T>
int __quern_ilogb(T v) {
  return host::call<int>(host::Operation::ilogb, 0, v);
}
template <typename T>
T __quern_ldexp(T v, int e) {
  return host::call<T>(host::Operation::ldexp, 0, v, e);
}

#define QUERN_MATH_2_(name, function)          \
  template <typename T>                        \
  T __quern_##name(T a, T b) {                 \
    const double x = double(a), y = double(b); \
    return T(function);                        \
  }
QUERN_MATH_2_(hypot, std::hypot(x, y))
QUERN_MATH_2_(pow, std::pow(x, y))
QUERN_MATH_2_(fast_pow, std::pow(x, y))
QUERN_MATH_2_(fast_div, x / y)
QUERN_MATH_2_(atan2, std::atan2(x, y))
QUERN_MATH_2_(remainder, std::remainder(x, y))
QUERN_MATH_2_(rem, std::fmod(x, y))
QUERN_MATH_2_(copysign, std::copysign(x, y))
QUERN_MATH_2_(fdim, x != x || y != y ? x + y : x > y ? x - y : 0.0)
#undef QUERN_MATH_2_
template <typename T>
T __quern_rhypot(T x, T y) {
  return host::call<T>(host::Operation::rhypot, 0, x, y);
}
template <typename T>
T __quern_nextafter(T from, T to) {
  return host::call<T>(host::Operation::nextafter, 0, from, to);
}
template <typename T>
T __quern_fma(T x, T y, T z) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(x, y, z);
  else
    return host::call<T>(host::Operation::fma_r, 0, x, y, z);
}
template <typename T>
T __quern_add_r(T x, T y, int rounding) {
  return host::call<T>(host::Operation::add_r, rounding, x, y);
}
template <typename T>
T __quern_mul_r(T x, T y, int rounding) {
  return host::call<T>(host::Operation::mul_r, rounding, x, y);
}
template <typename T>
T __quern_div_r(T x, T y, int rounding) {
  return host::call<T>(host::Operation::div_r, rounding, x, y);
}
template <typename T>
T __quern_sqrt_r(T x, int rounding) {
  return host::call<T>(host::Operation::sqrt_r, rounding, x);
}
template <typename T>
T __quern_fma_r(T x, T y, T z, int rounding) {
  return host::call<T>(host::Operation::fma_r, rounding, x, y, z);
}

// ---- Bits.

template <std::integral T>
constexpr int __quern_popc(T v) {
  return std::popcount(static_cast<std::make_unsigned_t<T>>(v));
}
template <std::integral T>
constexpr int __quern_clz(T v) {
  return std::countl_zero(static_cast<std::make_unsigned_t<T>>(v));
}
template <std::integral T>
constexpr int __quern_ctz(T v) {
  return std::countr_zero(static_cast<std::make_unsigned_t<T>>(v));
}
template <std::unsigned_integral T>
constexpr T __quern_brev(T v) {
  T out = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i) out |= (v >> i & 1u) << (sizeof(T) * 8 - 1 - i);
  return out;
}
template <std::integral T>
constexpr T __quern_mulhi(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(Wide{a} * Wide{b} >> 32);
  } else {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    const std::uint64_t low = (x & 0xffffffffu) * (y & 0xffffffffu);
    const std::uint64_t left = (x >> 32) * (y & 0xffffffffu) + (low >> 32);
    const std::uint64_t right = (x & 0xffffffffu) * (y >> 32) + (left & 0xffffffffu);
    std::uint64_t high = (x >> 32) * (y >> 32) + (left >> 32) + (right >> 32);
    if (std::is_signed_v<T>) high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
    return static_cast<T>(high);
  }
}
constexpr unsigned __quern_byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 15u;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7u))) & 0xffu;
    if ((pick & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0;  // the sign bit, replicated
    out |= byte << (8 * i);
  }
  return out;
}
constexpr unsigned __quern_funnel(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31u) >> 32);
}
template <std::integral T>
constexpr T __quern_dot4(T a, T b, T c) {
  using Byte = std::conditional_t<std::is_signed_v<T>, signed char, unsigned char>;
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 32; i += 8) {
    sum += static_cast<unsigned>(static_cast<Byte>(a >> i) * static_cast<Byte>(b >> i));
  }
  return static_cast<T>(sum);
}

// ---- Memory. All scopes are treated as the widest one.

#define QUERN_ATOMIC_(name, result)                             \
  template <typename T>                                         \
  T __quern_atomic_##name(T* p, T v, int) {                     \
    return host::change(p, [v](T old) -> T { return result; }); \
  }
QUERN_ATOMIC_(min, __quern_min(old, v))
QUERN_ATOMIC_(max, __quern_max(old, v))
QUERN_ATOMIC_(and, old& v)
QUERN_ATOMIC_(or, old | v)
QUERN_ATOMIC_(xor, old ^ v)
QUERN_ATOMIC_(inc, old >= v ? 0 : old + 1)
QUERN_ATOMIC_(dec, old == 0 || old > v ? v : old - 1)
#undef QUERN_ATOMIC_
template <typename T>
T __quern_atomic_add(T* p, T v, int) {
  if constexpr (std::is_integral_v<T>)
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  else
    return host::change(p, [v](T old) { return T(old + v); });
}
template <std::integral T>
T __quern_atomic_sub(T* p, T v, int) {
  return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
template <typename T>
T __quern_atomic_exchange(T* p, T v, int) {
  T old;
  __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
  return old;
}
template <typename T>
T __quern_atomic_cas(T* p, T expected, T v, int) {
  __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
inline void __quern_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __quern_mem_copy(void* to, const void* from, std::size_t size) { std::memcpy(to, from, size); }
inline void __quern_mem_set(void* to, unsigned char value, std::size_t size) { std::memset(to, value, size); }
inline bool __quern_is_global(const void*) { return true; }  // the host has a single memory
inline bool __quern_is_shared(const void*) { return false; }
inline unsigned __quern_shared_address(const void*) { return 0; }
inline char* __quern_shared_pointer(unsigned, unsigned) { return nullptr; }
inline bool __quern_is_local(const void*) { return false; }
inline bool __quern_is_constant(const void*) { return false; }

// ---- Cooperation between threads.

inline void __quern_barrier() { host::runner().barrier(false); }
inline int __quern_barrier_count(bool vote) { return static_cast<int>(host::runner().barrier(vote).yes); }
inline bool __quern_barrier_and(bool vote) {
  const auto votes = host::runner().barrier(vote);
  return votes.yes == votes.all;
}
inline bool __quern_barrier_or(bool vote) { return host::runner().barrier(vote).yes != 0; }
inline void __quern_warp_barrier(unsigned mask) { host::runner().meet(mask, 0); }
inline unsigned __quern_lane_id() { return host::lane(); }
[[gnu::always_inline]] inline unsigned __quern_active_mask() { return host::runner().active_mask(); }
inline unsigned __quern_ballot(unsigned mask, bool vote) { return host::equal_lanes(mask, vote, true).equal; }
inline bool __quern_vote_any(unsigned mask, bool vote) { return __quern_ballot(mask, vote) != 0; }
inline bool __quern_vote_all(unsigned mask, bool vote) {
  const host::Equal votes = host::equal_lanes(mask, vote, true);
  return votes.equal == votes.lanes;
}
template <typename T>
unsigned __quern_match_any(unsigned mask, T v) {
  return host::equal_lanes(mask, v, v).equal;
}
template <typename T>
unsigned __quern_match_all(unsigned mask, T v) {
  const host::Equal found = host::equal_lanes(mask, v, v);
  return found.equal == found.lanes ? found.lanes : 0;
}
#define QUERN_WARP_REDUCE_(name, result)                                \
  template <std::integral T>                                            \
  T __quern_warp_reduce_##name(unsigned mask, T v) {                    \
    return host::reduce(mask, v, [](T a, T b) -> T { return result; }); \
  }
QUERN_WARP_REDUCE_(add, static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
QUERN_WARP_REDUCE_(min, b < a ? b : a)
QUERN_WARP_REDUCE_(max, a < b ? b : a)
QUERN_WARP_REDUCE_(and, a& b)
QUERN_WARP_REDUCE_(or, a | b)
QUERN_WARP_REDUCE_(xor, a ^ b)
#undef QUERN_WARP_REDUCE_

template <typename T>
T __quern_shuffle_index(unsigned mask, T v, int lane, int width) {
  return host::shuffle(host::Shuffle::index, mask, v, static_cast<unsigned>(lane), width);
}
template <typename T>
T __quern_shuffle_up(unsigned mask, T v, unsigned delta, int width) {
  return host::shuffle(host::Shuffle::up, mask, v, delta, width);
}
template <typename T>
T __quern_shuffle_down(unsigned mask, T v, unsigned delta, int width) {
  return host::shuffle(host::Shuffle::down, mask, v, delta, width);
}
template <typename T>
T __quern_shuffle_xor(unsigned mask, T v, int lanes, int width) {
  return host::shuffle(host::Shuffle::exclusive_or, mask, v, static_cast<unsigned>(lanes), width);
}

// ---- Clocks and termination.

inline std::uint64_t __quern_clock() { return host::clock(); }
inline std::uint64_t __quern_global_timer() { return host::clock(); }
inline void __quern_nanosleep(unsigned) {}
inline void __quern_trap() { host::runner().stop("trap", "the kernel traps", nullptr, 0); }

}  // namespace quern::kernel
