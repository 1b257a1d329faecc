// Error, gamma and Bessel functions, powers, and exact functions on floats, as straight-line code
// (math_lanes.cuh). Gamma, Bessel and power functions are computed in double: cancellation near their zeros, and
// exponents of up to 128, take more bits than a float has.

// ---- error functions ----------------------------------------------------------------------------------------

// erf(x) for |x| < 0.92.
__device__ float lane_erf(float x) {
  float z = x * x;
  float p = 0x1.604feep-14f;
  p = __quern_fma(p, z, -0x1.ab4c20p-11f);
  p = __quern_fma(p, z, 0x1.54e64ap-8f);
  p = __quern_fma(p, z, -0x1.b811b6p-6f);
  p = __quern_fma(p, z, 0x1.ce2e2ep-4f);
  p = __quern_fma(p, z, -0x1.812744p-2f);
  p = __quern_fma(p, z, 0x1.06eba8p-3f);
  return __quern_fma(p, x, x);
}
__device__ float erf_lanes(float x) {
  float size = __quern_abs(x);
  float a = size < 3.92f ? size : 3.92f;
  float p = -0x1.598592p-22f;
  p = __quern_fma(p, a, 0x1.664470p-18f);
  p = __quern_fma(p, a, -0x1.47f66cp-16f);
  p = __quern_fma(p, a, -0x1.02083cp-12f);
  p = __quern_fma(p, a, 0x1.d62d50p-9f);
  p = __quern_fma(p, a, -0x1.8750eep-6f);
  p = __quern_fma(p, a, 0x1.b45aa4p-4f);
  p = __quern_fma(p, a, 0x1.45138ap-1f);
  p = __quern_fma(p, a, 0x1.20f390p+0f);
  float far = size < 3.92f ? 1.0f - exp_lanes(-(p * a)) : 1.0f;
  return x == x ? signed_like(size < 0.92f ? lane_erf(x) : far, x) : x;
}
// A tail and its error from the rounding of its argument.
struct LanesTail {
  float value, lack;
};
// e^(a^2) erfc(a) for a >= 0, by t = 2 / (2 + a).
__device__ LanesTail lane_erfcx(float a) {
  float d = 2.0f + a, t = 2.0f / d, u = t - 0.5f;
  float lack = 0.5f * __quern_fma(-t, a - (d - 2.0f), __quern_fma(-t, d, 2.0f));
  float p = 0x1.612a24p-5f;
  p = __quern_fma(p, u, -0x1.2612d4p-6f);
  p = __quern_fma(p, u, -0x1.38ff84p-4f);
  p = __quern_fma(p, u, 0x1.c03eeep-5f);
  p = __quern_fma(p, u, 0x1.906f32p-4f);
  p = __quern_fma(p, u, -0x1.a8da56p-4f);
  p = __quern_fma(p, u, -0x1.6046f6p-3f);
  p = __quern_fma(p, u, 0x1.2a895cp-3f);
  p = __quern_fma(p, u, 0x1.1e2dacp-1f);
  p = __quern_fma(p, u, 0x1.5fd386p-1f);
  p = __quern_fma(p, u, 0x1.058672p-1f);
  return LanesTail{p * t, lack * __quern_fma(t, 1.26f, 1.0f)};
}
__device__ float erfc_lanes(float x) {
  float size = __quern_abs(x), a = size < 11.0f ? size : 11.0f;
  float square = a * a, lost = __quern_fma(a, a, -square);
  LanesTail t = lane_erfcx(a);
  float tail = exp_of_sum(-square, t.lack - lost) * t.value;
  float r = size < 0.5f ? 1.0f - lane_erf(x) : x < 0.0f ? 2.0f - tail : tail;
  return x == x ? r : x;
}
__device__ float erfcx_lanes(float x) {
  float size = __quern_abs(x), a = x < -10.0f ? 10.0f : size;
  LanesTail t = lane_erfcx(a < 0x1p100f ? a : 0x1p100f);
  float r = a < 0x1p100f ? __quern_fma(t.value, t.lack, t.value) : 0x1.20dd76p-1f / a;
  float square = a * a, lost = __quern_fma(a, a, -square);
  float grown = exp_of_sum(square, lost < 1.0f ? lost : 0.0f);
  grown = grown + grown;
  r = x < 0.0f ? grown - r : r;
  return size < 0.5f ? grown * __quern_fma(lane_erf(x), -0.5f, 0.5f) : r;
}
// The lower tail beyond a >= 0, by t = 4 / (4 + a).
__device__ float normcdf_lanes(float x) {
  float size = __quern_abs(x), a = size < 15.0f ? size : 15.0f;
  float d = 4.0f + a, t = 4.0f / d, u = t - 0.5f;
  float lack = 0.25f * __quern_fma(-t, a - (d - 4.0f), __quern_fma(-t, d, 4.0f)) * __quern_fma(t, 2.15f, 1.0f);
  float p = 0x1.8e9e86p-7f;
  p = __quern_fma(p, u, 0x1.f7c5e6p-7f);
  p = __quern_fma(p, u, -0x1.9ab0bcp-5f);
  p = __quern_fma(p, u, -0x1.d1ab66p-5f);
  p = __quern_fma(p, u, 0x1.ed8f3ep-5f);
  p = __quern_fma(p, u, 0x1.eee6b4p-3f);
  p = __quern_fma(p, u, 0x1.7dff66p-2f);
  p = __quern_fma(p, u, 0x1.8c6d70p-2f);
  p = __quern_fma(p, u, 0x1.373e3ap-2f);
  p = __quern_fma(p, u, 0x1.82b4bcp-3f);
  float square = a * a, lost = __quern_fma(a, a, -square);
  float tail = exp_of_sum(-0.5f * square, __quern_fma(lost, -0.5f, lack)) * (p * t);
  tail = x < 0.0f ? tail : 1.0f - tail;
  float near = __quern_fma(lane_erf(x * 0x1.6a09e6p-1f), 0.5f, 0.5f);
  return x == x ? (size < 0.7f ? near : tail) : x;
}

