// IEEE binary64 in integers, for targets without double: a number is its bits (u64). Results are rounded to nearest
// even; a NaN result is the positive quiet NaN. lower_doubles.cpp calls these functions. A host compiler accepts this
// file too: a test compares every function with the processor's own.

constexpr unsigned long long kSoftSign = 0x8000000000000000ull;
constexpr unsigned long long kSoftInfinity = 0x7ff0000000000000ull;
constexpr unsigned long long kSoftNan = 0x7ff8000000000000ull;
constexpr unsigned long long kSoftOne = 0x3ff0000000000000ull;
constexpr unsigned long long kSoftLead = 0x0010000000000000ull;  // the leading bit of a significand

// Bits that are shifted out set the last bit; n >= 0.
__device__ unsigned long long soft_shifted(unsigned long long m, int n) {
  if (n > 63) return m != 0ull ? 1ull : 0ull;
  unsigned long long kept = m >> n;
  return (kept << n) != m ? kept | 1ull : kept;
}

// A significand whose leading bit is bit 62 (or lower, if `e` is 0), and its biased exponent - 1: adding the leading
// bit to the exponent makes up for it. The last bit is sticky.
__device__ unsigned long long soft_packed(unsigned long long sign, int e, unsigned long long m) {
  if (e > 0x7fd) return sign | kSoftInfinity;
  if (e < 0) {
    m = soft_shifted(m, 0 - e);
    e = 0;
  }
  unsigned long long kept = (m + 0x200ull) >> 10;
  if (((unsigned)m & 0x3ffu) == 0x200u) kept &= ~1ull;
  return sign | (((unsigned long long)(unsigned)e << 52) + kept);
}

// A finite number other than 0: its significand with the leading bit in bit 52, and its biased exponent.
struct SoftParts {
  unsigned long long m;
  int e;
};
__device__ SoftParts soft_parts(unsigned long long size) {
  int e = (int)(unsigned)(size >> 52);
  if (e != 0) return SoftParts{(size & (kSoftLead - 1ull)) | kSoftLead, e};
  int up = __quern_clz(size) - 11;
  return SoftParts{size << up, 1 - up};
}

__device__ unsigned long long soft_add(unsigned long long a, unsigned long long b) {
  unsigned long long am = a & ~kSoftSign, bm = b & ~kSoftSign;
  unsigned long long differ = (a ^ b) & kSoftSign;
  unsigned long long sign = a & kSoftSign;
  if (am < bm) {  // the larger one first
    unsigned long long t = am;
    am = bm;
    bm = t;
    sign = b & kSoftSign;
  }
  if (am >= kSoftInfinity) {
    if (am > kSoftInfinity || (bm == kSoftInfinity && differ != 0ull)) return kSoftNan;
    return sign | kSoftInfinity;
  }
  int ae = (int)(unsigned)(am >> 52), be = (int)(unsigned)(bm >> 52);
  unsigned long long x = (am & (kSoftLead - 1ull)) << 10, y = (bm & (kSoftLead - 1ull)) << 10;
  if (ae != 0) {
    x |= kSoftLead << 10;
  } else {
    ae = 1;
  }
  if (be != 0) {
    y |= kSoftLead << 10;
  } else {
    be = 1;
  }
  y = soft_shifted(y, ae - be);
  if (differ == 0ull) {
    unsigned long long sum = x + y;
    if ((sum & kSoftSign) != 0ull) return soft_packed(sign, ae, (sum >> 1) | (sum & 1ull));
    return soft_packed(sign, ae - 1, sum);
  }
  unsigned long long rest = x - y;
  if (rest == 0ull) return 0ull;
  int up = __quern_clz(rest) - 1;
  return soft_packed(sign, ae - 1 - up, rest << up);
}

