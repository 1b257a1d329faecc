// Floating-point operations with one rounding, built from integers: they are correct whatever the target's
// own division, square root and fma do. A number is sign, exponent and significand; round_off() packs it
// again.

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = unsigned;
  static constexpr int digits = 23;
  static constexpr int bias = 127;
};
template <>
struct Format<double> {
  using Bits = unsigned long long;
  static constexpr int digits = 52;
  static constexpr int bias = 1023;
};

// 0: nearest even, 1: towards zero, 2: up, 3: down.
enum Mode { kNearest, kZero, kUp, kDown };

template <typename Bits>
struct Split {
  Bits sign;  // in its bit position
  Bits m;  // the significand, with its leading bit
  int e;  // of the leading bit
};

template <typename T>
struct Real {
  using Bits = typename Format<T>::Bits;
  static constexpr int digits = Format<T>::digits;
  static constexpr int bias = Format<T>::bias;
  static constexpr Bits one = 1;
  static constexpr Bits sign_bit = one << (sizeof(T) * 8 - 1);
  static constexpr Bits infinity = Bits(2 * bias + 1) << digits;
  static constexpr Bits nan = infinity | (one << (digits - 1));

  // Of a number that is neither 0 nor infinite nor NaN.
  __device__ static Split<Bits> split(Bits x) {
    Split<Bits> s;
    s.sign = x & sign_bit;
    Bits m = x & ~sign_bit;
    if (m >= (one << digits)) {
      s.e = int(m >> digits) - bias;
      s.m = (m & ((one << digits) - 1)) | (one << digits);
    } else {
      int up = __quern_clz(m) - int(sizeof(T) * 8 - 1 - digits);
      s.m = m << up;
      s.e = 1 - bias - up;
    }
    return s;
  }

  // A significand with two more bits than fit, the last of which is sticky.
  __device__ static T round_off(Bits sign, int e, Bits m, int mode) {
    int biased = e + bias;
    if (biased <= 0) {
      int shift = 1 - biased;
      if (shift > digits + 3) shift = digits + 4;
      Bits lost = m & ((one << shift) - 1);
      m = (m >> shift) | (lost != 0 ? 1 : 0);
      biased = 0;
    }
    Bits kept = m >> 2, rest = m & 3;
    bool up = mode == kNearest ? rest > 2 || (rest == 2 && (kept & 1) != 0)
              : mode == kUp    ? rest != 0 && sign == 0
              : mode == kDown  ? rest != 0 && sign != 0
                               : false;
    if (up) ++kept;
    Bits bits = biased > 0 ? (Bits(biased) << digits) + (kept - (one << digits)) : kept;
    if (bits >= infinity) {
      bool to_infinity = mode == kNearest || (mode == kUp && sign == 0) || (mode == kDown && sign != 0);
      bits = to_infinity ? infinity : infinity - 1;
    }
    return real_of(sign | bits);
  }

  __device__ static T divide(T x, T y, int mode) {
    Bits a = bits_of(x), b = bits_of(y);
    Bits sign = (a ^ b) & sign_bit;
    Bits am = a & ~sign_bit, bm = b & ~sign_bit;
    if (am > infinity || bm > infinity) return real_of(nan);
    if (am == infinity) return real_of(bm == infinity ? nan : sign | infinity);
    if (bm == infinity) return real_of(sign);
    if (bm == 0) return real_of(am == 0 ? nan : sign | infinity);
    if (am == 0) return real_of(sign);
    Split<Bits> n = split(a), d = split(b);
    int e = n.e - d.e;
    int shift = digits;
    if (n.m < d.m) {
      --e;
      ++shift;
    }
    // An approximate quotient from the target; the remainder (which fits, modulo the word) corrects it.
    T near = real_of((Bits(bias) << digits) + (n.m - (one << digits))) /
             real_of((Bits(bias) << digits) + (d.m - (one << digits)));
    Bits q = (Bits)(near * real_of(Bits(bias + shift) << digits));
    Bits rest = (n.m << (shift & int(sizeof(T) * 8 - 1))) - q * d.m;
    if (shift >= int(sizeof(T) * 8)) rest = Bits(0) - q * d.m;
    for (int i = 0; i < 16 && (rest & sign_bit) != 0; ++i) {
      --q;
      rest += d.m;
    }
    for (int i = 0; i < 16 && rest >= d.m; ++i) {
      ++q;
      rest -= d.m;
    }
    Bits twice = rest + rest;
    Bits more = rest == 0 ? 0 : twice < d.m ? 1 : twice == d.m ? 2 : 3;
    return round_off(sign, e, (q << 2) | more, mode);
  }

