// Kernels that bench_ring compares with: as a CUDA programmer writes them.
#pragma once

namespace quern::bench {

inline constexpr const char* kPingPong = R"(
extern "C" __global__ void ping_pong(volatile unsigned long long* in, volatile unsigned long long* out, unsigned n) {
  unsigned total = 0;
  for (unsigned i = 1; i <= n; ++i) {
    unsigned long long word;
    do word = *in;
    while ((unsigned)(word >> 32) != i);
    total += (unsigned)word;
    *out = (unsigned long long)i << 32 | total;
  }
}
)";

inline constexpr const char* kAddOne = R"(
extern "C" __global__ void add(const int* number, long long* total) { total[0] += number[0]; }
)";

// `tail` and `head` count messages; a message is four vectors of 16 bytes.
inline constexpr const char* kDrainRing = R"(
extern "C" __global__ void drain(const ulonglong2* ring, unsigned mask, volatile unsigned long long* tail,
                                 volatile unsigned long long* head, unsigned long long end,
                                 unsigned long long* sum) {
  __shared__ unsigned long long seen;
  unsigned long long at = 0, own = 0;
  while (at < end) {
    if (threadIdx.x == 0) {
      unsigned long long now;
      do now = *tail;
      while (now == at);
      __threadfence_system();
      seen = now;
    }
    __syncthreads();
    const unsigned long long last = seen;
    for (unsigned long long i = at + threadIdx.x; i < last; i += blockDim.x) {
      const volatile unsigned long long* m = (const volatile unsigned long long*)(ring + (i & mask) * 4);
      unsigned long long w[8];
      for (int k = 0; k < 4; ++k)
        asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(w[2 * k]), "=l"(w[2 * k + 1]) : "l"(m + 2 * k));
      for (int k = 0; k < 8; ++k) own += w[k];
    }
    at = last;
    __syncthreads();
    if (threadIdx.x == 0) *head = at;
  }
  atomicAdd(sum, own);
}
)";

}  // namespace quern::bench
