// Barriers, shared memory, fences, cooperation of blocks.
#include <cooperative_groups.h>

//! run barrier_orders_memory(i32[64]) block 64
//! out[0:16] = 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48
//! out[16:32] = 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32
//! out[32:48] = 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16
//! out[48:64] = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
__global__ void barrier_orders_memory(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

//! run barrier_counts(i32[40]) block 40
//! out = 14*40
__global__ void barrier_counts(int* out) { out[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0); }

//! run barrier_and(i32[2]) block 40
//! out = 1 0
__global__ void barrier_and(int* out) {
  int all = __syncthreads_and(threadIdx.x < 40);
  int not_all = __syncthreads_and(threadIdx.x != 39);
  if (threadIdx.x == 0) {
    out[0] = all;
    out[1] = not_all;
  }
}

//! run barrier_or(i32[2]) block 40
//! out = 1 0
__global__ void barrier_or(int* out) {
  int some = __syncthreads_or(threadIdx.x == 39);
  int none = __syncthreads_or(threadIdx.x > 39);
  if (threadIdx.x == 0) {
    out[0] = some;
    out[1] = none;
  }
}

//! run barrier_predicate_is_any_number(i32[1]) block 8
//! out = 6
__global__ void barrier_predicate_is_any_number(int* out) {
  int n = __syncthreads_count((int)threadIdx.x - 2 > 0 ? -7 : threadIdx.x == 0 ? 256 : 0);
  if (threadIdx.x == 0) *out = n;
}

//! run barrier_after_return(i32[4]) block 8
//! out = 1 2 3 0
__global__ void barrier_after_return(int* out) {
  __shared__ int tile[4];
  if (threadIdx.x >= 4) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % 4];
}

