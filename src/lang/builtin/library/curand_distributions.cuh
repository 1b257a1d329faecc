// <curand_kernel.h>: distributions. Numbers are made from draws as in CUDA, so that integers and uniform
// numbers are equal to CUDA's, and others up to the accuracy of the functions that compute them.

// Uniform numbers, above 0 and up to 1.
__device__ float __lib_uniform(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
__device__ float __lib_uniform(unsigned long long x) { return __lib_uniform(unsigned(x >> 32)); }
__device__ double __lib_uniform(unsigned x, unsigned y) {
  unsigned long long bits = x ^ (unsigned long long)y << 21;
  return double(bits) * 0x1p-53 + 0x1p-54;
}
// Of one draw.
__device__ double __lib_uniform_double(unsigned x) { return double(x) * 0x1p-32 + 0x1p-32; }
__device__ double __lib_uniform_double(unsigned long long x) { return double(x >> 11) * 0x1p-53 + 0x1p-54; }

template <class State>
__device__ float curand_uniform(State* s) { return __lib_uniform(curand(s)); }
__device__ double curand_uniform_double(curandStateMRG32k3a* s) {
  return double(__lib_mrg_step(s)) * 2.3283065498378288e-10;
}
__device__ float curand_uniform(curandStateMRG32k3a* s) { return float(curand_uniform_double(s)); }
__device__ double curand_uniform_double(curandStatePhilox4_32_10* s) {
  return __lib_uniform_double(curand(s));
}
template <class State>
__device__ double curand_uniform_double(State* s) {
  auto x = curand(s);
  if constexpr (State::__is_inverted) {
    return __lib_uniform_double(x);
  } else {
    return __lib_uniform(x, curand(s));
  }
}
__device__ float4 curand_uniform4(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  return float4{__lib_uniform(x.x), __lib_uniform(x.y), __lib_uniform(x.z), __lib_uniform(x.w)};
}
__device__ double2 curand_uniform2_double(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  return double2{__lib_uniform(x.x, x.y), __lib_uniform(x.z, x.w)};
}
__device__ double4 curand_uniform4_double(curandStatePhilox4_32_10* s) {
  double2 a = curand_uniform2_double(s);
  double2 b = curand_uniform2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}

// Normal numbers in pairs (Box and Muller).
__device__ float2 __lib_normal_pair(float uniform, float angle) {
  float size = sqrtf(-2.0f * logf(uniform));
  float2 pair;
  __sincosf(angle, &pair.x, &pair.y);
  return float2{size * pair.x, size * pair.y};
}
__device__ float2 __lib_normal_pair(unsigned x, unsigned y) {
  return __lib_normal_pair(__lib_uniform(x), fmaf(float(y), 0x1p-32f * 6.2831855f, 0x1p-33f * 6.2831855f));
}
// The angle is in units of pi.
__device__ double2 __lib_normal_pair(double uniform, double angle) {
  double size = sqrt(-2.0 * log(uniform));
  return double2{size * sinpi(angle), size * cospi(angle)};
}
__device__ double2 __lib_normal_pair(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  return __lib_normal_pair(__lib_uniform(x0, x1), __lib_uniform(y0, y1) * 2.0);
}
// Normal numbers from one draw, by the inverse of the distribution; of the upper half, mirrored for
// precision.
__device__ float __lib_normal_inverse(unsigned x) {
  const bool is_upper = x > 0x80000000u;
  return (is_upper ? 1.4142135f : -1.4142135f) * erfcinvf(2.0f * __lib_uniform(is_upper ? ~x : x));
}
__device__ float __lib_normal_inverse(unsigned long long x) {
  return __lib_normal_inverse(unsigned(x >> 32));
}
__device__ double __lib_normal_inverse_double(unsigned x) {
  const bool is_upper = x > 0x80000000u;
  const double p = double(is_upper ? ~x : x) * 0x1p-32 + 0x1p-33;
  return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}
__device__ double __lib_normal_inverse_double(unsigned long long x) {
  const unsigned long long most = 0x1fffffffffffffull;
  x >>= 11;
  const bool is_upper = x > 0x10000000000000ull;
  const double p = double(is_upper ? most - x : x) * 0x1p-53 + 0x1p-54;
  return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}

template <class State>
__device__ float2 curand_normal2(State* s) {
  unsigned x = curand(s);
  return __lib_normal_pair(x, curand(s));
}
__device__ float2 curand_normal2(curandStateMRG32k3a* s) {
  float x = curand_uniform(s);
  return __lib_normal_pair(x, curand_uniform(s) * 6.2831855f);
}
template <class State>
__device__ double2 curand_normal2_double(State* s) {
  unsigned x0 = curand(s);
  unsigned x1 = curand(s);
  unsigned y0 = curand(s);
  return __lib_normal_pair(x0, x1, y0, curand(s));
}
__device__ double2 curand_normal2_double(curandStateMRG32k3a* s) {
  double x = curand_uniform_double(s);
  return __lib_normal_pair(x, curand_uniform_double(s) * 2.0);
}

// The second number of a pair is kept in the state, which says of which distribution it is.
template <class State>
__device__ void __lib_keep_normal(State* s, float value, int distribution) {
  s->__normal = value;
  s->__has_normal = distribution;
}
template <class State>
__device__ void __lib_keep_normal(State* s, double value, int distribution) {
  s->__normal_double[0] = unsigned(__double2loint(value));
  s->__normal_double[1] = unsigned(__double2hiint(value));
  s->__has_normal_double = distribution;
}
template <class State>
__device__ float __lib_kept_normal(State* s) {
  s->__has_normal = 0;
  return s->__normal;
}
template <class State>
__device__ double __lib_kept_normal_double(State* s) {
  s->__has_normal_double = 0;
  return __hiloint2double(int(s->__normal_double[1]), int(s->__normal_double[0]));
}
template <class State>
__device__ float curand_normal(State* s) {
  if constexpr (State::__is_inverted) {
    return __lib_normal_inverse(curand(s));
  } else {
    if (s->__has_normal == 1) return __lib_kept_normal(s);
    float2 pair = curand_normal2(s);
    __lib_keep_normal(s, pair.y, 1);
    return pair.x;
  }
}
template <class State>
__device__ double curand_normal_double(State* s) {
  if constexpr (State::__is_inverted) {
    return __lib_normal_inverse_double(curand(s));
  } else {
    if (s->__has_normal_double == 1) return __lib_kept_normal_double(s);
    double2 pair = curand_normal2_double(s);
    __lib_keep_normal(s, pair.y, 1);
    return pair.x;
  }
}
__device__ float4 curand_normal4(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  float2 a = __lib_normal_pair(x.x, x.y);
  float2 b = __lib_normal_pair(x.z, x.w);
  return float4{a.x, a.y, b.x, b.y};
}
__device__ double4 curand_normal4_double(curandStatePhilox4_32_10* s) {
  double2 a = curand_normal2_double(s);
  double2 b = curand_normal2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}

// Log-normal numbers.
template <class State>
__device__ float2 curand_log_normal2(State* s, float mean, float deviation) {
  float2 pair = curand_normal2(s);
  return float2{expf(fmaf(deviation, pair.x, mean)), expf(fmaf(deviation, pair.y, mean))};
}
template <class State>
__device__ double2 curand_log_normal2_double(State* s, double mean, double deviation) {
  double2 pair = curand_normal2_double(s);
  return double2{exp(fma(deviation, pair.x, mean)), exp(fma(deviation, pair.y, mean))};
}
template <class State>
__device__ float curand_log_normal(State* s, float mean, float deviation) {
  if constexpr (State::__is_inverted) {
    return expf(fmaf(deviation, curand_normal(s), mean));
  } else {
    if (s->__has_normal == 2) return __lib_kept_normal(s);
    float2 pair = curand_log_normal2(s, mean, deviation);
    __lib_keep_normal(s, pair.y, 2);
    return pair.x;
  }
}
template <class State>
__device__ double curand_log_normal_double(State* s, double mean, double deviation) {
  if constexpr (State::__is_inverted) {
    return exp(fma(deviation, curand_normal_double(s), mean));
  } else {
    if (s->__has_normal_double == 2) return __lib_kept_normal_double(s);
    double2 pair = curand_log_normal2_double(s, mean, deviation);
    __lib_keep_normal(s, pair.y, 2);
    return pair.x;
  }
}
__device__ float4 curand_log_normal4(curandStatePhilox4_32_10* s, float mean, float deviation) {
  float4 v = curand_normal4(s);
  return float4{expf(fmaf(deviation, v.x, mean)), expf(fmaf(deviation, v.y, mean)),
                expf(fmaf(deviation, v.z, mean)), expf(fmaf(deviation, v.w, mean))};
}
__device__ double4 curand_log_normal4_double(curandStatePhilox4_32_10* s, double mean, double deviation) {
  double2 a = curand_log_normal2_double(s, mean, deviation);
  double2 b = curand_log_normal2_double(s, mean, deviation);
  return double4{a.x, a.y, b.x, b.y};
}