  __device__ static T root(T x, int mode) {
    Bits a = bits_of(x);
    if ((a & ~sign_bit) > infinity) return real_of(nan);
    if ((a & ~sign_bit) == 0 || a == infinity) return x;
    if ((a & sign_bit) != 0) return real_of(nan);
    Split<Bits> s = split(a);
    int odd = s.e & 1;
    // From [1, 4): the root has its leading bit where the number has it.
    T m = real_of((Bits(bias + odd) << digits) + (s.m - (one << digits)));
    Bits q = (Bits)(__quern_sqrt(m) * real_of(Bits(bias + digits) << digits));
    int shift = digits + odd;
    Bits rest = (s.m << shift) - q * q;
    for (int i = 0; i < 16 && (rest & sign_bit) != 0; ++i) {
      --q;
      rest += q + q + 1;
    }
    for (int i = 0; i < 16 && rest > q + q; ++i) {
      rest -= q + q + 1;
      ++q;
    }
    Bits more = rest == 0 ? 0 : rest > q ? 3 : 1;
    return round_off(0, (s.e - odd) / 2, (q << 2) | more, mode);
  }

  // From a 64-bit integer.
  __device__ static T whole(bool negative, unsigned long long n, int mode) {
    if (n == 0) return real_of(Bits(0));
    int e = 63 - __quern_clz(n);
    constexpr int kept = digits + 2;
    Bits m = e <= kept ? Bits(n) << ((kept - e) & 63)
                       : Bits(n >> (e - kept)) | ((n << (63 - (e - kept)) << 1) != 0 ? 1 : 0);
    if (e <= kept) m = Bits(n << (kept - e));
    return round_off(negative ? sign_bit : Bits(0), e, m, mode);
  }
};

__device__ float div_f32(float a, float b) { return Real<float>::divide(a, b, kNearest); }
__device__ double div_f64(double a, double b) { return Real<double>::divide(a, b, kNearest); }
__device__ float div_nearest_f32(float a, float b) { return Real<float>::divide(a, b, kNearest); }
__device__ double div_nearest_f64(double a, double b) { return Real<double>::divide(a, b, kNearest); }
__device__ float div_zero_f32(float a, float b) { return Real<float>::divide(a, b, kZero); }
__device__ float div_up_f32(float a, float b) { return Real<float>::divide(a, b, kUp); }
__device__ float div_down_f32(float a, float b) { return Real<float>::divide(a, b, kDown); }
__device__ double div_zero_f64(double a, double b) { return Real<double>::divide(a, b, kZero); }
__device__ double div_up_f64(double a, double b) { return Real<double>::divide(a, b, kUp); }
__device__ double div_down_f64(double a, double b) { return Real<double>::divide(a, b, kDown); }

__device__ float sqrt_f32(float x) { return Real<float>::root(x, kNearest); }
__device__ double sqrt_f64(double x) { return Real<double>::root(x, kNearest); }
__device__ float sqrt_nearest_f32(float x) { return Real<float>::root(x, kNearest); }
__device__ double sqrt_nearest_f64(double x) { return Real<double>::root(x, kNearest); }
__device__ float sqrt_zero_f32(float x) { return Real<float>::root(x, kZero); }
__device__ float sqrt_up_f32(float x) { return Real<float>::root(x, kUp); }
__device__ float sqrt_down_f32(float x) { return Real<float>::root(x, kDown); }
__device__ double sqrt_zero_f64(double x) { return Real<double>::root(x, kZero); }
__device__ double sqrt_up_f64(double x) { return Real<double>::root(x, kUp); }
__device__ double sqrt_down_f64(double x) { return Real<double>::root(x, kDown); }

