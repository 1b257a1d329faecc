// Functions on floats for targets whose threads are lanes of a vector and that have fma. They are straight-line
// code: both sides of a conditional are computed, and a select chooses one. Errors stay within CUDA's documented
// bounds (tests/cpu/math_test.cpp). Arguments for which `name_domain` is false are computed by another function.
// Here: roots, exponentials and logarithms.

__device__ float lane_nan() { return real_of(0x7fc00000u); }
__device__ float lane_infinity() { return real_of(0x7f800000u); }
__device__ float signed_like(float size, float x) {
  return real_of((bits_of(size) & 0x7fffffffu) | (bits_of(x) & 0x80000000u));
}

// ---- exponentials -------------------------------------------------------------------------------------------

// Adding it rounds to an integer, which is in the lowest bits of the sum.
constexpr float kLaneMagic = 0x1.8p23f;

// p * 2^k, rounded once; `counted` is kLaneMagic + k.
__device__ float lane_raised(float p, float counted) {
  int k = (int)(bits_of(counted) - 0x4b400000u);
  int half = k >> 1;
  return p * real_of((unsigned)(half + 127) << 23) * real_of((unsigned)(k - half + 127) << 23);
}
__device__ float lane_clamped(float x, float low, float high) {  // a NaN stays
  float most = x > high ? high : x;
  return most < low ? low : most;
}
// (e^r - 1 - r) / r^2 for |r| < 0.348.
__device__ float exp_rest(float r) {
  float p = 0x1.6a4224p-10f;
  p = __quern_fma(p, r, 0x1.1239eep-7f);
  p = __quern_fma(p, r, 0x1.5558bcp-5f);
  p = __quern_fma(p, r, 0x1.555492p-3f);
  return __quern_fma(p, r, 0x1.fffffcp-2f);
}
// e^x as 2^k (1 + r + ...); `counted` is kLaneMagic + k.
struct LanesExp {
  float r, counted;
};
__device__ LanesExp lanes_exp(float x) {
  float c = lane_clamped(x, -105.5f, 90.5f);
  float counted = __quern_fma(c, 0x1.715476p+0f, kLaneMagic), k = counted - kLaneMagic;
  return LanesExp{__quern_fma(k, -0x1.7f7d1cp-20f, __quern_fma(k, -0x1.62e400p-1f, c)), counted};
}
__device__ float lane_grown(float r) { return __quern_fma(exp_rest(r), r * r, r) + 1.0f; }
__device__ float exp_lanes(float x) {
  LanesExp e = lanes_exp(x);
  return lane_raised(lane_grown(e.r), e.counted);
}
// e^(x + addend), for a small addend.
__device__ float exp_of_sum(float x, float addend) {
  LanesExp e = lanes_exp(x);
  return lane_raised(lane_grown(e.r + addend), e.counted);
}
__device__ float half_of_exp(float x) {
  LanesExp e = lanes_exp(x);
  return lane_raised(lane_grown(e.r), e.counted - 1.0f);
}
__device__ float exp2_lanes(float x) {
  float c = lane_clamped(x, -151.0f, 129.0f);
  float counted = c + kLaneMagic, r = c - (counted - kLaneMagic);
  float p = 0x1.416ebep-13f;
  p = __quern_fma(p, r, 0x1.5f0b14p-10f);
  p = __quern_fma(p, r, 0x1.3b2de0p-7f);
  p = __quern_fma(p, r, 0x1.c6af78p-5f);
  p = __quern_fma(p, r, 0x1.ebfbdcp-3f);
  p = __quern_fma(p, r, 0x1.62e430p-1f);
  return lane_raised(__quern_fma(p, r, 1.0f), counted);
}
__device__ float exp10_lanes(float x) {
  float c = lane_clamped(x, -46.0f, 39.0f);
  float counted = __quern_fma(c, 0x1.a934f0p+1f, kLaneMagic), k = counted - kLaneMagic;
  float r = __quern_fma(k, -0x1.3509f8p-18f, __quern_fma(k, -0x1.344000p-2f, c));
  float p = 0x1.a64f78p-3f;
  p = __quern_fma(p, r, 0x1.156c40p-1f);
  p = __quern_fma(p, r, 0x1.2bd9f6p+0f);
  p = __quern_fma(p, r, 0x1.046f9ap+1f);
  p = __quern_fma(p, r, 0x1.53524ap+1f);
  p = __quern_fma(p, r, 0x1.26bb1cp+1f);
  return lane_raised(__quern_fma(p, r, 1.0f), counted);
}
__device__ float expm1_lanes(float x) {
  float c = lane_clamped(x, -18.0f, 88.8f);
  float counted = __quern_fma(c, 0x1.715476p+0f, kLaneMagic), k = counted - kLaneMagic;
  float high = __quern_fma(k, -0x1.62e400p-1f, c), low = k * -0x1.7f7d1cp-20f;
  float r = high + low, lost = (high - r) + low;
  float rest = __quern_fma(exp_rest(r), r * r, lost);
  // 2^k (1 + r + rest) - 1, by halves: 2^128 is no float.
  float half = real_of((bits_of(counted) - (0x4b400000u - 126u)) << 23);
  float one = half - 0.5f, more = half * r, sum = one + more;
  float e = 2.0f * (sum + __quern_fma(half, rest, more - (sum - one)));
  return __quern_abs(x) < 0x1p-24f ? x : e;
}

