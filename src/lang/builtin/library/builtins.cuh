// Built-in functions of host compilers that kernels use. In a separate file: if a host compiler reads the
// library, it already has them.

__device__ constexpr int __builtin_popcount(unsigned x) { return __quern_popc(x); }
__device__ constexpr int __builtin_popcountll(unsigned long long x) { return __quern_popc(x); }
__device__ constexpr int __builtin_clz(unsigned x) { return __quern_clz(x); }
__device__ constexpr int __builtin_clzll(unsigned long long x) { return __quern_clz(x); }
__device__ constexpr int __builtin_ctz(unsigned x) { return __quern_ctz(x); }
__device__ constexpr int __builtin_ctzll(unsigned long long x) { return __quern_ctz(x); }
__device__ constexpr int __builtin_popcountl(unsigned long x) { return __quern_popc(x); }
__device__ constexpr int __builtin_clzl(unsigned long x) { return __quern_clz(x); }
__device__ constexpr int __builtin_ctzl(unsigned long x) { return __quern_ctz(x); }
__device__ constexpr int __builtin_ffs(int x) { return __ffs(x); }
__device__ constexpr int __builtin_ffsll(long long x) { return __ffsll(x); }
__device__ constexpr int __builtin_parity(unsigned x) { return __quern_popc(x) & 1; }
__device__ constexpr unsigned short __builtin_bswap16(unsigned short x) { return x << 8 | x >> 8; }
__device__ constexpr unsigned __builtin_bswap32(unsigned x) { return __byte_perm(x, 0, 0x0123); }
__device__ constexpr unsigned long __builtin_bswap64(unsigned long x) {
  return (unsigned long)__builtin_bswap32((unsigned)x) << 32 | __builtin_bswap32((unsigned)(x >> 32));
}

__device__ constexpr void __builtin_assume(bool) {}
__device__ constexpr long __builtin_expect(long value, long) { return value; }
__device__ void __builtin_unreachable() { __quern_unreachable(); }
__device__ void __builtin_trap() { __quern_trap(); }
__device__ void* __builtin_assume_aligned(const void* p, unsigned long) { return (void*)p; }
__device__ void* __builtin_assume_aligned(const void* p, unsigned long, unsigned long) { return (void*)p; }
__device__ void __builtin_prefetch(const void*, int = 0, int = 0) {}

// Called by the C library's assert() on failure; some programs call it directly.
__device__ void __assert_fail(const char*, const char*, unsigned, const char*) { __quern_trap(); }
__device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long) {
  __quern_trap();
}