// 128 bits, as two words.
struct Wide {
  unsigned long long hi, lo;
};
__device__ Wide shifted_left(Wide w, int n) {
  if (n == 0) return w;
  if (n >= 64) return Wide{w.lo << (n - 64), 0};
  return Wide{(w.hi << n) | (w.lo >> (64 - n)), w.lo << n};
}
// Bits that are shifted out set the last bit.
__device__ Wide shifted_right(Wide w, int n) {
  if (n == 0) return w;
  if (n > 127) return Wide{0, (w.hi | w.lo) != 0 ? 1ull : 0ull};
  if (n == 64) return Wide{0, w.hi | (w.lo != 0 ? 1ull : 0ull)};
  if (n > 64) {
    unsigned long long lost = (w.hi << (128 - n)) | w.lo;
    return Wide{0, (w.hi >> (n - 64)) | (lost != 0 ? 1ull : 0ull)};
  }
  unsigned long long lost = w.lo << (64 - n);
  return Wide{w.hi >> n, (w.hi << (64 - n)) | (w.lo >> n) | (lost != 0 ? 1ull : 0ull)};
}

// a * b + c, rounded once. The product and c have their leading bits near bit 126; the smaller one is
// shifted, and lost bits are recorded.
template <typename T>
__device__ T fused(T x, T y, T z, int mode) {
  using R = Real<T>;
  using Bits = typename R::Bits;
  Bits a = bits_of(x), b = bits_of(y), c = bits_of(z);
  Bits am = a & ~R::sign_bit, bm = b & ~R::sign_bit, cm = c & ~R::sign_bit;
  Bits sign = (a ^ b) & R::sign_bit, c_sign = c & R::sign_bit;
  if (am > R::infinity || bm > R::infinity || cm > R::infinity) return real_of(R::nan);
  if (am == R::infinity || bm == R::infinity) {
    if (am == 0 || bm == 0 || (cm == R::infinity && c_sign != sign)) return real_of(R::nan);
    return real_of(sign | R::infinity);
  }
  if (cm == R::infinity) return z;
  if (am == 0 || bm == 0) {
    if (cm != 0) return z;
    if (sign == c_sign) return z;
    return real_of(mode == kDown ? R::sign_bit : Bits(0));
  }
  Split<Bits> p = R::split(a), q = R::split(b);
  unsigned long long pm = p.m, qm = q.m;
  Wide w = shifted_left(Wide{mulhi_u64(pm, qm), pm * qm}, 125 - 2 * R::digits);
  int e = p.e + q.e;  // of bit 125
  if (cm != 0) {
    Split<Bits> r = R::split(c);
    Wide v = shifted_left(Wide{0, (unsigned long long)r.m}, 125 - R::digits);
    int apart = e - r.e;
    if (apart >= 0) {
      v = shifted_right(v, apart);
    } else {
      w = shifted_right(w, -apart);
      e = r.e;
    }
    if (sign == c_sign) {
      unsigned long long lo = w.lo + v.lo;
      w = Wide{w.hi + v.hi + (lo < w.lo ? 1ull : 0ull), lo};
    } else {
      bool smaller = w.hi < v.hi || (w.hi == v.hi && w.lo < v.lo);
      if (smaller) {
        Wide t = w;
        w = v;
        v = t;
        sign = c_sign;
      }
      unsigned long long lo = w.lo - v.lo;
      w = Wide{w.hi - v.hi - (w.lo < v.lo ? 1ull : 0ull), lo};
      if ((w.hi | w.lo) == 0) return real_of(mode == kDown ? R::sign_bit : Bits(0));
    }
  }
  int zeros = w.hi != 0 ? __quern_clz(w.hi) : 64 + __quern_clz(w.lo);
  w = shifted_left(w, zeros);
  e += 2 - zeros;
  w = shifted_right(w, 127 - (R::digits + 2));
  return R::round_off(sign, e, Bits(w.lo), mode);
}

