// Incorrect uses of wgmma.
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ unsigned long descriptor(const void* matrix, unsigned leading, unsigned stride, unsigned long mode) {
  const unsigned long at = (shared_address(matrix) & 0x3ffff) >> 4;
  return at | (unsigned long)(leading >> 4) << 16 | (unsigned long)(stride >> 4) << 32 | mode << 62;
}

__device__ void ones(__half* matrix, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) matrix[i] = __float2half(1.0f);
}
__device__ void visible() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

#define MULTIPLY(d, a, b)                                                                                              \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"             \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                         \
               : "l"(a), "l"(b))

//! run read_before_the_wait(f32[128]) block 128
//! report uninitialized @
__global__ void read_before_the_wait(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  commit();
  out[threadIdx.x] = d[0];  //@
  wait();
}

//! run waits_for_too_few_groups(f32[128]) block 128
//! report uninitialized @
__global__ void waits_for_too_few_groups(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {}, e[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  commit();
  MULTIPLY(e, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  commit();
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  out[threadIdx.x] = e[3];  //@
  wait();
}

//! run group_not_committed(f32[128]) block 128
//! report uninitialized @
__global__ void group_not_committed(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  wait();
  out[threadIdx.x] = d[0];  //@
}

//! run no_fence(f32[128]) block 128
//! report asynchronous @
__global__ void no_fence(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run fence_before_the_writes(f32[128]) block 128
//! report asynchronous @
__global__ void fence_before_the_writes(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  for (int i = 0; i < 4; ++i) d[i] = 1.0f;
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

// The accumulators of the second tile are cleared after the only fence.
//! run cleared_without_fence(f32[128]) block 128
//! report asynchronous @
__global__ void cleared_without_fence(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {}, sum = 0;
  fence();
  for (int tile = 0; tile < 2; ++tile) {
    for (int i = 0; i < 4; ++i) d[i] = 0;
    MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
    commit();
    wait();
    sum += d[0];
  }
  out[threadIdx.x] = sum;
}

//! run accumulator_written(f32[128]) block 128
//! report asynchronous @
__global__ void accumulator_written(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  d[1] = 0;
  wait();
  out[threadIdx.x] = d[0];
}

//! run accumulator_not_initialized(f32[128]) block 128
//! report uninitialized @
__global__ void accumulator_not_initialized(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4];
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run no_proxy_fence(f32[128]) block 128
//! report asynchronous @
__global__ void no_proxy_fence(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  __syncthreads();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run no_barrier(f32[128]) block 128
//! report race @
__global__ void no_barrier(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run operand_not_written(f32[128]) block 128
//! report uninitialized @
__global__ void operand_not_written(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 7 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run operand_overwritten(f32[128]) block 128
//! report race @
__global__ void operand_overwritten(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  commit();
  __syncthreads();
  b[threadIdx.x] = __float2half(2.0f);  //@
  wait();
  out[threadIdx.x] = d[0];
}

//! run address_not_encoded(f32[128]) block 128
//! report asynchronous @
__global__ void address_not_encoded(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  const unsigned long wrong = descriptor(b, 128, 256, 0) | 1ul << 15;
  MULTIPLY(d, descriptor(a, 128, 256, 0), wrong);  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

// The matrix begins in the second row of the pattern of 8 rows of 128 bytes.
//! run pattern_not_aligned(f32[128]) block 128
//! report asynchronous @
__global__ void pattern_not_aligned(float* out) {
  __shared__ alignas(1024) __half a[64 * 64 + 64], b[8 * 64];
  ones(a, 64 * 64 + 64);
  ones(b, 8 * 64);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a + 64, 16, 1024, 1), descriptor(b, 16, 1024, 1));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run beyond_shared_memory(f32[128]) block 128
//! report out of bounds @
__global__ void beyond_shared_memory(float* out) {
  __shared__ alignas(1024) __half a[64 * 16];
  ones(a, 64 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 512, 0), descriptor(a, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run descriptors_differ(f32[128]) block 128
//! report asynchronous @
__global__ void descriptors_differ(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[16 * 16];
  ones(a, 64 * 16);
  ones(b, 16 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b + threadIdx.x / 64 * 128, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run three_warps(f32[128]) block 128
//! report deadlock @
__global__ void three_warps(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  if (threadIdx.x < 96) {
    MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
    commit();
    wait();
  }
  __syncthreads();
  out[threadIdx.x] = d[0];
}

//! run too_small_a_block(f32[96]) block 96
//! report warp @
__global__ void too_small_a_block(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run different_products(f32[128]) block 128
//! report warp @
__global__ void different_products(float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  if (threadIdx.x < 64) {
    MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  } else {
    MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));  //@
  }
  commit();
  wait();
  out[threadIdx.x] = d[0];
}

//! run registers_not_a_multiple(i32[128]) block 128
//! report asynchronous @
__global__ void registers_not_a_multiple(int* out) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 100;");  //@
  out[threadIdx.x] = 1;
}

// A stage is filled again while a product may still read it.
//! run refilled_too_early(f16[128]=1, f32[128]) block 128
//! report race @
__global__ void refilled_too_early(const __half* in, float* out) {
  __shared__ alignas(1024) __half a[64 * 16], b[8 * 16];
  __shared__ alignas(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  ones(a, 64 * 16);
  ones(b, 8 * 16);
  visible();
  float d[4] = {};
  fence();
  MULTIPLY(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0));
  commit();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(b)), "l"(in), "r"(shared_address(&bar)) : "memory");  //@
    unsigned is_over = 0;
    while (is_over == 0) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(shared_address(&bar)) : "memory");
    }
  }
  wait();
  out[threadIdx.x] = d[0];
}
