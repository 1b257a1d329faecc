// <curand_kernel.h>: MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive
// random number generators", 1999): two recurrences of three words, modulo 2^32 - 209 and 2^32 - 22853.

struct __align__(8) curandStateMRG32k3a {
  static constexpr bool __is_inverted = false;
  unsigned s1[3], s2[3];
  int __has_normal, __has_normal_double;
  float __normal;
  unsigned __unused, __normal_double[2];
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

// Modulo 2^32 - c, where c has at most 15 bits: three times, the upper word is replaced by c times it.
__device__ constexpr unsigned __lib_mrg_reduce(unsigned long long x, unsigned c) {
  for (int i = 0; i < 3; ++i) x = (x >> 32) * c + (x & 0xffffffffu);
  const unsigned m = 0u - c;
  const unsigned low = unsigned(x);
  return low >= m ? low - m : low;
}
__device__ constexpr unsigned __lib_mrg_sum(unsigned a, unsigned b, unsigned c) {
  return __lib_mrg_reduce((unsigned long long)a + b, c);
}
__device__ constexpr unsigned __lib_mrg_product(unsigned a, unsigned b, unsigned c) {
  return __lib_mrg_reduce((unsigned long long)a * b, c);
}

// From 1 to 2^32 - 209.
__device__ unsigned __lib_mrg_step(curandStateMRG32k3a* s) {
  const unsigned p = __lib_mrg_reduce(1403580ull * s->s1[1] + 810728ull * (4294967087u - s->s1[0]), 209u);
  s->s1[0] = s->s1[1];
  s->s1[1] = s->s1[2];
  s->s1[2] = p;
  const unsigned q = __lib_mrg_reduce(527612ull * s->s2[2] + 1370589ull * (4294944443u - s->s2[0]), 22853u);
  s->s2[0] = s->s2[1];
  s->s2[1] = s->s2[2];
  s->s2[2] = q;
  return p > q ? p - q : p - q + 4294967087u;
}
__device__ unsigned curand(curandStateMRG32k3a* s) {
  // CUDA's scale from numbers below the modulus to 32 bits.
  return unsigned(double(__lib_mrg_step(s)) * 1.000000048662);
}

// The matrices (by rows) of one step, of 2^76 and of 2^127 steps. The second three are of the second
// recurrence.
constexpr unsigned __lib_mrg_matrices[6 * 9] = {
    0u, 1u, 0u, 0u, 0u, 1u, 4294156359u, 1403580u, 0u,
    82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u,
    1871391091u, 3672091415u, 3528743235u, 69195019u,
    2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u,
    3580155704u, 1988835001u, 986791581u, 1230515664u,
    0u, 1u, 0u, 0u, 0u, 1u, 4293573854u, 0u, 527612u,
    1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u,
    3889917532u, 3859662829u, 4292754251u, 3708466080u,
    1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u,
    1022607788u, 2824425944u, 32183930u, 2093834863u,
};
__device__ unsigned __lib_mrg_dot(const unsigned* row, unsigned x, unsigned y, unsigned z, unsigned c) {
  const unsigned xy = __lib_mrg_sum(__lib_mrg_product(row[0], x, c), __lib_mrg_product(row[1], y, c), c);
  return __lib_mrg_sum(xy, __lib_mrg_product(row[2], z, c), c);
}
// Applies a matrix `count` times, by squaring it.
__device__ void __lib_mrg_jump(unsigned* words, int matrix, unsigned long long count, unsigned c) {
  unsigned m[9];
  for (int i = 0; i < 9; ++i) m[i] = __lib_mrg_matrices[matrix * 9 + i];
  for (; count != 0; count >>= 1) {
    if ((count & 1) != 0) {
      const unsigned x = words[0], y = words[1], z = words[2];
      for (int i = 0; i < 3; ++i) words[i] = __lib_mrg_dot(m + 3 * i, x, y, z, c);
    }
    unsigned square[9];
    for (int i = 0; i < 9; ++i)
      square[i] = __lib_mrg_dot(m + i / 3 * 3, m[i % 3], m[3 + i % 3], m[6 + i % 3], c);
    for (int i = 0; i < 9; ++i) m[i] = square[i];
  }
}
__device__ void __lib_mrg_skip(curandStateMRG32k3a* s, int distance, unsigned long long count) {
  __lib_mrg_jump(s->s1, distance, count, 209u);
  __lib_mrg_jump(s->s2, 3 + distance, count, 22853u);
}
__device__ void skipahead(unsigned long long count, curandStateMRG32k3a* s) { __lib_mrg_skip(s, 0, count); }
// Subsequences are 2^76 numbers apart, sequences 2^127.
__device__ void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a* s) {
  __lib_mrg_skip(s, 1, count);
}
__device__ void skipahead_sequence(unsigned long long count, curandStateMRG32k3a* s) {
  __lib_mrg_skip(s, 2, count);
}
__device__ void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateMRG32k3a* s) {
  const unsigned low = seed == 0 ? 1u : unsigned(seed) ^ 0x55555555u;
  const unsigned high = seed == 0 ? 1u : unsigned(seed >> 32) ^ 0xaaaaaaaau;
  s->s1[0] = __lib_mrg_product(low, 12345u, 209u);
  s->s1[1] = __lib_mrg_product(high, 12345u, 209u);
  s->s1[2] = s->s1[0];
  s->s2[0] = __lib_mrg_product(high, 12345u, 22853u);
  s->s2[1] = __lib_mrg_product(low, 12345u, 22853u);
  s->s2[2] = s->s2[0];
  s->__has_normal = 0;
  s->__has_normal_double = 0;
  s->__normal = 0;
  s->__unused = 0;
  s->__normal_double[0] = 0;
  s->__normal_double[1] = 0;
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
