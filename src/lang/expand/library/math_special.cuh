// Error functions and gamma functions in double precision.

template <int N>
__device__ double chebyshev(const double (&c)[N], double t) {
  double b1 = 0.0, b2 = 0.0;
  for (int i = N - 1; i > 0; --i) {
    double b = 2.0 * t * b1 - b2 + c[i];
    b2 = b1;
    b1 = b;
  }
  return t * b1 - b2 + c[0];
}

// e^(x^2) erfc(x) for x >= 0: times 1 + 2x it is smooth in (x - 4) / (x + 4).
__device__ double erfcx_positive(double x) {
  constexpr double c[] = {
    0x1.2d6f89fde5d31p+0, -0x1.dbd7f406f0499p-8, -0x1.4cdca869ad5c3p-4, 0x1.ec465395e4195p-5, -0x1.d71abf3cb584ep-6,
    0x1.5b32ddd011bcbp-7, -0x1.9b29d047b35d8p-9, 0x1.86ef5f940a354p-11, -0x1.1f3f05651159ap-13, 0x1.204c1fa3be6c7p-16,
    -0x1.804fd072268f5p-21, -0x1.04813a1b8a43fp-22, 0x1.df061781bececp-25, -0x1.216acaa8bc34bp-29, -0x1.421950d8f4ea9p-30,
    0x1.a3fa2e79e6fc1p-33, 0x1.efb3e3157369fp-37, -0x1.e59f50c0d2f83p-38, 0x1.9ce35d0f20dbep-44, 0x1.e31cd1e3144b5p-43,
    -0x1.091c3929c4c8cp-46, -0x1.e08757dde4065p-48, 0x1.b09c5395beeb3p-51, 0x1.ffeb290f06c66p-53, -0x1.246d12f6b4f12p-55,
    -0x1.2e4a12f677d8bp-57, 0x1.6fbfd07197171p-60, 0x1.8d6f8b1d018bbp-62};
  if (x > 1e150) return 0.56418958354775629 / x;
  double t = (x - 4.0) / (x + 4.0);
  return chebyshev(c, t) / (1.0 + 2.0 * x);
}
__device__ double exp_minus_square(double x) {
  Pair p = product_of(x, x);
  return exp_of(Pair{-p.hi, -p.lo});
}
__device__ double erf_small(double x) {
  double z = x * x;
  double p = 0.0;
  for (int n = 16; n >= 1; --n) {
    // (-z)^n / (n! (2n + 1)), from the last to the first
    p = (1.0 / (double)(2 * n + 1) + p) * (-z / (double)n);
  }
  Pair r = times(Pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56}, x);
  return r.hi + (r.lo + r.hi * p);
}
__device__ double erfcx_f64(double x) {
  if (x != x) return x;
  if (x >= 0.0) return erfcx_positive(x);
  if (x < -26.7) return infinite();
  Pair p = product_of(x, x);
  return 2.0 * exp_of(p) - erfcx_positive(-x);
}
__device__ double erfc_f64(double x) {
  if (x != x) return x;
  if (x > 28.0) return 0.0;
  if (x < -6.0) return 2.0;
  if (__quern_abs(x) < 0.5) return 1.0 - erf_small(x);
  double tail = exp_minus_square(x) * erfcx_positive(__quern_abs(x));
  return x > 0.0 ? tail : 2.0 - tail;
}
__device__ double erf_f64(double x) {
  if (x != x || x == 0.0) return x;
  double size = __quern_abs(x);
  double r = size < 0.5 ? erf_small(size) : size > 6.0 ? 1.0 : 1.0 - exp_minus_square(size) * erfcx_positive(size);
  return x < 0.0 ? -r : r;
}
__device__ double normcdf_f64(double x) {
  if (x != x) return x;
  if (x > 9.0) return 1.0;
  if (x < -39.0) return 0.0;
  Pair a = times(Pair{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55}, __quern_abs(x));
  if (a.hi < 0.5) return x < 0.0 ? 0.5 - 0.5 * erf_small(a.hi) : 0.5 + 0.5 * erf_small(a.hi);
  Pair square = product_of(x, x);
  double tail = 0.5 * exp_of(Pair{-0.5 * square.hi, -0.5 * square.lo}) * erfcx_positive(a.hi);
  return x < 0.0 ? tail : 1.0 - tail;
}

