// Integers, and half and bfloat16 as their bits. Everything here is plain arithmetic that every target has;
// `/` and sqrt are the target's own and may be inexact.

__device__ unsigned long long mulhi_u64(unsigned long long a, unsigned long long b) {
  unsigned long long al = a & 0xffffffffull, ah = a >> 32, bl = b & 0xffffffffull, bh = b >> 32;
  unsigned long long middle = ah * bl + ((al * bl) >> 32);
  unsigned long long other = al * bh + (middle & 0xffffffffull);
  return ah * bh + (middle >> 32) + (other >> 32);
}
__device__ long long mulhi_i64(long long a, long long b) {
  unsigned long long high = mulhi_u64((unsigned long long)a, (unsigned long long)b);
  if (a < 0) high -= (unsigned long long)b;
  if (b < 0) high -= (unsigned long long)a;
  return (long long)high;
}

__device__ unsigned byte_perm_u32(unsigned a, unsigned b, unsigned s) {
  unsigned r = 0u;
  for (unsigned i = 0u; i < 4u; ++i) {
    unsigned k = (s >> (4u * i)) & 7u;
    r |= (((k < 4u ? a : b) >> (8u * (k & 3u))) & 255u) << (8u * i);
  }
  return r;
}
__device__ unsigned funnel_u32(unsigned lo, unsigned hi, unsigned n) {
  n &= 31u;
  return n == 0u ? hi : (hi << n) | (lo >> (32u - n));
}
__device__ int dot4_i32(int a, int b, int c) {
  unsigned sum = (unsigned)c;
  for (int i = 0; i < 32; i += 8) {
    int x = (int)((unsigned)a << (24 - i)) >> 24;
    int y = (int)((unsigned)b << (24 - i)) >> 24;
    sum += (unsigned)(x * y);
  }
  return (int)sum;
}
__device__ unsigned dot4_u32(unsigned a, unsigned b, unsigned c) {
  for (unsigned i = 0u; i < 32u; i += 8u) c += ((a >> i) & 255u) * ((b >> i) & 255u);
  return c;
}

__device__ unsigned bits_of(float x) { return __quern_bitcast<unsigned>(x); }
__device__ unsigned long long bits_of(double x) { return __quern_bitcast<unsigned long long>(x); }
__device__ float real_of(unsigned bits) { return __quern_bitcast<float>(bits); }
__device__ double real_of(unsigned long long bits) { return __quern_bitcast<double>(bits); }

// If one operand is NaN, returns the other; -0 is less than +0.
__device__ float min_f32(float a, float b) {
  if (__quern_isnan(a)) return b;
  if (__quern_isnan(b)) return a;
  return a < b || (a == b && __quern_signbit(a)) ? a : b;
}
__device__ float max_f32(float a, float b) {
  if (__quern_isnan(a)) return b;
  if (__quern_isnan(b)) return a;
  return a < b || (a == b && __quern_signbit(a)) ? b : a;
}
__device__ double min_f64(double a, double b) {
  if (__quern_isnan(a)) return b;
  if (__quern_isnan(b)) return a;
  return a < b || (a == b && __quern_signbit(a)) ? a : b;
}
__device__ double max_f64(double a, double b) {
  if (__quern_isnan(a)) return b;
  if (__quern_isnan(b)) return a;
  return a < b || (a == b && __quern_signbit(a)) ? b : a;
}

