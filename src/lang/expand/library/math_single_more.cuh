// Inverse trigonometric, hyperbolic and error functions and roots on floats, for targets without double
// (math_single.cuh).

// Of t >= 0, with the error of t.
__device__ Duo atan_duo(Duo t) {
  Duo base = Duo{0.0f, 0.0f}, u = t;
  if (t.hi > 2.4375f) {
    base = Duo{0x1.921fb6p+0f, -0x1.777a5cp-25f};
    u = over(Duo{-1.0f, 0.0f}, t);
  } else if (t.hi > 1.1875f) {
    base = Duo{0x1.f730bep-1f, -0x1.afc12cp-26f};
    u = over(plus(t, Duo{-1.5f, 0.0f}), plus(Duo{1.0f, 0.0f}, times(t, 1.5f)));
  } else if (t.hi > 0.6875f) {
    base = Duo{0x1.921fb6p-1f, -0x1.777a5cp-26f};
    u = over(plus(t, Duo{-1.0f, 0.0f}), plus(t, Duo{1.0f, 0.0f}));
  } else if (t.hi > 0.4375f) {
    base = Duo{0x1.dac670p-2f, 0x1.586ed4p-28f};
    u = over(plus(times(t, 2.0f), Duo{-1.0f, 0.0f}), plus(Duo{2.0f, 0.0f}, t));
  }
  float z = u.hi * u.hi;
  float p = 1.0f / 17.0f;
  p = p * z - 1.0f / 15.0f;
  p = p * z + 1.0f / 13.0f;
  p = p * z - 1.0f / 11.0f;
  p = p * z + 1.0f / 9.0f;
  p = p * z - 1.0f / 7.0f;
  p = p * z + 1.0f / 5.0f;
  p = p * z - 1.0f / 3.0f;
  Duo s = duo_sum(base.hi, u.hi);
  return duo_quick(s.hi, s.lo + (base.lo + (u.hi * z * p + u.lo * (1.0f - z))));
}
__device__ float atan_single(float x) {
  if (x != x || x == 0.0f) return x;
  float size = __quern_abs(x);
  float r = size < 1e9f ? value_of(atan_duo(Duo{size, 0.0f})) : 0x1.921fb6p+0f;
  return x < 0.0f ? -r : r;
}
// The angle of a point other than the origin, from magnitudes; the signs select the quadrant.
__device__ float angle_single(Duo y, Duo x, bool y_negative, bool x_negative) {
  Duo r = Duo{0x1.921fb6p+0f, -0x1.777a5cp-25f};
  if (x.hi != 0.0f) {
    Duo t = over(y, x);
    if (t.hi < 1e9f) r = atan_duo(t);
  }
  if (x_negative) r = plus(Duo{0x1.921fb6p+1f, -0x1.777a5cp-24f}, minus(r));
  float a = value_of(r);
  return y_negative ? -a : a;
}
__device__ float signed_as(float size, bool negative) { return negative ? -size : size; }
__device__ float atan2_single(float y, float x) {
  if (x != x || y != y) return nan_single();
  float ys = __quern_abs(y), xs = __quern_abs(x);
  bool yn = __quern_signbit(y), xn = __quern_signbit(x);
  if (ys == 0.0f) return signed_as(xn ? 0x1.921fb6p+1f : 0.0f, yn);
  if (__quern_isinf(x)) {
    float both = xn ? 0x1.2d97c8p+1f : 0x1.921fb6p-1f;
    return signed_as(__quern_isinf(y) ? both : xn ? 0x1.921fb6p+1f : 0.0f, yn);
  }
  if (__quern_isinf(y) || xs == 0.0f) return signed_as(0x1.921fb6p+0f, yn);
  int ey = exponent(ys), ex = exponent(xs);
  if (ey - ex > 30) return signed_as(0x1.921fb6p+0f, yn);
  if (ex - ey > 30 && xn) return signed_as(0x1.921fb6p+1f, yn);
  if (ex - ey > 30) {
    Duo q = over(Duo{scaled(ys, -ey), 0.0f}, Duo{scaled(xs, -ex), 0.0f});
    return signed_as(scaled(value_of(q), ey - ex), yn);
  }
  int by = ey > ex ? ey : ex;
  return angle_single(Duo{scaled(ys, -by), 0.0f}, Duo{scaled(xs, -by), 0.0f}, yn, xn);
}
__device__ Duo leg_single(float x) {  // sqrt(1 - x^2)
  Duo p = duo_product(x, x);
  Duo s = duo_sum(1.0f, -p.hi);
  return root_of(duo_quick(s.hi, s.lo - p.lo));
}
__device__ float asin_single(float x) {
  float size = __quern_abs(x);
  if (!(size <= 1.0f)) return nan_single();
  return size < 1e-5f ? x : angle_single(Duo{size, 0.0f}, leg_single(size), x < 0.0f, false);
}
__device__ float acos_single(float x) {
  float size = __quern_abs(x);
  if (!(size <= 1.0f)) return nan_single();
  return x == 1.0f ? 0.0f : angle_single(leg_single(size), Duo{size, 0.0f}, false, x < 0.0f);
}