__device__ unsigned long long moved_right(unsigned long long x, int n) {
  if (n > 63) return x != 0 ? 1u : 0u;
  unsigned long long kept = x >> n;
  return (kept << n) != x ? kept | 1u : kept;
}
// For floats 64 bits are enough: product and addend have their leading bits near bit 61. Only an operand far
// below the other loses bits, and then there is no cancellation that could expose them.
__device__ float fused(float x, float y, float z, int mode) {
  using R = Real<float>;
  unsigned a = bits_of(x), b = bits_of(y), c = bits_of(z);
  unsigned am = a & ~R::sign_bit, bm = b & ~R::sign_bit, cm = c & ~R::sign_bit;
  unsigned sign = (a ^ b) & R::sign_bit, c_sign = c & R::sign_bit;
  if (am > R::infinity || bm > R::infinity || cm > R::infinity) return real_of(R::nan);
  if (am == R::infinity || bm == R::infinity) {
    if (am == 0u || bm == 0u || (cm == R::infinity && c_sign != sign)) return real_of(R::nan);
    return real_of(sign | R::infinity);
  }
  if (cm == R::infinity) return z;
  if (am == 0u || bm == 0u) {
    if (cm != 0u || sign == c_sign) return z;
    return real_of(mode == kDown ? R::sign_bit : 0u);
  }
  Split<unsigned> p = R::split(a), q = R::split(b);
  unsigned long long w = ((unsigned long long)p.m * q.m) << 14;
  int e = p.e + q.e;  // of bit 60
  if (cm != 0u) {
    Split<unsigned> r = R::split(c);
    unsigned long long v = (unsigned long long)r.m << 37;
    int apart = e - r.e;
    if (apart >= 0) {
      v = moved_right(v, apart);
    } else {
      w = moved_right(w, -apart);
      e = r.e;
    }
    if (sign == c_sign) {
      w += v;
    } else {
      bool smaller = w < v;
      sign = smaller ? c_sign : sign;
      w = smaller ? v - w : w - v;
      if (w == 0) return real_of(mode == kDown ? R::sign_bit : 0u);
    }
  }
  int zeros = __quern_clz(w);
  return R::round_off(sign, e + 3 - zeros, (unsigned)moved_right(w << zeros, 63 - 25), mode);
}

__device__ float fma_f32(float a, float b, float c) { return fused(a, b, c, kNearest); }
__device__ double fma_f64(double a, double b, double c) { return fused(a, b, c, kNearest); }
__device__ float fma_nearest_f32(float a, float b, float c) { return fused(a, b, c, kNearest); }
__device__ double fma_nearest_f64(double a, double b, double c) { return fused(a, b, c, kNearest); }
__device__ float fma_zero_f32(float a, float b, float c) { return fused(a, b, c, kZero); }
__device__ float fma_up_f32(float a, float b, float c) { return fused(a, b, c, kUp); }
__device__ float fma_down_f32(float a, float b, float c) { return fused(a, b, c, kDown); }
__device__ double fma_zero_f64(double a, double b, double c) { return fused(a, b, c, kZero); }
__device__ double fma_up_f64(double a, double b, double c) { return fused(a, b, c, kUp); }
__device__ double fma_down_f64(double a, double b, double c) { return fused(a, b, c, kDown); }

