// Threads, blocks and grids in one, two and three dimensions.

//! run one_dimension(i32[12]) grid 3 block 4
//! out = 0 1 2 3 100 101 102 103 200 201 202 203
__global__ void one_dimension(int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = blockIdx.x * 100 + threadIdx.x;
}

//! run two_dimensions(i32[24]) grid 2,3 block 2,2
//! out[0:12] = 0 1 100 101 10 11 110 111 1000 1001 1100 1101
//! out[12:24] = 1010 1011 1110 1111 2000 2001 2100 2101 2010 2011 2110 2111
__global__ void two_dimensions(int* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * 4 + x] = blockIdx.y * 1000 + blockIdx.x * 100 + threadIdx.y * 10 + threadIdx.x;
}

//! run three_dimensional_block(i32[24]) block 2,3,4
//! out = 0 1 10 11 20 21 100 101 110 111 120 121 200 201 210 211 220 221 300 301 310 311 320 321
__global__ void three_dimensional_block(int* out) {
  int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[i] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
}

//! run three_dimensional_grid(i32[24]) grid 4,3,2
//! out = 0 1 2 3 10 11 12 13 20 21 22 23 100 101 102 103 110 111 112 113 120 121 122 123
__global__ void three_dimensional_grid(int* out) {
  int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[i] = blockIdx.z * 100 + blockIdx.y * 10 + blockIdx.x;
}

//! run dimensions(u32[6]) grid 2,3,4 block 5,6,7
//! out = 2 3 4 5 6 7
__global__ void dimensions(unsigned* out) {
  if (threadIdx.x | threadIdx.y | threadIdx.z | blockIdx.x | blockIdx.y | blockIdx.z) return;
  out[0] = gridDim.x;
  out[1] = gridDim.y;
  out[2] = gridDim.z;
  out[3] = blockDim.x;
  out[4] = blockDim.y;
  out[5] = blockDim.z;
}

//! run every_thread_runs_once(i32[1]=0) grid 3,2,2 block 5,3,2
//! count = 360
__global__ void every_thread_runs_once(int* count) { atomicAdd(count, 1); }

//! run guarded(i32[10]=0, 10) grid 3 block 4
//! out = 0 1 2 3 4 5 6 7 8 9
__global__ void guarded(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

//! run strided(i32[17]=0, 17) grid 2 block 3
//! out = 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256
__global__ void strided(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += i * i;
}

//! run warp_size(i32[3]) block 1
//! out = 32 5 31
__global__ void warp_size(int* out) {
  constexpr int known = 32;
  out[0] = warpSize;
  out[1] = __popc(warpSize - 1);
  out[2] = 95 % warpSize + (warpSize == known ? 0 : 1);
}

//! run largest_block(u32[1]) block 1024
//! out = 1023
__global__ void largest_block(unsigned* out) {
  if (threadIdx.x == blockDim.x - 1) *out = threadIdx.x;
}

//! run odd_block(i32[35]) grid 5 block 7
//! out = 0 1 2 3 4 5 6 10 11 12 13 14 15 16 20 21 22 23 24 25 26 30 31 32 33 34 35 36 40 41 42 43 44 45 46
__global__ void odd_block(int* out) {
  out[blockIdx.x * 7 + threadIdx.x] = blockIdx.x * 10 + threadIdx.x;
}

//! run indices_are_unsigned(i32[2])
//! out = 1 1
__global__ void indices_are_unsigned(int* out) {
  out[0] = threadIdx.x - 1 > 0;
  out[1] = (int)threadIdx.x - 1 < 0;
}

//! run flat_block_number(i32[12]) grid 3,4
//! out = 0 1 2 3 4 5 6 7 8 9 10 11
__global__ void flat_block_number(int* out) {
  const int block = blockIdx.x + blockIdx.y * gridDim.x;
  out[block] = block;
}

//! run plane_of_odd_shape(i32[15]=-1, 5, 3) grid 2,2 block 4,2
//! out = 0 10 20 30 40 1 11 21 31 41 2 12 22 32 42
__global__ void plane_of_odd_shape(int* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = x * 10 + y;
}

__device__ int global_index() { return threadIdx.x + blockIdx.x * blockDim.x; }
//! run index_from_a_function(i32[6]) grid 2 block 3
//! out = 0 1 2 3 4 5
__global__ void index_from_a_function(int* out) { out[global_index()] = global_index(); }

//! run copied_indices(u32[4]) grid 2 block 2
//! out = 0 1 10 11
__global__ void copied_indices(unsigned* out) {
  const uint3 thread = threadIdx, block = blockIdx;
  const dim3 size = blockDim;
  out[block.x * size.x + thread.x] = block.x * 10 + thread.x;
}

//! run wide_index(i64[2]) grid 1 block 2
//! out = 0 4294967296
__global__ void wide_index(long long* out) {
  long long i = (long long)threadIdx.x << 32;
  out[threadIdx.x] = i;
}

//! run launch_bounds(i32[64]) block 64
//! out[60:64] = 60 61 62 63
__global__ void __launch_bounds__(64, 2) launch_bounds(int* out) { out[threadIdx.x] = threadIdx.x; }
