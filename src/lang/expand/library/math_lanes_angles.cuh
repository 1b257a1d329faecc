// Trigonometric and hyperbolic functions and their inverses on floats, as straight-line code (math_lanes.cuh).

// sin(r + quarters pi / 2) for |r| < 0.8.
__device__ float lane_sine(float r, unsigned quarters) {
  float z = r * r;
  float s = __quern_fma(-0x1.9954a4p-13f, z, 0x1.11077ap-7f);
  s = __quern_fma(s, z, -0x1.555546p-3f);
  s = __quern_fma(s, z * r, r);
  float c = __quern_fma(0x1.99e0e4p-16f, z, -0x1.6c0c1ap-10f);
  c = __quern_fma(c, z, 0x1.55554ap-5f);
  c = __quern_fma(z, __quern_fma(c, z, -0.5f), 1.0f);
  return real_of(bits_of((quarters & 1u) != 0u ? c : s) ^ ((quarters & 2u) << 30));
}
// x - k pi / 2
__device__ float lane_reduced(float x, float k) {
  float r = __quern_fma(k, -0x1.921fb6p+0f, x);
  r = __quern_fma(k, 0x1.777a5cp-25f, r);
  return __quern_fma(k, 0x1.ee59dap-50f, r);
}
constexpr float kLargestLaneAngle = 48000.0f;
__device__ bool sin_domain(float x) { return __quern_abs(x) < kLargestLaneAngle; }
__device__ bool cos_domain(float x) { return sin_domain(x); }
__device__ bool tan_domain(float x) { return sin_domain(x); }
__device__ float sin_lanes(float x) {
  float counted = __quern_fma(x, 0x1.45f306p-1f, kLaneMagic);
  float r = lane_sine(lane_reduced(x, counted - kLaneMagic), bits_of(counted));
  return x == 0.0f ? x : r;
}
__device__ float cos_lanes(float x) {
  float counted = __quern_fma(x, 0x1.45f306p-1f, kLaneMagic);
  return lane_sine(lane_reduced(x, counted - kLaneMagic), bits_of(counted) + 1u);
}
__device__ float tan_lanes(float x) {
  float counted = __quern_fma(x, 0x1.45f306p-1f, kLaneMagic);
  float r = lane_reduced(x, counted - kLaneMagic), z = r * r;
  float p = 0x1.1fd128p-8f;
  p = __quern_fma(p, z, 0x1.061490p-14f);
  p = __quern_fma(p, z, 0x1.63a170p-7f);
  p = __quern_fma(p, z, 0x1.5c9ce0p-6f);
  p = __quern_fma(p, z, 0x1.badc8cp-5f);
  p = __quern_fma(p, z, 0x1.110d94p-3f);
  p = __quern_fma(p, z, 0x1.555560p-2f);
  float t = __quern_fma(p, z * r, r);
  t = (bits_of(counted) & 1u) != 0u ? -1.0f / t : t;
  return x == 0.0f ? x : t;
}

// sin(pi r) and cos(pi r) for |r| <= 1/4.
__device__ float lane_sinpi(float r, float z) {
  float p = 0x1.445148p-4f;
  p = __quern_fma(p, z, -0x1.32adccp-1f);
  p = __quern_fma(p, z, 0x1.466b78p+1f);
  p = __quern_fma(p, z, -0x1.4abbcep+2f);
  return __quern_fma(r, 0x1.921fb6p+1f, r * __quern_fma(p, z, -0x1.777a5cp-24f));
}
__device__ float lane_cospi(float z) {
  float p = 0x1.d47d82p-3f;
  p = __quern_fma(p, z, -0x1.55b146p+0f);
  p = __quern_fma(p, z, 0x1.03c1aep+2f);
  p = __quern_fma(p, z, -0x1.3bd3ccp+2f);
  return __quern_fma(p, z, 1.0f);
}
// sin(pi |x|), after `more` quarter turns; a zero is positive.
__device__ float lane_turned(float x, unsigned more) {
  float size = __quern_abs(x), rest = __quern_fma(__quern_floor(size * 0.5f), -2.0f, size);
  float counted = (rest + rest) + kLaneMagic, r = __quern_fma(counted - kLaneMagic, -0.5f, rest), z = r * r;
  unsigned quarters = bits_of(counted) + more;
  float s = (quarters & 1u) != 0u ? lane_cospi(z) : lane_sinpi(r, z);
  return real_of(bits_of(s) ^ ((quarters & 2u) << 30)) + 0.0f;
}
__device__ float sinpi_lanes(float x) {
  return real_of(bits_of(lane_turned(x, 0u)) ^ (bits_of(x) & 0x80000000u));
}
__device__ float cospi_lanes(float x) { return lane_turned(x, 1u); }

