// <curand_kernel.h>: random numbers in kernels, from XORWOW (Marsaglia, "Xorshift RNGs", 2003) and
// Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).

// The states have the size and alignment of CUDA's. Doubles are stored as words, so that devices without
// double can hold a state.
struct __align__(8) curandStateXORWOW {
  unsigned d, v[5];
  int __has_normal, __has_normal_double;
  float __normal;
  unsigned __unused, __normal_double[2];
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
struct __align__(16) curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;  // how many words of `output` are used
  int __has_normal, __has_normal_double;
  float __normal;
  unsigned __normal_double[2];
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

// XORWOW: five shifted words and a counter.
__device__ void __lib_xorwow_step(unsigned* v) {
  unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
__device__ unsigned curand(curandStateXORWOW* s) {
  __lib_xorwow_step(s->v);
  s->d += 362437;
  return s->v[4] + s->d;
}
// 2^power steps. The words are linear over bits, so the steps are a polynomial of degree below 160 in one
// step (x^(2^power) modulo its characteristic polynomial): the sum of the states among the next 160 that it
// selects.
__device__ void __lib_xorwow_jump(unsigned* v, int power) {
  if (power < 7) {
    for (int i = 0; i < 1 << power; ++i) __lib_xorwow_step(v);
    return;
  }
  unsigned sum[5] = {0, 0, 0, 0, 0};
  for (int i = 0; i < 160; ++i) {
    if ((__lib_xorwow_powers[(power - 7) * 5 + i / 32] >> (i % 32) & 1) != 0) {
      for (int k = 0; k < 5; ++k) sum[k] ^= v[k];
    }
    __lib_xorwow_step(v);
  }
  for (int k = 0; k < 5; ++k) v[k] = sum[k];
}
__device__ void skipahead(unsigned long long count, curandStateXORWOW* s) {
  for (int i = 0; i < 64; ++i) {
    if ((count >> i & 1) != 0) __lib_xorwow_jump(s->v, i);
  }
  s->d += 362437 * unsigned(count);
}
// Sequences are 2^67 numbers apart; the counter returns to its value.
__device__ void skipahead_sequence(unsigned long long count, curandStateXORWOW* s) {
  for (int i = 0; i < 64; ++i) {
    if ((count >> i & 1) != 0) __lib_xorwow_jump(s->v, 67 + i);
  }
}
__device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            curandStateXORWOW* s) {
  unsigned low = 1099087573u * (unsigned(seed) ^ 0xaad26b49u);
  unsigned high = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
  s->v[0] = 123456789u + low;
  s->v[1] = 362436069u ^ low;
  s->v[2] = 521288629u + high;
  s->v[3] = 88675123u ^ high;
  s->v[4] = 5783321u + low;
  s->d = 6615241u + low + high;
  s->__has_normal = 0;
  s->__has_normal_double = 0;
  s->__normal = 0;
  s->__unused = 0;
  s->__normal_double[0] = 0;
  s->__normal_double[1] = 0;
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}

// Philox: a 128-bit counter in ten rounds with a 64-bit key.
__device__ constexpr uint4 __lib_philox(uint4 c, uint2 k) {
  for (int i = 0; i < 10; ++i) {
    unsigned long long a = 0xd2511f53ull * c.x;
    unsigned long long b = 0xcd9e8d57ull * c.z;
    c = uint4{unsigned(b >> 32) ^ c.y ^ k.x, unsigned(b), unsigned(a >> 32) ^ c.w ^ k.y, unsigned(a)};
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
__device__ void __lib_philox_count(curandStatePhilox4_32_10* s, unsigned long long count) {
  unsigned long long low = s->ctr.x | (unsigned long long)s->ctr.y << 32;
  low += count;
  s->ctr.x = unsigned(low);
  s->ctr.y = unsigned(low >> 32);
  if (low < count) {
    if (++s->ctr.z == 0) ++s->ctr.w;
  }
}
__device__ unsigned __lib_word(const uint4& v, unsigned i) {
  return i < 2 ? (i == 0 ? v.x : v.y) : (i == 2 ? v.z : v.w);
}
__device__ unsigned curand(curandStatePhilox4_32_10* s) {
  unsigned word = __lib_word(s->output, s->STATE++);
  if (s->STATE == 4) {
    s->STATE = 0;
    __lib_philox_count(s, 1);
    s->output = __lib_philox(s->ctr, s->key);
  }
  return word;
}
__device__ uint4 curand4(curandStatePhilox4_32_10* s) {
  uint4 old = s->output;
  __lib_philox_count(s, 1);
  s->output = __lib_philox(s->ctr, s->key);
  switch (s->STATE) {
    case 1: return uint4{old.y, old.z, old.w, s->output.x};
    case 2: return uint4{old.z, old.w, s->output.x, s->output.y};
    case 3: return uint4{old.w, s->output.x, s->output.y, s->output.z};
    default: return old;
  }
}
__device__ void skipahead(unsigned long long count, curandStatePhilox4_32_10* s) {
  unsigned at = s->STATE + unsigned(count & 3);
  __lib_philox_count(s, count / 4 + at / 4);
  s->STATE = at % 4;
  s->output = __lib_philox(s->ctr, s->key);
}
__device__ void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* s) {
  unsigned long long high = s->ctr.z | (unsigned long long)s->ctr.w << 32;
  high += count;
  s->ctr.z = unsigned(high);
  s->ctr.w = unsigned(high >> 32);
  s->output = __lib_philox(s->ctr, s->key);
}
__device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            curandStatePhilox4_32_10* s) {
  s->ctr = uint4{0, 0, unsigned(sequence), unsigned(sequence >> 32)};
  s->key = uint2{unsigned(seed), unsigned(seed >> 32)};
  s->STATE = 0;
  s->__has_normal = 0;
  s->__has_normal_double = 0;
  s->__normal = 0;
  s->__normal_double[0] = 0;
  s->__normal_double[1] = 0;
  skipahead(offset, s);
}

// Uniform numbers, above 0 and up to 1.
__device__ float __lib_uniform(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
__device__ double __lib_uniform(unsigned x, unsigned y) {
  unsigned long long bits = x ^ (unsigned long long)y << 21;
  return double(bits) * 0x1p-53 + 0x1p-54;
}
template <class State>
__device__ float curand_uniform(State* s) { return __lib_uniform(curand(s)); }
template <class State>
__device__ double curand_uniform_double(State* s) {
  unsigned x = curand(s);
  return __lib_uniform(x, curand(s));
}
__device__ double curand_uniform_double(curandStatePhilox4_32_10* s) {  // of one draw, as NVIDIA's
  return double(curand(s)) * 0x1p-32 + 0x1p-32;
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

// Normal numbers in pairs (Box and Muller); the second of a pair is kept in the state.
__device__ float2 __lib_normal_pair(unsigned x, unsigned y) {
  float size = sqrtf(-2.0f * logf(__lib_uniform(x)));
  float angle = float(y) * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f;
  return float2{size * sinf(angle), size * cosf(angle)};
}
__device__ double2 __lib_normal_pair(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double size = sqrt(-2.0 * log(__lib_uniform(x0, x1)));
  double angle = __lib_uniform(y0, y1) * 2.0;
  return double2{size * sinpi(angle), size * cospi(angle)};
}
template <class State>
__device__ float2 curand_normal2(State* s) {
  unsigned x = curand(s);
  return __lib_normal_pair(x, curand(s));
}
template <class State>
__device__ double2 curand_normal2_double(State* s) {
  unsigned x0 = curand(s);
  unsigned x1 = curand(s);
  unsigned y0 = curand(s);
  return __lib_normal_pair(x0, x1, y0, curand(s));
}
template <class State>
__device__ float curand_normal(State* s) {
  if (s->__has_normal != 0) {
    s->__has_normal = 0;
    return s->__normal;
  }
  float2 pair = curand_normal2(s);
  s->__normal = pair.y;
  s->__has_normal = 1;
  return pair.x;
}
template <class State>
__device__ double curand_normal_double(State* s) {
  if (s->__has_normal_double != 0) {
    s->__has_normal_double = 0;
    return __hiloint2double(int(s->__normal_double[1]), int(s->__normal_double[0]));
  }
  double2 pair = curand_normal2_double(s);
  s->__normal_double[0] = unsigned(__double2loint(pair.y));
  s->__normal_double[1] = unsigned(__double2hiint(pair.y));
  s->__has_normal_double = 1;
  return pair.x;
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
template <class State>
__device__ float curand_log_normal(State* s, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(s));
}
template <class State>
__device__ float2 curand_log_normal2(State* s, float mean, float deviation) {
  float2 pair = curand_normal2(s);
  return float2{expf(mean + deviation * pair.x), expf(mean + deviation * pair.y)};
}
template <class State>
__device__ double curand_log_normal_double(State* s, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(s));
}
template <class State>
__device__ double2 curand_log_normal2_double(State* s, double mean, double deviation) {
  double2 pair = curand_normal2_double(s);
  return double2{exp(mean + deviation * pair.x), exp(mean + deviation * pair.y)};
}
__device__ float4 curand_log_normal4(curandStatePhilox4_32_10* s, float mean, float deviation) {
  float4 v = curand_normal4(s);
  return float4{expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z),
                expf(mean + deviation * v.w)};
}

// Poisson numbers: small means by multiplying uniform numbers until they are below e^-mean, in parts that
// float can represent; large means by rounding a normal number, which approximates the distribution.
template <class State>
__device__ unsigned curand_poisson(State* s, double mean) {
  if (mean > 1000) {
    double v = mean + sqrt(mean) * curand_normal_double(s) + 0.5;
    return v < 0 ? 0u : unsigned(v);
  }
  unsigned count = 0;
  while (mean > 0) {
    float part = mean < 64 ? float(mean) : 64.0f;
    float limit = expf(-part);
    for (float product = curand_uniform(s); product > limit; product *= curand_uniform(s)) ++count;
    mean -= part;
  }
  return count;
}
