// A matrix product as large kernels do it: a warp copies tiles to a ring of stages, a warpgroup multiplies them, and
// the result leaves through shared memory.
#include <cuda_fp16.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int kStages = 3, kDepth = 6, kColumns = 16;
constexpr int kBytesA = 64 * 16 * 2, kBytesB = kColumns * 16 * 2;

__device__ int a_at(int i, int k) { return (i * 3 + k * 5) % 7 - 3; }
__device__ int b_at(int k, int n) { return (k * 2 + n * 3) % 5 - 2; }

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned long descriptor(const void* matrix) {
  const unsigned long at = (shared_address(matrix) & 0x3ffff) >> 4;
  return at | (unsigned long)(128 >> 4) << 16 | (unsigned long)(256 >> 4) << 32;
}
// Core matrices of 8 rows of 16 bytes, two along k.
__device__ int place(int row, int k) { return (row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2) / 2; }

__device__ void wait(uint64_t* bar, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {
  }
}

// Writes the operands to global memory, tile after tile of 16 along k.
__device__ void fill(__half* a, __half* b) {
  for (int i = threadIdx.x; i < 64 * 16 * kDepth; i += blockDim.x) {
    const int step = i / 1024, row = i % 1024 / 16, k = i % 16;
    a[step * 1024 + place(row, k)] = __float2half((float)a_at(row, step * 16 + k));
  }
  for (int i = threadIdx.x; i < kColumns * 16 * kDepth; i += blockDim.x) {
    const int step = i / 256, n = i % 256 / 16, k = i % 16;
    b[step * 256 + place(n, k)] = __float2half((float)b_at(step * 16 + k, n));
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}

struct Shared {
  alignas(128) __half a[kStages][64 * 16];
  alignas(128) __half b[kStages][kColumns * 16];
  alignas(128) float d[64 * kColumns];
  uint64_t full[kStages], empty[kStages];
};

__device__ void produce(Shared& s, const __half* a, const __half* b) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  for (int k = 0; k < kDepth; ++k) {
    const int stage = k % kStages;
    wait(&s.empty[stage], (k / kStages & 1) ^ 1);
    if (ptx::elect_sync(~0u)) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage], kBytesA + kBytesB);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.a[stage], a + k * 1024, kBytesA, &s.full[stage]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.b[stage], b + k * 256, kBytesB, &s.full[stage]);
    }
    __syncwarp();
  }
}

// A stage is free when the product after the next has begun: one group may still run.
__device__ void consume(Shared& s, float* d) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  for (int k = 0; k < kDepth; ++k) {
    const int stage = k % kStages;
    wait(&s.full[stage], k / kStages & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
        : "l"(descriptor(s.a[stage])), "l"(descriptor(s.b[stage])), "r"(k > 0));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (k > 0 && threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&s.empty[(k - 1) % kStages]);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void store(Shared& s, const float* d, float* out) {
  for (int i = 0; i < 8; ++i) {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
    s.d[row * kColumns + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
  ptx::fence_proxy_async(ptx::space_shared);
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s.d, sizeof s.d);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32<0>);
  }
}

//! run product(u16[6144], u16[1536], f32[1024], i32[1]=0) block 160
//! wrong = 0
__global__ void product(unsigned short* a, unsigned short* b, float* out, int* wrong) {
  __shared__ Shared s;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&s.full[i], 1);
      ptx::mbarrier_init(&s.empty[i], 4);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  fill((__half*)a, (__half*)b);
  if (threadIdx.x >= 128) {
    produce(s, (__half*)a, (__half*)b);
  } else {
    float d[8];
    consume(s, d);
    store(s, d, out);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * kColumns; i += 160) {
    int right = 0;
    for (int k = 0; k < 16 * kDepth; ++k) right += a_at(i / kColumns, k) * b_at(k, i % kColumns);
    if ((int)out[i] != right) atomicAdd(wrong, 1);
  }
}
