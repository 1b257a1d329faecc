// Incorrect uses of clusters in inline PTX.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void sync() {
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}

// Block 1 ends immediately; block 0 waits for it by the barrier, which counts ended threads as arrived.
//! run block_has_ended(i32[1]) grid 2 block 1
//! report out of bounds @
__global__ void __cluster_dims__(2) block_has_ended(int* out) {
  __shared__ int mine;
  mine = 1;
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at) : "r"(shared_address(&mine)));
  if (blockIdx.x == 1) return;
  sync();
  int value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at));  //@
  out[0] = value;
}

//! run arrival_at_an_ended_block(i32[1]) grid 2 block 1
//! report out of bounds @
__global__ void __cluster_dims__(2) arrival_at_an_ended_block(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at) : "r"(shared_address(&bar)));
  if (blockIdx.x == 1) return;
  sync();
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");  //@
  out[0] = 1;
}

//! run no_such_block(i32[2]) grid 2 block 1
//! report out of bounds @
__global__ void __cluster_dims__(2) no_such_block(int* out) {
  __shared__ int mine;
  mine = 1;
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(at) : "r"(shared_address(&mine)));  //@
  out[blockIdx.x] = at != 0;
  sync();
}

//! run arrives_twice(i32[2]) grid 2 block 32
//! report barrier @
__global__ void __cluster_dims__(2) arrives_twice(int* out) {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  //@
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

//! run waits_without_arrival(i32[2]) grid 2 block 32
//! report barrier @
__global__ void __cluster_dims__(2) waits_without_arrival(int* out) {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");  //@
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

//! run some_do_not_arrive(i32[2]) grid 2 block 32
//! report deadlock @
__global__ void __cluster_dims__(2) some_do_not_arrive(int* out) {
  if (threadIdx.x != 5 || blockIdx.x == 0) asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  if (threadIdx.x == 5 && blockIdx.x == 1) asm volatile("bar.sync 1, 32;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");  //@
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

//! run waits_at_another_blocks_barrier(i32[2]) grid 2 block 1
//! report barrier @
__global__ void __cluster_dims__(2) waits_at_another_blocks_barrier(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  sync();
  unsigned at, is_over;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(&bar)), "r"(1 - blockIdx.x));
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(at) : "memory");  //@
  out[blockIdx.x] = is_over;
  sync();
}
