// Threads that wait for each other forever.

//! run barrier_on_one_side(i32[2]) block 2
//! report divergent barrier @
__global__ void barrier_on_one_side(int* out) {
  if (threadIdx.x == 0) {
    __syncthreads();  //@
    out[0] = 1;
  } else {
    __syncthreads();
    out[1] = 2;
  }
}

//! run barrier_by_all(i32[2]) block 2
//! out = 1 2
__global__ void barrier_by_all(int* out) {
  __syncthreads();
  out[threadIdx.x] = threadIdx.x + 1;
}

//! run barrier_loop_of_different_length(i32[1]) block 3
//! report divergent barrier @
__global__ void barrier_loop_of_different_length(int* out) {
  for (int i = 0; i < threadIdx.x; ++i) {
    __syncthreads();  //@
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = 1;
}

//! run early_exit_is_allowed(i32[4]=0) block 4
//! out = 1 1 0 0
__global__ void early_exit_is_allowed(int* out) {
  if (threadIdx.x >= 2) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

//! run waits_for_a_lane_that_left(i32[32]=0) block 32
//! report deadlock @
__global__ void waits_for_a_lane_that_left(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);  //@
  } else {
    __syncthreads();
  }
}