// 128 bits.
struct SoftWide {
  unsigned long long high, low;
};
__device__ SoftWide soft_product(unsigned long long x, unsigned long long y) {
  unsigned xl = (unsigned)x, xh = (unsigned)(x >> 32), yl = (unsigned)y, yh = (unsigned)(y >> 32);
  unsigned long long low = (unsigned long long)xl * yl, left = (unsigned long long)xh * yl;
  unsigned long long right = (unsigned long long)xl * yh, high = (unsigned long long)xh * yh;
  unsigned long long middle = (low >> 32) + (unsigned long long)(unsigned)left + (unsigned long long)(unsigned)right;
  high += (left >> 32) + (right >> 32) + (middle >> 32);
  return SoftWide{high, (middle << 32) | (unsigned long long)(unsigned)low};
}

__device__ unsigned long long soft_mul(unsigned long long a, unsigned long long b) {
  unsigned long long sign = (a ^ b) & kSoftSign;
  unsigned long long am = a & ~kSoftSign, bm = b & ~kSoftSign;
  if (am >= kSoftInfinity || bm >= kSoftInfinity) {
    if (am > kSoftInfinity || bm > kSoftInfinity || am == 0ull || bm == 0ull) return kSoftNan;
    return sign | kSoftInfinity;
  }
  if (am == 0ull || bm == 0ull) return sign;
  SoftParts p = soft_parts(am), q = soft_parts(bm);
  SoftWide w = soft_product(p.m << 10, q.m << 11);
  unsigned long long m = w.low != 0ull ? w.high | 1ull : w.high;
  int e = p.e + q.e - 0x3ff;
  if ((m >> 62) == 0ull) {
    m <<= 1;
    --e;
  }
  return soft_packed(sign, e, m);
}

// Eleven bits of the quotient at a time, each from 16 bits of the divisor: too small by 1 at most.
__device__ unsigned long long soft_div(unsigned long long a, unsigned long long b) {
  unsigned long long sign = (a ^ b) & kSoftSign;
  unsigned long long am = a & ~kSoftSign, bm = b & ~kSoftSign;
  if (am > kSoftInfinity || bm > kSoftInfinity) return kSoftNan;
  if (am == kSoftInfinity) return bm == kSoftInfinity ? kSoftNan : sign | kSoftInfinity;
  if (bm == 0ull) return am == 0ull ? kSoftNan : sign | kSoftInfinity;
  if (am == 0ull || bm == kSoftInfinity) return sign;
  SoftParts n = soft_parts(am), d = soft_parts(bm);
  int e = n.e - d.e + 0x3fe;
  unsigned long long rest = n.m;
  if (rest < d.m) {
    rest <<= 1;
    --e;
  }
  rest -= d.m;
  unsigned long long quotient = 1ull;
  unsigned inverse = 0xffffffffu / ((unsigned)(d.m >> 37) + 1u);
  for (int i = 0; i < 5; ++i) {
    rest <<= 11;
    unsigned digit = (unsigned)(((unsigned long long)(unsigned)(rest >> 32) * inverse) >> 37);
    rest -= d.m * (unsigned long long)digit;
    if (rest >= d.m) {
      rest -= d.m;
      ++digit;
    }
    quotient = (quotient << 11) | digit;
  }
  return soft_packed(sign, e, (quotient << 7) | (rest != 0ull ? 1ull : 0ull));
}

// One bit of the root at a time.
__device__ unsigned long long soft_sqrt(unsigned long long a) {
  if ((a & ~kSoftSign) > kSoftInfinity) return kSoftNan;
  if ((a & ~kSoftSign) == 0ull || a == kSoftInfinity) return a;
  if ((a & kSoftSign) != 0ull) return kSoftNan;
  SoftParts s = soft_parts(a);
  int odd = (s.e & 1) == 0 ? 1 : 0;  // of the exponent: the bias is odd
  unsigned long long rest = s.m << (1 + odd), root = 0ull, twice = 0ull;
  for (unsigned long long bit = kSoftLead << 1; bit != 0ull; bit >>= 1) {
    unsigned long long tried = twice + bit;
    if (tried <= rest) {
      twice = tried + bit;
      rest -= tried;
      root |= bit;
    }
    rest <<= 1;
  }
  return soft_packed(0ull, ((s.e - 0x3ff - odd) >> 1) + 0x3fe, (root << 9) | (rest != 0ull ? 1ull : 0ull));
}

