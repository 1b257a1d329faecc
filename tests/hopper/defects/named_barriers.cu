// Incorrect uses of barriers of some of a block's threads.

//! run not_a_multiple_of_a_warp(i32[64]) block 64
//! report barrier @
__global__ void not_a_multiple_of_a_warp(int* out) {
  if (threadIdx.x < 48) asm volatile("bar.sync 1, 48;" ::: "memory");  //@
  out[threadIdx.x] = 1;
}

//! run number_too_high(i32[64]) block 64
//! report barrier @
__global__ void number_too_high(int* out) {
  asm volatile("bar.sync %0, 64;" ::"r"(16) : "memory");  //@
  out[threadIdx.x] = 1;
}

//! run more_than_the_block(i32[64]) block 64
//! report barrier @
__global__ void more_than_the_block(int* out) {
  asm volatile("bar.sync 1, 128;" ::: "memory");  //@
  out[threadIdx.x] = 1;
}

//! run more_threads_than_counted(i32[96]) block 96
//! report deadlock @
__global__ void more_threads_than_counted(int* out) {
  asm volatile("bar.sync 1, 64;" ::: "memory");  //@
  out[threadIdx.x] = 1;
}

//! run never_completes(i32[64]) block 64
//! report deadlock @
__global__ void never_completes(int* out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 7, 64;" ::: "memory");  //@
  out[threadIdx.x] = 1;
}

//! run different_counts(i32[96]) block 96
//! report barrier @
__global__ void different_counts(int* out) {
  asm volatile("bar.arrive 1, %0;" ::"r"(threadIdx.x < 64 ? 96 : 64) : "memory");  //@
  out[threadIdx.x] = 1;
}

// The second pair of warps does not synchronize with the first.
//! run wrong_number(i32[128]) block 128
//! report race @
__global__ void wrong_number(int* out) {
  __shared__ int values[128];
  values[threadIdx.x] = threadIdx.x;  //@
  asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  out[threadIdx.x] = values[127 - threadIdx.x];
}

// An arrival does not wait.
//! run arrives_and_reads(i32[64]) block 64
//! report race @
__global__ void arrives_and_reads(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;  //@
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  out[threadIdx.x] = values[63 - threadIdx.x];
}