__device__ float add_nearest_f32(float a, float b) { return a + b; }
__device__ double add_nearest_f64(double a, double b) { return a + b; }
__device__ float add_zero_f32(float a, float b) { return fused(a, 1.0f, b, kZero); }
__device__ float add_up_f32(float a, float b) { return fused(a, 1.0f, b, kUp); }
__device__ float add_down_f32(float a, float b) { return fused(a, 1.0f, b, kDown); }
__device__ double add_zero_f64(double a, double b) { return fused(a, 1.0, b, kZero); }
__device__ double add_up_f64(double a, double b) { return fused(a, 1.0, b, kUp); }
__device__ double add_down_f64(double a, double b) { return fused(a, 1.0, b, kDown); }

// Nothing is added, with the sign of a zero product.
template <typename T>
__device__ T multiplied(T a, T b, int mode) {
  using R = Real<T>;
  return fused(a, b, (T)real_of((bits_of(a) ^ bits_of(b)) & R::sign_bit), mode);
}
__device__ float mul_nearest_f32(float a, float b) { return a * b; }
__device__ double mul_nearest_f64(double a, double b) { return a * b; }
__device__ float mul_zero_f32(float a, float b) { return multiplied(a, b, kZero); }
__device__ float mul_up_f32(float a, float b) { return multiplied(a, b, kUp); }
__device__ float mul_down_f32(float a, float b) { return multiplied(a, b, kDown); }
__device__ double mul_zero_f64(double a, double b) { return multiplied(a, b, kZero); }
__device__ double mul_up_f64(double a, double b) { return multiplied(a, b, kUp); }
__device__ double mul_down_f64(double a, double b) { return multiplied(a, b, kDown); }

// Conversions with a rounding mode.
__device__ float narrowed(double x, int mode) {
  unsigned long long b = bits_of(x), m = b & ~Real<double>::sign_bit;
  if (m == 0 || m >= Real<double>::infinity) return (float)x;
  Split<unsigned long long> s = Real<double>::split(b);
  Wide w = shifted_right(Wide{0, s.m}, 52 - 25);
  int e = s.e > 200 ? 200 : s.e;  // beyond every float, and its exponent still fits
  return Real<float>::round_off(s.sign != 0 ? 0x80000000u : 0u, e, (unsigned)w.lo, mode);
}
__device__ float convert_zero_f32_f64(double x) { return narrowed(x, kZero); }
__device__ float convert_up_f32_f64(double x) { return narrowed(x, kUp); }
__device__ float convert_down_f32_f64(double x) { return narrowed(x, kDown); }

template <typename T>
__device__ T of_signed(long long n, int mode) {
  return Real<T>::whole(n < 0, n < 0 ? 0ull - (unsigned long long)n : (unsigned long long)n, mode);
}
template <typename T>
__device__ T of_unsigned(unsigned long long n, int mode) {
  return Real<T>::whole(false, n, mode);
}
// The sign is tested in 32 bits: Mesa 22.3 tests it incorrectly on extended numbers.
__device__ float of_int(int n, int mode) {
  return Real<float>::whole(n < 0, n < 0 ? 0u - (unsigned)n : (unsigned)n, mode);
}
__device__ float convert_zero_f32_i32(int n) { return of_int(n, kZero); }
__device__ float convert_up_f32_i32(int n) { return of_int(n, kUp); }
__device__ float convert_down_f32_i32(int n) { return of_int(n, kDown); }
__device__ float convert_zero_f32_u32(unsigned n) { return of_unsigned<float>(n, kZero); }
__device__ float convert_up_f32_u32(unsigned n) { return of_unsigned<float>(n, kUp); }
__device__ float convert_down_f32_u32(unsigned n) { return of_unsigned<float>(n, kDown); }
__device__ float convert_zero_f32_i64(long long n) { return of_signed<float>(n, kZero); }
__device__ float convert_up_f32_i64(long long n) { return of_signed<float>(n, kUp); }
__device__ float convert_down_f32_i64(long long n) { return of_signed<float>(n, kDown); }
__device__ float convert_zero_f32_u64(unsigned long long n) { return of_unsigned<float>(n, kZero); }
__device__ float convert_up_f32_u64(unsigned long long n) { return of_unsigned<float>(n, kUp); }
__device__ float convert_down_f32_u64(unsigned long long n) { return of_unsigned<float>(n, kDown); }
__device__ double convert_zero_f64_i64(long long n) { return of_signed<double>(n, kZero); }
__device__ double convert_up_f64_i64(long long n) { return of_signed<double>(n, kUp); }
__device__ double convert_down_f64_i64(long long n) { return of_signed<double>(n, kDown); }
__device__ double convert_zero_f64_u64(unsigned long long n) { return of_unsigned<double>(n, kZero); }
__device__ double convert_up_f64_u64(unsigned long long n) { return of_unsigned<double>(n, kUp); }
__device__ double convert_down_f64_u64(unsigned long long n) { return of_unsigned<double>(n, kDown); }