__device__ SoftWide soft_wide_left(SoftWide w, int n) {
  if (n == 0) return w;
  if (n >= 64) return SoftWide{w.low << (n - 64), 0ull};
  return SoftWide{(w.high << n) | (w.low >> (64 - n)), w.low << n};
}
// Bits that are shifted out set the last bit.
__device__ SoftWide soft_wide_right(SoftWide w, int n) {
  if (n == 0) return w;
  if (n >= 64) return SoftWide{0ull, soft_shifted(w.low != 0ull ? w.high | 1ull : w.high, n - 64)};
  unsigned long long lost = w.low << (64 - n);
  return SoftWide{w.high >> n, (w.high << (64 - n)) | (w.low >> n) | (lost != 0ull ? 1ull : 0ull)};
}

// a * b + c, rounded once. Both terms have their leading bits near bit 125.
__device__ unsigned long long soft_fma(unsigned long long a, unsigned long long b, unsigned long long c) {
  unsigned long long am = a & ~kSoftSign, bm = b & ~kSoftSign, cm = c & ~kSoftSign;
  unsigned long long sign = (a ^ b) & kSoftSign, other = c & kSoftSign;
  if (am > kSoftInfinity || bm > kSoftInfinity || cm > kSoftInfinity) return kSoftNan;
  if (am == kSoftInfinity || bm == kSoftInfinity) {
    if (am == 0ull || bm == 0ull || (cm == kSoftInfinity && other != sign)) return kSoftNan;
    return sign | kSoftInfinity;
  }
  if (cm == kSoftInfinity) return c;
  if (am == 0ull || bm == 0ull) return cm != 0ull || sign == other ? c : 0ull;
  SoftParts p = soft_parts(am), q = soft_parts(bm);
  SoftWide w = soft_product(p.m << 10, q.m << 11);  // the leading bit is bit 125 or 126
  int e = p.e + q.e - 0x3ff;  // of bit 125
  if (cm != 0ull) {
    SoftParts r = soft_parts(cm);
    SoftWide v{r.m << 9, 0ull};
    int apart = e - r.e;
    if (apart >= 0) {
      v = soft_wide_right(v, apart);
    } else {
      w = soft_wide_right(w, 0 - apart);
      e = r.e;
    }
    if (sign == other) {
      unsigned long long low = w.low + v.low;
      w = SoftWide{w.high + v.high + (low < w.low ? 1ull : 0ull), low};
    } else {
      bool is_less = w.high < v.high || (w.high == v.high && w.low < v.low);
      SoftWide x = is_less ? v : w, y = is_less ? w : v;
      w = SoftWide{x.high - y.high - (x.low < y.low ? 1ull : 0ull), x.low - y.low};
      if ((w.high | w.low) == 0ull) return 0ull;
      sign = is_less ? other : sign;
    }
  }
  int zeros = w.high != 0ull ? __quern_clz(w.high) : 64 + __quern_clz(w.low);
  w = zeros == 0 ? soft_wide_right(w, 1) : soft_wide_left(w, zeros - 1);
  return soft_packed(sign, e + 1 - zeros, w.low != 0ull ? w.high | 1ull : w.high);
}

// --- comparisons ---

