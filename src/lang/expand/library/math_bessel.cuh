// Bessel functions of order 0 and 1. Below 8, as a product of the zeros and a smooth remainder: a product
// keeps its relative error also next to a zero, which is known to twice the precision. From 8 on, by their
// asymptotic form. The float versions for targets without double follow.

// x - zero, which is not exact in one number.
__device__ double beyond(double x, Pair zero) { return (x - zero.hi) - zero.lo; }
__device__ double square_beyond(double x, Pair square) {
  Pair d = plus(product_of(x, x), Pair{-square.hi, -square.lo});
  return d.hi + d.lo;
}
// log(x / zero)
__device__ double log_beyond(double x, Pair zero) {
  return x > 0.5 * zero.hi ? log1p_f64(beyond(x, zero) / zero.hi) : log_f64(x / zero.hi);
}
// Of x >= 8: amplitudes of the two waves, from t = 128 / x^2 - 1.
struct Waves {
  double p, q;
};
__device__ Waves waves_0(double x) {
  constexpr double c[] = {
    0x1.ffb944543151ep-1, -0x1.194ac5283c04ap-11, 0x1.9cbe8b7395851p-19, -0x1.bc26938a82ce2p-25,
    0x1.c03a8b38ca73cp-30, -0x1.59ddcc28538a8p-34, 0x1.6baf23642c655p-38, -0x1.e4a709e74825bp-42,
    0x1.85b481672b1eep-45, -0x1.6d432cb7153fep-48, 0x1.84fff80b613c2p-51, -0x1.cdb3179595bbdp-54};
  constexpr double d[] = {
    -0x1.fdbbf76547cafp-4, 0x1.1ed40c7bf4761p-11, -0x1.8e1017183d060p-18, 0x1.34c3b3f0f3e19p-23,
    -0x1.8fc71e52a5280p-28, 0x1.7334b27ad2886p-32, -0x1.c34f407df8ba4p-36, 0x1.52763be90a889p-39,
    -0x1.2c827d7f6e2d5p-42, 0x1.329f0c1b6c666p-45, -0x1.5fa3147b301c9p-48, 0x1.bd9648f62c6b8p-51,
    -0x1.33cdb710c05d6p-53, 0x1.cab223df72976p-56, -0x1.6d757f20d1676p-58};
  double t = 128.0 / x / x - 1.0;
  return Waves{chebyshev(c, t), chebyshev(d, t) / x};
}
__device__ Waves waves_1(double x) {
  constexpr double c[] = {
    0x1.003b2e82f5f12p+0, 0x1.d7545f75d7da9p-11, -0x1.0b9505ce79bbap-18, 0x1.0953cdc0829efp-24,
    -0x1.01454cf5d6ac0p-29, 0x1.83c5742be2cc3p-34, -0x1.9171afe32fc02p-38, 0x1.088a8b6783e50p-41,
    -0x1.a5ead8bea617fp-45, 0x1.88e8192bcb004p-48, -0x1.a045d1e6aa4e8p-51, 0x1.ebf5d803cd896p-54};
  constexpr double d[] = {
    0x1.7f34213492af6p-2, -0x1.93d0e4fa70662p-11, 0x1.eaa02bf61504bp-18, -0x1.681617e8645adp-23,
    0x1.c467999a69933p-28, -0x1.9c37875f5ebc0p-32, 0x1.eeb91abca8164p-36, -0x1.6f877e53fb185p-39,
    0x1.43f8057a1761fp-42, -0x1.48ac416e30219p-45, 0x1.772d4dd737bf2p-48, -0x1.d994b1fddb9f0p-51,
    0x1.46123a8bbc898p-53, -0x1.e48d4f144b8b2p-56};
  double t = 128.0 / x / x - 1.0;
  return Waves{chebyshev(c, t), chebyshev(d, t) / x};
}
// p (a sin + b cos) + q (a cos - b sin), over the root of pi x.
__device__ double bessel_far(double x, Waves w, double a, double b) {
  Angle angle = reduced(x);
  double s = sin_of(angle), c = cos_of(angle);
  return (w.p * (a * s + b * c) + w.q * (a * c - b * s)) * 0.56418958354775629 / __quern_sqrt(x);
}
__device__ double j0_near(double x) {
  if (x < 4.0) {
    constexpr double c[] = {
    -0x1.8e5901fff8b16p-4, 0x1.10188773d5101p-4, -0x1.1a50c7798b87dp-7, 0x1.35e4448189c48p-11, -0x1.a63fc159aacfap-16,
    0x1.8892d3bd2d95fp-21, -0x1.0933fa3eea236p-26, 0x1.104f9c8e6859cp-32, -0x1.b78e656d8c29dp-39,
    0x1.1e438a81f9677p-45, -0x1.3344f41d42566p-52};
    return square_beyond(x, Pair{0x1.721fb80462bbbp+2, 0x1.db60c816c15d3p-52}) * chebyshev(c, x * x * 0.125 - 1.0);
  }
  constexpr double c[] = {
    0x1.e4777f78a04fdp-3, -0x1.c18a432fa6b57p-4, -0x1.3032bd73ef42ep-4, 0x1.d243888309882p-7, 0x1.8ad4e82dae8b4p-9,
    -0x1.0d6b73662b9d2p-11, -0x1.f02c2ef75eea4p-15, 0x1.339d66d868adep-17, 0x1.76206a45baed1p-21,
    -0x1.a9ee1d5037fdbp-24, -0x1.7a84588d7b13cp-28, 0x1.8e8c7261af2d7p-31, 0x1.137319d9b4fd6p-35,
    -0x1.0dc81f2a7a384p-38, -0x1.2e8d825660bf9p-43, 0x1.14f9fe3e3a9bbp-46, 0x1.03d8efcb01637p-51,
    -0x1.be8e626dfebdbp-55};
  return beyond(x, Pair{0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54}) * chebyshev(c, 0.5 * x - 3.0);
}
__device__ double j1_near(double x) {
  if (x < 5.0) {
    constexpr double c[] = {
    -0x1.2760a810f0d38p-6, 0x1.bfa8dc1db85b3p-7, -0x1.1b8b2231cd40cp-9, 0x1.9072f826b655ep-13, -0x1.6aee3bc85df1bp-17,
    0x1.cb711fd369ab8p-22, -0x1.adf4d0f152a31p-27, 0x1.35e177fa13ccfp-32, -0x1.62d6d6f56c001p-38,
    0x1.4ab88482e18f6p-44, -0x1.ffb59f0f7c20cp-51, 0x1.4df092a4a2f3ep-57};
    return x * (square_beyond(x, Pair{0x1.d5d2b4189822cp+3, -0x1.c6a0d245172bap-54}) * chebyshev(c, x * x * 0.08 - 1.0));
  }
  constexpr double c[] = {
    0x1.fc17dfd980b9ep-3, 0x1.3fdfdb2866e1fp-5, -0x1.910aeac475bc5p-5, -0x1.2bbacdfb91b05p-10, 0x1.59240e4822315p-10,
    0x1.5f8bf04162f7ap-17, -0x1.154453344ffebp-16, -0x1.0f6f2674b89efp-25, 0x1.03792e30f50f4p-23,
    -0x1.d373a2b696a34p-34, -0x1.3efeeec7951dfp-31, 0x1.74389409bcff4p-40, 0x1.15d537f067813p-39,
    -0x1.ab3ffd42042f1p-48, -0x1.6932c5f089d11p-48, 0x1.37e8b5fa141a6p-56, 0x1.6c18ff954a656p-57};
  return beyond(x, Pair{0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54}) * chebyshev(c, (x - 6.5) / 1.5);
}
__device__ double j0_f64(double x) {
  if (x != x) return x;
  double size = __quern_abs(x);
  if (__quern_isinf(x)) return 0.0;
  return size < 8.0 ? j0_near(size) : bessel_far(size, waves_0(size), 1.0, 1.0);
}
__device__ double j1_f64(double x) {
  if (x != x) return x;
  double size = __quern_abs(x);
  if (__quern_isinf(x)) return 0.0;
  double r = size < 8.0 ? j1_near(size) : bessel_far(size, waves_1(size), 1.0, -1.0);
  return x < 0.0 ? -r : r;
}
__device__ double y0_f64(double x) {
  if (x != x) return x;
  if (x <= 0.0) return x == 0.0 ? -infinite() : not_a_number();
  if (__quern_isinf(x)) return 0.0;
  if (x < 2.5) {
    constexpr double c[] = {
    0x1.194301d4f8ec1p-3, -0x1.5b7d00957c4ecp-5, 0x1.30ab5be41605ap-9, -0x1.14355a816392fp-14, 0x1.33229db3f5190p-20,
    -0x1.ce8d32670b479p-27, 0x1.f77f96d43c2a3p-34, -0x1.9ee205a9a246fp-41, 0x1.0be430e7e1608p-48,
    -0x1.167ab2ec2ed3cp-56};
    double rest = square_beyond(x, Pair{0x1.98d257f93404ap-1, 0x1.b7acb8a94e405p-55}) * chebyshev(c, x * x * 0.32 - 1.0);
    return 0.63661977236758138 * log_beyond(x, Pair{0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56}) * j0_near(x) + rest;
  }
  if (x < 5.25) {
    constexpr double c[] = {
    -0x1.68df57b1f891cp-2, 0x1.70a89ece2882bp-5, 0x1.b1faae55e089fp-5, -0x1.e8f5e30064b37p-9, -0x1.edd0b50865412p-11,
    0x1.8b22853ab47b8p-15, 0x1.7711c9ee1e2e3p-17, -0x1.80c0dd4e82eb8p-21, -0x1.f7115a9a64a27p-27,
    -0x1.3eed670ed9373p-28, 0x1.81f9066bd5d2ap-30, -0x1.cc8d5fdcb471cp-33, 0x1.28c8fb38058fcp-35,
    -0x1.9cd8d60fdf7b6p-38, 0x1.1d739d309e3a8p-40, -0x1.89d5f0284c0c6p-43, 0x1.10c077e6bd8a4p-45,
    -0x1.7b02bf9debd61p-48, 0x1.0803ab09e4849p-50, -0x1.70b29405c3dd7p-53, 0x1.020345a9ae9d1p-55};
    return beyond(x, Pair{0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54}) * chebyshev(c, (x - 3.875) / 1.375);
  }
  if (x < 8.0) {
    constexpr double c[] = {
    0x1.0595b440e0a72p-2, 0x1.03bf7fd6e7c86p-5, -0x1.6013748d258c3p-5, -0x1.35cc6a7623c73p-11, 0x1.025379292b158p-10,
    -0x1.1d6091868ae8ap-20, -0x1.588056a742702p-17, 0x1.d02be636236e6p-25, 0x1.0e19cc96c8d20p-24,
    -0x1.0483db2372307p-31, -0x1.114dfff7173bep-32, 0x1.e7c8f803517e8p-40, 0x1.9d078b103b39bp-41,
    -0x1.1743aa7fdd86cp-47, -0x1.75e205c354d35p-50, -0x1.5faa96669d98cp-57};
    return beyond(x, Pair{0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54}) * chebyshev(c, (x - 6.625) / 1.375);
  }
  return bessel_far(x, waves_0(x), 1.0, -1.0);
}
__device__ double y1_f64(double x) {
  if (x != x) return x;
  if (x <= 0.0) return x == 0.0 ? -infinite() : not_a_number();
  if (__quern_isinf(x)) return 0.0;
  if (x < 4.0) {
    constexpr double c[] = {
    0x1.501e58220b10bp-3, 0x1.ae610bfcafbd3p-8, -0x1.6c1a1dc7cc88dp-6, 0x1.a7246b6bff2ccp-9, -0x1.c7ef957d1a4d5p-13,
    0x1.27a8916a1c10ap-17, -0x1.038eb84d32c85p-22, 0x1.4ad8c01321310p-28, -0x1.41023523f22aep-34,
    0x1.ead7e6814a08cp-41, -0x1.2fa144a2245ecp-47, 0x1.366358f5876dfp-54};
    double rest = square_beyond(x, Pair{0x1.34f49cfc780a9p+2, -0x1.65d88128c73dfp-52}) * chebyshev(c, x * x * 0.125 - 1.0);
    return 0.63661977236758138 * log_beyond(x, Pair{0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55}) * j1_near(x) + rest / x;
  }
  if (x < 8.0) {
    constexpr double c[] = {
    -0x1.e29bd262f35f1p-3, 0x1.f4bf1059db514p-4, 0x1.183f1692f3a70p-4, -0x1.d542d1424281ap-7, -0x1.67072271dc34cp-9,
    0x1.03ef305a16603p-11, 0x1.d4a48ca252f0cp-15, -0x1.2f20873015243p-17, -0x1.52419632c24dcp-21,
    0x1.890203ab0473bp-24, 0x1.9fea3489e0c6bp-28, -0x1.d112a716b0782p-31, -0x1.77b2729376a9ep-38,
    -0x1.3579413e76ff0p-41, 0x1.ea433559dd6b6p-41, -0x1.42693d557055cp-43, 0x1.86efd91a6ceb3p-46,
    -0x1.0fd23afc0ddacp-48, 0x1.7c457597b7a39p-51, -0x1.05ddc42afc27ep-53, 0x1.684b93b605f51p-56};
    return beyond(x, Pair{0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52}) * chebyshev(c, 0.5 * x - 3.0);
  }
  return bessel_far(x, waves_1(x), -1.0, -1.0);
}