// ---- logarithms ---------------------------------------------------------------------------------------------

struct LanesLog {
  float f;      // x = 2^power * (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1
  float power;
};
__device__ LanesLog lanes_log(float x) {
  bool tiny = x < 0x1p-126f;
  unsigned bits = bits_of(tiny ? x * 0x1p24f : x) - 0x3f3504f3u;
  float power = (float)((int)bits >> 23);
  return LanesLog{real_of((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f, tiny ? power - 24.0f : power};
}
// (log(1 + f) - f) / f^2
__device__ float log_rest(float f) {
  float p = -0x1.38c93ep-4f;
  p = __quern_fma(p, f, 0x1.055f5cp-3f);
  p = __quern_fma(p, f, -0x1.0d8270p-3f);
  p = __quern_fma(p, f, 0x1.22d920p-3f);
  p = __quern_fma(p, f, -0x1.547288p-3f);
  p = __quern_fma(p, f, 0x1.99a01cp-3f);
  p = __quern_fma(p, f, -0x1.000226p-2f);
  p = __quern_fma(p, f, 0x1.555554p-2f);
  return __quern_fma(p, f, -0.5f);
}
// For arguments that are not positive, and for infinity.
__device__ float log_ended(float x, float result) {
  float low = x == 0.0f ? real_of(0xff800000u) : lane_nan();
  float r = x > 0.0f ? result : low;
  return x == lane_infinity() ? x : r;
}
__device__ float log_lanes(float x) {
  LanesLog l = lanes_log(x);
  float r = __quern_fma(l.power, 0x1.7f7d1cp-20f, log_rest(l.f) * (l.f * l.f));
  return log_ended(x, __quern_fma(l.power, 0x1.62e400p-1f, l.f + r));
}
__device__ float log2_lanes(float x) {
  LanesLog l = lanes_log(x);
  float f = l.f, r = log_rest(f) * (f * f);
  float rest = __quern_fma(f, 0x1.4ae0c0p-26f, r * 0x1.715476p+0f);
  return log_ended(x, __quern_fma(f, 0x1.715476p+0f, rest) + l.power);
}
__device__ float log10_lanes(float x) {
  LanesLog l = lanes_log(x);
  float r = __quern_fma(log_rest(l.f), l.f * l.f, l.f);
  r = __quern_fma(r, 0x1.bcb7b2p-2f, l.power * 0x1.3509f8p-18f);
  return log_ended(x, __quern_fma(l.power, 0x1.344000p-2f, r));
}
// log(1 + x + addend), and `more` times log(2).
__device__ float log_of_one_and(float x, float addend, float more) {
  float u = 1.0f + x;
  int e = (int)(bits_of(u) - 0x3f3504f3u) >> 23;
  float power = (float)e + more;
  float scale = real_of((unsigned)(127 - e) << 23);
  float less = scale - 1.0f, f = __quern_fma(scale, x, less);
  float lost = __quern_fma(scale, addend, __quern_fma(scale, x, less - f));
  float r = __quern_fma(log_rest(f), f * f, __quern_fma(-f, lost, lost));
  r = __quern_fma(power, 0x1.7f7d1cp-20f, r);
  return __quern_fma(power, 0x1.62e400p-1f, f + r);
}
__device__ float log1p_lanes(float x) {
  bool large = x > 0x1p90f;
  float r = log_of_one_and(large ? x * 0x1p-64f : x, 0.0f, large ? 64.0f : 0.0f);
  float low = x == -1.0f ? real_of(0xff800000u) : lane_nan();
  r = x > -1.0f ? r : low;
  r = x == lane_infinity() ? x : r;
  return __quern_abs(x) < 0x1p-24f ? x : r;
}

// ---- roots --------------------------------------------------------------------------------------------------

__device__ float rsqrt_lanes(float x) { return 1.0f / __quern_sqrt(x); }

// 1 / cbrt(x), for normal positive x; and 1 - x y^3, to be added by thirds.
struct LanesRoot {
  float y, rest;
};
__device__ LanesRoot lanes_root(float x) {
  float y = real_of(0x54a23000u - (bits_of(x) >> 16) * 0x5555u);
  float h = __quern_fma(-(x * y), y * y, 1.0f);
  y = __quern_fma(y * h, __quern_fma(h, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
  h = __quern_fma(-(x * y), y * y, 1.0f);
  y = __quern_fma(y * h, __quern_fma(h, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
  float a = x * y, b = y * y;
  float lost = __quern_fma(a, __quern_fma(y, y, -b), __quern_fma(x, y, -a) * b);
  return LanesRoot{y, __quern_fma(-a, b, 1.0f) - lost};
}
__device__ float cbrt_lanes(float x) {
  float size = __quern_abs(x);
  bool tiny = size < 0x1p-126f;
  float m = tiny ? size * 0x1p24f : size;
  LanesRoot r = lanes_root(m);
  float y = __quern_fma(r.y * r.rest, 0x1.555556p-2f, r.y);
  float square = y * y, t = m * square;
  // t + (m - t^3) / (3 t^2), with t = m y^2.
  float cube = t * t, lost = __quern_fma(t, t, -cube);
  float miss = __quern_fma(-t, lost, __quern_fma(-t, cube, m));
  t = __quern_fma(miss * square, 0x1.555556p-2f, t);
  t = tiny ? t * 0x1p-8f : t;
  t = size == 0.0f || !(size < lane_infinity()) ? size : t;
  return signed_like(t, x);
}
__device__ float rcbrt_lanes(float x) {
  float size = __quern_abs(x);
  bool tiny = size < 0x1p-126f;
  LanesRoot r = lanes_root(tiny ? size * 0x1p24f : size);
  float y = __quern_fma(r.y * r.rest, 0x1.555556p-2f, r.y);
  y = tiny ? y * 0x1p8f : y;
  y = size == 0.0f ? lane_infinity() : y;
  y = size < lane_infinity() ? y : size == lane_infinity() ? 0.0f : size;
  return signed_like(y, x);
}
// Numbers scaled by a power of two, so that their squares neither overflow nor underflow.
struct LanesScale {
  float by, back;
};
__device__ LanesScale lanes_scale(float most) {
  bool large = most > 0x1p60f, small = most < 0x1p-40f;
  return LanesScale{large ? 0x1p-70f : small ? 0x1p100f : 1.0f, large ? 0x1p70f : small ? 0x1p-100f : 1.0f};
}
__device__ float hypot_lanes(float x, float y) {
  float a = __quern_abs(x), b = __quern_abs(y), most = a > b ? a : b;
  LanesScale s = lanes_scale(most);
  float p = a * s.by, q = b * s.by;
  float r = __quern_sqrt(__quern_fma(p, p, q * q)) * s.back;
  return a == lane_infinity() || b == lane_infinity() ? lane_infinity() : r;
}
__device__ float rhypot_lanes(float x, float y) {
  float a = __quern_abs(x), b = __quern_abs(y), most = a > b ? a : b;
  LanesScale s = lanes_scale(most);
  float p = a * s.by, q = b * s.by;
  float r = 1.0f / __quern_sqrt(__quern_fma(p, p, q * q)) * s.by;
  return a == lane_infinity() || b == lane_infinity() ? 0.0f : r;
}
