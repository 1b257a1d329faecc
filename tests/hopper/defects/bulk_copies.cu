// Incorrect uses of cp.async.bulk.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void begin(uint64_t* bar, unsigned count) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, count);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
}

__device__ void expect(uint64_t* bar, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}

__device__ void wait(uint64_t* bar, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {
  }
}

#define LOAD(to, from, bytes, bar)                                                                         \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"( \
                   shared_address(to)),                                                                    \
               "l"(from), "r"(bytes), "r"(shared_address(bar))                                             \
               : "memory")
#define STORE(to, from, bytes)                                                                        \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),               \
               "r"(shared_address(from)), "r"(bytes)                                                  \
               : "memory")

//! run target_not_aligned(i32[64]=iota, i32[1]) block 1
//! report misaligned @
__global__ void target_not_aligned(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  LOAD(tile + 2, in, 64, &bar);  //@
  out[0] = 1;
}

//! run source_not_aligned(i32[64]=iota, i32[1]) block 1
//! report misaligned @
__global__ void source_not_aligned(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  LOAD(tile, in + 1, 64, &bar);  //@
  out[0] = 1;
}

//! run size_not_a_multiple(i32[64]=iota, i32[1]) block 1
//! report asynchronous @
__global__ void size_not_a_multiple(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  LOAD(tile, in, 72, &bar);  //@
  out[0] = 1;
}

//! run beyond_the_source(i32[60]=iota, i32[1]) block 1
//! report out of bounds @
__global__ void beyond_the_source(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  LOAD(tile, in, 256, &bar);  //@
  out[0] = 1;
}

//! run beyond_the_target(i32[64]=iota, i32[1]) block 1
//! report out of bounds @
__global__ void beyond_the_target(const int* in, int* out) {
  __shared__ alignas(16) int tile[32];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  LOAD(tile, in, 256, &bar);  //@
  out[0] = 1;
}

//! run read_before_the_wait(i32[64]=iota, i32[64]) block 64
//! report uninitialized @
__global__ void read_before_the_wait(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    LOAD(tile, in, 256, &bar);
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  //@
  wait(&bar, 0);
}

// The wait for parity 1 returns immediately.
//! run wrong_parity(i32[64]=iota, i32[64]) block 64
//! report uninitialized @
__global__ void wrong_parity(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    LOAD(tile, in, 256, &bar);
  }
  __syncthreads();
  wait(&bar, 1);
  out[threadIdx.x] = tile[threadIdx.x];  //@
  __syncthreads();
  wait(&bar, 0);
}

// The parity is not inverted for the second round.
//! run parity_not_inverted(i32[128]=iota, i32[128]) block 64
//! report uninitialized @
__global__ void parity_not_inverted(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      expect(&bar, 256);
      LOAD(tile, in + i * 64, 256, &bar);
    }
    __syncthreads();
    wait(&bar, 0);
    out[i * 64 + threadIdx.x] = tile[threadIdx.x];  //@
    __syncthreads();
  }
  wait(&bar, 1);
}

// One thread waits, and the others read without having waited or synchronized.
//! run only_one_waits(i32[64]=iota, i32[64]) block 64
//! report race @
__global__ void only_one_waits(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    LOAD(tile, in, 256, &bar);  //@
    wait(&bar, 0);
  }
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x];
}

// The buffer is refilled while others still read it.
//! run refilled_too_early(i32[128]=iota, i32[128]) block 64
//! report race @
__global__ void refilled_too_early(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      expect(&bar, 256);
      LOAD(tile, in + i * 64, 256, &bar);  //@
    }
    wait(&bar, i);
    out[i * 64 + threadIdx.x] = tile[threadIdx.x];
  }
}

