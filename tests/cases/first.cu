//! run squares(i32[4]) block 4
//! out = 0 1 4 9
__global__ void squares(int* out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }
