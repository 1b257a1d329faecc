// Functions on floats for targets with an exact fma: the most frequently used ones, in float only. Errors
// stay within CUDA's documented bounds.

// p * 2^k, rounded once.
__device__ float fused_raised(float p, int k) {
  int half = k >> 1;
  float first = real_of((unsigned)(half + 127) << 23), second = real_of((unsigned)(k - half + 127) << 23);
  return p * first * second;
}
__device__ float exp_fused(float x) {
  float c = x > 89.5f ? 89.5f : x < -104.5f ? -104.5f : x;  // a NaN stays
  float k = __quern_rint(c * 0x1.715476p+0f);
  float high = __quern_fma(k, -0x1.62e400p-1f, c), low = k * -0x1.7f7d1cp-20f;
  float r = high + low, lost = (high - r) + low;
  float p = 0x1.6d119ap-10f;  // (e^r - 1 - r) / r^2
  p = __quern_fma(p, r, 0x1.120c00p-7f);
  p = __quern_fma(p, r, 0x1.555518p-5f);
  p = __quern_fma(p, r, 0x1.5554dcp-3f);
  p = __quern_fma(p, r, 0.5f);
  return fused_raised((__quern_fma(p, r * r, lost) + r) + 1.0f, (int)k);
}
__device__ float exp2_fused(float x) {
  float c = x > 129.0f ? 129.0f : x < -151.0f ? -151.0f : x;
  float k = __quern_rint(c), r = c - k;
  float p = 0x1.444000p-13f;
  p = __quern_fma(p, r, 0x1.5f48c0p-10f);
  p = __quern_fma(p, r, 0x1.3b2a1cp-7f);
  p = __quern_fma(p, r, 0x1.c6aeccp-5f);
  p = __quern_fma(p, r, 0x1.ebfbe0p-3f);
  p = __quern_fma(p, r, 0x1.62e430p-1f);
  return fused_raised(__quern_fma(p, r, 1.0f), (int)k);
}

__device__ float log_fused(float x) {
  if (!(x > 0.0f) || __quern_isinf(x))
    return x == 0.0f ? real_of(0xff800000u) : x > 0.0f ? x : real_of(0x7fc00000u);
  float e = 0.0f;
  if (x < 0x1p-126f) {
    x = x * 0x1p24f;
    e = -24.0f;
  }
  unsigned above = bits_of(x) - 0x3f2aaaabu;  // of two thirds
  e = e + (float)((int)above >> 23);
  float f = real_of((above & 0x7fffffu) + 0x3f2aaaabu) - 1.0f;
  float p = 0x1.dba260p-4f;
  p = __quern_fma(p, f, -0x1.04a268p-3f);
  p = __quern_fma(p, f, 0x1.bc8cf8p-4f);
  p = __quern_fma(p, f, -0x1.f4963ep-4f);
  p = __quern_fma(p, f, 0x1.24c926p-3f);
  p = __quern_fma(p, f, -0x1.55909ep-3f);
  p = __quern_fma(p, f, 0x1.9998d4p-3f);
  p = __quern_fma(p, f, -0x1.ffff2cp-3f);
  p = __quern_fma(p, f, 0x1.555556p-2f);
  p = __quern_fma(p, f, -0.5f);
  float r = __quern_fma(p, f * f, f);
  return __quern_fma(e, 0x1.62e430p-1f, r);
}

// The sine of an angle plus a number of quarter turns.
__device__ float fused_turned_sine(float r, int quadrant) {
  float z = r * r, s;
  if ((quadrant & 1) != 0) {
    float p = -0x1.252440p-22f;
    p = __quern_fma(p, z, 0x1.a015c4p-16f);
    p = __quern_fma(p, z, -0x1.6c16c0p-10f);
    p = __quern_fma(p, z, 0x1.555556p-5f);
    s = __quern_fma(z, __quern_fma(p, z, -0.5f), 1.0f);
  } else {
    float p = 0x1.6dbdf2p-19f;
    p = __quern_fma(p, z, -0x1.a013a8p-13f);
    p = __quern_fma(p, z, 0x1.11110ep-7f);
    p = __quern_fma(p, z, -0x1.555556p-3f);
    s = __quern_fma(p, z * r, r);
  }
  return (quadrant & 2) != 0 ? -s : s;
}
// Large angles are reduced by integers.
__device__ float fused_sine(float x, int more) {
  if (__quern_abs(x) < 48039.0f) {
    float k = __quern_rint(x * 0x1.45f306p-1f);
    float r = __quern_fma(k, -0x1.921fb6p+0f, x);
    r = __quern_fma(k, 0x1.777a5cp-25f, r);
    r = __quern_fma(k, 0x1.ee59dap-50f, r);
    return fused_turned_sine(r, (int)k + more);
  }
  if (has_no_angle(x)) return nan_single();
  Turned a = turned(x);
  return fused_turned_sine(a.rest.hi, a.quadrant + more);
}
__device__ float sin_fused(float x) { return x == 0.0f ? x : fused_sine(x, 0); }
__device__ float cos_fused(float x) { return fused_sine(x, 1); }

__device__ float tanh_fused(float x) {
  float size = __quern_abs(x);
  if (x == 0.0f) return x;
  if (size < 0.55f) {
    float z = x * x;
    float p = -0x1.b13538p-8f;
    p = __quern_fma(p, z, 0x1.5d220ep-6f);
    p = __quern_fma(p, z, -0x1.b9a044p-5f);
    p = __quern_fma(p, z, 0x1.110feap-3f);
    p = __quern_fma(p, z, -0x1.555554p-2f);
    return __quern_fma(p * z, x, x);
  }
  float r = size > 9.1f ? 1.0f : 1.0f - 2.0f / (exp_fused(size + size) + 1.0f);
  return x < 0.0f ? -r : r;
}

__device__ float erf_fused(float x) {
  float size = __quern_abs(x);
  if (size < 0.92f) {
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
  if (x != x) return x;
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
  float r = size < 3.92f ? 1.0f - exp_fused(-(p * a)) : 1.0f;
  return x < 0.0f ? -r : r;
}