__device__ bool soft_any_nan(unsigned long long a, unsigned long long b) {
  return (a & ~kSoftSign) > kSoftInfinity || (b & ~kSoftSign) > kSoftInfinity;
}
// In the order of the numbers; both zeros are 0.
__device__ long long soft_order(unsigned long long a) {
  return (long long)((a & kSoftSign) != 0ull ? kSoftSign - a : a);
}
__device__ bool soft_eq(unsigned long long a, unsigned long long b) {
  return !soft_any_nan(a, b) && soft_order(a) == soft_order(b);
}
__device__ bool soft_lt(unsigned long long a, unsigned long long b) {
  return !soft_any_nan(a, b) && soft_order(a) < soft_order(b);
}
__device__ bool soft_le(unsigned long long a, unsigned long long b) {
  return !soft_any_nan(a, b) && soft_order(a) <= soft_order(b);
}
// If one is NaN, the other; -0 is less than +0.
__device__ unsigned long long soft_min(unsigned long long a, unsigned long long b) {
  if ((a & ~kSoftSign) > kSoftInfinity) return (b & ~kSoftSign) > kSoftInfinity ? kSoftNan : b;
  if ((b & ~kSoftSign) > kSoftInfinity) return a;
  if ((a & kSoftSign) != (b & kSoftSign)) return (a & kSoftSign) != 0ull ? a : b;
  return (a < b) == ((a & kSoftSign) == 0ull) ? a : b;
}
__device__ unsigned long long soft_max(unsigned long long a, unsigned long long b) {
  if ((a & ~kSoftSign) > kSoftInfinity) return (b & ~kSoftSign) > kSoftInfinity ? kSoftNan : b;
  if ((b & ~kSoftSign) > kSoftInfinity) return a;
  if ((a & kSoftSign) != (b & kSoftSign)) return (a & kSoftSign) != 0ull ? b : a;
  return (a < b) == ((a & kSoftSign) == 0ull) ? b : a;
}

// --- whole numbers ---

__device__ unsigned long long soft_trunc(unsigned long long a) {
  unsigned long long size = a & ~kSoftSign;
  if (size > kSoftInfinity) return kSoftNan;
  if (size < kSoftOne) return a & kSoftSign;
  int e = (int)(unsigned)(size >> 52) - 0x3ff;
  return e > 51 ? a : a & ~((kSoftLead - 1ull) >> e);
}
__device__ unsigned long long soft_away(unsigned long long a, bool is_up) {
  unsigned long long size = a & ~kSoftSign, sign = a & kSoftSign;
  bool grows = is_up == (sign == 0ull);
  if (size > kSoftInfinity) return kSoftNan;
  if (size == 0ull) return a;
  if (size < kSoftOne) return grows ? sign | kSoftOne : sign;
  int e = (int)(unsigned)(size >> 52) - 0x3ff;
  if (e > 51) return a;
  unsigned long long rest = (kSoftLead - 1ull) >> e;
  return (grows ? a + rest : a) & ~rest;
}
__device__ unsigned long long soft_floor(unsigned long long a) { return soft_away(a, false); }
__device__ unsigned long long soft_ceil(unsigned long long a) { return soft_away(a, true); }
__device__ unsigned long long soft_rint(unsigned long long a) {
  unsigned long long size = a & ~kSoftSign, sign = a & kSoftSign;
  if (size > kSoftInfinity) return kSoftNan;
  if (size < kSoftOne) return size > 0x3fe0000000000000ull ? sign | kSoftOne : sign;
  int e = (int)(unsigned)(size >> 52) - 0x3ff;
  if (e > 51) return a;
  unsigned long long rest = (kSoftLead - 1ull) >> e;
  unsigned long long odd = (a >> (52 - e)) & 1ull;
  return (a + (rest >> 1) + odd) & ~rest;
}

// --- conversions ---

