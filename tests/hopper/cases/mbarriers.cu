// mbarrier objects: phases, parities and states, counts of arrivals and of bytes.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

//! run parities(i32[64]) block 64
//! out[0:3] = 189 188 187
__global__ void parities(int* out) {
  __shared__ uint64_t bar;
  __shared__ int values[2][64];
  const int t = threadIdx.x;
  if (t == 0) ptx::mbarrier_init(&bar, 64);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    values[i % 2][t] = t;
    ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, i % 2)) {
    }
    sum += values[i % 2][63 - t];
  }
  out[t] = sum - 2 * (63 - t) + 2 * 63;
}

// Producer and consumer, with the usual parities of full and empty barriers.
//! run ring(i32[256]=iota, i32[8]) block 64
//! out = 496 1520 2544 3568 4592 5616 6640 7664
__global__ void ring(const int* in, int* out) {
  constexpr int kStages = 3;
  __shared__ uint64_t full[kStages], empty[kStages];
  __shared__ int stage[kStages][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::mbarrier_init(&full[s], 32);
      ptx::mbarrier_init(&empty[s], 32);
    }
  }
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    const int s = i % kStages, round = i / kStages;
    if (threadIdx.x < 32) {
      while (!ptx::mbarrier_try_wait_parity(&empty[s], (round & 1) ^ 1)) {
      }
      stage[s][lane] = in[i * 32 + lane];
      ptx::mbarrier_arrive(&full[s]);
    } else {
      while (!ptx::mbarrier_test_wait_parity(&full[s], round & 1)) {
      }
      int sum = 0;
      for (int k = 0; k < 32; ++k) sum += stage[s][k];
      ptx::mbarrier_arrive(&empty[s]);
      if (lane == 0) out[i] = sum;
    }
  }
}

// Bytes that a thread reports itself.
//! run bytes(i32[2]) block 32
//! out = 5 1
__global__ void bytes(int* out) {
  __shared__ uint64_t bar;
  __shared__ int value;
  const unsigned at = shared_address(&bar);
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned before = 0;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" ::"r"(at) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
    before = 1;
    value = 5;
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(96) : "memory");
    out[1] = before;
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  if (threadIdx.x == 1) out[0] = value;
}

// The state counts the pending arrivals; arrivals that drop out are not counted in the next phase.
//! run states(u32[4]) block 1
//! out = 3 1 2 2
__global__ void states(unsigned* out) {
  __shared__ uint64_t bar;
  const unsigned at = shared_address(&bar);
  unsigned long state;
  ptx::mbarrier_init(&bar, 3);
  asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[0]) : "l"(state));
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[1]) : "l"(state));
  while (!ptx::mbarrier_test_wait(&bar, state)) {
  }
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[2]) : "l"(state));
  ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_try_wait(&bar, state)) {
  }
  ptx::mbarrier_inval(&bar);
  ptx::mbarrier_init(&bar, 2);
  state = ptx::mbarrier_arrive(&bar);
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[3]) : "l"(state));
}

// The copies of cp.async arrive when they are complete.
//! run copies_arrive(i32[32]=iota, i32[32]) block 32
//! out[0:3] = 31 30 29
__global__ void copies_arrive(const int* in, int* out) {
  __shared__ uint64_t bar;
  __shared__ int tile[32];
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 32);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + threadIdx.x)), "l"(in + threadIdx.x));
  ptx::cp_async_mbarrier_arrive_noinc(&bar);
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

// The wait of a single statement, with the loop inside.
//! run loop_inside(i32[64]) block 64
//! out[0:2] = 7 7
__global__ void loop_inside(int* out) {
  __shared__ uint64_t bar;
  __shared__ int value;
  const unsigned at = shared_address(&bar);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 40) {
    value = 7;
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(at) : "memory");
  }
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n"
      "@p bra DONE;\n"
      "bra WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(at),
      "r"(0)
      : "memory");
  out[threadIdx.x] = value;
}

// One thread of each warp arrives and waits for its warp.
//! run one_arrival_per_warp(i32[256]=iota, i32[8]) block 96
//! out = 496 1520 2544 3568 4592 5616 6640 7664
__global__ void one_arrival_per_warp(const int* in, int* out) {
  __shared__ uint64_t full, empty;
  __shared__ int stage[32], part[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, 2);
  }
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    if (warp == 0) {
      while (lane == 0 && !ptx::mbarrier_try_wait_parity(&empty, (i & 1) ^ 1)) {
      }
      __syncwarp();
      stage[lane] = in[i * 32 + lane];
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&full);
    } else {
      while (lane == 0 && !ptx::mbarrier_try_wait_parity(&full, i & 1)) {
      }
      __syncwarp();
      int sum = stage[(warp - 1) * 16 + lane % 16];
      for (int k = 8; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k, 16);
      if (lane == 0) part[warp - 1] = sum;
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&empty);
      asm volatile("bar.sync 1, 64;" ::: "memory");
      if (threadIdx.x == 32) out[i] = part[0] + part[1];
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  }
}
