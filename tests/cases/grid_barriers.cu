// Grid barriers: values, variables and shared memory that are used on both sides; barriers in branches and
// loops. Devices that cannot keep all blocks resident run these kernels in several launches.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//! run value_after_barrier(i32[12]=iota, i32[12]=0, i32[12]) grid 3 block 4
//! out = 12 12 12 12 12 12 12 12 12 12 12 12
__global__ void value_after_barrier(const int* in, int* shifted, int* out) {
  cg::grid_group grid = cg::this_grid();
  unsigned i = grid.thread_rank();
  int mine = in[i];
  shifted[(i + 5) % 12] = mine;
  grid.sync();
  out[i] = shifted[(11 - i + 5) % 12] + mine + 1;
}

//! run many_barriers(i64[8]=0, i64[8]) grid 4 block 2
//! out = 0 103004 6010 109014 12020 115024 18030 121010
__global__ void many_barriers(long long* box, long long* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  long long wide = box[i] + i * 3ll;
  double real = (double)wide / 6;
  bool odd = wide % 2 == 1;
  short narrow = (short)(wide / 3 - 4);
  box[i] = wide + (odd ? 1 : 0);
  grid.sync();
  long long next = box[(i + 1) % 8];
  grid.sync();
  box[i] = next + narrow;
  grid.sync();
  out[i] = box[i] + wide * 1000 + (long long)(real * 2.0) + (odd ? 100000 : 0);
}

//! run local_array(i32[6]=0, i32[6]) grid 3 block 2
//! out = 40 46 52 58 64 70
__global__ void local_array(int* box, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  int kept[5];
  for (int k = 0; k < 5; ++k) kept[k] = i + k * k;
  box[i] = 1;
  grid.sync();
  int sum = 0;
  for (int k = 0; k < 6; ++k) sum += box[k];
  for (int k = 0; k < 5; ++k) sum += kept[(k + i) % 5];
  out[i] = sum + i + 4;
}

struct Pair {
  float value;
  int place;
};

//! run struct_value(f32[8]=iota, f32[8]=0, f32[8]) grid 2 block 4
//! out = 14 13 12 11 10 9 8 7
__global__ void struct_value(const float* in, float* box, float* out) {
  cg::grid_group grid = cg::this_grid();
  Pair p;
  p.place = 7 - (int)grid.thread_rank();
  p.value = in[p.place] + 1;
  box[p.place] = p.value;
  grid.sync();
  out[grid.thread_rank()] = p.value + box[p.place] - in[p.place] + 5;
}

//! run shared_memory_stays(i32[12]=0, i32[12]) grid 3 block 4
//! out = 15 14 13 12 31 30 29 28 47 46 45 44
__global__ void shared_memory_stays(int* box, int* out) {
  __shared__ int tile[4];
  __shared__ int base;
  cg::grid_group grid = cg::this_grid();
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) base = blockIdx.x * 16;
  box[grid.thread_rank()] = 1;
  grid.sync();
  int sum = 0;
  for (int k = 0; k < 12; ++k) sum += box[k];
  out[grid.thread_rank()] = base + tile[3 - threadIdx.x] + sum;
}

//! run dynamic_shared_stays(i32[6]=0, i32[6]) grid 3 block 2 shared 8
//! out = 11 10 31 30 51 50
__global__ void dynamic_shared_stays(int* box, int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = blockIdx.x * 20 + threadIdx.x;
  box[blockIdx.x * 2 + threadIdx.x] = 5;
  cg::this_grid().sync();
  out[blockIdx.x * 2 + threadIdx.x] = words[1 - threadIdx.x] + box[0] + box[5];
}

//! run barrier_in_uniform_loop(5, i32[8]=iota, i32[8]=0) grid 4 block 2
//! a = 106 138 170 194 186 138 90 82
__global__ void barrier_in_uniform_loop(int rounds, int* a, int* b) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    b[i] = a[i] + a[(i + 1) % 8];
    grid.sync();
    a[i] = b[i] + r;
    grid.sync();
  }
}

//! run barrier_in_nested_loops(i32[6]=1, i32[6]=0) grid 3 block 2
//! a = 54 54 54 54 54 54
__global__ void barrier_in_nested_loops(int* a, int* b) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  int total = 0;
  for (int x = 0; x < 3; ++x) {
    int part = 0;
    for (int y = 0; y <= x; ++y) {
      b[i] = a[(i + 1) % 6];
      grid.sync();
      part += b[(i + y) % 6];
      grid.sync();
    }
    total += part * (x + 1);
    a[i] = part + 1;
    grid.sync();
  }
  a[i] = total;
}

//! run barrier_in_do_while(i32[4]=0, i32[4]) grid 2 block 2
//! out = 7 7 7 7
__global__ void barrier_in_do_while(int* a, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), rounds = 0;
  do {
    if (i == 0) a[0] += 1;
    grid.sync();
    ++rounds;
  } while (rounds < 7);
  out[i] = a[0];
}

//! run loop_with_exits(6, i32[4]=0, i32[4]) grid 2 block 2
//! out = 18 18 18 18
//! run loop_with_exits(3, i32[4]=0, i32[4]) grid 2 block 2
//! out = 8 8 8 8
__global__ void loop_with_exits(int n, int* a, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), sum = 0;
  for (int r = 0;; ++r) {
    if (r == n) break;
    if (r % 3 == 1) continue;
    a[i] = r + 1;
    grid.sync();
    sum += a[(i + 3) % 4] * 2;
    grid.sync();
    if (r == 3) {
      sum += 2;
      break;
    }
  }
  out[i] = sum;
}

