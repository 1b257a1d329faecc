// <curand_kernel.h>: random numbers in kernels, from XORWOW (Marsaglia, "Xorshift RNGs", 2003) and
// Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011). The other generators
// and the distributions have their own files.

// The states have the size and alignment of CUDA's. Doubles are stored as words, so that devices without
// double can hold a state. __is_inverted: one draw makes one number of any distribution, by its inverse.
struct __align__(8) curandStateXORWOW {
  static constexpr bool __is_inverted = false;
  unsigned d, v[5];
  int __has_normal, __has_normal_double;
  float __normal;
  unsigned __unused, __normal_double[2];
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
struct __align__(16) curandStatePhilox4_32_10 {
  static constexpr bool __is_inverted = false;
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