// (asin(s) - s) / s^3 of z = s^2 <= 1/4.
__device__ float asin_rest(float z) {
  float p = 0x1.349ddep-5f;
  p = __quern_fma(p, z, 0x1.d58aa0p-7f);
  p = __quern_fma(p, z, 0x1.04cd08p-5f);
  p = __quern_fma(p, z, 0x1.6ca7dcp-5f);
  p = __quern_fma(p, z, 0x1.3338aap-4f);
  return __quern_fma(p, z, 0x1.55554cp-3f);
}
__device__ float asin_lanes(float x) {
  float size = __quern_abs(x);
  bool far = size > 0.5f;
  float z = far ? __quern_fma(size, -0.5f, 0.5f) : size * size;
  float s = far ? __quern_sqrt(z) : size;
  float r = __quern_fma(asin_rest(z), z * s, s);
  r = far ? __quern_fma(-2.0f, r, 0x1.921fb6p+0f) : r;
  return size <= 1.0f ? signed_like(r, x) : lane_nan();
}
__device__ float acos_lanes(float x) {
  float size = __quern_abs(x);
  bool far = size > 0.5f;
  float z = far ? __quern_fma(size, -0.5f, 0.5f) : x * x;
  float s = far ? __quern_sqrt(z) : x;
  float rest = asin_rest(z) * (z * s);
  float middle = 0x1.921fb6p+0f - (s + (rest + 0x1.777a5cp-25f));
  float end = 2.0f * (s + rest);
  end = x < 0.0f ? 0x1.921fb6p+1f - (end + 0x1.777a5cp-24f) : end;
  return size <= 1.0f ? (far ? end : middle) : lane_nan();
}
// atan(t) for |t| <= 1.
__device__ float lane_atan(float t) {
  float z = t * t;
  float p = 0x1.29665ep-10f;
  p = __quern_fma(p, z, -0x1.e69edcp-8f);
  p = __quern_fma(p, z, 0x1.752f76p-6f);
  p = __quern_fma(p, z, -0x1.70806ep-5f);
  p = __quern_fma(p, z, 0x1.1509f2p-4f);
  p = __quern_fma(p, z, -0x1.6953bap-4f);
  p = __quern_fma(p, z, 0x1.c51170p-4f);
  p = __quern_fma(p, z, -0x1.247620p-3f);
  p = __quern_fma(p, z, 0x1.99981cp-3f);
  p = __quern_fma(p, z, -0x1.555552p-2f);
  return __quern_fma(p, z * t, t);
}
__device__ float atan_lanes(float x) {
  float size = __quern_abs(x);
  bool far = size > 1.0f;
  float r = lane_atan(far ? 1.0f / size : size);
  return signed_like(far ? 0x1.921fb6p+0f - r : r, x);
}
__device__ float atan2_lanes(float y, float x) {
  float a = __quern_abs(y), b = __quern_abs(x);
  bool steep = a > b;
  float low = steep ? b : a, high = steep ? a : b;
  float t = low / high;
  t = high == 0.0f ? 0.0f : low == lane_infinity() ? 1.0f : t;
  float r = lane_atan(t);
  r = steep ? 0x1.921fb6p+0f - r : r;
  r = (bits_of(x) >> 31) != 0u ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
  r = signed_like(r, y);
  return x != x || y != y ? lane_nan() : r;
}

// ---- hyperbolic functions -----------------------------------------------------------------------------------

