// Incorrect uses of mbarrier objects.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

//! run arrival_missing(i32[64]) block 64
//! report deadlock @
__global__ void arrival_missing(int* out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 65);
  __syncthreads();
  ptx::mbarrier_arrive(&bar);
  unsigned is_over = 0;
  while (is_over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(shared_address(&bar)) : "memory");  //@
  }
  out[threadIdx.x] = 1;
}

//! run bytes_missing(i32[32]) block 32
//! report deadlock @
__global__ void bytes_missing(int* out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
  unsigned is_over = 0;
  while (is_over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(shared_address(&bar)) : "memory");  //@
  }
  out[threadIdx.x] = 1;
}

//! run used_before_init(i32[32]) block 32
//! report uninitialized @
__global__ void used_before_init(int* out) {
  __shared__ uint64_t bar;
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(&bar)) : "memory");  //@
  out[threadIdx.x] = 1;
}

//! run used_after_inval(i32[1]) block 1
//! report uninitialized @
__global__ void used_after_inval(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  ptx::mbarrier_inval(&bar);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(&bar)) : "memory");  //@
  out[threadIdx.x] = 1;
}

// Other threads may use the barrier before it is initialized.
//! run no_barrier_after_init(i32[64]) block 64
//! report race @
__global__ void no_barrier_after_init(int* out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&bar)) : "memory");  //@
  __syncwarp();
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(&bar)) : "memory");
  out[threadIdx.x] = 1;
}

//! run too_many_arrivals(i32[64]) block 64
//! report barrier @
__global__ void too_many_arrivals(int* out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 64);
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0], 65; }" ::"r"(shared_address(&bar)) : "memory");  //@
  out[threadIdx.x] = 1;
}

//! run zero_arrivals(i32[1]) block 1
//! report barrier @
__global__ void zero_arrivals(int* out) {
  __shared__ uint64_t bar;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&bar)), "r"(0) : "memory");  //@
  out[0] = 1;
}

//! run initialized_twice(i32[1]) block 1
//! report barrier @
__global__ void initialized_twice(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&bar)), "r"(1) : "memory");  //@
  out[0] = 1;
}

//! run not_aligned(i32[1]) block 1
//! report misaligned @
__global__ void not_aligned(int* out) {
  __shared__ alignas(8) char memory[16];
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(memory) + 4), "r"(1) : "memory");  //@
  out[0] = 1;
}

//! run beyond_shared_memory(i32[1]) block 1
//! report out of bounds @
__global__ void beyond_shared_memory(int* out) {
  __shared__ uint64_t bar;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&bar) + 8), "r"(1) : "memory");  //@
  out[0] = 1;
}

//! run too_many_bytes_expected(i32[1]) block 1
//! report barrier @
__global__ void too_many_bytes_expected(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&bar)), "r"(1 << 20) : "memory");  //@
  out[0] = 1;
}

//! run more_bytes_than_expected(i32[1]) block 1
//! report barrier @
__global__ void more_bytes_than_expected(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&bar)), "r"(96) : "memory");  //@
  out[0] = 1;
}

//! run state_of_an_old_phase(i32[1]) block 1
//! report barrier @
__global__ void state_of_an_old_phase(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  const unsigned long state = ptx::mbarrier_arrive(&bar);
  ptx::mbarrier_arrive(&bar);
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is_over) : "r"(shared_address(&bar)), "l"(state) : "memory");  //@
  out[0] = is_over;
}

//! run completes_without_leave(i32[1]) block 1
//! report barrier @
__global__ void completes_without_leave(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 2);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.noComplete.shared::cta.b64 state, [%0], 2; }" ::"r"(shared_address(&bar)) : "memory");  //@
  out[0] = 1;
}

// The wait returns immediately, for the phase before, and the value is not there yet.
//! run wrong_parity(i32[64]) block 64
//! report race @
__global__ void wrong_parity(int* out) {
  __shared__ uint64_t bar;
  __shared__ int value;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  if (threadIdx.x == 0) value = 0;
  __syncthreads();
  if (threadIdx.x == 40) {
    value = 7;  //@
    ptx::mbarrier_arrive(&bar);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 1)) {
  }
  out[threadIdx.x] = value;
}