//! run written_while_it_is_copied(i32[64]=iota, i32[64]) block 64
//! report race @
__global__ void written_while_it_is_copied(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    LOAD(tile, in, 256, &bar);
  }
  __syncthreads();
  tile[threadIdx.x] = 0;  //@
  wait(&bar, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

//! run fewer_bytes_expected(i32[64]=iota, i32[64]) block 64
//! report barrier @
__global__ void fewer_bytes_expected(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 128);
    LOAD(tile, in, 256, &bar);  //@
  }
  wait(&bar, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

//! run more_bytes_expected(i32[64]=iota, i32[64]) block 64
//! report deadlock @
__global__ void more_bytes_expected(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  if (threadIdx.x == 0) {
    expect(&bar, 512);
    LOAD(tile, in, 256, &bar);
  }
  unsigned is_over = 0;
  while (is_over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(shared_address(&bar)) : "memory");  //@
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

//! run barrier_not_initialized(i32[64]=iota, i32[1]) block 1
//! report uninitialized @
__global__ void barrier_not_initialized(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  LOAD(tile, in, 256, &bar);  //@
  out[0] = 1;
}

//! run no_fence_after_init(i32[64]=iota, i32[64]) block 64
//! report asynchronous @
__global__ void no_fence_after_init(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    LOAD(tile, in, 256, &bar);  //@
  }
  wait(&bar, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

//! run ends_too_early(i32[64]=iota, i32[1]) block 1
//! report asynchronous @
__global__ void ends_too_early(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ uint64_t bar;
  begin(&bar, 1);
  expect(&bar, 256);
  LOAD(tile, in, 256, &bar);  //@
  out[0] = 1;
}

//! run no_proxy_fence(i32[64]) block 64
//! report asynchronous @
__global__ void no_proxy_fence(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 256);  //@
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  }
}

// The fence of thread 0 comes before the writes.
//! run fence_before_the_writes(i32[64]) block 64
//! report asynchronous @
__global__ void fence_before_the_writes(int* out) {
  __shared__ alignas(16) int tile[64];
  ptx::fence_proxy_async(ptx::space_shared);
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 256);  //@
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  }
}

//! run no_barrier_before_the_store(i32[64]) block 64
//! report race @
__global__ void no_barrier_before_the_store(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;  //@
  ptx::fence_proxy_async(ptx::space_shared);
  __syncwarp();
  if (threadIdx.x == 32) {
    STORE(out, tile, 256);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  }
}

//! run source_overwritten(i32[64]) block 64
//! report race @
__global__ void source_overwritten(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 256);
    ptx::cp_async_bulk_commit_group();
  }
  __syncthreads();
  tile[threadIdx.x] = 0;  //@
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
}

//! run waits_for_too_few_groups(i32[128]) block 64
//! report race @
__global__ void waits_for_too_few_groups(int* out) {
  __shared__ alignas(16) int tile[64];
  for (int i = 0; i < 2; ++i) {
    tile[threadIdx.x] = i * 64 + threadIdx.x;  //@
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      STORE(out + i * 64, tile, 256);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32<1>);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
}

//! run group_not_committed(i32[64]) block 64
//! report asynchronous @
__global__ void group_not_committed(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 256);  //@
    ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  }
}

//! run result_read_too_early(i32[32], i32[1]) block 1
//! report uninitialized @
__global__ void result_read_too_early(int* scratch, int* out) {
  __shared__ alignas(16) int tile[32];
  for (int i = 0; i < 32; ++i) tile[i] = i;
  ptx::fence_proxy_async();
  STORE(scratch, tile, 128);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32<0>);
  out[0] = scratch[5];  //@
}

//! run store_of_nothing_written(i32[32]) block 1
//! report uninitialized @
__global__ void store_of_nothing_written(int* out) {
  __shared__ alignas(16) int tile[32];
  tile[0] = 1;
  ptx::fence_proxy_async();
  STORE(out, tile, 128);  //@
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32<0>);
}

//! run prefetch_beyond_the_end(i32[60]=iota, i32[1]) block 1
//! report out of bounds @
__global__ void prefetch_beyond_the_end(const int* in, int* out) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(256) : "memory");  //@
  out[0] = 1;
}