__device__ float small_sinh(float x) {
  float z = x * x;
  float p = 1.0f / 362880.0f;
  p = p * z + 1.0f / 5040.0f;
  p = p * z + 1.0f / 120.0f;
  p = p * z + 1.0f / 6.0f;
  return x + p * (z * x);
}
// (e^x + sign e^-x) / 2 of a magnitude above 0.3.
__device__ float half_of_both(float size, float sign) {
  if (size > 90.0f) return infinite_single();
  Grown e = grown(Duo{size, 0.0f});
  if (e.power > 20) return raised(e.value.hi + e.value.lo, e.power - 1);
  Duo up = times(e.value, power_single(e.power));
  Duo down = over(Duo{1.0f, 0.0f}, up);
  return 0.5f * value_of(plus(up, Duo{sign * down.hi, sign * down.lo}));
}
__device__ float sinh_single(float x) {
  if (x != x || x == 0.0f) return x;
  float size = __quern_abs(x);
  return signed_as(size < 0.4f ? small_sinh(size) : half_of_both(size, -1.0f), x < 0.0f);
}
__device__ float cosh_single(float x) { return x != x ? x : half_of_both(__quern_abs(x), 1.0f); }
__device__ float tanh_single(float x) {
  if (x != x || x == 0.0f) return x;
  float size = __quern_abs(x);
  float r = 1.0f;
  if (size < 1e-4f) return x;
  if (size < 0.2f) {
    Duo s = duo_quick(size, small_sinh(size) - size);
    r = value_of(over(s, root_of(plus(Duo{1.0f, 0.0f}, times(s, s)))));
  } else if (size < 10.0f) {
    Grown e = grown(Duo{size + size, 0.0f});
    Duo up = times(e.value, power_single(e.power));
    r = value_of(over(plus(up, Duo{-1.0f, 0.0f}), plus(up, Duo{1.0f, 0.0f})));
  }
  return signed_as(r, x < 0.0f);
}
__device__ float log_of_one_and(Duo more) {
  Duo one = duo_sum(1.0f, more.hi);
  return value_of(log_duo(one.hi, one.lo + more.lo));
}
__device__ float asinh_single(float x) {
  if (x != x || x == 0.0f || __quern_isinf(x)) return x;
  float size = __quern_abs(x), r = 0.0f;
  if (size < 1e-4f) return x;
  if (size > 1e6f) {
    Duo l = log_duo(size, 0.0f);
    r = l.hi + (l.lo + 0x1.62e430p-1f);
  } else {
    // log(1 + x + x^2 / (1 + sqrt(1 + x^2)))
    Duo squared = duo_product(size, size);
    Duo leg = root_of(plus(Duo{1.0f, 0.0f}, squared));
    r = log_of_one_and(plus(Duo{size, 0.0f}, over(squared, plus(leg, Duo{1.0f, 0.0f}))));
  }
  return signed_as(r, x < 0.0f);
}
__device__ float acosh_single(float x) {
  if (!(x >= 1.0f)) return nan_single();
  if (__quern_isinf(x) || x == 1.0f) return x == 1.0f ? 0.0f : x;
  if (x > 1e6f) {
    Duo l = log_duo(x, 0.0f);
    return l.hi + (l.lo + 0x1.62e430p-1f);
  }
  float t = x - 1.0f;
  Duo leg = root_of(plus(duo_product(t, t), Duo{t + t, 0.0f}));
  return log_of_one_and(plus(leg, Duo{t, 0.0f}));
}
__device__ float atanh_single(float x) {
  if (x != x || x == 0.0f) return x;
  float size = __quern_abs(x);
  if (size >= 1.0f) return size == 1.0f ? signed_as(infinite_single(), x < 0.0f) : nan_single();
  if (size < 1e-4f) return x;
  return signed_as(0.5f * log_of_one_and(over(Duo{size + size, 0.0f}, duo_sum(1.0f, -size))), x < 0.0f);
}

