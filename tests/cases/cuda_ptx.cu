// <cuda/ptx>: the functions whose instructions every device can do.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

//! run special_registers(u32[6]=0) grid 2 block 32,2
//! out = 0 0 0 0 0 0
__global__ void special_registers(unsigned* out) {
  if (ptx::get_sreg_tid_x() != threadIdx.x || ptx::get_sreg_tid_y() != threadIdx.y) atomicAdd(out, 1);
  if (ptx::get_sreg_ctaid_x() != blockIdx.x || ptx::get_sreg_nctaid_x() != gridDim.x) atomicAdd(out + 1, 1);
  if (ptx::get_sreg_ntid_x() != blockDim.x || ptx::get_sreg_ntid_y() != blockDim.y) atomicAdd(out + 2, 1);
  const unsigned lane = ptx::get_sreg_laneid();
  if (lane != threadIdx.x % 32) atomicAdd(out + 3, 1);
  if (ptx::get_sreg_lanemask_eq() != 1u << lane) atomicAdd(out + 4, 1);
  if ((ptx::get_sreg_lanemask_lt() | ptx::get_sreg_lanemask_ge()) != ~0u) atomicAdd(out + 5, 1);
}

// All arrive, and wait for the phase of their token; then for its parity.
//! run barrier_phases(i32[64]) block 64
//! out[0:4] = 63 62 61 60
//! out[62:64] = 1 0
__global__ void barrier_phases(int* out) {
  __shared__ uint64_t bar;
  __shared__ int values[64];
  const int t = threadIdx.x;
  if (t == 0) ptx::mbarrier_init(&bar, 64);
  __syncthreads();
  values[t] = t;
  uint64_t token = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait(&bar, token)) {
  }
  const int other = values[63 - t];
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
  while (!ptx::mbarrier_test_wait_parity(&bar, 1)) {
  }
  out[t] = other;
}

// Arrivals of several threads by one.
//! run barrier_counts(i32[32]) block 32
//! out[0:3] = 7 7 7
__global__ void barrier_counts(int* out) {
  __shared__ uint64_t bar;
  __shared__ int value;
  const int t = threadIdx.x;
  if (t == 0) {
    ptx::mbarrier_init(&bar, 4);
    value = 7;
  }
  __syncthreads();
  if (t == 0) ptx::mbarrier_arrive(&bar, 4);
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {
  }
  out[t] = value;
}

// A message to another block, as in CUDA's memory fence example.
//! run fences(i32[3]=0) grid 4 block 32
//! out[0:1] = 4
//! out[2:3] = 10
__global__ void fences(int* out) {
  if (threadIdx.x != 0) return;
  atomicAdd(&out[1], (int)blockIdx.x + 1);
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  if (atomicAdd(&out[0], 1) == 3) {
    ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu);
    out[2] = atomicAdd(&out[1], 0);
  }
}

//! run elected(i32[1]=0) block 64
//! out = 2
__global__ void elected(int* out) {
  if (ptx::elect_sync(~0u)) atomicAdd(out, 1);
}
