// <curand_kernel.h>: Sobol's sequences of 32 and 64 bits in the order of the Gray code (Antonov and Saleev,
// 1979; Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008). The
// program passes the direction vectors of a dimension; a scrambled sequence is shifted by a constant.

using curandDirectionVectors32_t = unsigned[32];
using curandDirectionVectors64_t = unsigned long long[64];

struct curandStateSobol32 {
  static constexpr bool __is_inverted = true;
  unsigned i, x, c, direction_vectors[32];
};
struct curandStateScrambledSobol32 {
  static constexpr bool __is_inverted = true;
  unsigned i, x, c, direction_vectors[32];
};
struct curandStateSobol64 {
  static constexpr bool __is_inverted = true;
  unsigned long long i, x, c, direction_vectors[64];
};
struct curandStateScrambledSobol64 {
  static constexpr bool __is_inverted = true;
  unsigned long long i, x, c, direction_vectors[64];
};
using curandStateSobol32_t = curandStateSobol32;
using curandStateScrambledSobol32_t = curandStateScrambledSobol32;
using curandStateSobol64_t = curandStateSobol64;
using curandStateScrambledSobol64_t = curandStateScrambledSobol64;

// From one number to the next, one bit of the Gray code changes: the lowest that is 0 in the index.
template <class State>
__device__ auto __lib_sobol_next(State* s) {
  auto result = s->x;
  constexpr int bits = sizeof(s->i) * 8;
  int changed = 0;
  if constexpr (bits == 64) {
    changed = __ffsll((long long)~s->i) - 1;
  } else {
    changed = __ffs(int(~s->i)) - 1;
  }
  s->x ^= s->direction_vectors[changed < 0 ? bits - 1 : changed];
  ++s->i;
  return result;
}
template <class State, class Word>
__device__ void __lib_sobol_skip(State* s, Word count) {
  s->i += count;
  Word x = s->c;
  int k = 0;
  for (Word gray = s->i ^ (s->i >> 1); gray != 0; gray >>= 1) {
    if ((gray & 1) != 0) x ^= s->direction_vectors[k];
    ++k;
  }
  s->x = x;
}
template <class State, class Word>
__device__ void __lib_sobol_begin(State* s, const Word* vectors, Word shift, Word offset) {
  constexpr int bits = sizeof(Word) * 8;
  for (int k = 0; k < bits; ++k) s->direction_vectors[k] = vectors[k];
  s->i = 0;
  s->c = shift;
  __lib_sobol_skip(s, offset);
}

__device__ unsigned curand(curandStateSobol32* s) { return __lib_sobol_next(s); }
__device__ unsigned curand(curandStateScrambledSobol32* s) { return __lib_sobol_next(s); }
__device__ unsigned long long curand(curandStateSobol64* s) { return __lib_sobol_next(s); }
__device__ unsigned long long curand(curandStateScrambledSobol64* s) { return __lib_sobol_next(s); }
__device__ void skipahead(unsigned count, curandStateSobol32* s) { __lib_sobol_skip(s, count); }
__device__ void skipahead(unsigned count, curandStateScrambledSobol32* s) { __lib_sobol_skip(s, count); }
__device__ void skipahead(unsigned long long count, curandStateSobol64* s) { __lib_sobol_skip(s, count); }
__device__ void skipahead(unsigned long long count, curandStateScrambledSobol64* s) {
  __lib_sobol_skip(s, count);
}
__device__ void curand_init(const unsigned* vectors, unsigned offset, curandStateSobol32* s) {
  __lib_sobol_begin(s, vectors, 0u, offset);
}
__device__ void curand_init(const unsigned* vectors, unsigned shift, unsigned offset,
                            curandStateScrambledSobol32* s) {
  __lib_sobol_begin(s, vectors, shift, offset);
}
__device__ void curand_init(const unsigned long long* vectors, unsigned long long offset,
                            curandStateSobol64* s) {
  __lib_sobol_begin(s, vectors, 0ull, offset);
}
__device__ void curand_init(const unsigned long long* vectors, unsigned long long shift,
                            unsigned long long offset, curandStateScrambledSobol64* s) {
  __lib_sobol_begin(s, vectors, shift, offset);
}