// The x with erfc(x) = q for q in (0, 1]: from an initial guess, with Halley steps, on log erfc if that is
// small.
__device__ double erfc_inverse(double q) {
  double x = 0.0;
  if (q > 0.5) {
    double p = 1.0 - q;
    x = p * (0.88622692545275801 + 0.23201366653465449 * p * p);
    for (int i = 0; i < 4; ++i) {
      double error = (x < 0.5 ? erf_small(x) : 1.0 - exp_minus_square(x) * erfcx_positive(x)) - p;
      double step = error / (1.1283791670955126 * exp_minus_square(x));
      x -= step / (1.0 + x * step);
    }
    return x;
  }
  double l = log_f64(q);
  double s = __quern_sqrt(-l);
  x = s - (log_f64(s) + 0.57) / (2.0 * s);
  if (x < 0.2) x = 0.2;
  for (int i = 0; i < 6; ++i) {
    // f = log erfc(x) - log q, f' = -2 / (sqrt(pi) erfcx(x))
    double scaled_tail = erfcx_positive(x);
    double f = (log_f64(scaled_tail) - x * x) - l;
    x += f * scaled_tail * 0.88622692545275801;
  }
  return x;
}
__device__ double erfcinv_f64(double q) {
  if (!(q >= 0.0 && q <= 2.0)) return not_a_number();
  if (q == 0.0) return infinite();
  if (q == 2.0) return -infinite();
  return q <= 1.0 ? erfc_inverse(q) : -erfc_inverse(2.0 - q);
}
__device__ double erfinv_f64(double p) {
  if (p == 0.0) return p;
  double size = __quern_abs(p);
  if (!(size <= 1.0)) return not_a_number();
  double r = 0.0;
  if (size == 1.0) {
    r = infinite();
  } else if (size > 0.5) {
    r = erfc_inverse(1.0 - size);
  } else {
    r = size * (0.88622692545275801 + 0.23201366653465449 * size * size);
    for (int i = 0; i < 4; ++i) {
      double error = (r < 0.5 ? erf_small(r) : 1.0 - exp_minus_square(r) * erfcx_positive(r)) - size;
      double step = error / (1.1283791670955126 * exp_minus_square(r));
      r -= step / (1.0 + r * step);
    }
  }
  return p < 0.0 ? -r : r;
}
__device__ double normcdfinv_f64(double p) {
  if (!(p >= 0.0 && p <= 1.0)) return not_a_number();
  if (p == 0.0) return -infinite();
  if (p == 1.0) return infinite();
  return p <= 0.5 ? -1.4142135623730951 * erfc_inverse(p + p)
                  : 1.4142135623730951 * erfc_inverse((1.0 - p) + (1.0 - p));
}