__device__ float sinh_lanes(float x) {
  float size = __quern_abs(x), z = x * x;
  float p = 0x1.75a6f4p-19f;
  p = __quern_fma(p, z, 0x1.a02156p-13f);
  p = __quern_fma(p, z, 0x1.1110e2p-7f);
  p = __quern_fma(p, z, 0x1.555556p-3f);
  float near = __quern_fma(p, z * x, x);
  float half = half_of_exp(size);  // e^|x| / 2
  return size < 1.0f ? near : signed_like(half - 0.25f / half, x);
}
__device__ float cosh_lanes(float x) {
  float half = half_of_exp(__quern_abs(x));
  return half + 0.25f / half;
}
__device__ float tanh_lanes(float x) {
  float size = __quern_abs(x), z = x * x;
  float p = -0x1.8275aap-8f;
  p = __quern_fma(p, z, 0x1.54c14ep-6f);
  p = __quern_fma(p, z, -0x1.b89a8ep-5f);
  p = __quern_fma(p, z, 0x1.1109bep-3f);
  p = __quern_fma(p, z, -0x1.55553ep-2f);
  float near = __quern_fma(p * z, x, x);
  float twice = size > 10.0f ? 20.0f : size + size;
  float far = 1.0f - 2.0f / (exp_lanes(twice) + 1.0f);
  return x == x ? signed_like(size < 0.6f ? near : far, x) : x;
}
__device__ float asinh_lanes(float x) {
  float size = __quern_abs(x), z = x * x;
  float p = 0x1.cee12ep-8f;
  p = __quern_fma(p, z, -0x1.2b19d2p-6f);
  p = __quern_fma(p, z, 0x1.e31a18p-6f);
  p = __quern_fma(p, z, -0x1.6cdf9ap-5f);
  p = __quern_fma(p, z, 0x1.332d6cp-4f);
  p = __quern_fma(p, z, -0x1.555548p-3f);
  float near = __quern_fma(p, z * x, x);
  // log(1 + x + x^2 / (1 + sqrt(1 + x^2)))
  bool large = size > 0x1p30f;
  float tame = large ? 1.0f : size;
  float more = tame * tame / (1.0f + __quern_sqrt(__quern_fma(tame, tame, 1.0f)));
  float sum = large ? size * 0x1p-64f : size + more;
  sum = large && size < 0x1p90f ? size : sum;
  float lost = large ? 0.0f : more > size ? size - (sum - more) : more - (sum - size);
  float far = log_of_one_and(sum, lost, large ? size < 0x1p90f ? 1.0f : 65.0f : 0.0f);
  far = size < lane_infinity() ? far : size;
  return signed_like(size < 0.6f ? near : far, x);
}
__device__ float acosh_lanes(float x) {
  bool large = x > 0x1p30f;
  float t = large ? 1.0f : x - 1.0f;
  float root = __quern_sqrt(__quern_fma(t, t, t + t));
  float sum = large ? x * 0x1p-64f : t + root;
  sum = large && x < 0x1p90f ? x : sum;
  float lost = large ? 0.0f : t - (sum - root);
  float r = log_of_one_and(sum, lost, large ? x < 0x1p90f ? 1.0f : 65.0f : 0.0f);
  r = x < lane_infinity() ? r : x;
  return x >= 1.0f ? r : lane_nan();
}
__device__ float atanh_lanes(float x) {
  float size = __quern_abs(x), z = x * x;
  float p = 0x1.6b37fap-3f;
  p = __quern_fma(p, z, 0x1.a0c48ep-5f);
  p = __quern_fma(p, z, 0x1.e4d670p-4f);
  p = __quern_fma(p, z, 0x1.233fc2p-3f);
  p = __quern_fma(p, z, 0x1.99a742p-3f);
  p = __quern_fma(p, z, 0x1.55553ep-2f);
  float near = __quern_fma(p, z * x, x);
  float far = 0.5f * log_of_one_and((size + size) / (1.0f - size), 0.0f, 0.0f);
  far = size < 1.0f ? far : size == 1.0f ? lane_infinity() : lane_nan();
  return size < 0.5f ? near : signed_like(far, x);
}
