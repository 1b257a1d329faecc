// GLSL-specific helpers: threads exchange data through shared variables that functions name, integers of 8
// and 16 bits are extracted from 32, and memory is accessed through functions for each array of words
// ($name).
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    {"cast_i8/glsl", R"(int quern_cast_i8(int x) { return bitfieldExtract(x, 0, 8); }
int quern_cast_i8(uint x) { return bitfieldExtract(int(x), 0, 8); }
int quern_cast_i8(bool x) { return x ? 1 : 0; }
int quern_cast_i8(float x) { return int(x); }
#ifdef QUERN_INT64
int quern_cast_i8(int64_t x) { return bitfieldExtract(int(x), 0, 8); }
int quern_cast_i8(uint64_t x) { return bitfieldExtract(int(x), 0, 8); }
int quern_cast_i8(double x) { return int(x); }
#endif
)"},
    {"cast_u8/glsl", R"(uint quern_cast_u8(int x) { return uint(x) & 255u; }
uint quern_cast_u8(uint x) { return x & 255u; }
uint quern_cast_u8(bool x) { return x ? 1u : 0u; }
uint quern_cast_u8(float x) { return uint(x); }
#ifdef QUERN_INT64
uint quern_cast_u8(int64_t x) { return uint(x) & 255u; }
uint quern_cast_u8(uint64_t x) { return uint(x) & 255u; }
uint quern_cast_u8(double x) { return uint(x); }
#endif
)"},
    {"cast_i16/glsl", R"(int quern_cast_i16(int x) { return bitfieldExtract(x, 0, 16); }
int quern_cast_i16(uint x) { return bitfieldExtract(int(x), 0, 16); }
int quern_cast_i16(bool x) { return x ? 1 : 0; }
int quern_cast_i16(float x) { return int(x); }
#ifdef QUERN_INT64
int quern_cast_i16(int64_t x) { return bitfieldExtract(int(x), 0, 16); }
int quern_cast_i16(uint64_t x) { return bitfieldExtract(int(x), 0, 16); }
int quern_cast_i16(double x) { return int(x); }
#endif
)"},
    {"cast_u16/glsl", R"(uint quern_cast_u16(int x) { return uint(x) & 65535u; }
uint quern_cast_u16(uint x) { return x & 65535u; }
uint quern_cast_u16(bool x) { return x ? 1u : 0u; }
uint quern_cast_u16(float x) { return uint(x); }
#ifdef QUERN_INT64
uint quern_cast_u16(int64_t x) { return uint(x) & 65535u; }
uint quern_cast_u16(uint64_t x) { return uint(x) & 65535u; }
uint quern_cast_u16(double x) { return uint(x); }
#endif
)"},
    {"cast_f16/glsl", "uint quern_cast_f16(uint x) { return x & 65535u; }\n"},
    {"cast_bf16/glsl", "uint quern_cast_bf16(uint x) { return x & 65535u; }\n"},
    {"f64_bits/glsl", "uint64_t quern_f64_bits(double x) { return packUint2x32(unpackDouble2x32(x)); }\n"},
    // Some compilers treat an unsigned integer as signed here.
    {"f64_of_u32/glsl",
     "double quern_f64_of_u32(uint x) { return double(int(x >> 1)) * 2.0lf + double(int(x & 1u)); }\n"},
    {"bits_f64/glsl", "double quern_bits_f64(uint64_t x) { return packDouble2x32(unpackUint2x32(x)); }\n"},
    // Its result is lowp in ES, and so is everything computed from it: only 16 bits are left of ~bitCount(x).
    {"popc32/glsl", "int quern_popc32(uint x) { return bitCount(x); }\n"},
    {"popc64/glsl",
     "int quern_popc64(uint64_t x) { uvec2 w = unpackUint2x32(x); return bitCount(w.x) + bitCount(w.y); }\n"},
    // Mesa (at least 22.3 to 24.1) compares an extended number with a constant incorrectly: in its tables the
    // lowest 32-bit integer is 2^31.
    {"widen/glsl", R"(int64_t quern_widen(int x) {
  return int64_t((uint64_t(uint(x)) ^ 0x80000000UL) - 0x80000000UL);
}
)"},
    // 32 bits, whatever a compiler assumes about `a` (target/known_values.hpp): half of it is not a small
    // number.
    {"quotient/glsl", R"(uint quern_quotient(uint a, uint b) {
  if (b == 0u) return 0u;
  uint most = ((a >> 1) / b) << 1;
  return a - most * b >= b ? most + 1u : most;
}
)"},
    {"rest/glsl", "uint quern_rest(uint a, uint b) { return a - quern_quotient(a, b) * b; }\n"},
    {"clz32/glsl", "int quern_clz32(uint x) { return 31 - findMSB(x); }\n"},
    {"clz64/glsl", R"(int quern_clz64(uint64_t x) {
  uvec2 w = unpackUint2x32(x);
  return w.y != 0u ? 31 - findMSB(w.y) : 63 - findMSB(w.x);
}
)"},
    {"mulhi/glsl", R"(uint quern_mulhi(uint a, uint b) {
  uint high;
  uint low;
  umulExtended(a, b, high, low);
  return high;
}
int quern_mulhi(int a, int b) {
  int high;
  int low;
  imulExtended(a, b, high, low);
  return high;
}
)"},
    {"mulhi64/glsl", R"(uint64_t quern_mulhi64(uint64_t a, uint64_t b) {
  uint64_t al = a & 0xffffffffUL;
  uint64_t ah = a >> 32;
  uint64_t bl = b & 0xffffffffUL;
  uint64_t bh = b >> 32;
  uint64_t low = al * bl;
  uint64_t middle = ah * bl + (low >> 32);
  uint64_t other = al * bh + (middle & 0xffffffffUL);
  return ah * bh + (middle >> 32) + (other >> 32);
}
int64_t quern_mulhi64(int64_t a, int64_t b) {
  uint64_t high = quern_mulhi64(uint64_t(a), uint64_t(b));
  if (a < 0L) high = high - uint64_t(b);
  if (b < 0L) high = high - uint64_t(a);
  return int64_t(high);
}
)"},
    {"srem/glsl", R"(@$0 quern_srem_$0(@$0 a, @$0 b) {
  if (b == @($0)(0)) return a;
  if (b == @($0)(-1)) return @($0)(0);
  return @($0)(a - (a / b) * b);
}
)"},
    {"is_nan_f32/glsl",
     "bool quern_is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }\n"},
    {"is_inf_f32/glsl",
     "bool quern_is_inf_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }\n"},
    {"is_nan_f64/glsl", R"(bool quern_is_nan_f64(double x) {
  uvec2 w = unpackDouble2x32(x);
  uint high = w.y & 0x7fffffffu;
  return high > 0x7ff00000u || (high == 0x7ff00000u && w.x != 0u);
}
)"},
    {"is_inf_f64/glsl", R"(bool quern_is_inf_f64(double x) {
  uvec2 w = unpackDouble2x32(x);
  return (w.y & 0x7fffffffu) == 0x7ff00000u && w.x == 0u;
}
)"},
    // In double the product is exact, and the sum is rounded to odd: rounding that gives the result of one
    // rounding.
    {"fma_f32/glsl", R"(float quern_fma_f32(float a, float b, float c) {
  if (a == 0.0 || b == 0.0) return quern_product_f32(a, b) + c;
  return float(quern_odd_add(double(a) * double(b), double(c)));
}
)"},
    {"sum_error/glsl", R"(double quern_sum_error(double a, double b, double s) {
  double t = s - a;
  double back = s - t;
  double e = (a - back) + (b - t);
  return e;
}
)"},
    // A whole number with the sign of its operand: -0.3 becomes -0.
    {"keep_sign_f64/glsl", R"(double quern_keep_sign_f64(double whole, double x) {
  uvec2 w = unpackDouble2x32(whole);
  return packDouble2x32(uvec2(w.x, (w.y & 0x7fffffffu) | (unpackDouble2x32(x).y & 0x80000000u)));
}
)"},
    // x * 0: compilers fold it to 0 whatever x is, even if it is precise.
    {"times_zero_f32/glsl", R"(float quern_times_zero_f32(float x) {
  uint bits = floatBitsToUint(x);
  return uintBitsToFloat((bits & 0x7f800000u) == 0x7f800000u ? 0x7fc00000u : bits & 0x80000000u);
}
)"},
    {"times_zero_f64/glsl", R"(double quern_times_zero_f64(double x) {
  uint high = unpackDouble2x32(x).y;
  return packDouble2x32(uvec2(0u, (high & 0x7ff00000u) == 0x7ff00000u ? 0x7ff80000u : high & 0x80000000u));
}
)"},
    // For a 0 that the compiler may discover later.
    {"product_f32/glsl", R"(float quern_product_f32(float a, float b) {
  uint x = floatBitsToUint(a);
  uint y = floatBitsToUint(b);
  if ((x & 0x7fffffffu) != 0u && (y & 0x7fffffffu) != 0u) return a * b;
  bool special = (x & 0x7f800000u) == 0x7f800000u || (y & 0x7f800000u) == 0x7f800000u;
  return uintBitsToFloat(special ? 0x7fc00000u : (x ^ y) & 0x80000000u);
}
)"},
    {"product_f64/glsl", R"(double quern_product_f64(double a, double b) {
  uvec2 x = unpackDouble2x32(a);
  uvec2 y = unpackDouble2x32(b);
  if (((x.y & 0x7fffffffu) | x.x) != 0u && ((y.y & 0x7fffffffu) | y.x) != 0u) return a * b;
  bool special = (x.y & 0x7ff00000u) == 0x7ff00000u || (y.y & 0x7ff00000u) == 0x7ff00000u;
  return packDouble2x32(uvec2(0u, special ? 0x7ff80000u : (x.y ^ y.y) & 0x80000000u));
}
)"},
    // ---- threads
    {"shuffle/glsl", R"(uvec2 quern_shuffle(uvec2 value, uint from) {
  uint thread = quern_thread();
  quern_warp[thread] = value;
  @barrier;
  uvec2 got = quern_warp[(thread & ~31u) + from];
  @barrier;
  return got;
}
)"},
    {"ballot/glsl", R"(uint quern_ballot(uint mask, bool yes) {
  uint thread = quern_thread();
  quern_warp[thread].x = yes ? 1u : 0u;
  @barrier;
  uint lanes = mask & quern_lanes();
  uint votes = 0u;
  for (uint i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) != 0u) votes = votes | (quern_warp[(thread & ~31u) + i].x << i);
  }
  @barrier;
  return votes;
}
)"},
    {"vote_any/glsl", "bool quern_vote_any(uint mask, bool yes) { return quern_ballot(mask, yes) != 0u; }\n"},
    {"vote_all/glsl", R"(bool quern_vote_all(uint mask, bool yes) {
  return quern_ballot(mask, yes) == (mask & quern_lanes());
}
)"},
    {"match_any/glsl", R"(uint quern_match_any(uint mask, uvec2 value) {
  uint thread = quern_thread();
  quern_warp[thread] = value;
  @barrier;
  uint lanes = mask & quern_lanes();
  uint same = 0u;
  for (uint i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) != 0u && quern_warp[(thread & ~31u) + i] == value) same = same | (1u << i);
  }
  @barrier;
  return same;
}
)"},
    {"match_all/glsl", R"(uint quern_match_all(uint mask, uvec2 value) {
  uint same = quern_match_any(mask, value);
  return same == (mask & quern_lanes()) ? same : 0u;
}
)"},
    {"warp_reduce/glsl", R"(@$0 quern_warp_reduce_$0$suffix(uint mask, @$0 value) {
  uint thread = quern_thread();
  quern_warp[thread].x = uint(value);
  @barrier;
  uint lanes = mask & quern_lanes();
  bool first = true;
  @$0 a = value;
  for (uint i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) == 0u) continue;
    @$0 b = @($0)(quern_warp[(thread & ~31u) + i].x);
    a = first ? b : $combine;
    first = false;
  }
  @barrier;
  return a;
}
)"},
    {"barrier_count/glsl", R"(int quern_barrier_count(bool yes) {
  if (quern_thread() == 0u) quern_count = 0u;
  @barrier;
  if (yes) atomicAdd(quern_count, 1u);
  @barrier;
  int all_of_them = int(quern_count);
  @barrier;
  return all_of_them;
}
)"},
    {"report_begin/glsl", R"(uint quern_report_begin(uint words) {
  uint at = atomicAdd(quern_report[1], words);
  if (at + words <= quern_report[2]) return at;
  atomicAdd(quern_report[1], 0u - words);
  atomicAdd(quern_report[3], 1u);
  return 0u;
}
)"},
    {"report_put/glsl", R"(void quern_report_put(uint at, uvec2 bits) {
  quern_report[at] = bits.x;
  quern_report[at + 1u] = bits.y;
}
)"},
    {"report_fail/glsl", R"(void quern_report_fail(uint site) {
  if (atomicCompSwap(quern_report[0], 0u, site + 1u) != 0u) return;
  quern_report[4] = @thread0;
  quern_report[5] = @thread1;
  quern_report[6] = @thread2;
  quern_report[7] = @block0;
  quern_report[8] = @block1;
  quern_report[9] = @block2;
}
)"},
    // ---- memory: $name an array of words, `at` a byte
    {"get8", "uint quern_get8$suffix(uint at) { return ($name[at >> 2] >> ((at & 3u) * 8u)) & 255u; }\n"},
    {"get16", R"(uint quern_get16$suffix(uint at) {
  return ($name[at >> 2] >> ((at & 2u) * 8u)) & 65535u;
}
)"},
    {"get64", "uvec2 quern_get64$suffix(uint at) { return uvec2($name[at >> 2], $name[(at >> 2) + 1u]); }\n"},
    {"put64", R"(void quern_put64$suffix(uint at, uvec2 value) {
  $name[at >> 2] = value.x;
  $name[(at >> 2) + 1u] = value.y;
}
)"},
    // Other threads may write the neighboring bytes at the same time.
    {"put8", R"(void quern_put8$suffix(uint at, uint value) {
  uint shift = (at & 3u) * 8u;
  atomicAnd($name[at >> 2], ~(255u << shift));
  atomicOr($name[at >> 2], (value & 255u) << shift);
}
)"},
    {"put16", R"(void quern_put16$suffix(uint at, uint value) {
  uint shift = (at & 2u) * 8u;
  atomicAnd($name[at >> 2], ~(65535u << shift));
  atomicOr($name[at >> 2], (value & 65535u) << shift);
}
)"},
    {"own_put8", R"(void quern_own_put8$suffix(uint at, uint value) {
  uint shift = (at & 3u) * 8u;
  $name[at >> 2] = ($name[at >> 2] & ~(255u << shift)) | ((value & 255u) << shift);
}
)"},
    {"own_put16", R"(void quern_own_put16$suffix(uint at, uint value) {
  uint shift = (at & 2u) * 8u;
  $name[at >> 2] = ($name[at >> 2] & ~(65535u << shift)) | ((value & 65535u) << shift);
}
)"},
    // $n words; `$bytes` if they are not whole or not aligned.
    {"get_words", R"(uint[$n] quern_get_words$suffix(uint at) {
  uint[$n] got;
  for (uint i = 0u; i < $nu; i = i + 1u) got[i] = $name[(at >> 2) + i];
  return got;
}
)"},
    {"put_words", R"(void quern_put_words$suffix(uint at, uint[$n] value) {
  for (uint i = 0u; i < $nu; i = i + 1u) $name[(at >> 2) + i] = value[i];
}
)"},
    {"get_bytes", R"(uint[$n] quern_get_bytes$suffix(uint at) {
  uint[$n] got;
  for (uint i = 0u; i < $nu; i = i + 1u) got[i] = 0u;
  for (uint i = 0u; i < $bytesu; i = i + 1u) {
    got[i >> 2] = got[i >> 2] | ($get(at + i) << ((i & 3u) * 8u));
  }
  return got;
}
)"},
    {"put_bytes", R"(void quern_put_bytes$suffix(uint at, uint[$n] value) {
  for (uint i = 0u; i < $bytesu; i = i + 1u) $put(at + i, value[i >> 2] >> ((i & 3u) * 8u));
}
)"},
    // ---- atomics on the word with index `at`: $0 the type; $value from a (the old value) and v
    {"atomic_word", R"(@$0 quern_atomic_word_$0$suffix(uint at, @$0 v) {
  $word old = $name[at];
  for (;;) {
    @$0 a = $from(old);
    $word seen = atomicCompSwap($name[at], old, $to($value));
    if (seen == old) return a;
    old = seen;
  }
  return v;
}
)"},
    // On a 64-bit word: $from the old value (`old`), $to the new value, as the word's bits.
    {"atomic_wide", R"(@$0 quern_atomic_wide_$0$suffix(uint at, @$0 v) {
  $word old = $name[at];
  for (;;) {
    @$0 a = $from;
    $word seen = atomicCompSwap($name[at], old, $to);
    if (seen == old) return a;
    old = seen;
  }
  return v;
}
)"},
    // 16 bits at a byte offset, in the enclosing word.
    {"atomic_half", R"(uint quern_atomic_half$suffix(uint at, uint v, uint expected) {
  uint shift = (at & 2u) * 8u;
  uint old = $name[at >> 2];
  for (;;) {
    uint a = (old >> shift) & 65535u;
    if ($stop) return a;
    uint seen = atomicCompSwap($name[at >> 2], old, (old & ~(65535u << shift)) | (($value) << shift));
    if (seen == old) return a;
    old = seen;
  }
  return v;
}
)"},
};

}  // namespace

std::span<const HelperText> glsl_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