// log gamma from 12 on, without (x - 0.5) log x - x + log(2 pi) / 2.
__device__ double stirling(double x) {
  double y = 1.0 / x, z = y * y;
  double p = -0x1.e4286cb0f5398p-6;
  p = p * z + 0x1.a41a41a41a41ap-8;
  p = p * z - 0x1.f6ab0d9993c7dp-10;
  p = p * z + 0x1.b951e2b18ff23p-11;
  p = p * z - 0x1.3813813813814p-11;
  p = p * z + 0x1.a01a01a01a01ap-11;
  p = p * z - 0x1.6c16c16c16c17p-9;
  p = p * z + 0x1.5555555555555p-4;
  return p * y;
}
__device__ Pair log_gamma_large(double x) {
  Pair l = times(log_pair(x, 0.0), x - 0.5);
  Pair s = plus(l, Pair{-x, 0.0});
  s = plus(s, Pair{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
  return plus(s, Pair{stirling(x), 0.0});
}
// Around 1 and 2, where it is 0.
__device__ double log_gamma_one(double z) {
  constexpr double c[] = {
    0x1.b8d616a89ec93p-1, -0x1.c914314b58d6cp-3, 0x1.49c1b46c90356p-5, -0x1.0e396e20cc904p-7, 0x1.d87cc4d742a40p-10,
    -0x1.ad3fd42f163b9p-12, 0x1.8ffcfc5faf795p-14, -0x1.7b878a6fd1032p-16, 0x1.6d126e954dae1p-18, -0x1.62f67bddedba4p-20,
    0x1.5c29180abd820p-22, -0x1.57f9bca90bd59p-24, 0x1.55ef0ca6bd174p-26, -0x1.55b33b8e5f67dp-28, 0x1.57086ca7fabd2p-30,
    -0x1.59c1780d1c868p-32, 0x1.5dbd3dcdf9dcfp-34, -0x1.62e38636696a5p-36, 0x1.6922dc9b2aac7p-38, -0x1.706f0d8a81658p-40,
    0x1.78c012a9e510bp-42, -0x1.82114a14ce6b1p-44, 0x1.8c60e2e2c4248p-46, -0x1.97af6fda6d9cap-48, 0x1.a3ff961180144p-50,
    -0x1.b155d0540f1c5p-52, 0x1.bfb8424313201p-54, -0x1.cf2e9786caadcp-56, 0x1.dfc1ec6f88ae2p-58, -0x1.f17cbe130c629p-60,
    0x1.0235703aa511bp-61, -0x1.0c4cbcd4968a3p-63};
  Pair first = times(Pair{-0x1.2788cfc6fb619p-1, 0x1.6cb90701fbfabp-58}, z);
  return first.hi + (first.lo + z * z * chebyshev(c, z + z));
}
__device__ double log_gamma_two(double z) {
  constexpr double c[] = {
    0x1.4ce9a17d63e79p-2, -0x1.19bf03c1c82efp-5, 0x1.5d8c563738e92p-9, -0x1.fdb5de2f45664p-13, 0x1.956ce71a47dd5p-16,
    -0x1.54074adef8972p-19, 0x1.274e9d578bd13p-22, -0x1.06c793fc8580bp-25, 0x1.dc06d3f8e8631p-29, -0x1.b4f8a26b7ec1ap-32,
    0x1.95535051eb06ep-35, -0x1.7b1f6a24b2c7ep-38, 0x1.650bb0a9bee33p-41, -0x1.522db920818dfp-44, 0x1.41dd584701eb6p-47,
    -0x1.339e9486e3a55p-50, 0x1.2713d8ffaf567p-53, -0x1.1bf5099797b0bp-56, 0x1.120993557915bp-59, -0x1.09245ed4bf768p-62};
  Pair first = times(Pair{0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58}, z);
  return first.hi + (first.lo + z * z * chebyshev(c, z + z));
}
__device__ double log_gamma_positive(double x) {
  if (x >= 12.0) {
    Pair p = log_gamma_large(x);
    return p.hi + p.lo;
  }
  if (x < 0.5) return log_gamma_one(x) - log_f64(x);
  if (x < 1.5) return log_gamma_one(x - 1.0);
  if (x <= 2.5) return log_gamma_two(x - 2.0);
  double product = 1.0;
  while (x > 2.5) {
    x -= 1.0;
    product *= x;
  }
  return log_f64(product) + log_gamma_two(x - 2.0);
}
__device__ double lgamma_f64(double x) {
  if (x != x) return x;
  if (__quern_isinf(x)) return infinite();
  if (x > 0.0) return x > 1e305 * 25.0 ? infinite() : log_gamma_positive(x);
  if (__quern_trunc(x) == x) return infinite();
  double size = -x;
  if (size < 1e-30) return -log_f64(size);
  double sine = __quern_abs(sinpi_f64(size));
  Pair l = log_pair(size * sine, 0.0);
  Pair r = plus(Pair{0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57}, Pair{-l.hi, -l.lo});
  return (r.hi - log_gamma_positive(size)) + r.lo;
}
__device__ double gamma_positive(double x) {
  constexpr double c[] = {
    0x1.e231b8ccc03c3p-1, 0x1.215dce63ba49bp-8, 0x1.d1b801dc6a8dbp-5, -0x1.148d1705a9b75p-8, 0x1.5bd096fc4923fp-10,
    -0x1.8cfefb06f916ep-13, 0x1.2e9221b0b1686p-15, -0x1.96766090001cep-18, 0x1.1b6c0dcf4b317p-20, -0x1.851df599cfb44p-23,
    0x1.0bcf7f3c965fbp-25, -0x1.6ff06d9236cfbp-28, 0x1.f967d9c3b28c0p-31, -0x1.5afe32702a03bp-33, 0x1.dc649af1415bdp-36,
    -0x1.46fda49db3346p-38, 0x1.c0dc161495680p-41, -0x1.341056e33d676p-43, 0x1.a6db012b7a94dp-46, -0x1.223504caf8514p-48,
    0x1.8e565d69d12a7p-51, -0x1.11608e6bb0c2fp-53, 0x1.773bf2f086911p-56, -0x1.01854338e4cd5p-58, 0x1.61780137f34f4p-61,
    -0x1.e52a62d544de3p-64};
  if (x > 172.0) return infinite();
  if (x >= 16.0) return exp_of(log_gamma_large(x));
  Pair product = Pair{1.0, 0.0};
  bool below = x < 1.0;
  while (x > 2.0) {
    x -= 1.0;
    product = times(product, x);
  }
  if (below) return chebyshev(c, 2.0 * x - 1.0) / x;
  return (product.hi + product.lo) * chebyshev(c, 2.0 * x - 3.0);
}
__device__ double tgamma_f64(double x) {
  if (x != x) return x;
  if (x == 0.0) return real_of((bits_of(x) & 0x8000000000000000ull) | 0x7ff0000000000000ull);
  if (__quern_isinf(x)) return x > 0.0 ? x : not_a_number();
  if (x > 0.0) return gamma_positive(x);
  if (__quern_trunc(x) == x) return not_a_number();
  if (x > -1e-20) return 1.0 / x;
  // pi / (x sin(pi x) gamma(-x)), with a sign.
  double size = -x;
  if (size > 185.0) return real_of(__quern_trunc(size * 0.5) * 2.0 == __quern_trunc(size) ? 0x8000000000000000ull : 0ull);
  double sine = sinpi_f64(size);
  if (size > 165.0) {
    Pair l = log_gamma_large(size);
    return -3.1415926535897931 / (size * sine) * exp_of(Pair{-l.hi, -l.lo});
  }
  return -3.1415926535897931 / (size * sine * gamma_positive(size));
}
