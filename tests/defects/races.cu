// Data races; next to some, the corrected kernel.

//! run lost_update(i32[1]=0) block 2
//! report race @
__global__ void lost_update(int* out) {
  out[0] += 1;  //@
}

//! run atomic_update(i32[1]=0) block 64
//! out = 64
__global__ void atomic_update(int* out) { atomicAdd(out, 1); }

//! run histogram(i32[16]=rand:3, i32[4]=0) block 16
//! report race @
__global__ void histogram(const int* in, int* bins) {
  bins[in[threadIdx.x] & 3]++;  //@
}

//! run missing_barrier(i32[32]) block 32
//! report race @
__global__ void missing_barrier(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[31 - threadIdx.x];  //@
}

//! run with_barrier(i32[4]) block 4
//! out = 3 2 1 0
__global__ void with_barrier(int* out) {
  __shared__ int s[4];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[3 - threadIdx.x];
}

//! run barrier_too_early(i32[8]) block 8
//! report race @
__global__ void barrier_too_early(int* out) {
  __shared__ int s[8];
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x ^ 1];  //@
}

//! run reduction_without_barrier(i32[64]=1, i32[1]) block 64
//! report race @
__global__ void reduction_without_barrier(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];  //@
  }
  if (threadIdx.x == 0) out[0] = s[0];
}

//! run reduction_with_barrier(i32[64]=1, i32[1]) block 64
//! out = 64
__global__ void reduction_with_barrier(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];
}

//! run tile_reused_too_soon(i32[8]=iota, i32[8]=0) block 4
//! report race @
__global__ void tile_reused_too_soon(const int* in, int* out) {
  __shared__ int tile[4];
  for (int t = 0; t < 2; ++t) {
    tile[threadIdx.x] = in[t * 4 + threadIdx.x];  //@
    __syncthreads();
    out[t * 4 + threadIdx.x] = tile[3 - threadIdx.x];
  }
}

//! run neighbours_overlap(i32[9]=0) block 8
//! report race @
__global__ void neighbours_overlap(int* out) {
  out[threadIdx.x] = threadIdx.x;
  out[threadIdx.x + 1] = -1;  //@
}

//! run between_blocks(i32[1]=0) grid 4
//! report race @
__global__ void between_blocks(int* out) {
  out[0] = blockIdx.x;  //@
}

//! run between_blocks_atomic(i32[1]=0) grid 4
//! out = 3
__global__ void between_blocks_atomic(int* out) { atomicMax(out, blockIdx.x); }

//! run block_barrier_does_not_order_blocks(i32[4]=0) grid 2 block 2
//! report race @
__global__ void block_barrier_does_not_order_blocks(int* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  __syncthreads();
  data[3 - i] += 1;  //@
}

//! run in_place_stencil(f32[16]=1) block 16
//! report race @
__global__ void in_place_stencil(float* a) {
  int i = threadIdx.x;
  if (i > 0 && i < 15) a[i] = a[i - 1] + 2 * a[i];  //@
}

//! run flag_written_and_read(i32[1]=0, i32[8]) block 8
//! report race @
__global__ void flag_written_and_read(int* flag, int* out) {
  if (threadIdx.x == 3) *flag = 1;
  out[threadIdx.x] = *flag;  //@
}

//! run same_value_by_all(i32[1]=0) block 8
//! done = 1
__global__ void same_value_by_all(int* done) { *done = 1; }

//! run leader_not_waited_for(i32[8]) block 8
//! report race @
__global__ void leader_not_waited_for(int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 10;
  out[threadIdx.x] = base + threadIdx.x;  //@
}

//! run leader_waited_for(i32[3]) block 3
//! out = 10 11 12
__global__ void leader_waited_for(int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 10;
  __syncthreads();
  out[threadIdx.x] = base + threadIdx.x;
}

//! run atomic_and_plain(i32[1]=0, i32[4]) block 4
//! report race @
__global__ void atomic_and_plain(int* n, int* out) {
  atomicAdd(n, 1);
  out[threadIdx.x] = *n;  //@
}

//! run transpose_in_place(i32[16]=iota) block 4,4
//! report race @
__global__ void transpose_in_place(int* m) {
  int x = threadIdx.x, y = threadIdx.y;
  int v = m[y * 4 + x];
  m[x * 4 + y] = v;  //@
}

//! run bytes_do_not_race(u8[8]) block 8
//! out = 0 1 2 3 4 5 6 7
__global__ void bytes_do_not_race(unsigned char* out) { out[threadIdx.x] = threadIdx.x; }

//! run last_block_sums(i32[4], u32[1]=0, i32[1]) grid 4
//! total = 10
__global__ void last_block_sums(int* partial, unsigned* ticket, int* total) {
  partial[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (atomicAdd(ticket, 1u) == gridDim.x - 1) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *total = sum;
  }
}

//! run warp_exchange_unordered(i32[32]) block 32
//! report race @
__global__ void warp_exchange_unordered(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  int v = s[threadIdx.x ^ 1];  //@
  out[threadIdx.x] = v;
}

//! run warp_exchange_ordered(i32[2]) block 2
//! out = 1 0
__global__ void warp_exchange_ordered(int* out) {
  __shared__ int s[2];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp(3);
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
