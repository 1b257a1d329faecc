// Kernels that bench_ring compares with, as a CUDA programmer would write them.
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

// The same ring; messages are copied to shared memory asynchronously, three windows at a time.
inline constexpr unsigned kDrainWindow = 512, kDrainStages = 3;
inline constexpr const char* kDrainByCopies = R"(
#define WINDOW 512
#define STAGES 3
extern "C" __global__ void drain_by_copies(const char* ring, unsigned mask, volatile unsigned long long* tail,
                                           volatile unsigned long long* head, unsigned long long end,
                                           unsigned long long* sum) {
  extern __shared__ ulonglong2 stage[];
  __shared__ unsigned long long seen;
  __shared__ unsigned counts[STAGES];
  const unsigned base = (unsigned)__cvta_generic_to_shared(stage);
  unsigned long long at = 0, asked = 0, own = 0;
  if (threadIdx.x < STAGES) counts[threadIdx.x] = 0;
  for (unsigned turn = 0; at < end; turn = turn + 1 == STAGES ? 0 : turn + 1) {
    unsigned long long now;
    if (threadIdx.x == 0)
      asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(now) : "l"(tail) : "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    __syncthreads();
    const unsigned done = counts[turn];
    const unsigned long long* const messages = (const unsigned long long*)(stage + turn * WINDOW * 4);
    for (unsigned m = threadIdx.x; m < done; m += blockDim.x)
      for (int k = 0; k < 8; ++k) own += messages[m * 8 + k];
    at += done;
    if (threadIdx.x == 0) seen = now;
    __syncthreads();
    const unsigned long long left = seen - asked;
    const unsigned n = left < WINDOW ? (unsigned)left : WINDOW;
    for (unsigned i = threadIdx.x; i < n * 4; i += blockDim.x) {
      const char* const from = ring + ((asked + i / 4) & mask) * 64 + i % 4 * 16;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + (turn * WINDOW * 4 + i) * 16), "l"(from)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asked += n;
    if (threadIdx.x == 0) {
      counts[turn] = n;
      if (done != 0) *head = at;
    }
    __syncthreads();
  }
  atomicAdd(sum, own);
}
)";

}  // namespace quern::bench
