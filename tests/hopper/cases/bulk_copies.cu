// cp.async.bulk between global and shared memory.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait(uint64_t* bar, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {
  }
}

// One copy to shared memory and one back, as in the CUDA programming guide.
//! run there_and_back(i32[512]=iota, i32[512]) grid 4 block 128
//! out[0:4] = 1 2 3 4
//! out[508:512] = 509 510 511 512
__global__ void there_and_back(const int* in, int* out) {
  __shared__ alignas(128) int tile[128];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  uint64_t token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + blockIdx.x * 128, sizeof tile, &bar);
    token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
  } else {
    token = ptx::mbarrier_arrive(&bar);
  }
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
  tile[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 128, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  }
}

// A warp copies, three stages ahead; the others add, and say when a stage is free.
//! run stages(i32[1024]=iota, i32[16]) block 96
//! out = 2016 6112 10208 14304 18400 22496 26592 30688 34784 38880 42976 47072 51168 55264 59360 63456
__global__ void stages(const int* in, int* out) {
  constexpr int kStages = 3, kTiles = 16;
  __shared__ alignas(16) int stage[kStages][64];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], 64);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < kTiles && ptx::elect_sync(~0u); ++i) {
      const int s = i % kStages;
      wait(&empty[s], (i / kStages & 1) ^ 1);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 256);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], in + i * 64, 128, &full[s]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s] + 32, in + i * 64 + 32, 128, &full[s]);
    }
    return;
  }
  for (int i = 0; i < kTiles; ++i) {
    const int s = i % kStages;
    wait(&full[s], i / kStages & 1);
    if (threadIdx.x == 32) {
      int sum = 0;
      for (int k = 0; k < 64; ++k) sum += stage[s][k];
      out[i] = sum;
    }
    ptx::mbarrier_arrive(&empty[s]);
  }
}

// Groups of stores: a buffer is reused when the group before the last has been read.
//! run groups(i32[256]) block 32
//! out[0:3] = 0 1 2
//! out[32:35] = 100 101 102
//! out[224:227] = 700 701 702
__global__ void groups(int* out) {
  __shared__ alignas(16) int buffer[2][32];
  for (int i = 0; i < 8; ++i) {
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32<1>);
    __syncwarp();
    buffer[i % 2][threadIdx.x] = i * 100 + threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * 32, buffer[i % 2], 128);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32<0>);
}

// The results of the copy are read back by the thread that waited for all of it.
//! run reads_back(i32[32], i32[1]) block 1
//! out = 496
__global__ void reads_back(int* scratch, int* out) {
  __shared__ alignas(16) int tile[32];
  for (int i = 0; i < 32; ++i) tile[i] = i;
  ptx::fence_proxy_async();
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, scratch, tile, 128);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32<0>);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += scratch[i];
  out[0] = sum;
}

//! run prefetches(i32[64]=iota, i32[1]) block 1
//! out = 63
__global__ void prefetches(const int* in, int* out) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(256) : "memory");
  out[0] = in[63];
}

// Dynamic shared memory, as large kernels use it.
//! run dynamic(i32[64]=iota, i32[64]) block 32 shared 1024
//! out[0:3] = 63 62 61
__global__ void dynamic(const int* in, int* out) {
  extern __shared__ __align__(128) unsigned char memory[];
  uint64_t* bar = (uint64_t*)memory;
  int* tile = (int*)(memory + 128);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 256);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(tile)), "l"(in), "r"(256), "r"(shared_address(bar)) : "memory");
  }
  __syncwarp();
  wait(bar, 0);
  for (int i = threadIdx.x; i < 64; i += 32) out[i] = tile[63 - i];
}
