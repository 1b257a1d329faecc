// Arithmetic with a rounding mode, for languages that only round to nearest. Float is computed in double so
// that the last bit says whether something was cut off, then narrowed; double is corrected by the sign of its
// exact error.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    // x with its last bit made odd when the exact value is x + e.
    {"make_odd", R"(@fn @f64 quern_make_odd(@f64 x, @f64 e) {
  @u64 bits = @f64_bits(x);
  if (e != e || e == 0.0@d || (bits & @(u64)(1)) != @(u64)(0)) return x;
  return @bits_f64((e > 0.0@d) == (x > 0.0@d) ? bits + @(u64)(1) : bits - @(u64)(1));
}
)"},
    {"sum_error", R"(@fn @f64 quern_sum_error(@f64 a, @f64 b, @f64 s) {
  @f64 t = s - a;
  return (a - (s - t)) + (b - t);
}
)"},
    {"odd_add", R"(@fn @f64 quern_odd_add(@f64 a, @f64 b) {
  @f64 s = a + b;
  return quern_make_odd(s, quern_sum_error(a, b, s));
}
)"},
    {"narrow_zero", R"(@fn @f32 quern_narrow_zero(@f64 x) {
  @f32 f = @(f32)(x);
  @f64 back = @(f64)(f);
  if (x < 0.0@d ? back < x : back > x) f = @bits_f32(@f32_bits(f) - 1u);
  return f;
}
)"},
    {"narrow_up", R"(@fn @f32 quern_narrow_up(@f64 x) {
  @f32 f = @(f32)(x);
  if (@(f64)(f) < x) f = @bits_f32((@f32_bits(f) >> 31) != 0u ? @f32_bits(f) - 1u : @f32_bits(f) + 1u);
  return f;
}
)"},
    {"narrow_down", R"(@fn @f32 quern_narrow_down(@f64 x) {
  @f32 f = @(f32)(x);
  if (@(f64)(f) > x) f = @bits_f32((@f32_bits(f) >> 31) != 0u ? @f32_bits(f) + 1u : @f32_bits(f) - 1u);
  return f;
}
)"},
    {"sum_zero", R"(@fn @f64 quern_sum_zero(@f64 a, @f64 b, @f64 s) {
  if (s != 0.0@d) return s;
  return (@f64_bits(a) | @f64_bits(b)) != @(u64)(0) ? @bits_f64(@(u64)(1) << 63) : s;
}
)"},
    {"add_zero_f32",
     R"(@fn @f32 quern_add_zero_f32(@f32 a, @f32 b) { return quern_narrow_zero(quern_odd_add(@(f64)(a), @(f64)(b))); }
)"},
    {"add_up_f32",
     R"(@fn @f32 quern_add_up_f32(@f32 a, @f32 b) { return quern_narrow_up(quern_odd_add(@(f64)(a), @(f64)(b))); }
)"},
    {"add_down_f32", R"(@fn @f32 quern_add_down_f32(@f32 a, @f32 b) {
  @f64 x = @(f64)(a);
  @f64 y = @(f64)(b);
  return quern_narrow_down(quern_sum_zero(x, y, quern_odd_add(x, y)));
}
)"},
    {"mul_zero_f32",
     R"(@fn @f32 quern_mul_zero_f32(@f32 a, @f32 b) { return quern_narrow_zero(@(f64)(a) * @(f64)(b)); }
)"},
    {"mul_up_f32",
     R"(@fn @f32 quern_mul_up_f32(@f32 a, @f32 b) { return quern_narrow_up(@(f64)(a) * @(f64)(b)); }
)"},
    {"mul_down_f32",
     R"(@fn @f32 quern_mul_down_f32(@f32 a, @f32 b) { return quern_narrow_down(@(f64)(a) * @(f64)(b)); }
)"},
    {"odd_div", R"(@fn @f64 quern_odd_div(@f64 a, @f64 b) {
  @f64 q = a / b;
  @f64 r = fma(-q, b, a);
  return quern_make_odd(q, b < 0.0@d ? -r : r);
}
)"},
    {"div_zero_f32",
     R"(@fn @f32 quern_div_zero_f32(@f32 a, @f32 b) { return quern_narrow_zero(quern_odd_div(@(f64)(a), @(f64)(b))); }
)"},
    {"div_up_f32",
     R"(@fn @f32 quern_div_up_f32(@f32 a, @f32 b) { return quern_narrow_up(quern_odd_div(@(f64)(a), @(f64)(b))); }
)"},
    {"div_down_f32",
     R"(@fn @f32 quern_div_down_f32(@f32 a, @f32 b) { return quern_narrow_down(quern_odd_div(@(f64)(a), @(f64)(b))); }
)"},
    {"odd_sqrt", R"(@fn @f64 quern_odd_sqrt(@f64 a) {
  @f64 q = sqrt(a);
  return quern_make_odd(q, fma(-q, q, a));
}
)"},
    {"sqrt_zero_f32",
     R"(@fn @f32 quern_sqrt_zero_f32(@f32 a) { return quern_narrow_zero(quern_odd_sqrt(@(f64)(a))); }
)"},
    {"sqrt_up_f32",
     R"(@fn @f32 quern_sqrt_up_f32(@f32 a) { return quern_narrow_up(quern_odd_sqrt(@(f64)(a))); }
)"},
    {"sqrt_down_f32",
     R"(@fn @f32 quern_sqrt_down_f32(@f32 a) { return quern_narrow_down(quern_odd_sqrt(@(f64)(a))); }
)"},
    {"fma_zero_f32", R"(@fn @f32 quern_fma_zero_f32(@f32 a, @f32 b, @f32 c) {
  return quern_narrow_zero(quern_odd_add(@(f64)(a) * @(f64)(b), @(f64)(c)));
}
)"},
    {"fma_up_f32", R"(@fn @f32 quern_fma_up_f32(@f32 a, @f32 b, @f32 c) {
  return quern_narrow_up(quern_odd_add(@(f64)(a) * @(f64)(b), @(f64)(c)));
}
)"},
    {"fma_down_f32", R"(@fn @f32 quern_fma_down_f32(@f32 a, @f32 b, @f32 c) {
  @f64 p = @(f64)(a) * @(f64)(b);
  return quern_narrow_down(quern_sum_zero(p, @(f64)(c), quern_odd_add(p, @(f64)(c))));
}
)"},
    // Double: x is the nearest result, the exact one lies beyond it in the direction of e. For an overflow
    // the error is towards zero.
    {"fix_zero", R"(@fn @f64 quern_fix_zero(@f64 x, @f64 e) {
  @u64 bits = @f64_bits(x);
  return e != 0.0@d && (e < 0.0@d) != ((bits >> 63) != @(u64)(0)) ? @bits_f64(bits - @(u64)(1)) : x;
}
)"},
    {"fix_up", R"(@fn @f64 quern_fix_up(@f64 x, @f64 e) {
  @u64 bits = @f64_bits(x);
  if (!(e > 0.0@d)) return x;
  return @bits_f64((bits >> 63) != @(u64)(0) ? bits - @(u64)(1) : bits + @(u64)(1));
}
)"},
    {"fix_down", R"(@fn @f64 quern_fix_down(@f64 x, @f64 e) {
  @u64 bits = @f64_bits(x);
  if (!(e < 0.0@d)) return x;
  return @bits_f64((bits >> 63) != @(u64)(0) ? bits + @(u64)(1) : bits - @(u64)(1));
}
)"},
    {"overflow_error", R"(@fn @f64 quern_overflow_error(@f64 x, @f64 e, bool finite) {
  if (x - x == 0.0@d) return e;
  return finite && x == x ? (x > 0.0@d ? -1.0@d : 1.0@d) : 0.0@d;
}
)"},
    {"add_error", R"(@fn @f64 quern_add_error(@f64 a, @f64 b, @f64 s) {
  return quern_overflow_error(s, quern_sum_error(a, b, s), a - a == 0.0@d && b - b == 0.0@d);
}
)"},
    {"mul_error", R"(@fn @f64 quern_mul_error(@f64 a, @f64 b, @f64 p) {
  bool finite = a - a == 0.0@d && b - b == 0.0@d;
  @f64 big = 4.149515568880993e+180@d;
  if (p < 1.0e-250@d && p > -1.0e-250@d) {
    if (a < 1.0@d && a > -1.0@d) return fma(a * big, b, -(p * big));
    return fma(a, b * big, -(p * big));
  }
  return quern_overflow_error(p, fma(a, b, -p), finite);
}
)"},
    {"div_error", R"(@fn @f64 quern_div_error(@f64 a, @f64 b, @f64 q) {
  bool finite = a - a == 0.0@d && b - b == 0.0@d && b != 0.0@d;
  @f64 big = 4.149515568880993e+180@d;
  if (!(q - q == 0.0@d)) return quern_overflow_error(q, 0.0@d, finite);
  if (b - b != 0.0@d) return 0.0@d;
  @f64 r = fma(-q, b, a);
  if (a < 1.0e-250@d && a > -1.0e-250@d) {
    if (q < 1.0@d && q > -1.0@d) r = fma(-q * big, b, a * big);
    else r = fma(-q, b * big, a * big);
  }
  return b < 0.0@d ? -r : r;
}
)"},
    {"sqrt_error", R"(@fn @f64 quern_sqrt_error(@f64 a, @f64 q) {
  if (!(q - q == 0.0@d)) return 0.0@d;
  if (a > 1.0@d) return fma(-q, q, a);
  @f64 up = 1.2676506002282294e+30@d;
  return fma(-q * up, q * up, a * up * up);
}
)"},
    {"add_zero_f64",
     R"(@fn @f64 quern_add_zero_f64(@f64 a, @f64 b) { return quern_fix_zero(a + b, quern_add_error(a, b, a + b)); }
)"},
    {"add_up_f64",
     R"(@fn @f64 quern_add_up_f64(@f64 a, @f64 b) { return quern_fix_up(a + b, quern_add_error(a, b, a + b)); }
)"},
    {"add_down_f64", R"(@fn @f64 quern_add_down_f64(@f64 a, @f64 b) {
  return quern_fix_down(quern_sum_zero(a, b, a + b), quern_add_error(a, b, a + b));
}
)"},
    {"mul_zero_f64",
     R"(@fn @f64 quern_mul_zero_f64(@f64 a, @f64 b) { return quern_fix_zero(a * b, quern_mul_error(a, b, a * b)); }
)"},
    {"mul_up_f64",
     R"(@fn @f64 quern_mul_up_f64(@f64 a, @f64 b) { return quern_fix_up(a * b, quern_mul_error(a, b, a * b)); }
)"},
    {"mul_down_f64",
     R"(@fn @f64 quern_mul_down_f64(@f64 a, @f64 b) { return quern_fix_down(a * b, quern_mul_error(a, b, a * b)); }
)"},
    {"div_zero_f64",
     R"(@fn @f64 quern_div_zero_f64(@f64 a, @f64 b) { return quern_fix_zero(a / b, quern_div_error(a, b, a / b)); }
)"},
    {"div_up_f64",
     R"(@fn @f64 quern_div_up_f64(@f64 a, @f64 b) { return quern_fix_up(a / b, quern_div_error(a, b, a / b)); }
)"},
    {"div_down_f64",
     R"(@fn @f64 quern_div_down_f64(@f64 a, @f64 b) { return quern_fix_down(a / b, quern_div_error(a, b, a / b)); }
)"},
    {"sqrt_zero_f64",
     R"(@fn @f64 quern_sqrt_zero_f64(@f64 a) { return quern_fix_zero(sqrt(a), quern_sqrt_error(a, sqrt(a))); }
)"},
    {"sqrt_up_f64",
     R"(@fn @f64 quern_sqrt_up_f64(@f64 a) { return quern_fix_up(sqrt(a), quern_sqrt_error(a, sqrt(a))); }
)"},
    {"sqrt_down_f64",
     R"(@fn @f64 quern_sqrt_down_f64(@f64 a) { return quern_fix_down(sqrt(a), quern_sqrt_error(a, sqrt(a))); }
)"},
    // A 64-bit integer has more digits than a double: the direction of the error of the nearest one.
    {"error_u64", R"(@fn @f64 quern_error_u64(@u64 x, @f64 d) {
  if (d >= 18446744073709551616.0@d) return -1.0@d;
  @u64 back = @(u64)(d);
  return back == x ? 0.0@d : back < x ? 1.0@d : -1.0@d;
}
)"},
    {"error_i64", R"(@fn @f64 quern_error_i64(@i64 x, @f64 d) {
  return x < @(i64)(0) ? -quern_error_u64(@(u64)(0) - @(u64)(x), -d) : quern_error_u64(@(u64)(x), d);
}
)"},
    {"wide_zero",
     R"(@fn @f64 quern_wide_zero_$0(@$0 x) { return quern_fix_zero(@(f64)(x), quern_error_$0(x, @(f64)(x))); }
)"},
    {"wide_up",
     R"(@fn @f64 quern_wide_up_$0(@$0 x) { return quern_fix_up(@(f64)(x), quern_error_$0(x, @(f64)(x))); }
)"},
    {"wide_down",
     R"(@fn @f64 quern_wide_down_$0(@$0 x) { return quern_fix_down(@(f64)(x), quern_error_$0(x, @(f64)(x))); }
)"},
    {"wide_odd",
     R"(@fn @f64 quern_wide_odd_$0(@$0 x) { return quern_make_odd(@(f64)(x), quern_error_$0(x, @(f64)(x))); }
)"},
    {"half_zero", R"(@fn @u16 quern_half_zero_$0(@f64 x) {
  @u16 h = quern_$0_of_f64(x);
  @f64 back = @(f64)(quern_f32_of_$0(h));
  if (x < 0.0@d ? back < x : back > x) h = @(u16)(h - 1u);
  return h;
}
)"},
    {"half_up", R"(@fn @u16 quern_half_up_$0(@f64 x) {
  @u16 h = quern_$0_of_f64(x);
  if (@(f64)(quern_f32_of_$0(h)) < x) h = @(u16)((h & 0x8000u) != 0u ? h - 1u : h + 1u);
  return h;
}
)"},
    {"half_down", R"(@fn @u16 quern_half_down_$0(@f64 x) {
  @u16 h = quern_$0_of_f64(x);
  if (@(f64)(quern_f32_of_$0(h)) > x) h = @(u16)((h & 0x8000u) != 0u ? h + 1u : h - 1u);
  return h;
}
)"},
};

}  // namespace

std::span<const HelperText> rounding_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