//! run barriers_in_a_loop(i32[16]=iota, i32[16]) block 16
//! out = 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
__global__ void barriers_in_a_loop(const int* in, int* out) {
  __shared__ int tile[16];
  int v = in[threadIdx.x];
  for (int step = 0; step < 8; ++step) {
    tile[threadIdx.x] = v;
    __syncthreads();
    v = tile[(threadIdx.x + 1) % 16];
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

//! run barrier_in_uniform_branch(1, i32[4]) block 4
//! out = 3 2 1 0
__global__ void barrier_in_uniform_branch(int flag, int* out) {
  __shared__ int tile[4];
  tile[threadIdx.x] = threadIdx.x;
  if (flag) {
    __syncthreads();
    out[threadIdx.x] = tile[3 - threadIdx.x];
  }
}

__device__ void exchange(int* tile, int i, int value) {
  tile[i] = value;
  __syncthreads();
}
//! run barrier_in_a_function(i32[4]) block 4
//! out = 10 13 12 11
__global__ void barrier_in_a_function(int* out) {
  __shared__ int tile[4];
  exchange(tile, threadIdx.x, 10 + threadIdx.x);
  out[threadIdx.x] = tile[(4 - threadIdx.x) % 4];
}

//! run transpose_through_shared_memory(i32[16]=iota, i32[16]) block 4,4
//! out = 0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15
__global__ void transpose_through_shared_memory(const int* in, int* out) {
  __shared__ int tile[4][5];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 4 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 4 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

//! run block_reduction(f32[256]=iota, f32[2]) grid 2 block 128
//! out = 8128 24512
__global__ void block_reduction(const float* in, float* out) {
  __shared__ float sums[128];
  unsigned t = threadIdx.x;
  sums[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

//! run reduction_by_warps(f32[96]=1, f32[1]) block 96
//! out = 96
__global__ void reduction_by_warps(const float* in, float* out) {
  __shared__ float partial[32];
  float v = in[threadIdx.x];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0;
  if (warp == 0) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) *out = v;
  }
}

//! run hillis_steele_scan(i32[50]=1, i32[50]) block 50
//! out[0:25] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
//! out[25:50] = 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50
__global__ void hillis_steele_scan(const int* in, int* out) {
  __shared__ int buffer[2][64];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  for (int d = 1; d < 50; d *= 2) {
    int to = 1 - from;
    buffer[to][t] = t >= d ? buffer[from][t] + buffer[from][t - d] : buffer[from][t];
    from = to;
    __syncthreads();
  }
  out[t] = buffer[from][t];
}

//! run dynamic_shared_in_parts(i32[4], f32[4]) block 4 shared 32
//! a = 3 2 1 0
//! b = 1.5 1 0.5 0
__global__ void dynamic_shared_in_parts(int* a, float* b) {
  extern __shared__ unsigned char storage[];
  int* numbers = reinterpret_cast<int*>(storage);
  float* reals = reinterpret_cast<float*>(storage + blockDim.x * sizeof(int));
  int t = threadIdx.x;
  numbers[t] = t;
  reals[t] = t * 0.5f;
  __syncthreads();
  a[t] = numbers[3 - t];
  b[t] = reals[3 - t];
}

// Constant offsets that are known at compile time, beyond the memory of a smaller launch.
//! run dynamic_shared_at_known_places(i32[3]) block 8 shared 320
//! out = 8 70 15
__global__ void dynamic_shared_at_known_places(int* out) {
  extern __shared__ int known_places[];
  known_places[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    known_places[blockDim.x - 1 + 32] = blockDim.x;
    known_places[70] = 70;
  }
  if (blockDim.x > 8 && threadIdx.x == 0) known_places[blockDim.x * 64 + 64] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = known_places[39];
    out[1] = known_places[70];
    out[2] = known_places[blockDim.x - 1] + known_places[blockDim.x + 31];
  }
}

//! run dynamic_shared_of_doubles(f64[8]) block 8 shared 64
//! out = 7 6 5 4 3 2 1 0
__global__ void dynamic_shared_of_doubles(double* out) {
  extern __shared__ double reversed[];
  reversed[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = reversed[blockDim.x - 1 - threadIdx.x];
}

__shared__ int file_scope_tile[8];
__device__ int neighbour(int i) { return file_scope_tile[(i + 1) % 8]; }
//! run shared_outside_functions(i32[8]) block 8
//! out = 1 4 9 16 25 36 49 0
__global__ void shared_outside_functions(int* out) {
  file_scope_tile[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = neighbour(threadIdx.x);
}

struct Scratch {
  float sums[4];
  int count;
};
//! run shared_struct(f32[2]) block 4
//! out = 6 4
__global__ void shared_struct(float* out) {
  __shared__ Scratch s;
  if (threadIdx.x == 0) s.count = 0;
  s.sums[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(&s.count, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = s.sums[0] + s.sums[1] + s.sums[2] + s.sums[3];
    out[1] = s.count;
  }
}

//! run each_block_has_its_own(i32[3]) grid 3 block 4
//! out = 4 8 12
__global__ void each_block_has_its_own(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, (int)blockIdx.x + 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__device__ unsigned blocks_done;
//! run last_block_reduces(f32[64]=iota, f32[4], f32[1]) grid 4 block 16
//! result = 2016
__global__ void last_block_reduces(const float* in, float* partial, float* result) {
  __shared__ float sums[16];
  __shared__ bool is_last;
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 16 + t];
  __syncthreads();
  for (int s = 8; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    __threadfence();
    float total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += ((volatile float*)partial)[b];
    *result = total;
    blocks_done = 0;
  }
}

//! run flag_between_threads(i32[1]=0, i32[1]=0, i32[1]) grid 2
//! out = 42
__global__ void flag_between_threads(volatile int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    *out = *data;
  }
}

//! run grid_barrier(i32[8]=0, i32[8]) grid 4 block 2
//! out = 7 6 5 4 3 2 1 0
__global__ void grid_barrier(int* scratch, int* out) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = i;
  grid.sync();
  out[i] = scratch[7 - i];
}

//! run grid_barriers_in_a_loop(i32[8]=1, i32[8]=0) grid 2 block 4
//! a = 16*8
__global__ void grid_barriers_in_a_loop(int* a, int* b) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* from = a;
  int* to = b;
  for (int step = 0; step < 4; ++step) {
    to[i] = from[i] + from[(i + 1) % 8];
    grid.sync();
    int* kept = from;
    from = to;
    to = kept;
  }
}

//! run producer_and_consumer_warps(i32[32]) block 64
//! out = 62 60 58 56 54 52 50 48 46 44 42 40 38 36 34 32 30 28 26 24 22 20 18 16 14 12 10 8 6 4 2 0
__global__ void producer_and_consumer_warps(int* out) {
  __shared__ int tile[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) tile[lane] = 2 * lane;
  __syncthreads();
  if (warp == 1) out[lane] = tile[31 - lane];
}

//! run fences_compile(i32[1])
//! out = 3
__global__ void fences_compile(int* out) {
  *out = 1;
  __threadfence_block();
  *out += 1;
  __threadfence();
  *out += 1;
  __threadfence_system();
}

template <int N>
__device__ int sum_of_block(int v) {
  __shared__ int tile[N];
  tile[threadIdx.x] = v;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < N; ++i) sum += tile[i];
  __syncthreads();
  return sum;
}
//! run shared_in_a_template(i32[2]) block 4
//! out = 6 24
__global__ void shared_in_a_template(int* out) {
  int a = sum_of_block<4>(threadIdx.x);
  int b = sum_of_block<4>(a);
  if (threadIdx.x == 0) {
    out[0] = a;
    out[1] = b;
  }
}

// Returned threads are not waited for; the others iterate together.
//! run tiles_after_a_return(i32[8]=iota, 6, 2) block 8
//! a = 36*6 6 7
__global__ void tiles_after_a_return(int* a, int n, int tiles) {
  __shared__ int s[8];
  int i = threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    s[i] = a[i] + t;
    __syncthreads();
    for (int j = 0; j < n; ++j) sum += s[j];
    __syncthreads();
  }
  a[i] = sum;
}