// a * b + c with one rounding. The product of two halves is exact in float, the sum is rounded to odd.
__device__ unsigned short fma_f16(unsigned short a, unsigned short b, unsigned short c) {
  float p = f32_of_f16(a) * f32_of_f16(b);
  float z = f32_of_f16(c);
  float s = p + z;
  float t = s - p;
  float e = (p - (s - t)) + (z - t);
  unsigned bits = bits_of(s);
  if (e == e && e != 0.0f && (bits & 1u) == 0u) s = real_of((e > 0.0f) == (s > 0.0f) ? bits + 1u : bits - 1u);
  return f16_of_f32(s);
}
// Towards zero, with a sticky last bit: rounding it again is correct.
__device__ unsigned short fma_bf16(unsigned short a, unsigned short b, unsigned short c) {
  float x = f32_of_bf16(a), y = f32_of_bf16(b), z = f32_of_bf16(c);
  float near = fused(x, y, z, kZero);
  if (fused(x, y, z, kUp) != fused(x, y, z, kDown)) near = real_of(bits_of(near) | 1u);
  return bf16_of_f32(near);
}

__device__ unsigned long long rem_u64(unsigned long long a, unsigned long long b);

// The remainder of x divided by y.
template <typename T>
__device__ T rest_of(T x, T y) {
  using R = Real<T>;
  using Bits = typename R::Bits;
  Bits a = bits_of(x), b = bits_of(y);
  Bits am = a & ~R::sign_bit, bm = b & ~R::sign_bit;
  if (am >= R::infinity || bm > R::infinity || bm == 0) return real_of(R::nan);
  if (am < bm) return x;
  Split<Bits> n = R::split(a), d = R::split(b);
  int left = n.e - d.e;
  unsigned long long rest = rem_u64(n.m, d.m);
  constexpr int kStep = 63 - R::digits;
  while (left > 0 && rest != 0) {
    int by = left < kStep ? left : kStep;
    rest = rem_u64(rest << by, d.m);
    left -= by;
  }
  if (rest == 0) return real_of(a & R::sign_bit);
  int zeros = __quern_clz((Bits)rest) - int(sizeof(T) * 8 - 1 - R::digits);
  Bits m = (Bits)rest << zeros;
  return R::round_off(a & R::sign_bit, d.e - zeros, m << 2, kNearest);
}
__device__ float rem_f32(float x, float y) { return rest_of(x, y); }
__device__ double rem_f64(double x, double y) { return rest_of(x, y); }

// To the nearest multiple; ties to even.
template <typename T>
__device__ T nearest_rest(T x, T y) {
  using R = Real<T>;
  using Bits = typename R::Bits;
  Bits sign = bits_of(x) & R::sign_bit;
  Bits bm = bits_of(y) & ~R::sign_bit;
  if (bm > R::infinity || bm == 0 || (bits_of(x) & ~R::sign_bit) >= R::infinity) return real_of(R::nan);
  if (bm == R::infinity) return x;
  T size = real_of(bm);
  T rest = __quern_abs(x);
  if (bm < R::infinity - (R::one << R::digits)) rest = rest_of(rest, size + size);
  if (bm < (R::one << (R::digits + 1))) {
    if (rest + rest > size) {
      rest -= size;
      if (rest + rest >= size) rest -= size;
    }
  } else {
    T half = size * (T)0.5;
    if (rest > half) {
      rest -= size;
      if (rest >= half) rest -= size;
    }
  }
  return real_of(bits_of(rest) ^ sign);
}
__device__ float remainder_f32(float x, float y) { return nearest_rest(x, y); }
__device__ double remainder_f64(double x, double y) { return nearest_rest(x, y); }