__device__ unsigned long long convert_soft_f32(float x) {
  unsigned bits = __quern_bitcast<unsigned>(x);
  unsigned long long sign = (unsigned long long)(bits & 0x80000000u) << 32;
  unsigned size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return kSoftNan;
  if (size == 0x7f800000u) return sign | kSoftInfinity;
  if (size == 0u) return sign;
  if (size >= 0x00800000u) return sign | (((unsigned long long)size << 29) + 0x3800000000000000ull);
  int up = __quern_clz(size) - 8;  // the leading bit becomes bit 23
  return sign | (((unsigned long long)(unsigned)(0x380 - up) << 52) + ((unsigned long long)(size << up) << 29));
}
__device__ float convert_f32_soft(unsigned long long a) {
  unsigned sign = (unsigned)(a >> 32) & 0x80000000u;
  unsigned long long size = a & ~kSoftSign;
  if (size > kSoftInfinity) return __quern_bitcast<float>(0x7fc00000u);
  if (size >= 0x47f0000000000000ull) return __quern_bitcast<float>(sign | 0x7f800000u);
  int e = (int)(unsigned)(size >> 52) - 0x3ff + 0x7e;  // as in soft_packed
  unsigned m = (unsigned)(((size & (kSoftLead - 1ull)) | kSoftLead) >> 22);
  if (((unsigned)size & 0x3fffffu) != 0u) m |= 1u;
  if (e < 0) {
    int by = e < -31 ? 31 : 0 - e;
    unsigned kept = m >> by;
    m = (kept << by) != m ? kept | 1u : kept;
    e = 0;
  }
  unsigned kept = (m + 0x40u) >> 7;
  if ((m & 0x7fu) == 0x40u) kept &= ~1u;
  return __quern_bitcast<float>(sign | (((unsigned)e << 23) + kept));
}

__device__ unsigned long long convert_soft_u32(unsigned n) {
  if (n == 0u) return 0ull;
  int up = __quern_clz(n);
  return ((unsigned long long)(unsigned)(0x3ff + 30 - up) << 52) + ((unsigned long long)(n << up) << 21);
}
__device__ unsigned long long convert_soft_i32(int n) {
  return n < 0 ? kSoftSign | convert_soft_u32(0u - (unsigned)n) : convert_soft_u32((unsigned)n);
}
__device__ unsigned long long convert_soft_u64(unsigned long long n) {
  if (n == 0ull) return 0ull;
  if ((n & kSoftSign) != 0ull) return soft_packed(0ull, 0x3ff + 62, (n >> 1) | (n & 1ull));
  int up = __quern_clz(n) - 1;
  return soft_packed(0ull, 0x3ff + 61 - up, n << up);
}
__device__ unsigned long long convert_soft_i64(long long n) {
  unsigned long long bits = (unsigned long long)n;
  return (bits & kSoftSign) != 0ull ? kSoftSign | convert_soft_u64(0ull - bits) : convert_soft_u64(bits);
}

// Towards zero, at most `most`; NaN is 0.
__device__ unsigned long long soft_whole(unsigned long long a, unsigned long long most) {
  unsigned long long size = a & ~kSoftSign;
  if (size > kSoftInfinity || size < kSoftOne) return 0ull;
  int e = (int)(unsigned)(size >> 52) - 0x3ff;
  if (e > 63) return most;
  unsigned long long m = (size & (kSoftLead - 1ull)) | kSoftLead;
  m = e > 52 ? m << (e - 52) : m >> (52 - e);
  return m > most ? most : m;
}
__device__ unsigned long long convert_u64_soft(unsigned long long a) {
  return (a & kSoftSign) != 0ull ? 0ull : soft_whole(a, 0xffffffffffffffffull);
}
__device__ long long convert_i64_soft(unsigned long long a) {
  bool is_negative = (a & kSoftSign) != 0ull;
  unsigned long long n = soft_whole(a, is_negative ? 0x8000000000000000ull : 0x7fffffffffffffffull);
  return (long long)(is_negative ? 0ull - n : n);
}
__device__ unsigned convert_u32_soft(unsigned long long a) {
  return (a & kSoftSign) != 0ull ? 0u : (unsigned)soft_whole(a, 0xffffffffull);
}
__device__ int convert_i32_soft(unsigned long long a) {
  bool is_negative = (a & kSoftSign) != 0ull;
  unsigned n = (unsigned)soft_whole(a, is_negative ? 0x80000000ull : 0x7fffffffull);
  return (int)(is_negative ? 0u - n : n);
}