// p times x / p with erf(x) = p, from w = -log(1 - p^2).
__device__ float erfinv_times(float p, float w) {
  float near = -0x1.2e5598p-27f;
  near = __quern_fma(near, w, 0x1.db39f8p-23f);
  near = __quern_fma(near, w, -0x1.09ba44p-19f);
  near = __quern_fma(near, w, 0x1.0ccf9ap-18f);
  near = __quern_fma(near, w, 0x1.751f36p-15f);
  near = __quern_fma(near, w, -0x1.0af112p-13f);
  near = __quern_fma(near, w, -0x1.31fe82p-9f);
  near = __quern_fma(near, w, 0x1.7a6ea0p-7f);
  near = __quern_fma(near, w, 0x1.db2a08p-3f);
  near = __quern_fma(near, w, -0x1.c96212p-26f);
  float s = __quern_sqrt(w), v = 1.0f / s - 0x1.18p-2f;
  float far = -0x1.40c056p+17f;
  far = __quern_fma(far, v, -0x1.73ee18p+12f);
  far = __quern_fma(far, v, 0x1.57c6c4p+14f);
  far = __quern_fma(far, v, 0x1.6cca1ep+10f);
  far = __quern_fma(far, v, -0x1.441246p+10f);
  far = __quern_fma(far, v, -0x1.3e3188p+7f);
  far = __quern_fma(far, v, 0x1.0b49e6p+5f);
  far = __quern_fma(far, v, 0x1.6ac592p+3f);
  far = __quern_fma(far, v, 0x1.b4e1d4p-2f);
  far = __quern_fma(far, v, 0x1.1b829cp-1f);
  far = __quern_fma(far, v, 0x1.e95bacp-4f);
  far = __quern_fma(far, v, -0x1.8c46b6p-3f);
  far = __quern_fma(far, v, 0x1.e923f2p-1f);
  return w < 5.0f ? __quern_fma(p, 0x1.c5bf8ap-1f, p * near) : p * (far * s);
}
__device__ float erfinv_lanes(float p) {
  float size = __quern_abs(p);
  float r = erfinv_times(p, -log_lanes(__quern_fma(-size, size, 1.0f)));
  r = size == 1.0f ? p * lane_infinity() : r;
  return size <= 1.0f ? r : lane_nan();
}
__device__ float erfcinv_lanes(float q) {
  float r = erfinv_times(1.0f - q, -log_lanes(q * (2.0f - q)));
  r = q == 0.0f ? lane_infinity() : q == 2.0f ? -lane_infinity() : r;
  return q >= 0.0f && q <= 2.0f ? r : lane_nan();
}
__device__ float normcdfinv_lanes(float p) {
  bool upper = p > 0.5f;
  float q = upper ? 2.0f * (1.0f - p) : p + p;
  float r = erfinv_times(1.0f - q, -log_lanes(q * (2.0f - q)));
  r = __quern_fma(r, 0x1.6a09e6p+0f, r * 0x1.9fcef4p-26f);
  r = q == 0.0f ? lane_infinity() : r;
  return p >= 0.0f && p <= 1.0f ? (upper ? r : -r) : lane_nan();
}