// ---- on floats ----------------------------------------------------------------------------------------------

__device__ float beyond(float x, Duo zero) { return (x - zero.hi) - zero.lo; }
__device__ Duo square_beyond(float x, Duo square) { return plus(duo_product(x, x), minus(square)); }
__device__ float log_beyond(float x, Duo zero) {
  return x > 0.5f * zero.hi ? log1p_single(beyond(x, zero) / zero.hi) : log_single(x / zero.hi);
}
__device__ float bessel_far(float x, Duo w, float a, float b) {
  Turned angle = turned(x);
  float s = sine_of(angle), c = cosine_of(angle);
  return (w.hi * (a * s + b * c) + w.lo * (a * c - b * s)) * 0.564189584f / __quern_sqrt(x);
}
__device__ Duo waves_0(float x) {
  constexpr float c[] = {
    0.99946034f, -0.0005365221f, 3.0751848e-06f, -5.1705946e-08f};
  constexpr float d[] = {
    -0.12444684f, 0.0005470816f, -5.931599e-06f, 1.4377966e-07f, -5.8175327e-09f};
  float t = 128.0f / x / x - 1.0f;
  return Duo{value_of(chebyshev(c, t)), value_of(chebyshev(d, t)) / x};
}
__device__ Duo waves_1(float x) {
  constexpr float c[] = {
    1.000903f, 0.00089898985f, -3.9872843e-06f, 6.177634e-08f};
  constexpr float d[] = {
    0.3742223f, -0.00077021786f, 7.310892e-06f, -1.6767825e-07f, 6.5833548e-09f};
  float t = 128.0f / x / x - 1.0f;
  return Duo{value_of(chebyshev(c, t)), value_of(chebyshev(d, t)) / x};
}
__device__ float j0_near(float x) {
  if (x < 4.0f) {
    constexpr float c[] = {
    -0.09725285f, 0.066429645f, -0.008615587f, 0.00059107144f, -2.5168005e-05f, 7.312252e-07f, -1.5436848e-08f};
    return value_of(times(square_beyond(x, Duo{0x1.721fb8p+2f, 0x1.18aeeep-28f}), chebyshev(c, x * x * 0.125f - 1.0f)));
  }
  constexpr float c[] = {
    0.23655605f, -0.109751f, -0.07426714f, 0.014229242f, 0.0030123265f, -0.00051387737f, -5.914838e-05f,
    9.167637e-06f, 6.9686513e-07f, -9.916959e-08f, -5.508147e-09f};
  return beyond(x, Duo{0x1.6148f6p+2f, -0x1.34f46ep-24f}) * value_of(chebyshev(c, 0.5f * x - 3.0f));
}
__device__ float j1_near(float x) {
  if (x < 5.0f) {
    constexpr float c[] = {
    -0.018028416f, 0.013661487f, -0.0021632651f, 0.00019094901f, -1.0816175e-05f, 4.278886e-07f, -1.2513375e-08f,
    2.818349e-10f};
    return x * value_of(times(square_beyond(x, Duo{0x1.d5d2b4p+3f, 0x1.89822cp-25f}), chebyshev(c, x * x * 0.08f - 1.0f)));
  }
  constexpr float c[] = {
    0.24809241f, 0.039047174f, -0.0489554f, -0.0011433781f, 0.0013166078f, 1.0476906e-05f, -1.6526395e-05f,
    -3.1599097e-08f, 1.208267e-07f};
  return beyond(x, Duo{0x1.c0ff60p+2f, -0x1.8971b6p-23f}) * value_of(chebyshev(c, (x - 6.5f) / 1.5f));
}
__device__ float j0_single(float x) {
  if (x != x) return x;
  float size = __quern_abs(x);
  if (__quern_isinf(x)) return 0.0f;
  return size < 8.0f ? j0_near(size) : bessel_far(size, waves_0(size), 1.0f, 1.0f);
}
__device__ float j1_single(float x) {
  if (x != x) return x;
  float size = __quern_abs(x);
  if (__quern_isinf(x)) return 0.0f;
  return signed_as(size < 8.0f ? j1_near(size) : bessel_far(size, waves_1(size), 1.0f, -1.0f), x < 0.0f);
}
__device__ float y0_single(float x) {
  if (x != x) return x;
  if (x <= 0.0f) return x == 0.0f ? -infinite_single() : nan_single();
  if (__quern_isinf(x)) return 0.0f;
  if (x < 2.5f) {
    constexpr float c[] = {
    0.13733484f, -0.042418003f, 0.0023244428f, -6.5853215e-05f, 1.1441679e-06f, -1.3462022e-08f};
    float rest = value_of(times(square_beyond(x, Duo{0x1.98d258p-1f, -0x1.b2fed6p-31f}), chebyshev(c, x * x * 0.32f - 1.0f)));
    return 0.636619747f * log_beyond(x, Duo{0x1.c982ecp-1f, -0x1.cafa06p-27f}) * j0_near(x) + rest;
  }
  if (x < 5.25f) {
    constexpr float c[] = {
    -0.3524145f, 0.045002278f, 0.05297598f, -0.0037304726f, -0.0009418779f, 4.7103746e-05f, 1.1177942e-05f,
    -7.1665903e-07f, -1.4641199e-08f};
    return beyond(x, Duo{0x1.fa9534p+1f, 0x1.b30ad4p-24f}) * value_of(chebyshev(c, (x - 3.875f) / 1.375f));
  }
  if (x < 8.0f) {
    constexpr float c[] = {
    0.25545388f, 0.031707525f, -0.042978026f, -0.00059089373f, 0.0009854358f, -1.063113e-06f, -1.0266939e-05f,
    5.4036672e-08f, 6.2887736e-08f};
    return beyond(x, Duo{0x1.c581dcp+2f, 0x1.39c840p-24f}) * value_of(chebyshev(c, (x - 6.625f) / 1.375f));
  }
  return bessel_far(x, waves_0(x), 1.0f, -1.0f);
}
__device__ float y1_single(float x) {
  if (x != x) return x;
  if (x <= 0.0f) return x == 0.0f ? -infinite_single() : nan_single();
  if (__quern_isinf(x)) return 0.0f;
  if (x < 4.0f) {
    constexpr float c[] = {
    0.16412038f, 0.0065670637f, -0.022223024f, 0.0032283193f, -0.00021740717f, 8.811309e-06f, -2.4173175e-07f,
    4.814453e-09f};
    float rest = value_of(times(square_beyond(x, Duo{0x1.34f49cp+2f, 0x1.f8f016p-23f}), chebyshev(c, x * x * 0.125f - 1.0f)));
    return 0.636619747f * log_beyond(x, Duo{0x1.193beep+1f, -0x1.6401b8p-24f}) * j1_near(x) + rest / x;
  }
  if (x < 8.0f) {
    constexpr float c[] = {
    -0.23564877f, 0.122252524f, 0.06841954f, -0.01432071f, -0.0027391652f, 0.0004957854f, 5.586657e-05f,
    -9.033891e-06f, -6.3005126e-07f, 9.1504276e-08f, 6.0523577e-09f};
    return beyond(x, Duo{0x1.5b7fe4p+2f, 0x1.d0f606p-23f}) * value_of(chebyshev(c, 0.5f * x - 3.0f));
  }
  return bessel_far(x, waves_1(x), -1.0f, -1.0f);
}
