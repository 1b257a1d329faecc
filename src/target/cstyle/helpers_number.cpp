// Integers: division, and operations that some languages have no function for.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    {"min", R"(@fn @$0 quern_min_$0(@$0 a, @$0 b) { return b < a ? b : a; }
)"},
    {"max", R"(@fn @$0 quern_max_$0(@$0 a, @$0 b) { return a < b ? b : a; }
)"},
    {"udiv", R"(@fn @$0 quern_udiv_$0(@$0 a, @$0 b) { return b == @($0)(0) ? @($0)(0) : @($0)(a / b); }
)"},
    {"urem", R"(@fn @$0 quern_urem_$0(@$0 a, @$0 b) { return b == @($0)(0) ? a : @($0)(a % b); }
)"},
    // The lowest number divided by -1 is itself; $u is the unsigned type.
    {"sdiv", R"(@fn @$0 quern_sdiv_$0(@$0 a, @$0 b) {
  if (b == @($0)(0)) return @($0)(0);
  if (b == @($0)(-1)) return @($0)(@($u)(0) - @($u)(a));
  return @($0)(a / b);
}
)"},
    {"srem", R"(@fn @$0 quern_srem_$0(@$0 a, @$0 b) {
  if (b == @($0)(0)) return a;
  if (b == @($0)(-1)) return @($0)(0);
  return @($0)(a % b);
}
)"},
    {"mulhi_narrow",
     R"(@fn @$0 quern_mulhi_narrow_$0(@$0 a, @$0 b) { return @($0)((@(i32)(a) * @(i32)(b)) >> $bits); }
)"},
    {"mulhi_u16",
     R"(@fn @u16 quern_mulhi_u16(@u16 a, @u16 b) { return @(u16)((@(u32)(a) * @(u32)(b)) >> 16); }
)"},
    {"brev_u32", R"(@fn @u32 quern_brev_u32(@u32 x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return (x >> 16) | (x << 16);
}
)"},
    {"brev_u64", R"(@fn @u64 quern_brev_u64(@u64 x) {
  return (@(u64)(quern_brev_u32(@(u32)(x))) << 32) | @(u64)(quern_brev_u32(@(u32)(x >> 32)));
}
)"},
    {"brev_u32/cuda", R"(@fn @u32 quern_brev_u32(@u32 x) { return __brev(x); }
)"},
    {"funnel/cuda", R"(@fn @u32 quern_funnel(@u32 lo, @u32 hi, @u32 n) { return __funnelshift_l(lo, hi, n); }
)"},
    // $u is the unsigned type.
    {"iabs", R"(@fn @$0 quern_iabs_$0(@$0 x) { return x < @($0)(0) ? @($0)(@($u)(0) - @($u)(x)) : x; }
)"},
    {"ctz_u32", R"(@fn @i32 quern_ctz_u32(@u32 x) { return x == 0u ? 32 : @(i32)(@popc32(~x & (x - 1u))); }
)"},
    {"ctz_u64", R"(@fn @i32 quern_ctz_u64(@u64 x) {
  @u32 low = @(u32)(x);
  return low != 0u ? quern_ctz_u32(low) : 32 + quern_ctz_u32(@(u32)(x >> 32));
}
)"},
    {"byte_perm", R"(@fn @u32 quern_byte_perm(@u32 a, @u32 b, @u32 s) {
  @u32 r = 0u;
  for (@u32 i = 0u; i < 4u; i = i + 1u) {
    @u32 k = (s >> (4u * i)) & 7u;
    r = r | ((((k < 4u ? a : b) >> (8u * (k & 3u))) & 255u) << (8u * i));
  }
  return r;
}
)"},
    {"byte_perm/cuda",
     R"(@fn @u32 quern_byte_perm(@u32 a, @u32 b, @u32 s) { return __byte_perm(a, b, s & 0x7777u); }
)"},
    {"funnel", R"(@fn @u32 quern_funnel(@u32 lo, @u32 hi, @u32 n) {
  n = n & 31u;
  return n == 0u ? hi : (hi << n) | (lo >> (32u - n));
}
)"},
    {"dot4_i32", R"(@fn @i32 quern_dot4_i32(@i32 a, @i32 b, @i32 c) {
  @u32 sum = @(u32)(c);
  for (@i32 i = 0; i < 32; i = i + 8) {
    @i32 x = @(i32)(@(u32)(a) << @(u32)(24 - i)) >> 24;
    @i32 y = @(i32)(@(u32)(b) << @(u32)(24 - i)) >> 24;
    sum = sum + @(u32)(x * y);
  }
  return @(i32)(sum);
}
)"},
    {"dot4_u32", R"(@fn @u32 quern_dot4_u32(@u32 a, @u32 b, @u32 c) {
  for (@u32 i = 0u; i < 32u; i = i + 8u) c = c + ((a >> i) & 255u) * ((b >> i) & 255u);
  return c;
}
)"},
    // Float to integer, towards zero; saturates, NaN is 0. $low and $high are the first floats that do not
    // fit from below (itself a limit) and from above.
    {"to_int", R"(@fn @$0 quern_to_int_$0_$1(@$1 x) {
  if (x != x) return @($0)(0);
  if (x <= $low) return $least;
  if (x >= $high) return $most;
  return @($0)(x);
}
)"},
};

}  // namespace

std::span<const HelperText> number_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