// Branches directly after barriers, whose conditions do not change in the loops (defect branch-after-barrier).
//! run branch_after_barrier(1, f32[1]=4) block 64
//! a = 2
__global__ void branch_after_barrier(int n, float* a) {
  __shared__ float m[64];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int b = blockIdx.x; b < 1; b += gridDim.x) {
    for (int e = thread; e < n * n; e += threads) m[e] = a[e];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      const float pivot = sqrt(m[k * n + k]);
      for (int r = k + 1 + thread; r < n; r += threads) m[r * n + k] /= pivot;
      __syncthreads();
      if (thread == 0) m[k * n + k] = pivot;
      const int rest = n - k - 1;
      for (int e = thread; e < rest * rest; e += threads) {
        const int r = k + 1 + e / rest, c = k + 1 + e % rest;
        if (c <= r) m[r * n + c] -= m[r * n + k] * m[c * n + k];
      }
      __syncthreads();
    }
    for (int e = thread; e < n * n; e += threads) a[e] = m[e];
    __syncthreads();
  }
}
//! run store_after_barrier(i32[1]=4, 1) block 64
//! a = 7
__global__ void store_after_barrier(int* a, int n) {
  __shared__ int m[64];
  const int i = static_cast<int>(threadIdx.x);
  for (int b = 0; b < n; ++b) {
    if (i == 0) m[0] = a[0];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      if (k + 1 + i < n) m[k + 1 + i] = 1;
      __syncthreads();
      if (i == 0) m[0] = 7;
      if (i < n - k - 1) m[i] = 1;
      __syncthreads();
    }
    if (i == 0) a[0] = m[0];
    __syncthreads();
  }
}
//! run loop_after_barrier(i32[2]=4, 1) block 64
//! a = 7 9
__global__ void loop_after_barrier(int* a, int n) {
  __shared__ int m[66];
  const int i = static_cast<int>(threadIdx.x);
  for (int b = 0; b < n; ++b) {
    if (i < 2) m[i] = a[i];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      if (k + 2 + i < n) m[k + 2 + i] = 1;
      __syncthreads();
      for (int e = i; e < 2 * n; e += 64) m[e] = 7 + 2 * e;
      if (i < n - k - 1) m[i] = 1;
      __syncthreads();
    }
    if (i < 2) a[i] = m[i];
    __syncthreads();
  }
}
