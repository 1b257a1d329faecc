// Fast forms of functions on floats, for Math::fast, as straight-line code (math_lanes.cuh). They have the accuracy
// of CUDA's functions with a leading `__`: about 2^-21, relative or absolute. Subnormal results may become 0, and
// large angles lose accuracy.

// 2^x; below -126 it tends to 0.
__device__ float exp2_fast(float x) {
  float c = lane_clamped(x, -127.0f, 128.0f);
  float counted = c + kLaneMagic, r = c - (counted - kLaneMagic);
  float p = 0x1.5b8566p-10f;
  p = __quern_fma(p, r, 0x1.3cec14p-7f);
  p = __quern_fma(p, r, 0x1.c6b80cp-5f);
  p = __quern_fma(p, r, 0x1.ebf9bap-3f);
  p = __quern_fma(p, r, 0x1.62e428p-1f);
  p = __quern_fma(p, r, 1.0f);
  return real_of(bits_of(p) + (bits_of(counted) << 23));
}
__device__ float exp_fast(float x) { return exp2_fast(x * 0x1.715476p+0f); }
__device__ float exp10_fast(float x) { return exp2_fast(x * 0x1.a934f0p+1f); }

// log2 of normal numbers is f * head + rest + power.
__device__ float log_fast_rest(float f) {
  float p = -0x1.9d0776p-4f;
  p = __quern_fma(p, f, 0x1.4b5fcap-3f);
  p = __quern_fma(p, f, -0x1.61217ep-3f);
  p = __quern_fma(p, f, 0x1.97b180p-3f);
  p = __quern_fma(p, f, -0x1.ff6970p-3f);
  p = __quern_fma(p, f, 0x1.5558f4p-2f);
  p = __quern_fma(p, f, -0x1.00006cp-1f);
  return __quern_fma(p, f * f, f);
}
struct FastLog {
  float rest, power;
};
__device__ FastLog fast_log(float x) {
  unsigned bits = bits_of(x) - 0x3f3504f3u;
  return FastLog{log_fast_rest(real_of((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f), (float)((int)bits >> 23)};
}
__device__ float fast_log_ended(float x, float result) {
  float low = x < 0.0f ? lane_nan() : x == x ? real_of(0xff800000u) : x;
  float r = x > 0.0f ? result : low;
  return x == lane_infinity() ? x : r;
}
__device__ float log_fast(float x) {
  FastLog l = fast_log(x);
  return fast_log_ended(x, __quern_fma(l.power, 0x1.62e430p-1f, l.rest));
}
__device__ float log2_fast(float x) {
  FastLog l = fast_log(x);
  return fast_log_ended(x, __quern_fma(l.rest, 0x1.715476p+0f, l.power));
}
__device__ float log10_fast(float x) {
  FastLog l = fast_log(x);
  return fast_log_ended(x, __quern_fma(l.rest, 0x1.bcb7b2p-2f, l.power * 0x1.344136p-2f));
}
__device__ float pow_fast(float x, float y) {
  float size = __quern_abs(x);
  FastLog l = fast_log(size);
  float r = exp2_fast(y * __quern_fma(l.rest, 0x1.715476p+0f, l.power));
  bool is_whole = __quern_trunc(y) == y, is_odd = is_whole && __quern_trunc(y * 0.5f) != y * 0.5f;
  r = size == 0.0f ? (y > 0.0f ? 0.0f : lane_infinity()) : r;
  r = x < 0.0f ? (is_odd ? -r : is_whole ? r : lane_nan()) : r;
  return y == 0.0f ? 1.0f : r;
}

// sin(r) for |r| < 1.575.
__device__ float fast_sine(float r) {
  float z = r * r;
  float p = 0x1.5dc754p-19f;
  p = __quern_fma(p, z, -0x1.9f70e2p-13f);
  p = __quern_fma(p, z, 0x1.110edap-7f);
  p = __quern_fma(p, z, -0x1.55554cp-3f);
  return __quern_fma(p, z * r, r);
}
__device__ float sin_fast(float x) {
  float counted = __quern_fma(x, 0x1.45f306p-2f, kLaneMagic), k = counted - kLaneMagic;
  float r = __quern_fma(k, 0x1.777a5cp-24f, __quern_fma(k, -0x1.921fb6p+1f, x));
  return real_of(bits_of(fast_sine(r)) ^ (bits_of(counted) << 31));
}
// The angle is an odd number of quarter turns away.
__device__ float cos_fast(float x) {
  float size = __quern_abs(x);
  float counted = __quern_fma(size, 0x1.45f306p-2f, -0.5f) + kLaneMagic;
  float k = __quern_fma(counted - kLaneMagic, 2.0f, 1.0f);
  float r = __quern_fma(k, 0x1.777a5cp-25f, __quern_fma(k, -0x1.921fb6p+0f, size));
  return real_of(bits_of(fast_sine(r)) ^ (~bits_of(counted) << 31));
}
__device__ float tan_fast(float x) {
  float counted = __quern_fma(x, 0x1.45f306p-1f, kLaneMagic), k = counted - kLaneMagic;
  float r = __quern_fma(k, 0x1.777a5cp-25f, __quern_fma(k, -0x1.921fb6p+0f, x)), z = r * r;
  float p = 0x1.4b20b6p-6f;
  p = __quern_fma(p, z, 0x1.a58106p-7f);
  p = __quern_fma(p, z, 0x1.d29ee6p-5f);
  p = __quern_fma(p, z, 0x1.1034f6p-3f);
  p = __quern_fma(p, z, 0x1.555a42p-2f);
  float t = __quern_fma(p, z * r, r);
  return (bits_of(counted) & 1u) != 0u ? -1.0f / t : t;
}
__device__ float fast_atan(float t) {
  float z = t * t;
  float p = -0x1.3c0284p-8f;
  p = __quern_fma(p, z, 0x1.95391cp-6f);
  p = __quern_fma(p, z, -0x1.ed2e6ap-5f);
  p = __quern_fma(p, z, 0x1.984fc6p-4f);
  p = __quern_fma(p, z, -0x1.1f914ep-3f);
  p = __quern_fma(p, z, 0x1.99127cp-3f);
  p = __quern_fma(p, z, -0x1.5552dep-2f);
  return __quern_fma(p, z * t, t);
}
__device__ float atan_fast(float x) {
  float size = __quern_abs(x);
  bool far = size > 1.0f;
  float r = fast_atan(far ? 1.0f / size : size);
  return signed_like(far ? 0x1.921fb6p+0f - r : r, x);
}
__device__ float atan2_fast(float y, float x) {
  float a = __quern_abs(y), b = __quern_abs(x);
  bool steep = a > b;
  float low = steep ? b : a, high = steep ? a : b;
  float r = fast_atan(high == 0.0f ? 0.0f : low / high);
  r = steep ? 0x1.921fb6p+0f - r : r;
  r = (bits_of(x) >> 31) != 0u ? 0x1.921fb6p+1f - r : r;
  return signed_like(r, y);
}
__device__ float tanh_fast(float x) {
  float size = __quern_abs(x), z = x * x;
  float near = __quern_fma(__quern_fma(0x1.1109bep-3f, z, -0x1.55553ep-2f) * z, x, x);
  float far = 1.0f - 2.0f / (exp2_fast(size * 0x1.715476p+1f) + 1.0f);
  return signed_like(size < 0.1f ? near : far, x);
}
__device__ float sinh_fast(float x) {
  float size = __quern_abs(x), z = x * x;
  float p = __quern_fma(0x1.ab5436p-13f, z, 0x1.10f6fap-7f);
  float near = __quern_fma(__quern_fma(p, z, 0x1.55559ap-3f), z * x, x);
  float half = exp2_fast(__quern_fma(size, 0x1.715476p+0f, -1.0f));
  return signed_like(size < 1.0f ? near : half - 0.25f / half, x);
}
__device__ float cosh_fast(float x) {
  float half = exp2_fast(__quern_fma(__quern_abs(x), 0x1.715476p+0f, -1.0f));
  return half + 0.25f / half;
}
