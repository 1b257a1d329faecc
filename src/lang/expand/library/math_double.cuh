// The math library in double precision. Functions on floats also compute here if there is nothing better
// (math_float.cuh). Errors stay within CUDA's documented bounds; sums of two doubles (Pair) carry what one
// cannot.

struct Pair {
  double hi, lo;
};
__device__ Pair sum_of(double a, double b) {
  double s = a + b, t = s - a;
  return Pair{s, (a - (s - t)) + (b - t)};
}
__device__ Pair quick_sum(double a, double b) {
  double s = a + b;
  return Pair{s, b - (s - a)};
}
// Exact, by halves of 26 bits.
__device__ Pair product_of(double a, double b) {
  double p = a * b;
  double t = a * 134217729.0, ah = t - (t - a), al = a - ah;
  t = b * 134217729.0;
  double bh = t - (t - b), bl = b - bh;
  return Pair{p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}
__device__ Pair plus(Pair a, Pair b) {
  Pair s = sum_of(a.hi, b.hi);
  return quick_sum(s.hi, s.lo + a.lo + b.lo);
}
__device__ Pair times(Pair a, Pair b) {
  Pair p = product_of(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
__device__ Pair times(Pair a, double b) {
  Pair p = product_of(a.hi, b);
  return quick_sum(p.hi, p.lo + a.lo * b);
}
__device__ Pair over(Pair a, Pair b) {
  double q = a.hi / b.hi;
  Pair p = times(b, q);
  double rest = ((a.hi - p.hi) - p.lo) + a.lo;
  return quick_sum(q, rest / b.hi);
}
__device__ Pair root_of(Pair a) {
  if (a.hi <= 0.0) return Pair{0.0, 0.0};
  double s = __quern_sqrt(a.hi);
  Pair p = product_of(s, s);
  return quick_sum(s, ((a.hi - p.hi) - p.lo + a.lo) / (s + s));
}

__device__ double not_a_number() { return real_of(0x7ff8000000000000ull); }
__device__ double infinite() { return real_of(0x7ff0000000000000ull); }
__device__ double power_of_two(int e) { return real_of((unsigned long long)(e + 1023) << 52); }

// ---- exponentials -------------------------------------------------------------------------------------------

// e^r - 1 - r for |r| < 0.35.
__device__ double exp_tail(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  return p * (r * r);
}

// 2^k times a number near 1, which may be out of range.
__device__ double times_power(double x, int k) {
  if (k > 2100) k = 2100;
  if (k < -2200) k = -2200;
  if (k > 1023) return x * power_of_two(1023) * power_of_two(k - 1023 > 1023 ? 1023 : k - 1023);
  if (k < -1022) return scaled(x, k);
  return x * power_of_two(k);
}

// e^x as a pair near 1 and a power of two.
struct Exponential {
  Pair value;
  int power;
};
__device__ Exponential exp_pair(Pair x) {
  double k = __quern_rint(x.hi * 0x1.71547652b82fep+0);
  Pair r = sum_of(x.hi - k * 0x1.62e42fee00000p-1, -k * 0x1.a39ef35793c76p-33);
  r = quick_sum(r.hi, r.lo + x.lo);
  double tail = exp_tail(r.hi) + r.lo * (1.0 + r.hi);
  Pair s = quick_sum(1.0, r.hi);
  return Exponential{quick_sum(s.hi, s.lo + tail), (int)k};
}
__device__ double exp_of(Pair x) {
  if (x.hi > 720.0) return infinite();
  if (x.hi < -760.0) return 0.0;
  Exponential e = exp_pair(x);
  return times_power(e.value.hi + e.value.lo, e.power);
}

__device__ double exp_f64(double x) {
  if (x != x) return x;
  return exp_of(Pair{x, 0.0});
}
__device__ double exp2_f64(double x) {
  if (x != x) return x;
  if (x >= 1024.0) return infinite();
  if (x < -1080.0) return 0.0;
  double k = __quern_rint(x);
  Exponential e = exp_pair(times(Pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x - k));
  return times_power(e.value.hi + e.value.lo, (int)k + e.power);
}
__device__ double exp10_f64(double x) {
  if (x != x) return x;
  if (x > 310.0) return infinite();
  if (x < -326.0) return 0.0;
  return exp_of(times(Pair{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}, x));
}
__device__ double expm1_f64(double x) {
  if (x != x || x == 0.0) return x;
  if (x > 720.0) return infinite();
  if (x < -50.0) return -1.0;
  if (__quern_abs(x) < 0.34) return x + exp_tail(x);
  Exponential e = exp_pair(Pair{x, 0.0});
  if (e.power > 60) return times_power(e.value.hi + e.value.lo, e.power);
  double up = power_of_two(e.power);
  Pair s = sum_of(e.value.hi * up, -1.0);
  return s.hi + (s.lo + e.value.lo * up);
}

// ---- logarithms ---------------------------------------------------------------------------------------------

// log(m) for m within [0.7, 1.42], from 2 artanh((m - 1) / (m + 1)).
__device__ Pair log_near_one(Pair m) {
  Pair f = quick_sum(m.hi - 1.0, m.lo);
  Pair s = over(f, plus(Pair{m.hi, m.lo}, Pair{1.0, 0.0}));
  Pair z = times(s, s);
  double w = z.hi;
  double p = 2.0 / 25.0;
  p = p * w + 2.0 / 23.0;
  p = p * w + 2.0 / 21.0;
  p = p * w + 2.0 / 19.0;
  p = p * w + 2.0 / 17.0;
  p = p * w + 2.0 / 15.0;
  p = p * w + 2.0 / 13.0;
  p = p * w + 2.0 / 11.0;
  p = p * w + 2.0 / 9.0;
  p = p * w + 2.0 / 7.0;
  p = p * w + 2.0 / 5.0;
  Pair inner = plus(Pair{0x1.5555555555555p-1, 0x1.5555555555555p-55}, times(z, p));
  Pair cubic = times(times(s, z), inner);
  return plus(Pair{s.hi + s.hi, s.lo + s.lo}, cubic);
}

struct Logarithm {
  Pair rest;  // log of the significand
  double power;
};
// Of a positive finite number, with a small addend.
__device__ Logarithm log_split(double x, double addend) {
  Split<unsigned long long> s = Real<double>::split(bits_of(x));
  int e = s.e;
  double m = real_of(((unsigned long long)1023 << 52) + (s.m - (1ull << 52)));
  double scaled_addend = addend;
  if (addend != 0.0) scaled_addend = scaled(addend, -e);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    scaled_addend *= 0.5;
    ++e;
  }
  return Logarithm{log_near_one(Pair{m, scaled_addend}), (double)e};
}
__device__ Pair log_pair(double x, double addend) {
  Logarithm l = log_split(x, addend);
  Pair p = sum_of(l.power * 0x1.62e42fee00000p-1, l.rest.hi);
  return quick_sum(p.hi, p.lo + (l.rest.lo + l.power * 0x1.a39ef35793c76p-33));
}

// The common special cases of logarithms.
__device__ bool log_is_special(double x) { return !(x > 0.0) || __quern_isinf(x); }
__device__ double log_special(double x) {
  if (x != x) return x;
  if (x == 0.0) return -infinite();
  return x < 0.0 ? not_a_number() : x;
}
__device__ double log_f64(double x) {
  if (log_is_special(x)) return log_special(x);
  Pair p = log_pair(x, 0.0);
  return p.hi + p.lo;
}
__device__ double log2_f64(double x) {
  if (log_is_special(x)) return log_special(x);
  Logarithm l = log_split(x, 0.0);
  Pair p = times(l.rest, Pair{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  Pair s = sum_of(l.power, p.hi);
  return s.hi + (s.lo + p.lo);
}
__device__ double log10_f64(double x) {
  if (log_is_special(x)) return log_special(x);
  Pair p = times(log_pair(x, 0.0), Pair{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return p.hi + p.lo;
}
__device__ Pair log1p_pair(double x) {
  Pair s = sum_of(1.0, x);
  return log_pair(s.hi, s.lo);
}
__device__ double log1p_f64(double x) {
  if (x != x || x == 0.0) return x;
  if (x <= -1.0) return x == -1.0 ? -infinite() : not_a_number();
  if (__quern_isinf(x)) return x;
  if (__quern_abs(x) < 1e-17) return x;
  if (x > 1e300) return log_f64(x);
  Pair p = log1p_pair(x);
  return p.hi + p.lo;
}

__device__ double pow_f64(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return not_a_number();
  double size = __quern_abs(x);
  bool is_whole = __quern_trunc(y) == y;
  bool is_odd = is_whole && __quern_abs(y) < 9007199254740992.0 && __quern_trunc(y * 0.5) != y * 0.5;
  bool negative = __quern_signbit(x) && is_odd;
  if (__quern_isinf(y)) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? infinite() : 0.0;
  }
  if (size == 0.0 || __quern_isinf(x)) {
    double r = (size == 0.0) == (y > 0.0) ? 0.0 : infinite();
    return negative ? -r : r;
  }
  if (x < 0.0 && !is_whole) return not_a_number();
  Pair l = log_pair(size, 0.0);
  double r = 0.0;
  double near = l.hi * y;
  if (near > 720.0) {
    r = infinite();
  } else if (near >= -760.0) {
    r = exp_of(times(l, y));
  }
  return negative ? -r : r;
}

// ---- trigonometric functions --------------------------------------------------------------------------------

// An angle as a quadrant and a remainder of at most a quarter turn to either side.
struct Angle {
  Pair rest;
  int quadrant;
};

__device__ unsigned two_over_pi(int i) {
  constexpr unsigned words[40] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};
  return i < 0 || i >= 40 ? 0u : words[i];
}

// A huge angle: only those bits of 2/pi matter that contribute to the fraction of a turn.
__device__ Angle reduced_huge(double x) {
  Split<unsigned long long> s = Real<double>::split(bits_of(x) & 0x7fffffffffffffffull);
  int low = s.e - 52;             // x = m * 2^low
  int first = low < 2 ? -1 : (low - 2) >> 5;  // the first word of 2/pi that does not give a multiple of 4
  // Seven words from there, times m.
  unsigned m0 = (unsigned)s.m, m1 = (unsigned)(s.m >> 32);
  unsigned product[9];
  for (int i = 0; i < 9; ++i) product[i] = 0u;
  unsigned long long carry = 0;
  for (int i = 6; i >= 0; --i) {
    unsigned long long t = (unsigned long long)two_over_pi(first + i) * m0 + product[i + 2] + carry;
    product[i + 2] = (unsigned)t;
    carry = t >> 32;
  }
  product[1] = (unsigned)carry;
  carry = 0;
  for (int i = 6; i >= 0; --i) {
    unsigned long long t = (unsigned long long)two_over_pi(first + i) * m1 + product[i + 1] + carry;
    product[i + 1] = (unsigned)t;
    carry = t >> 32;
  }
  product[0] = (unsigned)carry;
  int up = low - 32 * first;  // the position of the binary point after product[1]
  unsigned bits[5];
  for (int i = 0; i < 5; ++i) {
    int at = up + 62 + 32 * i;  // bits from two before the point on
    int w = at >> 5, b = at & 31;
    unsigned hi = product[w], lo = w + 1 < 9 ? product[w + 1] : 0u;
    bits[i] = b == 0 ? hi : (hi << b) | (lo >> (32 - b));
  }
  int quadrant = (int)(bits[0] >> 30);
  unsigned long long f0 = ((unsigned long long)bits[0] << 34) | ((unsigned long long)bits[1] << 2) | (bits[2] >> 30);
  unsigned long long f1 = ((unsigned long long)bits[2] << 34) | ((unsigned long long)bits[3] << 2) | (bits[4] >> 30);
  bool negative = (f0 >> 63) != 0;
  if (negative) {
    ++quadrant;
    f1 = ~f1 + 1;
    f0 = ~f0 + (f1 == 0 ? 1 : 0);
  }
  // To a pair: the upper 64 bits and the rest.
  double hi = 0.0, lo = 0.0;
  if ((f0 | f1) != 0) {
    int zeros = f0 != 0 ? __quern_clz(f0) : 64 + __quern_clz(f1);
    Wide w = shifted_left(Wide{f0, f1}, zeros);
    hi = (double)(w.hi >> 11);
    unsigned long long rest = (w.hi << 53) | (w.lo >> 11);
    lo = (double)(rest >> 11) * 0x1p-53;
    double by = power_of_two(-zeros - 53);
    hi *= by;
    lo *= by;
  }
  Pair r = times(Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, Pair{hi, lo});
  if (negative) r = Pair{-r.hi, -r.lo};
  return Angle{r, quadrant & 3};
}

__device__ Angle reduced(double x) {
  double size = __quern_abs(x);
  Angle a;
  if (size < 200000.0) {
    double k = __quern_rint(size * 0.63661977236758138);
    Pair r = sum_of(size - k * 0x1.921fb54400000p+0, -k * 0x1.0b4611a600000p-34);
    Pair more = product_of(k, -0x1.3198a2e037073p-69);
    Pair s = sum_of(r.hi, more.hi);
    a = Angle{quick_sum(s.hi, s.lo + (r.lo + more.lo)), (int)k & 3};
  } else {
    a = reduced_huge(size);
  }
  if (x < 0.0) a = Angle{Pair{-a.rest.hi, -a.rest.lo}, (4 - a.quadrant) & 3};
  return a;
}

__device__ double sin_rest(Pair r) {
  double z = r.hi * r.hi;
  double p = -1.0 / 121645100408832000.0;
  p = p * z + 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return r.hi + (p * (z * r.hi) + r.lo * (1.0 - 0.5 * z));
}
__device__ double cos_rest(Pair r) {
  double z = r.hi * r.hi;
  double p = 1.0 / 2432902008176640000.0;
  p = p * z - 1.0 / 6402373705728000.0;
  p = p * z + 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  Pair s = sum_of(1.0, -0.5 * z);
  return s.hi + (s.lo + (p * (z * z) - r.hi * r.lo));
}
__device__ double sin_of(Angle a) {
  double r = (a.quadrant & 1) != 0 ? cos_rest(a.rest) : sin_rest(a.rest);
  return a.quadrant >= 2 ? -r : r;
}
__device__ double cos_of(Angle a) {
  return sin_of(Angle{a.rest, (a.quadrant + 1) & 3});
}
__device__ double sin_f64(double x) {
  if (x != x || __quern_isinf(x)) return not_a_number();
  return x == 0.0 ? x : sin_of(reduced(x));
}
__device__ double cos_f64(double x) {
  if (x != x || __quern_isinf(x)) return not_a_number();
  return cos_of(reduced(x));
}
__device__ double tan_f64(double x) {
  if (x != x || __quern_isinf(x)) return not_a_number();
  if (x == 0.0) return x;
  Angle a = reduced(x);
  double s = sin_of(a), c = cos_of(a);
  Pair q = over(Pair{s, 0.0}, Pair{c, 0.0});
  return q.hi + q.lo;
}
// Whole turns are removed exactly.
__device__ Angle half_turns(double x) {
  double whole = __quern_rint(x + x);
  Pair r = times(Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, x - whole * 0.5);
  double of_four = whole - 4.0 * __quern_floor(whole * 0.25);
  return Angle{r, (int)of_four & 3};
}
__device__ double sinpi_f64(double x) {
  if (x != x || __quern_isinf(x)) return not_a_number();
  if (__quern_trunc(x) == x) return real_of(bits_of(x) & 0x8000000000000000ull);
  return sin_of(half_turns(x));
}
__device__ double cospi_f64(double x) {
  if (x != x || __quern_isinf(x)) return not_a_number();
  double size = __quern_abs(x), rest = size - __quern_trunc(size);
  if (rest == 0.5) return 0.0;
  return cos_of(half_turns(size));
}

// ---- inverse trigonometric functions ------------------------------------------------------------------------

// Of t >= 0, with the error of t.
__device__ Pair atan_pair(Pair t) {
  Pair base = Pair{0.0, 0.0};
  Pair u = t;
  if (t.hi > 2.4375) {
    base = Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    u = over(Pair{-1.0, 0.0}, t);
  } else if (t.hi > 1.1875) {
    base = Pair{0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56};
    u = over(plus(t, Pair{-1.5, 0.0}), plus(Pair{1.0, 0.0}, times(t, 1.5)));
  } else if (t.hi > 0.6875) {
    base = Pair{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    u = over(plus(t, Pair{-1.0, 0.0}), plus(t, Pair{1.0, 0.0}));
  } else if (t.hi > 0.4375) {
    base = Pair{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
    u = over(plus(times(t, 2.0), Pair{-1.0, 0.0}), plus(Pair{2.0, 0.0}, t));
  }
  double z = u.hi * u.hi;
  double p = 0.0;
  for (int n = 47; n >= 3; n -= 2) {
    double c = 1.0 / (double)n;
    p = p * z + ((n & 2) != 0 ? -c : c);
  }
  double tail = u.hi * z * p + u.lo * (1.0 - z);
  Pair s = sum_of(base.hi, u.hi);
  return quick_sum(s.hi, s.lo + (base.lo + tail));
}
__device__ double atan_f64(double x) {
  if (x != x || x == 0.0) return x;
  double size = __quern_abs(x);
  double r = 0x1.921fb54442d18p+0;
  if (size < 1e18) {
    Pair p = atan_pair(Pair{size, 0.0});
    r = p.hi + p.lo;
  }
  return x < 0.0 ? -r : r;
}
// The angle of a point other than the origin, from magnitudes; the signs select the quadrant.
__device__ double angle_of(Pair y, Pair x, bool y_negative, bool x_negative) {
  Pair r = Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  if (x.hi != 0.0) {
    Pair t = over(y, x);
    if (t.hi < 1e18) r = atan_pair(t);
    if (t.hi < 1e-290 && !x_negative) r = t;
  }
  if (x_negative) r = plus(Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, Pair{-r.hi, -r.lo});
  double a = r.hi + r.lo;
  return y_negative ? -a : a;
}
__device__ double atan2_f64(double y, double x) {
  if (x != x || y != y) return not_a_number();
  double ys = __quern_abs(y), xs = __quern_abs(x);
  bool yn = __quern_signbit(y), xn = __quern_signbit(x);
  double a = 0.0;
  if (ys == 0.0) {
    a = xn ? 0x1.921fb54442d18p+1 : 0.0;
    return yn ? -a : a;
  }
  if (__quern_isinf(x) || __quern_isinf(y)) {
    if (__quern_isinf(x) && __quern_isinf(y)) {
      a = xn ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
    } else if (__quern_isinf(x)) {
      a = xn ? 0x1.921fb54442d18p+1 : 0.0;
    } else {
      a = 0x1.921fb54442d18p+0;
    }
    return yn ? -a : a;
  }
  // Far apart, or near the ends of the range: scaled to a medium size first.
  int ey = exponent(ys), ex = exponent(xs);
  if (xs != 0.0 && ey - ex > 70) return yn ? -0x1.921fb54442d18p+0 : 0x1.921fb54442d18p+0;
  if (xs != 0.0 && ex - ey > 70 && xn) return yn ? -0x1.921fb54442d18p+1 : 0x1.921fb54442d18p+1;
  if (xs != 0.0 && ex - ey > 70) {
    double q = scaled(scaled(ys, -ey) / scaled(xs, -ex), ey - ex);
    return yn ? -q : q;
  }
  int by = ey > ex || xs == 0.0 ? ey : ex;
  return angle_of(Pair{scaled(ys, -by), 0.0}, Pair{scaled(xs, -by), 0.0}, yn, xn);
}
__device__ Pair leg_of(double x) {  // sqrt(1 - x^2)
  Pair p = product_of(x, x);
  Pair s = sum_of(1.0, -p.hi);
  return root_of(quick_sum(s.hi, s.lo - p.lo));
}
__device__ double asin_f64(double x) {
  double size = __quern_abs(x);
  if (!(size <= 1.0)) return not_a_number();
  if (size < 1e-9) return x;
  return angle_of(Pair{size, 0.0}, leg_of(size), x < 0.0, false);
}
__device__ double acos_f64(double x) {
  double size = __quern_abs(x);
  if (!(size <= 1.0)) return not_a_number();
  if (x == 1.0) return 0.0;
  return angle_of(leg_of(size), Pair{size, 0.0}, false, x < 0.0);
}

// ---- hyperbolic functions -----------------------------------------------------------------------------------

__device__ double sinh_small(double x) {
  double z = x * x;
  double p = 1.0 / 355687428096000.0;
  p = p * z + 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z + 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z + 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z + 1.0 / 6.0;
  return x + p * (z * x);
}
// (e^x + sign e^-x) / 2 of a magnitude above 0.3.
__device__ double half_sum(double size, double sign) {
  if (size > 711.0) return infinite();
  Exponential e = exp_pair(Pair{size, 0.0});
  if (e.power > 40) return times_power(e.value.hi + e.value.lo, e.power - 1);
  Pair up = times(e.value, power_of_two(e.power));
  Pair down = over(Pair{1.0, 0.0}, up);
  Pair s = plus(up, Pair{sign * down.hi, sign * down.lo});
  return 0.5 * (s.hi + s.lo);
}
__device__ double sinh_f64(double x) {
  if (x != x || x == 0.0) return x;
  double size = __quern_abs(x);
  double r = size < 0.4 ? sinh_small(size) : half_sum(size, -1.0);
  return x < 0.0 ? -r : r;
}
__device__ double cosh_f64(double x) {
  if (x != x) return x;
  return half_sum(__quern_abs(x), 1.0);
}
__device__ double tanh_f64(double x) {
  if (x != x || x == 0.0) return x;
  double size = __quern_abs(x);
  double r = 1.0;
  if (size < 0.2) {
    Pair s = quick_sum(size, sinh_small(size) - size);
    Pair c = root_of(plus(Pair{1.0, 0.0}, times(s, s)));
    Pair q = over(s, c);
    r = q.hi + q.lo;
  } else if (size < 22.0) {
    Exponential e = exp_pair(Pair{size + size, 0.0});
    Pair up = times(e.value, power_of_two(e.power));
    Pair q = over(plus(up, Pair{-1.0, 0.0}), plus(up, Pair{1.0, 0.0}));
    r = q.hi + q.lo;
  }
  return x < 0.0 ? -r : r;
}
__device__ double log_of_pair(Pair p) {
  Pair l = log_pair(p.hi, p.lo);
  return l.hi + l.lo;
}
__device__ double asinh_f64(double x) {
  if (x != x || x == 0.0 || __quern_isinf(x)) return x;
  double size = __quern_abs(x), r = 0.0;
  if (size < 1e-9) return x;
  if (size > 1e9) {
    Pair l = log_pair(size, 0.0);
    r = l.hi + (l.lo + 0x1.62e42fefa39efp-1);
  } else if (size < 0.3) {
    Pair squared = product_of(size, size);
    Pair leg = root_of(plus(Pair{1.0, 0.0}, squared));
    Pair more = over(squared, plus(leg, Pair{1.0, 0.0}));
    Pair s = plus(Pair{size, 0.0}, more);
    r = s.hi + s.lo;
    Pair one = sum_of(1.0, s.hi);
    Pair l = log_pair(one.hi, one.lo + s.lo);
    r = l.hi + l.lo;
  } else {
    Pair leg = root_of(plus(product_of(size, size), Pair{1.0, 0.0}));
    r = log_of_pair(plus(leg, Pair{size, 0.0}));
  }
  return x < 0.0 ? -r : r;
}
__device__ double acosh_f64(double x) {
  if (!(x >= 1.0)) return not_a_number();
  if (__quern_isinf(x)) return x;
  if (x > 1e9) return log_f64(x) + 0x1.62e42fefa39efp-1;
  if (x == 1.0) return 0.0;
  double t = x - 1.0;
  Pair leg = root_of(plus(product_of(t, t), Pair{t + t, 0.0}));
  Pair s = plus(leg, Pair{t, 0.0});
  Pair one = sum_of(1.0, s.hi);
  return log_of_pair(Pair{one.hi, one.lo + s.lo});
}
__device__ double atanh_f64(double x) {
  if (x != x || x == 0.0) return x;
  double size = __quern_abs(x);
  if (size >= 1.0) return size == 1.0 ? (x < 0.0 ? -infinite() : infinite()) : not_a_number();
  if (size < 1e-9) return x;
  Pair below = sum_of(1.0, -size);
  Pair q = over(Pair{size + size, 0.0}, below);
  Pair one = sum_of(1.0, q.hi);
  double r = 0.5 * log_of_pair(Pair{one.hi, one.lo + q.lo});
  return x < 0.0 ? -r : r;
}

// ---- roots --------------------------------------------------------------------------------------------------

__device__ double rsqrt_f64(double x) {
  if (x != x) return x;
  if (x == 0.0) return real_of((bits_of(x) & 0x8000000000000000ull) | 0x7ff0000000000000ull);
  if (x < 0.0) return not_a_number();
  if (__quern_isinf(x)) return 0.0;
  int e = exponent(x) & ~1;
  Pair q = over(Pair{1.0, 0.0}, root_of(Pair{scaled(x, -e), 0.0}));
  return scaled(q.hi + q.lo, -(e / 2));
}
// Of [1, 8), with the remainder.
__device__ Pair cube_root(double m) {
  double t = 0.57 + 0.33 * m - 0.018 * m * m;
  for (int i = 0; i < 6; ++i) t = t - (t * t * t - m) / (3.0 * t * t);
  Pair square = product_of(t, t);
  Pair cube = times(square, t);
  double rest = (m - cube.hi) - cube.lo;
  return quick_sum(t, rest / (3.0 * t * t));
}
__device__ int third_of(int e) { return e >= 0 ? e / 3 : -((2 - e) / 3); }
__device__ double cbrt_f64(double x) {
  if (x != x || x == 0.0 || __quern_isinf(x)) return x;
  double size = __quern_abs(x);
  int third = third_of(exponent(size));
  Pair r = cube_root(scaled(size, -3 * third));
  double y = scaled(r.hi + r.lo, third);
  return x < 0.0 ? -y : y;
}
__device__ double rcbrt_f64(double x) {
  if (x != x) return x;
  if (x == 0.0) return real_of((bits_of(x) & 0x8000000000000000ull) | 0x7ff0000000000000ull);
  if (__quern_isinf(x)) return x < 0.0 ? -0.0 : 0.0;
  double size = __quern_abs(x);
  int third = third_of(exponent(size));
  Pair q = over(Pair{1.0, 0.0}, cube_root(scaled(size, -3 * third)));
  double y = scaled(q.hi + q.lo, -third);
  return x < 0.0 ? -y : y;
}
struct Length {
  Pair value;
  int power;
};
__device__ Length length_of(double a, double b) {
  double big = a > b ? a : b;
  int e = big == 0.0 ? 0 : exponent(big);
  double x = scaled(a, -e), y = scaled(b, -e);
  if (x < 1e-20) x = 0.0;
  if (y < 1e-20) y = 0.0;
  return Length{root_of(plus(product_of(x, x), product_of(y, y))), e};
}
__device__ double hypot_f64(double x, double y) {
  if (__quern_isinf(x) || __quern_isinf(y)) return infinite();
  if (x != x || y != y) return not_a_number();
  Length l = length_of(__quern_abs(x), __quern_abs(y));
  return scaled(l.value.hi + l.value.lo, l.power);
}
__device__ double rhypot_f64(double x, double y) {
  if (__quern_isinf(x) || __quern_isinf(y)) return 0.0;
  if (x != x || y != y) return not_a_number();
  if (x == 0.0 && y == 0.0) return infinite();
  Length l = length_of(__quern_abs(x), __quern_abs(y));
  Pair q = over(Pair{1.0, 0.0}, l.value);
  return scaled(q.hi + q.lo, -l.power);
}
