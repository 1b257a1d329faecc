// The math library on floats for targets without double. A Duo is the sum of two floats, some 48 bits: sums and
// products of floats are exact in it. Errors stay within CUDA's documented bounds, even if the target's
// division and square root are a few units off.

struct Duo {
  float hi, lo;
};
__device__ Duo duo_sum(float a, float b) {
  float s = a + b, t = s - a;
  return Duo{s, (a - (s - t)) + (b - t)};
}
__device__ Duo duo_quick(float a, float b) {
  float s = a + b;
  return Duo{s, b - (s - a)};
}
// Exact, by halves of 12 bits.
__device__ Duo duo_product(float a, float b) {
  float p = a * b;
  float t = a * 4097.0f, ah = t - (t - a), al = a - ah;
  t = b * 4097.0f;
  float bh = t - (t - b), bl = b - bh;
  return Duo{p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}
__device__ Duo plus(Duo a, Duo b) {
  Duo s = duo_sum(a.hi, b.hi);
  return duo_quick(s.hi, s.lo + a.lo + b.lo);
}
__device__ Duo times(Duo a, Duo b) {
  Duo p = duo_product(a.hi, b.hi);
  return duo_quick(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
__device__ Duo times(Duo a, float b) {
  Duo p = duo_product(a.hi, b);
  return duo_quick(p.hi, p.lo + a.lo * b);
}
__device__ Duo over(Duo a, Duo b) {
  float q = a.hi / b.hi;
  Duo p = times(b, q);
  float rest = ((a.hi - p.hi) - p.lo) + a.lo;
  return duo_quick(q, rest / b.hi);
}
__device__ Duo root_of(Duo a) {
  if (a.hi <= 0.0f) return Duo{0.0f, 0.0f};
  float s = __quern_sqrt(a.hi);
  Duo p = duo_product(s, s);
  return duo_quick(s, ((a.hi - p.hi) - p.lo + a.lo) / (s + s));
}
__device__ Duo minus(Duo a) { return Duo{-a.hi, -a.lo}; }

__device__ float nan_single() { return real_of(0x7fc00000u); }
__device__ float infinite_single() { return real_of(0x7f800000u); }
__device__ float power_single(int e) { return real_of((unsigned)(e + 127) << 23); }
// 2^k times a number near 1, which may be out of range.
__device__ float raised(float x, int k) {
  return k >= -126 && k <= 127 ? x * power_single(k) : scaled(x, k);
}

// ---- exponentials -------------------------------------------------------------------------------------------

// e^r - 1 - r for |r| < 0.36.
__device__ float tail_of_exp(float r) {
  float p = 1.0f / 362880.0f;
  p = p * r + 1.0f / 40320.0f;
  p = p * r + 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  return p * (r * r);
}
struct Grown {
  Duo value;
  int power;
};
// e^x as a pair near 1 and a power of two.
__device__ Grown grown(Duo x) {
  float k = __quern_rint(x.hi * 1.44269502f);
  Duo r = duo_sum(x.hi - k * 0x1.62e000p-1f, -k * 0x1.0bfbe8p-15f);
  r = duo_quick(r.hi, r.lo + x.lo);
  float tail = tail_of_exp(r.hi) + r.lo * (1.0f + r.hi);
  Duo s = duo_quick(1.0f, r.hi);
  return Grown{duo_quick(s.hi, s.lo + tail), (int)k};
}
__device__ float exp_single_of(Duo x) {
  if (x.hi > 90.0f) return infinite_single();
  if (x.hi < -110.0f) return 0.0f;
  Grown e = grown(x);
  return raised(e.value.hi + e.value.lo, e.power);
}
__device__ float exp_single(float x) {
  if (x != x) return x;
  return exp_single_of(Duo{x, 0.0f});
}
__device__ float exp2_single(float x) {
  if (x != x) return x;
  if (x >= 128.0f) return infinite_single();
  if (x < -155.0f) return 0.0f;
  float k = __quern_rint(x);
  Grown e = grown(times(Duo{0x1.62e430p-1f, -0x1.05c610p-29f}, x - k));
  return raised(e.value.hi + e.value.lo, (int)k + e.power);
}
__device__ float exp10_single(float x) {
  if (x != x) return x;
  if (x > 39.0f) return infinite_single();
  if (x < -47.0f) return 0.0f;
  return exp_single_of(times(Duo{0x1.26bb1cp+1f, -0x1.12aabap-25f}, x));
}
__device__ float expm1_single(float x) {
  if (x != x || x == 0.0f) return x;
  if (x > 90.0f) return infinite_single();
  if (x < -25.0f) return -1.0f;
  if (__quern_abs(x) < 0.34f) return x + tail_of_exp(x);
  Grown e = grown(Duo{x, 0.0f});
  if (e.power > 30) return raised(e.value.hi + e.value.lo, e.power);
  float up = power_single(e.power);
  Duo s = duo_sum(e.value.hi * up, -1.0f);
  return s.hi + (s.lo + e.value.lo * up);
}

// ---- logarithms ---------------------------------------------------------------------------------------------

// log(m) for m within [0.7, 1.42], from 2 artanh((m - 1) / (m + 1)).
__device__ Duo log_about_one(Duo m) {
  Duo s = over(duo_quick(m.hi - 1.0f, m.lo), plus(m, Duo{1.0f, 0.0f}));
  Duo z = times(s, s);
  float w = z.hi;
  float p = 2.0f / 13.0f;
  p = p * w + 2.0f / 11.0f;
  p = p * w + 2.0f / 9.0f;
  p = p * w + 2.0f / 7.0f;
  p = p * w + 2.0f / 5.0f;
  Duo inner = plus(Duo{0x1.555556p-1f, -0x1.555556p-26f}, times(z, p));
  return plus(Duo{s.hi + s.hi, s.lo + s.lo}, times(times(s, z), inner));
}
struct Logged {
  Duo rest;  // log of the significand
  float power;
};
// Of a positive finite number, with a small addend.
__device__ Logged logged(float x, float addend) {
  Split<unsigned> s = Real<float>::split(bits_of(x));
  int e = s.e;
  float m = real_of(0x3f800000u + (s.m - 0x800000u));
  float more = addend == 0.0f ? 0.0f : scaled(addend, -e);
  if (m > 1.41421354f) {
    m *= 0.5f;
    more *= 0.5f;
    ++e;
  }
  return Logged{log_about_one(Duo{m, more}), (float)e};
}
__device__ Duo log_duo(float x, float addend) {
  Logged l = logged(x, addend);
  Duo p = duo_sum(l.power * 0x1.62e000p-1f, l.rest.hi);
  return plus(p, duo_sum(l.power * 0x1.0bfbe8p-15f, l.rest.lo));
}
__device__ float value_of(Duo a) { return a.hi + a.lo; }
__device__ bool is_end_of_log(float x) { return !(x > 0.0f) || __quern_isinf(x); }
__device__ float end_of_log(float x) {
  if (x != x) return x;
  if (x == 0.0f) return -infinite_single();
  return x < 0.0f ? nan_single() : x;
}
__device__ float log_single(float x) { return is_end_of_log(x) ? end_of_log(x) : value_of(log_duo(x, 0.0f)); }
__device__ float log2_single(float x) {
  if (is_end_of_log(x)) return end_of_log(x);
  Logged l = logged(x, 0.0f);
  Duo p = times(l.rest, Duo{0x1.715476p+0f, 0x1.4ae0c0p-26f});
  Duo s = duo_sum(l.power, p.hi);
  return s.hi + (s.lo + p.lo);
}
__device__ float log10_single(float x) {
  if (is_end_of_log(x)) return end_of_log(x);
  return value_of(times(log_duo(x, 0.0f), Duo{0x1.bcb7b2p-2f, -0x1.5b235ep-27f}));
}
__device__ float log_of_sum(float a, float b) {
  Duo s = duo_sum(a, b);
  return value_of(log_duo(s.hi, s.lo));
}
__device__ float log1p_single(float x) {
  if (x != x || x == 0.0f) return x;
  if (x <= -1.0f) return x == -1.0f ? -infinite_single() : nan_single();
  if (__quern_isinf(x) || __quern_abs(x) < 1e-9f) return x;
  return x > 1e30f ? log_single(x) : log_of_sum(1.0f, x);
}
__device__ float pow_single(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return nan_single();
  float size = __quern_abs(x);
  bool is_whole = __quern_trunc(y) == y;
  bool is_odd = is_whole && __quern_abs(y) < 16777216.0f && __quern_trunc(y * 0.5f) != y * 0.5f;
  bool negative = __quern_signbit(x) && is_odd;
  if (__quern_isinf(y)) {
    if (size == 1.0f) return 1.0f;
    return (size > 1.0f) == (y > 0.0f) ? infinite_single() : 0.0f;
  }
  if (size == 0.0f || __quern_isinf(x)) {
    float end = (size == 0.0f) == (y > 0.0f) ? 0.0f : infinite_single();
    return negative ? -end : end;
  }
  if (x < 0.0f && !is_whole) return nan_single();
  Duo l = log_duo(size, 0.0f);
  float near = l.hi * y;
  float r = 0.0f;
  if (near > 90.0f) {
    r = infinite_single();
  } else if (near >= -110.0f) {
    // A huge y is split into halves: scaled down, it must not overflow there.
    float by = __quern_abs(y) > 1e30f ? 0x1p-40f : 1.0f;
    Duo p = times(Duo{l.hi / by, l.lo / by}, y * by);
    r = __quern_abs(y) > 1e30f && l.hi == 0.0f ? 1.0f : exp_single_of(p);
  }
  return negative ? -r : r;
}

// ---- trigonometric functions --------------------------------------------------------------------------------

// An angle as a quadrant and a remainder of at most an eighth of a turn to either side.
struct Turned {
  Duo rest;
  int quadrant;
};

// x times 2/pi without its multiples of 4, in fixed point: from the 96 relevant bits of 2/pi.
__device__ Turned turned_far(float x) {
  unsigned bits = bits_of(x) & 0x7fffffffu;
  int low = int(bits >> 23) - 150;  // x = m * 2^low
  unsigned m = (bits & 0x7fffffu) | 0x800000u;
  int skip = low > 2 ? low - 2 : 0;
  int first = skip >> 5, by = skip & 31;
  unsigned long long product[3];
  for (int i = 0; i < 3; ++i) {
    unsigned w = (two_over_pi(first + i) << by) | (two_over_pi(first + i + 1) >> 1 >> (31 - by));
    product[i] = (unsigned long long)w * m;
  }
  unsigned long long lower = product[2] + (product[1] << 32);
  unsigned long long upper = product[0] + (product[1] >> 32) + (lower < product[2] ? 1u : 0u);
  int up = 30 + low - skip;  // so that two integer bits are at the top of upper, of which 56 are in use
  unsigned long long top = (upper << up) | (lower >> (64 - up));
  int quadrant = int(top >> 62);
  unsigned long long part = top << 2;
  bool negative = (part >> 63) != 0;
  if (negative) {
    ++quadrant;
    part = 0ull - part;
  }
  if (part == 0) return Turned{Duo{0.0f, 0.0f}, quadrant & 3};
  int zeros = __quern_clz(part);
  part = part << zeros;
  float unit = power_single(-24 - zeros);
  Duo f = Duo{(float)(unsigned)(part >> 40) * unit, (float)((unsigned)(part >> 16) & 0xffffffu) * unit * 0x1p-24f};
  Duo r = times(Duo{0x1.921fb6p+0f, -0x1.777a5cp-25f}, f);
  return Turned{negative ? minus(r) : r, quadrant & 3};
}
__device__ Turned turned(float x) {
  float size = __quern_abs(x);
  if (size < 0.785f) return Turned{Duo{x, 0.0f}, 0};
  Turned a = turned_far(size);
  return x < 0.0f ? Turned{minus(a.rest), (4 - a.quadrant) & 3} : a;
}
__device__ float sine_of_rest(Duo r) {
  float z = r.hi * r.hi;
  float p = 1.0f / 362880.0f;
  p = p * z - 1.0f / 5040.0f;
  p = p * z + 1.0f / 120.0f;
  p = p * z - 1.0f / 6.0f;
  return r.hi + (p * (z * r.hi) + r.lo * (1.0f - 0.5f * z));
}
__device__ float cosine_of_rest(Duo r) {
  float z = r.hi * r.hi;
  float p = -1.0f / 3628800.0f;
  p = p * z + 1.0f / 40320.0f;
  p = p * z - 1.0f / 720.0f;
  p = p * z + 1.0f / 24.0f;
  Duo s = duo_sum(1.0f, -0.5f * z);
  return s.hi + (s.lo + (p * (z * z) - r.hi * r.lo));
}
__device__ float sine_of(Turned a) {
  float r = (a.quadrant & 1) != 0 ? cosine_of_rest(a.rest) : sine_of_rest(a.rest);
  return a.quadrant >= 2 ? -r : r;
}
__device__ float cosine_of(Turned a) { return sine_of(Turned{a.rest, (a.quadrant + 1) & 3}); }
__device__ bool has_no_angle(float x) { return x != x || __quern_isinf(x); }
__device__ float sin_single(float x) {
  if (has_no_angle(x)) return nan_single();
  return x == 0.0f ? x : sine_of(turned(x));
}
__device__ float cos_single(float x) { return has_no_angle(x) ? nan_single() : cosine_of(turned(x)); }
__device__ float tan_single(float x) {
  if (has_no_angle(x)) return nan_single();
  if (x == 0.0f) return x;
  Turned a = turned(x);
  return value_of(over(Duo{sine_of(a), 0.0f}, Duo{cosine_of(a), 0.0f}));
}
__device__ Turned half_turned(float x) {
  float whole = __quern_rint(x + x);
  Duo r = times(Duo{0x1.921fb6p+1f, -0x1.777a5cp-24f}, x - whole * 0.5f);
  float of_four = whole - 4.0f * __quern_floor(whole * 0.25f);
  return Turned{r, (int)of_four & 3};
}
__device__ float sinpi_single(float x) {
  if (has_no_angle(x)) return nan_single();
  if (__quern_trunc(x) == x) return real_of(bits_of(x) & 0x80000000u);
  return sine_of(half_turned(x));
}
__device__ float cospi_single(float x) {
  if (has_no_angle(x)) return nan_single();
  float size = __quern_abs(x), rest = size - __quern_trunc(size);
  return rest == 0.5f ? 0.0f : cosine_of(half_turned(size));
}