// ---- in double ----------------------------------------------------------------------------------------------

constexpr double kWideMagic = 0x1.8p52;

// Of a positive finite number, with 44 bits.
__device__ double wide_log(double x) {
  unsigned long long bits = bits_of(x) - 0x3fe6a09e667f3bcdull;
  long long e = (long long)bits >> 52;
  double m = real_of((bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  double k = real_of((unsigned long long)(e + 0x4338000000000000ll)) - kWideMagic;
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 0x1.911c84f1b20b4p-3;
  p = __quern_fma(p, z, 0x1.c62aa189c5cc0p-3);
  p = __quern_fma(p, z, 0x1.24941331e69eap-2);
  p = __quern_fma(p, z, 0x1.999996a688e42p-2);
  p = __quern_fma(p, z, 0x1.555555561f2d8p-1);
  return __quern_fma(k, 0x1.62e42fefa39efp-1, __quern_fma(p, z * s, s + s));
}
// To be rounded to a float, with 34 bits; a NaN is preserved.
__device__ double wide_exp(double x) {
  double most = x > 160.0 ? 160.0 : x, c = most < -160.0 ? -160.0 : most;
  double counted = __quern_fma(c, 0x1.71547652b82fep+0, kWideMagic), k = counted - kWideMagic;
  double r = __quern_fma(k, -0x1.62e42fefa39efp-1, c);
  double p = 0x1.9f08a7fa1b13ap-13;
  p = __quern_fma(p, r, 0x1.6d8db415fce35p-10);
  p = __quern_fma(p, r, 0x1.111271ba78833p-7);
  p = __quern_fma(p, r, 0x1.55548d0fc9e02p-5);
  p = __quern_fma(p, r, 0x1.55555441bc1f1p-3);
  p = __quern_fma(p, r, 0x1.0000003a6f58fp-1);
  p = __quern_fma(p, r * r, r) + 1.0;
  return p * real_of((bits_of(counted) << 52) + 0x3ff0000000000000ull);
}
__device__ float pow_lanes(float x, float y) {
  float size = __quern_abs(x);
  double l = wide_log(size == 0.0f ? 1.0 : (double)size);
  l = size == 0.0f ? -(double)lane_infinity() : size < lane_infinity() ? l : (double)size;
  float r = (float)wide_exp((double)y * l);
  bool is_whole = __quern_trunc(y) == y, is_odd = is_whole && __quern_trunc(y * 0.5f) != y * 0.5f;
  bool is_negative = (bits_of(x) >> 31) != 0u;
  r = real_of(bits_of(r) ^ (is_negative && is_odd ? 0x80000000u : 0u));
  r = x < 0.0f && size < lane_infinity() && !is_whole ? lane_nan() : r;
  r = size == 1.0f && __quern_abs(y) == lane_infinity() ? 1.0f : r;
  return y == 0.0f || x == 1.0f ? 1.0f : r;
}

// sin(pi x) of a number >= 0.
__device__ double wide_sinpi(double x) {
  double rest = __quern_fma(__quern_floor(x * 0.5), -2.0, x);
  double counted = (rest + rest) + kWideMagic, r = __quern_fma(counted - kWideMagic, -0.5, rest), z = r * r;
  double s = -0x1.e300a0daa4980p-8;
  s = __quern_fma(s, z, 0x1.50783015e80f6p-4);
  s = __quern_fma(s, z, -0x1.32d2cce32e486p-1);
  s = __quern_fma(s, z, 0x1.466bc67758d48p+1);
  s = __quern_fma(s, z, -0x1.4abbce625be47p+2);
  s = __quern_fma(s, z * r, r * 0x1.921fb54442d18p+1);
  double c = -0x1.a6c9fa08657a8p-6;
  c = __quern_fma(c, z, 0x1.e1f4fbeef2270p-3);
  c = __quern_fma(c, z, -0x1.55d3c7dcaa492p+0);
  c = __quern_fma(c, z, 0x1.03c1f081b142ep+2);
  c = __quern_fma(c, z, -0x1.3bd3cc9be45a4p+2);
  c = __quern_fma(c, z, 1.0);
  unsigned long long quarters = bits_of(counted);
  return real_of(bits_of((quarters & 1ull) != 0ull ? c : s) ^ ((quarters & 2ull) << 62));
}
// log |gamma(x)| of a finite number that is not a pole.
__device__ double wide_lgamma(double x) {
  double a = __quern_abs(x);
  // Up to 3 by the zeros at 1 and 2, farther out by Stirling's series, from 8 on.
  bool near = a < 3.0, low = a < 1.5, shifted = a < 8.0;
  double y = (low ? a + 1.0 : a) - 2.0;
  double p = -0x1.44e8229ddd2b1p-17;
  p = __quern_fma(p, y, 0x1.4408d7849723fp-16);
  p = __quern_fma(p, y, -0x1.e78d6725afcd1p-18);
  p = __quern_fma(p, y, 0x1.5377577878ddep-16);
  p = __quern_fma(p, y, -0x1.80d92aaaac566p-14);
  p = __quern_fma(p, y, 0x1.9aa874d971005p-13);
  p = __quern_fma(p, y, -0x1.a57f2e2bdd45dp-12);
  p = __quern_fma(p, y, 0x1.dd5cdecd987b1p-11);
  p = __quern_fma(p, y, -0x1.146c729b7ad17p-9);
  p = __quern_fma(p, y, 0x1.47a5666a5cb72p-8);
  p = __quern_fma(p, y, -0x1.95cd7be989394p-7);
  p = __quern_fma(p, y, 0x1.0e0c80fed0a45p-5);
  p = __quern_fma(p, y, -0x1.9ae65130368bap-4);
  p = __quern_fma(p, y, 0x1.b0ee607bad90dp-2);
  double z = shifted ? a + 5.0 : a, inverse = 1.0 / z, w = inverse * inverse;
  double far = __quern_fma(0x1.a01a01a01a01ap-11, w, -0x1.6c16c16c16c17p-9);
  far = __quern_fma(far, w, 0x1.5555555555555p-4);
  far = __quern_fma(far, inverse, __quern_fma(z - 0.5, wide_log(z), 0x1.d67f1c864beb5p-1 - z));
  double product = a * (a + 1.0) * (a + 2.0) * ((a + 3.0) * (a + 4.0));
  double divisor = near ? (low ? a : 1.0) : shifted ? product : 1.0;
  double above = near ? y * (y + 1.0) * p : far;
  // Of a negative number: pi / (a sin(pi a) gamma(a)).
  bool negative = x < 0.0;
  double reflected = __quern_abs(a * wide_sinpi(a));
  double l = wide_log(negative ? reflected * 0x1.45f306dc9c883p-2 / divisor : divisor);
  return negative ? -above - l : above - l;
}
__device__ float lgamma_lanes(float x) {
  bool pole = x <= 0.0f && __quern_trunc(x) == x;
  float r = (float)wide_lgamma(pole || x == lane_infinity() ? 3.5 : (double)x);
  return pole || x == lane_infinity() ? lane_infinity() : r;
}
__device__ float tgamma_lanes(float x) {
  bool pole = x <= 0.0f && __quern_trunc(x) == x, large = x > 40.0f;
  float r = (float)wide_exp(wide_lgamma(pole || large ? 3.5 : (double)x));
  float below = __quern_floor(x);
  r = x < 0.0f && __quern_floor(below * 0.5f) != below * 0.5f ? -r : r;
  r = large ? lane_infinity() : r;
  return x == 0.0f ? signed_like(lane_infinity(), x) : pole ? lane_nan() : r;
}

// ---- Bessel functions ---------------------------------------------------------------------------------------

struct LanesBessel {
  double phase_sine, phase_cosine;  // of x
  double w, root;                   // 1 / x^2, sqrt(1 / (pi x))
};
// For x from 8 on.
__device__ LanesBessel lanes_bessel(double x) {
  double counted = __quern_fma(x, 0x1.45f306dc9c883p-1, kWideMagic), k = counted - kWideMagic;
  double r = __quern_fma(k, -0x1.1a62633145c07p-54, __quern_fma(k, -0x1.921fb54442d18p+0, x)), z = r * r;
  double s = -0x1.a9648d6a40d30p-26;
  s = __quern_fma(s, z, 0x1.71d776ac583c5p-19);
  s = __quern_fma(s, z, -0x1.a019f94ef9dc7p-13);
  s = __quern_fma(s, z, 0x1.1111110c9a41fp-7);
  s = __quern_fma(s, z, -0x1.5555555552388p-3);
  s = __quern_fma(s, z * r, r);
  double c = 0x1.1bc62849d4e97p-29;
  c = __quern_fma(c, z, -0x1.27e02597b28c3p-22);
  c = __quern_fma(c, z, 0x1.a019fa9fa2730p-16);
  c = __quern_fma(c, z, -0x1.6c16c16762055p-10);
  c = __quern_fma(c, z, 0x1.55555555530b5p-5);
  c = __quern_fma(z, __quern_fma(c, z, -0.5), 1.0);
  unsigned long long quarters = bits_of(counted), more = quarters + 1ull;
  bool odd = (quarters & 1ull) != 0ull;
  double inverse = 1.0 / x;
  return LanesBessel{real_of(bits_of(odd ? c : s) ^ ((quarters & 2ull) << 62)),
                     real_of(bits_of(odd ? s : c) ^ ((more & 2ull) << 62)), inverse * inverse,
                     __quern_sqrt(inverse * 0x1.45f306dc9c883p-2)};
}
__device__ double wide_j0(double u) {
  double p = 0x1.73af9b6b45458p-32;
  p = __quern_fma(p, u, -0x1.11920622249e3p-27);
  p = __quern_fma(p, u, 0x1.56a6039853af1p-23);
  p = __quern_fma(p, u, -0x1.6cc2bfd365183p-19);
  p = __quern_fma(p, u, 0x1.42bc91acff814p-15);
  p = __quern_fma(p, u, -0x1.d117775e77fd3p-12);
  p = __quern_fma(p, u, 0x1.09f344897f67cp-8);
  p = __quern_fma(p, u, -0x1.d27f3ccac1e59p-6);
  p = __quern_fma(p, u, 0x1.2afc339170e7bp-3);
  p = __quern_fma(p, u, -0x1.03d2da096564dp-1);
  p = __quern_fma(p, u, 0x1.09d33c82733dcp+0);
  p = __quern_fma(p, u, -0x1.9dbdd0f267fecp-1);
  p = __quern_fma(p, u, -0x1.4c042a76a3d81p-1);
  p = __quern_fma(p, u, 0x1.dc5071f12098dp-1);
  return __quern_fma(p, u, 0x1.776fc5f84e27dp-5);
}
__device__ double wide_j1_over(double u) {
  double p = 0x1.9a51ea4724135p-37;
  p = __quern_fma(p, u, -0x1.453d2b23cd9d3p-32);
  p = __quern_fma(p, u, 0x1.b9f2820ab1354p-28);
  p = __quern_fma(p, u, -0x1.00fc7d6e165c8p-23);
  p = __quern_fma(p, u, 0x1.f58f1613605d6p-20);
  p = __quern_fma(p, u, -0x1.936bb6244f8ddp-16);
  p = __quern_fma(p, u, 0x1.059d31142df8ap-12);
  p = __quern_fma(p, u, -0x1.09f34489723fdp-9);
  p = __quern_fma(p, u, 0x1.982f5536ac232p-7);
  p = __quern_fma(p, u, -0x1.c07a4d5a2992cp-5);
  p = __quern_fma(p, u, 0x1.44c7908bb21e6p-3);
  p = __quern_fma(p, u, -0x1.09d33c82733d0p-2);
  p = __quern_fma(p, u, 0x1.364e5cb5ceb2ap-3);
  p = __quern_fma(p, u, 0x1.4c042a76a3d7fp-4);
  return __quern_fma(p, u, -0x1.dc5071f1209f4p-5);
}
// y0(x) - 2 / pi log(x) j0(x), and (y1(x) - 2 / pi (log(x) j1(x) - 1 / x)) / x.
__device__ double wide_y0_rest(double u) {
  double p = -0x1.8a1118f92704ep-31;
  p = __quern_fma(p, u, 0x1.1b53ed2082ffdp-26);
  p = __quern_fma(p, u, -0x1.5993e0b565bd8p-22);
  p = __quern_fma(p, u, 0x1.6518f57ce4c4bp-18);
  p = __quern_fma(p, u, -0x1.31537dfd98e5fp-14);
  p = __quern_fma(p, u, 0x1.a6a8cac266ed1p-11);
  p = __quern_fma(p, u, -0x1.cc70600ee8afcp-8);
  p = __quern_fma(p, u, 0x1.7bd6bf2668c8bp-5);
  p = __quern_fma(p, u, -0x1.c06cc647fe001p-3);
  p = __quern_fma(p, u, 0x1.582798114b7b7p-1);
  p = __quern_fma(p, u, -0x1.13da2b14a4669p+0);
  p = __quern_fma(p, u, 0x1.272bb3b6009c7p-3);
  p = __quern_fma(p, u, 0x1.a5a81d661f76dp+0);
  p = __quern_fma(p, u, -0x1.a828bfbfdc858p-1);
  return __quern_fma(p, u, -0x1.876cb72f1c7eap-2);
}
__device__ double wide_y1_rest(double u) {
  double p = -0x1.b7d738f755a02p-36;
  p = __quern_fma(p, u, 0x1.54fcf630e4813p-31);
  p = __quern_fma(p, u, -0x1.c3f019b891185p-27);
  p = __quern_fma(p, u, 0x1.ff3247b26f5b5p-23);
  p = __quern_fma(p, u, -0x1.e3516b74e86f5p-19);
  p = __quern_fma(p, u, 0x1.76c166c9b24f9p-15);
  p = __quern_fma(p, u, -0x1.d1604f9b2e8f1p-12);
  p = __quern_fma(p, u, 0x1.c097bb959b57dp-9);
  p = __quern_fma(p, u, -0x1.4198f92a33bc6p-6);
  p = __quern_fma(p, u, 0x1.41bb6917b70d6p-4);
  p = __quern_fma(p, u, -0x1.923952d7c4228p-3);
  p = __quern_fma(p, u, 0x1.e16d7a1d07739p-3);
  p = __quern_fma(p, u, 0x1.7edab31507ccdp-6);
  p = __quern_fma(p, u, -0x1.f26fddceafcf1p-3);
  return __quern_fma(p, u, 0x1.21d516f81acf6p-4);
}
// Amplitudes of the asymptotic forms: P, and Q x.
__device__ double bessel_p0(double w) {
  double p = __quern_fma(0x1.bff12b56203efp+1, w, -0x1.1617690623f27p-1);
  p = __quern_fma(__quern_fma(p, w, 0x1.cac2ebbcdf9e8p-4), w, -0x1.1fffb5a374d68p-4);
  return __quern_fma(p, w, 0x1.ffffffff46fb7p-1);
}
__device__ double bessel_q0(double w) {
  double p = __quern_fma(-0x1.8fbaf2ab2a23dp+3, w, 0x1.98bf446062967p+0);
  p = __quern_fma(__quern_fma(p, w, -0x1.cfc560c990be2p-3), w, 0x1.2bfebd66a6084p-4);
  return __quern_fma(p, w, -0x1.ffffffe727f63p-4);
}
__device__ double bessel_p1(double w) {
  double p = __quern_fma(-0x1.0118be5058a7ap+2, w, 0x1.49a0b0b7a5ce2p-1);
  p = __quern_fma(__quern_fma(p, w, -0x1.26f820c17618bp-3), w, 0x1.dfffacb648bffp-4);
  return __quern_fma(p, w, 0x1.0000000067b5bp+0);
}
__device__ double bessel_q1(double w) {
  double p = __quern_fma(0x1.c453065b39562p+3, w, -0x1.d9391894cb194p+0);
  p = __quern_fma(__quern_fma(p, w, 0x1.1b7e0be475aabp-2), w, -0x1.a3fe9a1dd015fp-4);
  return __quern_fma(p, w, 0x1.7ffffff91a7ebp-2);
}
__device__ bool j0_domain(float x) { return __quern_abs(x) < 0x1p20f; }
__device__ bool j1_domain(float x) { return j0_domain(x); }
__device__ bool y0_domain(float x) { return j0_domain(x); }
__device__ bool y1_domain(float x) { return j0_domain(x); }
// With phases of x - pi / 4: sqrt(1 / (pi x)) (sin x + cos x) is sqrt(2 / (pi x)) cos(x - pi / 4).
__device__ float j0_lanes(float x) {
  double a = __quern_abs((double)x);
  bool far = a > 8.0;
  LanesBessel b = lanes_bessel(far ? a : 8.0);
  double c = b.phase_cosine + b.phase_sine, s = b.phase_sine - b.phase_cosine;
  double outer = b.root * __quern_fma(bessel_p0(b.w), c, -(bessel_q0(b.w) / (far ? a : 8.0) * s));
  return (float)(far ? outer : wide_j0(__quern_fma(a, a * 0.03125, -1.0)));
}
__device__ float y0_lanes(float x) {
  bool far = x > 8.0f, good = x > 0.0f;
  double a = good ? (double)x : 1.0, u = __quern_fma(a, a * 0.03125, -1.0), v = far ? a : 8.0;
  LanesBessel b = lanes_bessel(v);
  double c = b.phase_cosine + b.phase_sine, s = b.phase_sine - b.phase_cosine;
  double outer = b.root * __quern_fma(bessel_p0(b.w), s, bessel_q0(b.w) / v * c);
  double inner = __quern_fma(wide_log(a) * 0x1.45f306dc9c883p-1, wide_j0(u), wide_y0_rest(u));
  return good ? (float)(far ? outer : inner) : x == 0.0f ? -lane_infinity() : lane_nan();
}
// Phases of x - 3 pi / 4.
__device__ float j1_lanes(float x) {
  double a = __quern_abs((double)x);
  bool far = a > 8.0;
  double v = far ? a : 8.0;
  LanesBessel b = lanes_bessel(v);
  double c = b.phase_sine - b.phase_cosine, s = -(b.phase_sine + b.phase_cosine);
  double outer = b.root * __quern_fma(bessel_p1(b.w), c, -(bessel_q1(b.w) / v * s));
  float r = (float)(far ? outer : a * wide_j1_over(__quern_fma(a, a * 0.03125, -1.0)));
  return real_of(bits_of(r) ^ (bits_of(x) & 0x80000000u));
}
__device__ float y1_lanes(float x) {
  bool far = x > 8.0f, good = x > 0.0f;
  double a = good ? (double)x : 1.0, u = __quern_fma(a, a * 0.03125, -1.0), v = far ? a : 8.0;
  LanesBessel b = lanes_bessel(v);
  double c = b.phase_sine - b.phase_cosine, s = -(b.phase_sine + b.phase_cosine);
  double outer = b.root * __quern_fma(bessel_p1(b.w), s, bessel_q1(b.w) / v * c);
  double inner = __quern_fma(a * wide_j1_over(u), wide_log(a), -1.0 / a) * 0x1.45f306dc9c883p-1;
  inner = __quern_fma(a, wide_y1_rest(u), inner);
  return good ? (float)(far ? outer : inner) : x == 0.0f ? -lane_infinity() : lane_nan();
}

// ---- exact functions ----------------------------------------------------------------------------------------

__device__ float fdim_lanes(float x, float y) { return x <= y ? 0.0f : x - y; }
__device__ float ldexp_lanes(float x, int e) {
  int most = e > 400 ? 400 : e, n = most < -400 ? -400 : most;
  return (float)((double)x * real_of((unsigned long long)(long long)(n + 1023) << 52));
}
__device__ int ilogb_lanes(float x) {
  float size = __quern_abs(x);
  bool tiny = size < 0x1p-126f;
  int e = (int)(bits_of(tiny ? size * 0x1p24f : size) >> 23) - (tiny ? 151 : 127);
  int end = size == lane_infinity() ? 0x7fffffff : (int)0x80000000u;
  return size > 0.0f && size < lane_infinity() ? e : end;
}
__device__ float logb_lanes(float x) {
  float size = __quern_abs(x);
  bool tiny = size < 0x1p-126f;
  float e = (float)((int)(bits_of(tiny ? size * 0x1p24f : size) >> 23) - (tiny ? 151 : 127));
  e = size == 0.0f ? -lane_infinity() : e;
  return size < lane_infinity() ? e : size == size ? size : lane_nan();
}
__device__ float nextafter_lanes(float x, float y) {
  unsigned bits = bits_of(x);
  bool grows = (x < y) == (x > 0.0f);
  float r = real_of(grows ? bits + 1u : bits - 1u);
  r = x == 0.0f ? real_of((bits_of(y) & 0x80000000u) | 1u) : r;
  r = x == y ? y : r;
  return x != x || y != y ? lane_nan() : r;
}
// If the quotient has at most 22 bits, the remainder of its neighbors is exact.
__device__ bool rem_domain(float x, float y) {
  float a = __quern_abs(x), b = __quern_abs(y);
  return b > 0x1p-100f && b < 0x1p100f && a < b * 0x1p22f;
}
__device__ bool remainder_domain(float x, float y) { return rem_domain(x, y); }
__device__ float rem_lanes(float x, float y) {
  float a = __quern_abs(x), b = __quern_abs(y);
  float r = __quern_fma(-__quern_trunc(a / b), b, a);
  r = r < 0.0f ? r + b : r;
  r = r >= b ? r - b : r;
  return signed_like(r, x);
}
__device__ float remainder_lanes(float x, float y) {
  float a = __quern_abs(x), b = __quern_abs(y), half = 0.5f * b;
  float q = __quern_rint(a / b), r = __quern_fma(-q, b, a);
  bool odd = __quern_trunc(q * 0.5f) != q * 0.5f;
  bool more = r > half || (r == half && odd), less = r < -half || (r == -half && odd);
  r = more ? r - b : less ? r + b : r;
  return real_of(bits_of(r == 0.0f ? 0.0f : r) ^ (bits_of(x) & 0x80000000u));
}