//! run barrier_in_branches(0, i32[4]=0, i32[4]) grid 2 block 2
//! out = 6 5 4 3
//! run barrier_in_branches(1, i32[4]=0, i32[4]) grid 2 block 2
//! out = 13 12 11 10
//! run barrier_in_branches(2, i32[4]=0, i32[4]) grid 2 block 2
//! out = 3 2 1 0
__global__ void barrier_in_branches(int kind, int* a, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  int result = 3 - i;
  if (kind < 2) {
    a[i] = i;
    if (kind == 1) {
      grid.sync();
      result = a[3 - i] + 10;
    } else {
      grid.sync();
      result = a[3 - i] + 3;
    }
  }
  out[i] = result;
}

//! run barrier_in_switch(2, i32[4]=0, i32[4]) grid 2 block 2
//! out = 23 22 21 20
//! run barrier_in_switch(9, i32[4]=0, i32[4]) grid 2 block 2
//! out = 33 32 31 30
__global__ void barrier_in_switch(int kind, int* a, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  a[i] = i;
  int plus = 0;
  switch (kind) {
    case 1: plus = 10; break;
    case 2:
      grid.sync();
      plus = a[3 - i] + 20;
      break;
    default:
      grid.sync();
      plus = a[3 - i] + 30;
  }
  out[i] = plus;
}

//! run pointers_are_exchanged(4, f32[8]=iota, f32[8]=0) grid 4 block 2
//! a = 4 5 6 7 0 1 2 3
__global__ void pointers_are_exchanged(int rounds, float* a, float* b) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  float *from = a, *to = b;
  for (int r = 0; r < rounds; ++r) {
    to[i] = from[(i + 1) % 8];
    grid.sync();
    float* old = from;
    from = to;
    to = old;
  }
}

//! run until_nothing_changes(i32[12]=0, i32[12]=0, i32[1]=0) grid 3 block 4
//! distance = 0 1 2 3 4 5 6 7 8 9 10 11
__global__ void until_nothing_changes(int* distance, int* next, int* changed) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  distance[i] = i == 0 ? 0 : 1000;
  grid.sync();
  for (;;) {
    int best = i == 0 ? 0 : distance[i - 1] + 1;
    int mine = distance[i];
    grid.sync();
    if (i == 0) *changed = 0;
    grid.sync();
    if (best < mine) {
      distance[i] = best;
      *(volatile int*)changed = 1;
    }
    grid.sync();
    if (*(volatile int*)changed == 0) break;
  }
}

//! run barriers_of_both_kinds(3, i32[8]=iota, i32[2]=0) grid 2 block 4
//! sums = 34 63
__global__ void barriers_of_both_kinds(int rounds, int* values, int* sums) {
  __shared__ int tile[4];
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    tile[threadIdx.x] = values[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += tile[k];
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    grid.sync();
    values[i] += sums[1 - blockIdx.x] % 5 + r;
    __syncthreads();
    tile[threadIdx.x] = values[i];
    grid.sync();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0] + tile[1] + tile[2] + tile[3] + blockIdx.x;
}

//! run more_blocks_than_fit(i32[1]=0, i32[1]=0) grid 2000 block 64
//! out = 128000
__global__ void more_blocks_than_fit(int* count, int* out) {
  atomicAdd(count, 1);
  cg::this_grid().sync();
  if (cg::this_grid().thread_rank() == 127999) *out = *count;
}

//! run three_dimensions(i32[24]=0, i32[24]) grid 2,3,1 block 2,1,2
//! out = 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
__global__ void three_dimensions(int* box, int* out) {
  cg::grid_group grid = cg::this_grid();
  int mine = grid.thread_rank();
  box[mine] = mine;
  grid.sync();
  out[23 - box[23 - mine]] = box[23 - mine];
}

__device__ int level(int* box, int i, int depth) {
  int mine = box[i] + depth;
  cg::this_grid().sync();
  box[(i + 1) % 4] = mine;
  cg::this_grid().sync();
  return mine;
}

//! run barrier_in_a_function(i32[4]=0, i32[4]) grid 2 block 2
//! out = 7 7 7 7
__global__ void barrier_in_a_function(int* box, int* out) {
  int i = cg::this_grid().thread_rank();
  int a = level(box, i, 2);
  int b = level(box, i, 3);
  out[i] = a + b;
}

//! run some_threads_return(7, i32[10]=0, i32[10]=0) grid 5 block 2
//! out = 28 28 28 28 28 28 28 0 0 0
__global__ void some_threads_return(int n, int* box, int* out) {
  int i = cg::this_grid().thread_rank();
  if (i >= n && threadIdx.x == 1) return;
  box[i] = i < n ? i + 1 : 0;
  cg::this_grid().sync();
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += box[k];
  cg::this_grid().sync();
  if (i < n) out[i] = sum;
}

//! run fewer_steps_than_barriers(i32[4]=3, i32[4]=0) grid 2 block 2
//! out = 3 3 3 3
__global__ void fewer_steps_than_barriers(const int* in, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  int mine = in[i];
  for (int r = 0; r < mine; ++r) {
    out[i] += 1;
    grid.sync();
  }
}

//! run barrier_in_condition(i32[4]=0, i32[4]) grid 2 block 2
//! out = 3 3 3 3
__global__ void barrier_in_condition(int* box, int* out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), rounds = 0;
  auto goes_on = [&](int limit) {
    if (i == 0) box[0] += 1;
    grid.sync();
    int now = box[0];
    grid.sync();
    return now <= limit;
  };
  while (goes_on(3)) ++rounds;
  out[i] = rounds;
}
