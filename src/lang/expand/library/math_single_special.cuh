// Gamma functions and inverse error functions on floats, for targets without double (math_single.cuh).

// x with erf(x) = p, over p: smooth in the logarithm of 1 - p^2, of which this is the size, and far out in the
// inverse of that logarithm's root.
__device__ Duo erfinv_over(float w) {
  if (w < 5.0f) {
    constexpr float c[] = {
    1.4912989f, 0.6017563f, -0.009170559f, -0.004962635f, 0.0009153797f, -3.889563e-06f, -2.42026e-05f,
    3.2665716e-06f, 2.775889e-07f, -1.3023363e-07f};
    return chebyshev(c, 0.4f * w - 1.0f);
  }
  constexpr float c[] = {
    0.95756215f, -0.031434733f, 0.002306647f, 0.0012324349f, 9.427484e-05f, 6.150301e-05f, -5.026773e-06f,
    -7.0338083e-06f, -1.912707e-06f, 7.0920004e-07f, 4.2603173e-07f, -3.738506e-08f, -8.0549924e-08f, -9.1790275e-10f,
    1.4401393e-08f};
  Duo s = root_of(Duo{w, 0.0f});
  return times(s, chebyshev(c, (1.0f / s.hi - 0.2734375f) / 0.1796875f));
}
__device__ float erfinv_single(float p) {
  float size = __quern_abs(p);
  if (p == 0.0f) return p;
  if (!(size <= 1.0f)) return nan_single();
  if (size == 1.0f) return signed_as(infinite_single(), p < 0.0f);
  return value_of(times(erfinv_over(-log_single((1.0f - size) * (1.0f + size))), p));
}
// erfc(x) = q, times a factor.
__device__ float erfc_inverse(float q, Duo factor) {
  if (!(q >= 0.0f && q <= 2.0f)) return nan_single();
  if (q == 0.0f || q == 2.0f) return q == 0.0f ? infinite_single() : -infinite_single();
  Duo p = duo_sum(1.0f, -q);
  float w = -(log_single(q) + log_single(2.0f - q));
  return value_of(times(times(erfinv_over(w), p), factor));
}
__device__ float erfcinv_single(float q) { return erfc_inverse(q, Duo{1.0f, 0.0f}); }
__device__ float normcdfinv_single(float p) {
  if (!(p >= 0.0f && p <= 1.0f)) return nan_single();
  Duo root = Duo{0x1.6a09e6p+0f, 0x1.9fcef4p-26f};
  return p <= 0.5f ? erfc_inverse(p + p, minus(root)) : erfc_inverse((1.0f - p) + (1.0f - p), root);
}

// log gamma from 8 on.
__device__ Duo log_gamma_far(float x) {
  float y = 1.0f / x, z = y * y;
  float p = 0x1.a01a02p-11f;
  p = p * z - 0x1.6c16c2p-9f;
  p = p * z + 0x1.555556p-4f;
  Duo s = plus(times(log_duo(x, 0.0f), x - 0.5f), duo_sum(-x, p * y));
  return plus(s, Duo{0x1.d67f1cp-1f, 0x1.0c97d6p-26f});
}
__device__ float log_gamma_about_one(float z) {
  constexpr float c[] = {
    0.86100835f, -0.22318305f, 0.040253498f, -0.008246592f, 0.0018023963f, -0.00040936406f, 9.536462e-05f,
    -2.2621718e-05f, 5.4399966e-06f, -1.3223396e-06f, 3.2424975e-07f, -8.008804e-08f, 1.9903165e-08f};
  Duo first = times(Duo{-0x1.2788d0p-1f, 0x1.c824f4p-28f}, z);
  return first.hi + (first.lo + z * z * value_of(chebyshev(c, z + z)));
}
__device__ float log_gamma_about_two(float z) {
  constexpr float c[] = {
    0.32511f, -0.03439284f, 0.002666841f, -0.00024304887f, 2.4165238e-05f, -2.5334095e-06f, 2.7502617e-07f,
    -3.0591572e-08f};
  Duo first = times(Duo{0x1.b0ee60p-2f, 0x1.c824f4p-28f}, z);
  return first.hi + (first.lo + z * z * value_of(chebyshev(c, z + z)));
}
__device__ float log_gamma_of_positive(float x) {
  if (x >= 8.0f) return x > 4.08e36f ? infinite_single() : value_of(log_gamma_far(x));
  if (x < 0.5f) return log_gamma_about_one(x) - log_single(x);
  if (x < 1.5f) return log_gamma_about_one(x - 1.0f);
  float product = 1.0f;
  while (x > 2.5f) {
    x -= 1.0f;
    product *= x;
  }
  return log_single(product) + log_gamma_about_two(x - 2.0f);
}
__device__ float lgamma_single(float x) {
  if (x != x) return x;
  if (__quern_isinf(x)) return infinite_single();
  if (x > 0.0f) return log_gamma_of_positive(x);
  if (__quern_trunc(x) == x) return infinite_single();
  float size = -x;
  if (size < 1e-15f) return -log_single(size);
  Duo l = log_duo(size * __quern_abs(sinpi_single(size)), 0.0f);
  Duo r = plus(Duo{0x1.250d04p+0f, 0x1.1cf438p-25f}, minus(l));
  return (r.hi - log_gamma_of_positive(size)) + r.lo;
}
// Up to 8.
__device__ Duo gamma_near(float x) {
  constexpr float c[] = {
    0.9417856f, 0.0044153812f, 0.056850437f, -0.0042198356f, 0.0013268081f, -0.00018930246f, 3.6069254e-05f,
    -6.056762e-06f, 1.0558296e-06f, -1.8119674e-07f, 3.117725e-08f};
  if (x < 1.0f) return over(chebyshev(c, x + x - 1.0f), Duo{x, 0.0f});
  Duo product = Duo{1.0f, 0.0f};
  while (x > 2.0f) {
    x -= 1.0f;
    product = times(product, x);
  }
  return times(product, chebyshev(c, x + x - 3.0f));
}
__device__ float tgamma_single(float x) {
  if (x != x) return x;
  if (x == 0.0f) return real_of((bits_of(x) & 0x80000000u) | 0x7f800000u);
  if (__quern_isinf(x)) return x > 0.0f ? x : nan_single();
  if (__quern_abs(x) < 1e-10f) return 1.0f / x;
  if (x > 36.0f) return infinite_single();
  if (x > 0.0f) return x < 8.0f ? value_of(gamma_near(x)) : exp_single_of(log_gamma_far(x));
  if (__quern_trunc(x) == x) return nan_single();
  // pi / (x sin(pi x) gamma(-x)), with a sign.
  float size = -x;
  if (size > 44.0f) return signed_as(0.0f, __quern_trunc(size * 0.5f) * 2.0f == __quern_trunc(size));
  Duo below = times(Duo{sinpi_single(size), 0.0f}, size);
  Duo q = over(Duo{-0x1.921fb6p+1f, 0x1.777a5cp-24f}, size < 8.0f ? times(below, gamma_near(size)) : below);
  if (size < 8.0f) return value_of(q);
  Grown e = grown(minus(log_gamma_far(size)));
  return raised(value_of(times(q, e.value)), e.power);
}