// ---- roots --------------------------------------------------------------------------------------------------

__device__ float rsqrt_single(float x) {
  if (x != x) return x;
  if (x == 0.0f) return real_of((bits_of(x) & 0x80000000u) | 0x7f800000u);
  if (x < 0.0f) return nan_single();
  if (__quern_isinf(x)) return 0.0f;
  int e = exponent(x) & ~1;
  return scaled(value_of(over(Duo{1.0f, 0.0f}, root_of(Duo{scaled(x, -e), 0.0f}))), -(e / 2));
}
// Of [1, 8), with the remainder.
__device__ Duo cube_root_duo(float m) {
  float t = 0.57f + 0.33f * m - 0.018f * m * m;
  for (int i = 0; i < 5; ++i) t = t - (t * t * t - m) / (3.0f * t * t);
  Duo cube = times(duo_product(t, t), t);
  return duo_quick(t, ((m - cube.hi) - cube.lo) / (3.0f * t * t));
}
__device__ float cbrt_single(float x) {
  if (x != x || x == 0.0f || __quern_isinf(x)) return x;
  float size = __quern_abs(x);
  int third = third_of(exponent(size));
  return signed_as(scaled(value_of(cube_root_duo(scaled(size, -3 * third))), third), x < 0.0f);
}
__device__ float rcbrt_single(float x) {
  if (x != x) return x;
  if (x == 0.0f) return real_of((bits_of(x) & 0x80000000u) | 0x7f800000u);
  if (__quern_isinf(x)) return x < 0.0f ? -0.0f : 0.0f;
  float size = __quern_abs(x);
  int third = third_of(exponent(size));
  Duo q = over(Duo{1.0f, 0.0f}, cube_root_duo(scaled(size, -3 * third)));
  return signed_as(scaled(value_of(q), -third), x < 0.0f);
}
struct Stretch {
  Duo value;
  int power;
};
__device__ Stretch stretch_of(float a, float b) {
  float big = a > b ? a : b;
  int e = big == 0.0f ? 0 : exponent(big);
  float x = scaled(a, -e), y = scaled(b, -e);
  if (x < 1e-8f) x = 0.0f;
  if (y < 1e-8f) y = 0.0f;
  return Stretch{root_of(plus(duo_product(x, x), duo_product(y, y))), e};
}
__device__ float hypot_single(float x, float y) {
  if (__quern_isinf(x) || __quern_isinf(y)) return infinite_single();
  if (x != x || y != y) return nan_single();
  Stretch l = stretch_of(__quern_abs(x), __quern_abs(y));
  return scaled(value_of(l.value), l.power);
}
__device__ float rhypot_single(float x, float y) {
  if (__quern_isinf(x) || __quern_isinf(y)) return 0.0f;
  if (x != x || y != y) return nan_single();
  if (x == 0.0f && y == 0.0f) return infinite_single();
  Stretch l = stretch_of(__quern_abs(x), __quern_abs(y));
  return scaled(value_of(over(Duo{1.0f, 0.0f}, l.value)), -l.power);
}