template <typename T>
__device__ T scaled(T x, int n) {
  using R = Real<T>;
  typename R::Bits b = bits_of(x), m = b & ~R::sign_bit;
  if (m == 0 || m >= R::infinity) return x;
  auto s = R::split(b);
  if (n > 5000) n = 5000;
  if (n < -5000) n = -5000;
  return R::round_off(s.sign, s.e + n, s.m << 2, kNearest);
}
__device__ float ldexp_f32(float x, int n) { return scaled(x, n); }
__device__ double ldexp_f64(double x, int n) { return scaled(x, n); }

template <typename T>
__device__ int exponent(T x) {
  using R = Real<T>;
  typename R::Bits m = bits_of(x) & ~R::sign_bit;
  if (m == R::infinity) return 2147483647;
  if (m > R::infinity || m == 0) return -2147483647 - 1;
  return R::split(m).e;
}
__device__ int ilogb_f32(float x) { return exponent(x); }
__device__ int ilogb_f64(double x) { return exponent(x); }
__device__ float logb_f32(float x) {
  if (__quern_isnan(x)) return x;
  if (x == 0.0f) return real_of(0xff800000u);
  return __quern_isinf(x) ? real_of(0x7f800000u) : (float)exponent(x);
}
__device__ double logb_f64(double x) {
  if (__quern_isnan(x)) return x;
  if (x == 0.0) return real_of(0xfff0000000000000ull);
  return __quern_isinf(x) ? real_of(0x7ff0000000000000ull) : (double)exponent(x);
}

__device__ float copysign_f32(float x, float y) {
  return real_of((bits_of(x) & 0x7fffffffu) | (bits_of(y) & 0x80000000u));
}
__device__ double copysign_f64(double x, double y) {
  return real_of((bits_of(x) & 0x7fffffffffffffffull) | (bits_of(y) & 0x8000000000000000ull));
}
__device__ float fdim_f32(float x, float y) {
  if (x != x || y != y) return real_of(0x7fc00000u);
  return x > y ? x - y : 0.0f;
}
__device__ double fdim_f64(double x, double y) {
  if (x != x || y != y) return real_of(0x7ff8000000000000ull);
  return x > y ? x - y : 0.0;
}
// Ties away from zero.
template <typename T>
__device__ T rounded_away(T x) {
  T whole = __quern_trunc(x);
  T rest = __quern_abs(x - whole);
  if (rest >= (T)0.5) whole += x < (T)0 ? (T)-1 : (T)1;
  return real_of((bits_of(whole) & ~Real<T>::sign_bit) | (bits_of(x) & Real<T>::sign_bit));
}
__device__ float round_f32(float x) { return __quern_isnan(x) || __quern_isinf(x) ? x : rounded_away(x); }
__device__ double round_f64(double x) { return __quern_isnan(x) || __quern_isinf(x) ? x : rounded_away(x); }

template <typename T>
__device__ T next_after(T x, T y) {
  using R = Real<T>;
  using Bits = typename R::Bits;
  if (x != x || y != y) return real_of(R::nan);
  if (x == y) return y;
  Bits b = bits_of(x);
  if ((b & ~R::sign_bit) == 0) return real_of((bits_of(y) & R::sign_bit) | 1);
  return real_of((x < y) == (x > (T)0) ? b + 1 : b - 1);
}
__device__ float nextafter_f32(float x, float y) { return next_after(x, y); }
__device__ double nextafter_f64(double x, double y) { return next_after(x, y); }