__device__ unsigned short f16_of_f32(float x) {
  unsigned bits = bits_of(x);
  unsigned sign = (bits >> 16) & 0x8000u;
  unsigned m = bits & 0x7fffffffu;
  if (m > 0x7f800000u) return 0x7e00u;
  if (m >= 0x47800000u) return sign | 0x7c00u;
  if (m >= 0x38800000u) {
    m -= 0x38000000u;
    return sign | ((m + 0x0fffu + ((m >> 13) & 1u)) >> 13);
  }
  if (m <= 0x33000000u) return sign;
  unsigned shift = 126u - (m >> 23);
  unsigned mantissa = (m & 0x007fffffu) | 0x00800000u;
  unsigned kept = mantissa >> shift;
  unsigned rest = mantissa & ((1u << shift) - 1u);
  unsigned half_unit = 1u << (shift - 1u);
  if (rest > half_unit || (rest == half_unit && (kept & 1u) != 0u)) ++kept;
  return sign | kept;
}
// Without branches: matrix products convert many halves, and drivers compile straight code much faster.
__device__ float f32_of_f16(unsigned short h) {
  unsigned sign = (h & 0x8000u) << 16;
  unsigned m = h & 0x7fffu;
  unsigned small = bits_of((float)m * 5.9604644775390625e-8f);
  unsigned large = (m << 13) + (m >= 0x7c00u ? 0x70000000u : 0x38000000u);
  return real_of(sign | (m >= 0x0400u ? large : small));
}
__device__ float f32_of_bf16(unsigned short h) { return real_of((unsigned)h << 16); }
__device__ unsigned short bf16_of_f32(float x) {
  unsigned bits = bits_of(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

// A double as the nearest float whose last bit says whether something was cut off ("round to odd"): rounding
// that again gives the result of a single rounding.
__device__ float odd_f32(double x) {
  float f = (float)x;
  double back = (double)f;
  if (back == x || x != x) return f;
  unsigned bits = bits_of(f);
  if (__quern_abs(back) > __quern_abs(x)) --bits;
  return real_of(bits | 1u);
}
__device__ unsigned short f16_of_f64(double x) { return f16_of_f32(odd_f32(x)); }
__device__ unsigned short bf16_of_f64(double x) { return bf16_of_f32(odd_f32(x)); }

__device__ unsigned short bf16_of_u32(unsigned x) {
  if (x < 0x1000000u) return bf16_of_f32((float)x);
  unsigned bits = bits_of((float)(x >> 8) * 256.0f);
  if ((x & 255u) != 0u) bits |= 1u;
  return bf16_of_f32(real_of(bits));
}
__device__ unsigned short bf16_of_u64(unsigned long long x) {
  unsigned high = (unsigned)(x >> 32);
  if (high == 0u) return bf16_of_u32((unsigned)x);
  unsigned n = 32u - (unsigned)__quern_clz(high);
  unsigned long long top = x >> n;
  unsigned rest = (top << n) != x ? 1u : 0u;
  return bf16_of_u32((unsigned)top | rest) + (n << 7);
}
__device__ unsigned short bf16_of_i32(int x) {
  return x < 0 ? 0x8000u | bf16_of_u32(0u - (unsigned)x) : bf16_of_u32((unsigned)x);
}
__device__ unsigned short bf16_of_i64(long long x) {
  unsigned long long size = x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x;
  return (x < 0 ? 0x8000u : 0u) | bf16_of_u64(size);
}

// With a rounding mode.
__device__ unsigned short toward(unsigned short h, double back, double x, int mode) {
  bool negative = (h & 0x8000u) != 0u;
  if (mode == 1 && (x < 0.0 ? back < x : back > x)) return h - 1u;
  if (mode == 2 && back < x) return negative ? h - 1u : h + 1u;
  if (mode == 3 && back > x) return negative ? h + 1u : h - 1u;
  return h;
}
__device__ unsigned short f16_toward(double x, int mode) {
  unsigned short h = f16_of_f64(x);
  return toward(h, (double)f32_of_f16(h), x, mode);
}
__device__ unsigned short bf16_toward(double x, int mode) {
  unsigned short h = bf16_of_f64(x);
  return toward(h, (double)f32_of_bf16(h), x, mode);
}
__device__ unsigned short f16_zero_of_f64(double x) { return f16_toward(x, 1); }
__device__ unsigned short f16_up_of_f64(double x) { return f16_toward(x, 2); }
__device__ unsigned short f16_down_of_f64(double x) { return f16_toward(x, 3); }
__device__ unsigned short bf16_zero_of_f64(double x) { return bf16_toward(x, 1); }
__device__ unsigned short bf16_up_of_f64(double x) { return bf16_toward(x, 2); }
__device__ unsigned short bf16_down_of_f64(double x) { return bf16_toward(x, 3); }

// Of a float: compares bits, so that denormals count where the device flushes them to zero.
__device__ unsigned short toward_bits(unsigned short h, unsigned back, unsigned x, int mode) {
  unsigned has = back & 0x7fffffffu, wanted = x & 0x7fffffffu;
  if (wanted > 0x7f800000u) return h;
  bool is_inward = mode == 1 || (mode == 2) == (x != wanted);
  if (is_inward) return has > wanted ? h - 1u : h;
  return has < wanted ? h + 1u : h;
}
__device__ unsigned short f16_toward_of_f32(float x, int mode) {
  unsigned short h = f16_of_f32(x);
  return toward_bits(h, bits_of(f32_of_f16(h)), bits_of(x), mode);
}
__device__ unsigned short bf16_toward_of_f32(float x, int mode) {
  unsigned short h = bf16_of_f32(x);
  return toward_bits(h, bits_of(f32_of_bf16(h)), bits_of(x), mode);
}
__device__ unsigned short f16_zero_of_f32(float x) { return f16_toward_of_f32(x, 1); }
__device__ unsigned short f16_up_of_f32(float x) { return f16_toward_of_f32(x, 2); }
__device__ unsigned short f16_down_of_f32(float x) { return f16_toward_of_f32(x, 3); }
__device__ unsigned short bf16_zero_of_f32(float x) { return bf16_toward_of_f32(x, 1); }
__device__ unsigned short bf16_up_of_f32(float x) { return bf16_toward_of_f32(x, 2); }
__device__ unsigned short bf16_down_of_f32(float x) { return bf16_toward_of_f32(x, 3); }

template <typename Widen>
__device__ unsigned short next_half(unsigned short a, unsigned short b, unsigned nan, Widen widen) {
  float x = widen(a), y = widen(b);
  if (x != x || y != y) return nan;
  if (x == y) return b;
  if (x == 0.0f) return (b & 0x8000u) | 1u;
  return (x < y) == (x > 0.0f) ? a + 1u : a - 1u;
}
__device__ unsigned short nextafter_f16(unsigned short a, unsigned short b) {
  return next_half(a, b, 0x7e00u, [](unsigned short h) { return f32_of_f16(h); });
}
__device__ unsigned short nextafter_bf16(unsigned short a, unsigned short b) {
  return next_half(a, b, 0x7fc0u, [](unsigned short h) { return f32_of_bf16(h); });
}
