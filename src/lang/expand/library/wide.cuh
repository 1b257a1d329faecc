// 64-bit integers for targets with 32 bits: no division, no remainder and no conversion to or from a float is
// done on 64 bits here. x / 0 is 0, x % 0 is x.

struct Quotient {
  unsigned long long whole, rest;
};
__device__ unsigned high_word(unsigned long long x) { return (unsigned)(x >> 32); }
__device__ unsigned long long words(unsigned high, unsigned low) {
  return ((unsigned long long)high << 32) | low;
}

__device__ Quotient divided(unsigned long long a, unsigned long long b) {
  unsigned ah = high_word(a), al = (unsigned)a, bh = high_word(b), bl = (unsigned)b;
  if (bh == 0u && bl == 0u) return Quotient{0, a};
  if (bh == 0u && ah == 0u) return Quotient{al / bl, al % bl};
  if (bh == 0u && bl <= 0xffffu) {  // digit by digit: a remainder and 16 more bits fit into a word
    unsigned middle = ((ah % bl) << 16) | (al >> 16);
    unsigned last = ((middle % bl) << 16) | (al & 0xffffu);
    return Quotient{words(ah / bl, ((middle / bl) << 16) | (last / bl)), last % bl};
  }
  if (a < b) return Quotient{0, a};
  int steps = __quern_clz(b) - __quern_clz(a);
  unsigned long long whole = 0, part = b << steps;
  for (int i = steps; i >= 0; --i) {
    whole = whole << 1;
    if (a >= part) {
      a -= part;
      whole |= 1u;
    }
    part = part >> 1;
  }
  return Quotient{whole, a};
}
__device__ unsigned long long size_of(long long x) {
  return x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x;
}
__device__ unsigned long long div_u64(unsigned long long a, unsigned long long b) { return divided(a, b).whole; }
__device__ unsigned long long rem_u64(unsigned long long a, unsigned long long b) { return divided(a, b).rest; }
__device__ long long div_i64(long long a, long long b) {
  unsigned long long whole = divided(size_of(a), size_of(b)).whole;
  return (long long)((a < 0) != (b < 0) ? 0ull - whole : whole);
}
__device__ long long rem_i64(long long a, long long b) {
  unsigned long long rest = divided(size_of(a), size_of(b)).rest;
  return (long long)(a < 0 ? 0ull - rest : rest);
}

__device__ float convert_f32_u64(unsigned long long n) { return Real<float>::whole(false, n, kNearest); }
__device__ float convert_f32_i64(long long n) { return Real<float>::whole(n < 0, size_of(n), kNearest); }
// The upper half is exact, so there is one rounding.
__device__ double convert_f64_u64(unsigned long long n) {
  return (double)high_word(n) * 4294967296.0 + (double)(unsigned)n;
}
__device__ double convert_f64_i64(long long n) {
  return (double)(int)high_word((unsigned long long)n) * 4294967296.0 + (double)(unsigned)n;
}

// Towards zero, saturating at `most`; the sign is handled separately.
template <typename T>
__device__ unsigned long long whole_part(T x, unsigned long long most) {
  using R = Real<T>;
  typename R::Bits m = bits_of(x) & ~R::sign_bit;
  if (m > R::infinity || m < (typename R::Bits)R::bias << R::digits) return 0;
  if (m >= (typename R::Bits)(R::bias + 64) << R::digits) return most;
  auto s = R::split(m);
  unsigned long long n = s.m;
  n = s.e <= R::digits ? n >> (R::digits - s.e) : n << (s.e - R::digits);
  return n > most ? most : n;
}
template <typename T>
__device__ unsigned long long to_unsigned(T x) {
  return (bits_of(x) & Real<T>::sign_bit) != 0 ? 0ull : whole_part(x, 0xffffffffffffffffull);
}
template <typename T>
__device__ long long to_signed(T x) {
  bool negative = (bits_of(x) & Real<T>::sign_bit) != 0;
  unsigned long long n = whole_part(x, negative ? 0x8000000000000000ull : 0x7fffffffffffffffull);
  return (long long)(negative ? 0ull - n : n);
}
__device__ unsigned long long convert_u64_f32(float x) { return to_unsigned(x); }
__device__ unsigned long long convert_u64_f64(double x) { return to_unsigned(x); }
__device__ long long convert_i64_f32(float x) { return to_signed(x); }
__device__ long long convert_i64_f64(double x) { return to_signed(x); }
