// Clusters in inline PTX: addresses of other blocks' shared memory, the barrier in two steps, copies between blocks.
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ unsigned map(unsigned address, unsigned rank) {
  unsigned out;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank));
  return out;
}
__device__ void sync() {
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}
__device__ void wait(uint64_t* bar, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {
  }
}

//! run neighbours(i32[16]) grid 4 block 4
//! out = 10 11 12 13 0 1 2 3 30 31 32 33 20 21 22 23
__global__ void __cluster_dims__(2) neighbours(int* out) {
  __shared__ int mine[4];
  mine[threadIdx.x] = blockIdx.x * 10 + threadIdx.x;
  sync();
  int other;
  asm volatile("ld.shared::cluster.u32 %0, [%1];"
               : "=r"(other)
               : "r"(map(shared_address(mine + threadIdx.x), cluster_rank() ^ 1)));
  out[blockIdx.x * 4 + threadIdx.x] = other;
  sync();
}

// Writes to the next block; generic addresses.
//! run passes_on(i32[4]) grid 4 block 32
//! out = 3 0 1 2
__global__ void __cluster_dims__(4) passes_on(int* out) {
  __shared__ int box;
  sync();
  if (threadIdx.x == 0) {
    unsigned long at;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(&box), "r"((cluster_rank() + 1) % 4));
    *(int*)at = cluster_rank();
  }
  sync();
  if (threadIdx.x == 0) out[blockIdx.x] = box;
}

//! run ranks(u32[8]) grid 4 block 1
//! out = 0 1 1 0 0 1 1 0
__global__ void __cluster_dims__(2) ranks(unsigned* out) {
  __shared__ int mine;
  out[blockIdx.x * 2] = ptx::getctarank(ptx::space_cluster, &mine);
  unsigned other;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;"
               : "=r"(other)
               : "r"(map(shared_address(&mine), cluster_rank() ^ 1)));
  out[blockIdx.x * 2 + 1] = other;
  sync();
}

// Work between arrival and wait.
//! run two_steps(i32[64]) grid 2 block 32
//! out[0:3] = 100 101 102
//! out[32:35] = 0 1 2
__global__ void __cluster_dims__(2) two_steps(int* out) {
  __shared__ int mine[32];
  mine[threadIdx.x] = cluster_rank() * 100 + threadIdx.x;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  const unsigned at = map(shared_address(mine + threadIdx.x), cluster_rank() ^ 1);
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  int value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at));
  out[blockIdx.x * 32 + threadIdx.x] = value;
  sync();
}

// The other block's barrier counts the arrivals of this one.
//! run remote_arrivals(i32[2]) grid 2 block 32
//! out = 7 7
__global__ void __cluster_dims__(2) remote_arrivals(int* out) {
  __shared__ uint64_t bar;
  __shared__ int box;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 32);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  sync();
  const unsigned other = cluster_rank() ^ 1;
  if (threadIdx.x == 0)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(map(shared_address(&box), other)), "r"(7) : "memory");
  __syncwarp();
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   map(shared_address(&bar), other))
               : "memory");
  wait(&bar, 0);
  if (threadIdx.x == 0) out[blockIdx.x] = box;
  sync();
}

// A bulk copy to the other block's shared memory.
//! run copies_between_blocks(i32[128]) grid 2 block 64
//! out[0:3] = 1000 1001 1002
//! out[64:67] = 0 1 2
__global__ void __cluster_dims__(2) copies_between_blocks(int* out) {
  __shared__ alignas(16) int from[64], to[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  from[threadIdx.x] = cluster_rank() * 1000 + threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  sync();
  if (threadIdx.x == 0) {
    const unsigned other = cluster_rank() ^ 1;
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     map(shared_address(to), other)),
                 "r"(shared_address(from)), "r"(256), "r"(map(shared_address(&bar), other))
                 : "memory");
  }
  wait(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = to[threadIdx.x];
  sync();
}

// One block copies for both.
//! run multicast(i32[64]=iota, i32[128]) grid 2 block 64
//! out[0:3] = 63 62 61
//! out[64:67] = 63 62 61
__global__ void __cluster_dims__(2) multicast(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  sync();
  if (threadIdx.x == 0 && cluster_rank() == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
            shared_address(tile)),
        "l"(in), "r"(256), "r"(shared_address(&bar)), "h"((unsigned short)3)
        : "memory");
  }
  wait(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  sync();
}

// The block that copies ends before the copy to the other block is complete.
//! run copies_and_ends(i32[64]=iota, i32[64]) grid 2 block 64
//! out[0:3] = 63 62 61
__global__ void __cluster_dims__(2) copies_and_ends(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  sync();
  if (cluster_rank() == 0) {
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       map(shared_address(tile), 1)),
                   "l"(in), "r"(256), "r"(map(shared_address(&bar), 1))
                   : "memory");
    }
    return;
  }
  wait(&bar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