// ---- error functions ----------------------------------------------------------------------------------------

template <int N>
__device__ Duo chebyshev(const float (&c)[N], float t) {
  float b1 = 0.0f, b2 = 0.0f;
  for (int i = N - 1; i > 0; --i) {
    float b = 2.0f * t * b1 - b2 + c[i];
    b2 = b1;
    b1 = b;
  }
  return duo_sum(c[0], t * b1 - b2);
}

// e^(x^2) erfc(x) for x >= 0, as for doubles (math_special.cuh).
__device__ Duo erfcx_duo(float x) {
  constexpr float c[] = {1.1774832f,      -0.00726079662f, -0.0812651232f,   0.060092128f,     -0.0287539356f,
                         0.0105956634f,   -0.00313692729f, 0.000745649437f,  -0.00013696965f,  1.71838616e-05f,
                         -7.15836462e-07f, -2.42613994e-07f, 5.57657094e-08f, -2.10578695e-09f, -1.17178894e-09f};
  Duo t = over(duo_sum(x, -4.0f), duo_sum(x, 4.0f));
  return over(chebyshev(c, t.hi), duo_sum(1.0f, x + x));
}
__device__ float erf_small_single(float x) {
  float z = x * x;
  float p = 0.0f;
  for (int n = 9; n >= 1; --n) p = (1.0f / (float)(2 * n + 1) + p) * (-z / (float)n);
  Duo r = times(Duo{0x1.20dd76p+0f, -0x1.f7ac92p-25f}, x);
  return r.hi + (r.lo + r.hi * p);
}
// e^-(x^2) times it: erfc(x) for x above 0.4.
__device__ float erfc_tail(float x) {
  Duo square = duo_product(x, x);
  Grown e = grown(minus(square));
  return raised(value_of(times(erfcx_duo(x), e.value)), e.power);
}
__device__ float erfc_single(float x) {
  if (x != x) return x;
  if (x > 10.3f) return 0.0f;
  if (x < -4.5f) return 2.0f;
  if (__quern_abs(x) < 0.5f) return 1.0f - erf_small_single(x);
  return x > 0.0f ? erfc_tail(x) : 2.0f - erfc_tail(-x);
}
__device__ float erf_single(float x) {
  if (x != x || x == 0.0f) return x;
  float size = __quern_abs(x);
  return signed_as(size < 0.5f ? erf_small_single(size) : size > 4.5f ? 1.0f : 1.0f - erfc_tail(size), x < 0.0f);
}
__device__ float erfcx_single(float x) {
  if (x != x) return x;
  if (x > 1e10f) return 0.564189584f / x;
  if (x >= 0.0f) return value_of(erfcx_duo(x));
  if (x < -9.5f) return infinite_single();
  Duo square = duo_product(x, x);
  return 2.0f * exp_single_of(square) - value_of(erfcx_duo(-x));
}
__device__ float normcdf_single(float x) {
  if (x != x) return x;
  if (x > 6.0f) return 1.0f;
  if (x < -15.0f) return 0.0f;
  float a = value_of(times(Duo{0x1.6a09e6p-1f, 0x1.9fcef4p-27f}, __quern_abs(x)));
  if (a < 0.5f) return 0.5f + signed_as(0.5f * erf_small_single(a), x < 0.0f);
  Duo square = duo_product(x, x);
  Grown e = grown(Duo{-0.5f * square.hi, -0.5f * square.lo});
  float tail = raised(value_of(times(erfcx_duo(a), e.value)), e.power - 1);
  return x < 0.0f ? tail : 1.0f - tail;
}
