// Floats: half and bfloat16 as their bits, and functions whose special cases differ between the languages.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    // If one operand is NaN, returns the other; -0 is less than +0.
    {"min_f32", R"(@fn @f32 quern_min_f32(@f32 a, @f32 b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && (@f32_bits(a) >> 31) != 0u) ? a : b;
}
)"},
    {"max_f32", R"(@fn @f32 quern_max_f32(@f32 a, @f32 b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && (@f32_bits(a) >> 31) != 0u) ? b : a;
}
)"},
    {"min_f64", R"(@fn @f64 quern_min_f64(@f64 a, @f64 b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && (@f64_bits(a) >> 63) != @(u64)(0)) ? a : b;
}
)"},
    {"max_f64", R"(@fn @f64 quern_max_f64(@f64 a, @f64 b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && (@f64_bits(a) >> 63) != @(u64)(0)) ? b : a;
}
)"},
    // Half: the bits of a float, rounded to nearest even.
    {"f16_of_f32", R"(@fn @u16 quern_f16_of_f32(@f32 x) {
  @u32 bits = @f32_bits(x);
  @u32 sign = (bits >> 16) & 0x8000u;
  @u32 m = bits & 0x7fffffffu;
  if (m > 0x7f800000u) return @(u16)(0x7e00u);
  if (m >= 0x47800000u) return @(u16)(sign | 0x7c00u);
  if (m >= 0x38800000u) {
    m = m - 0x38000000u;
    return @(u16)(sign | ((m + 0x0fffu + ((m >> 13) & 1u)) >> 13));
  }
  if (m <= 0x33000000u) return @(u16)(sign);
  @u32 shift = 126u - (m >> 23);
  @u32 mantissa = (m & 0x007fffffu) | 0x00800000u;
  @u32 kept = mantissa >> shift;
  @u32 rest = mantissa & ((1u << shift) - 1u);
  @u32 half_unit = 1u << (shift - 1u);
  if (rest > half_unit || (rest == half_unit && (kept & 1u) != 0u)) kept = kept + 1u;
  return @(u16)(sign | kept);
}
)"},
    {"f32_of_f16", R"(@fn @f32 quern_f32_of_f16(@u16 h) {
  @u32 sign = (@(u32)(h) & 0x8000u) << 16;
  @u32 m = @(u32)(h) & 0x7fffu;
  if (m >= 0x7c00u) return @bits_f32(sign | 0x7f800000u | ((m & 0x03ffu) << 13));
  if (m >= 0x0400u) return @bits_f32(sign | ((m << 13) + 0x38000000u));
  @f32 tiny = @(f32)(m) * 5.9604644775390625e-8f;
  return @bits_f32(sign | @f32_bits(tiny));
}
)"},
    {"f16_of_f32/cuda", R"(@fn @u16 quern_f16_of_f32(@f32 x) {
  @u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
)"},
    {"f32_of_f16/cuda", R"(@fn @f32 quern_f32_of_f16(@u16 h) {
  @f32 x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
)"},
    {"f32_of_bf16", R"(@fn @f32 quern_f32_of_bf16(@u16 h) { return @bits_f32(@(u32)(h) << 16); }
)"},
    {"bf16_of_f32", R"(@fn @u16 quern_bf16_of_f32(@f32 x) {
  @u32 bits = @f32_bits(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return @(u16)(0x7fc0u);
  return @(u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
)"},
    {"bf16_of_f32/cuda", R"(@fn @u16 quern_bf16_of_f32(@f32 x) {
#if __CUDA_ARCH__ >= 800
  @u16 h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
#else
  @u32 bits = @f32_bits(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return @(u16)(0x7fffu);
  return @(u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}
)"},
    // A double as the nearest float whose last bit says whether something was cut off ("round to odd"):
    // rounding that again gives the result of a single rounding.
    {"odd_f32", R"(@fn @f32 quern_odd_f32(@f64 x) {
  @f32 f = @(f32)(x);
  @f64 back = @(f64)(f);
  if (back == x || x != x) return f;
  @u32 bits = @f32_bits(f);
  @f64 size = x < 0.0@d ? -x : x;
  @f64 size_back = back < 0.0@d ? -back : back;
  if (size_back > size) bits = bits - 1u;
  return @bits_f32(bits | 1u);
}
)"},
    {"f16_of_f64", R"(@fn @u16 quern_f16_of_f64(@f64 x) { return quern_f16_of_f32(quern_odd_f32(x)); }
)"},
    {"bf16_of_f64", R"(@fn @u16 quern_bf16_of_f64(@f64 x) { return quern_bf16_of_f32(quern_odd_f32(x)); }
)"},
    {"bf16_of_u64", R"(@fn @u16 quern_bf16_of_u64(@u64 x) {
  @u32 high = @(u32)(x >> 32);
  if (high == 0u) return quern_bf16_of_u32(@(u32)(x));
  @u32 n = 32u - @(u32)(@clz32(high));
  @u64 top = x >> n;
  @u32 rest = (top << n) != x ? 1u : 0u;
  return @(u16)(@(u32)(quern_bf16_of_u32(@(u32)(top) | rest)) + (n << 7));
}
)"},
    {"bf16_of_u32", R"(@fn @u16 quern_bf16_of_u32(@u32 x) {
  if (x < 0x1000000u) return quern_bf16_of_f32(@(f32)(x));
  @u32 bits = @f32_bits(@(f32)(x >> 8) * 256.0f);
  if ((x & 255u) != 0u) bits = bits | 1u;
  return quern_bf16_of_f32(@bits_f32(bits));
}
)"},
    {"bf16_of_i32", R"(@fn @u16 quern_bf16_of_i32(@i32 x) {
  return x < 0 ? @(u16)(0x8000u | @(u32)(quern_bf16_of_u32(0u - @(u32)(x)))) : quern_bf16_of_u32(@(u32)(x));
}
)"},
    {"bf16_of_i64", R"(@fn @u16 quern_bf16_of_i64(@i64 x) {
  @u64 size = x < @(i64)(0) ? @(u64)(0) - @(u64)(x) : @(u64)(x);
  return @(u16)((x < @(i64)(0) ? 0x8000u : 0u) | @(u32)(quern_bf16_of_u64(size)));
}
)"},
    // a * b + c with one rounding. The product of two halves is exact in float, the sum is rounded to odd.
    {"fma_f16", R"(@fn @u16 quern_fma_f16(@u16 a, @u16 b, @u16 c) {
  @f32 p = quern_f32_of_f16(a) * quern_f32_of_f16(b);
  @f32 z = quern_f32_of_f16(c);
  @f32 s = p + z;
  @f32 t = s - p;
  @f32 e = (p - (s - t)) + (z - t);
  @u32 bits = @f32_bits(s);
  if (e == e && e != 0.0f && (bits & 1u) == 0u) {
    bits = ((e > 0.0f) == (s > 0.0f)) ? bits + 1u : bits - 1u;
    s = @bits_f32(bits);
  }
  return quern_f16_of_f32(s);
}
)"},
    {"fma_bf16", R"(@fn @u16 quern_fma_bf16(@u16 a, @u16 b, @u16 c) {
  @f64 p = @(f64)(quern_f32_of_bf16(a)) * @(f64)(quern_f32_of_bf16(b));
  return quern_bf16_of_f64(quern_odd_add(p, @(f64)(quern_f32_of_bf16(c))));
}
)"},
    {"nextafter", R"(@fn @u16 quern_nextafter_$0(@u16 a, @u16 b) {
  @f32 x = $widen(a);
  @f32 y = $widen(b);
  if (x != x || y != y) return @(u16)($nan);
  if (x == y) return b;
  if (x == 0.0f) return @(u16)((@(u32)(b) & 0x8000u) | 1u);
  return (x < y) == (x > 0.0f) ? @(u16)(@(u32)(a) + 1u) : @(u16)(@(u32)(a) - 1u);
}
)"},
    // Whole and half turns are exact, with the same sign as in CUDA.
    {"sinpi", R"(@fn @$0 quern_sinpi_$0(@$0 x) {
  return trunc(x) == x && x - x == x - x ? copysign(@($0)(0), x) : sinpi(x);
}
)"},
    {"cospi", R"(@fn @$0 quern_cospi_$0(@$0 x) {
  @$0 rest = fabs(x) - trunc(fabs(x));
  return rest + rest == @($0)(1) ? @($0)(0) : cospi(x);
}
)"},
    {"ilogb_f32", R"(@fn @i32 quern_ilogb_f32(@f32 x) {
  @u32 m = @f32_bits(x) & 0x7fffffffu;
  if (m == 0x7f800000u) return 2147483647;
  if (m > 0x7f800000u || m == 0u) return -2147483647 - 1;
  if (m < 0x00800000u) return -118 - @(i32)(@clz32(m));
  return @(i32)(m >> 23) - 127;
}
)"},
    {"ilogb_f64", R"(@fn @i32 quern_ilogb_f64(@f64 x) {
  @u64 bits = @f64_bits(x);
  @u32 high = @(u32)(bits >> 32) & 0x7fffffffu;
  @u32 low = @(u32)(bits);
  if (high == 0x7ff00000u && low == 0u) return 2147483647;
  if (high >= 0x7ff00000u || (high | low) == 0u) return -2147483647 - 1;
  if (high >= 0x00100000u) return @(i32)(high >> 20) - 1023;
  return high != 0u ? -1011 - @(i32)(@clz32(high)) : -1043 - @(i32)(@clz32(low));
}
)"},
    {"logb_f32", R"(@fn @f32 quern_logb_f32(@f32 x) {
  if (x != x) return x;
  if (x == 0.0f) return @bits_f32(0xff800000u);
  @i32 e = quern_ilogb_f32(x);
  return e == 2147483647 ? @bits_f32(0x7f800000u) : @(f32)(e);
}
)"},
    {"logb_f64", R"(@fn @f64 quern_logb_f64(@f64 x) {
  if (x != x) return x;
  if (x == 0.0@d) return @bits_f64(@(u64)(0xfff00000u) << 32);
  @i32 e = quern_ilogb_f64(x);
  return e == 2147483647 ? @bits_f64(@(u64)(0x7ff00000u) << 32) : @(f64)(e);
}
)"},
    // Powers of two are multiplied in steps, so that only the last one can round.
    {"ldexp_f32", R"(@fn @f32 quern_ldexp_f32(@f32 x, @i32 n) {
  if (n > 300) n = 300;
  if (n < -400) n = -400;
  @u32 m = @f32_bits(x) & 0x7fffffffu;
  if (m == 0u || m >= 0x7f800000u) return x;
  if (m < 0x00800000u) {
    x = x * 16777216.0f;
    n = n - 24;
    m = @f32_bits(x) & 0x7fffffffu;
  }
  @u32 sign = @f32_bits(x) & 0x80000000u;
  @i32 e = @(i32)(m >> 23) + n;
  if (e >= 255) return @bits_f32(sign | 0x7f800000u);
  @u32 mantissa = (m & 0x007fffffu) | 0x00800000u;
  if (e >= 1) return @bits_f32(sign | (@(u32)(e) << 23) | (mantissa & 0x007fffffu));
  if (e < -24) return @bits_f32(sign);
  @u32 shift = @(u32)(1 - e);
  @u32 kept = mantissa >> shift;
  @u32 rest = mantissa & ((1u << shift) - 1u);
  @u32 half_unit = 1u << (shift - 1u);
  if (rest > half_unit || (rest == half_unit && (kept & 1u) != 0u)) kept = kept + 1u;
  return @bits_f32(sign | kept);
}
)"},
};

}  // namespace

std::span<const HelperText> float_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
