// Grid barriers that not all threads reach, and data that no grid barrier orders.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//! run a_block_returns(i32[6]=0) grid 3 block 2
//! report divergent barrier @
__global__ void a_block_returns(int* out) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();  //@
  out[cg::this_grid().thread_rank()] = 1;
}

//! run barriers_of_two_branches(i32[4]=0) grid 2 block 2
//! report divergent barrier @
__global__ void barriers_of_two_branches(int* out) {
  if (blockIdx.x == 0) {
    cg::this_grid().sync();  //@
    out[threadIdx.x] = 1;
  } else {
    cg::this_grid().sync();
    out[2 + threadIdx.x] = 2;
  }
}

//! run loops_of_different_length(i32[2]=0) grid 2 block 1
//! report divergent barrier @
__global__ void loops_of_different_length(int* out) {
  for (int i = 0; i <= blockIdx.x; ++i) cg::this_grid().sync();  //@
  out[blockIdx.x] = 1;
}

//! run block_barrier_against_grid_barrier(i32[2]=0) grid 1 block 2
//! report deadlock @
__global__ void block_barrier_against_grid_barrier(int* out) {
  if (threadIdx.x == 0) {
    cg::this_grid().sync();  //@
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

//! run block_barrier_between_blocks(i32[2]=0, i32[2]) grid 2 block 1
//! report race @
__global__ void block_barrier_between_blocks(int* box, int* out) {
  box[blockIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x] = box[1 - blockIdx.x];  //@
}

//! run written_before_all_have_read(2, i32[4]=1) grid 2 block 2
//! report race @
__global__ void written_before_all_have_read(int rounds, int* a) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    int next = a[(i + 1) % 4];  //@
    a[i] = next + 1;
    grid.sync();
  }
}

//! run all_blocks_arrive(i32[2]=0, i32[2]) grid 2 block 1
//! out = 1 1
__global__ void all_blocks_arrive(int* box, int* out) {
  box[blockIdx.x] = 1;
  cg::this_grid().sync();
  out[blockIdx.x] = box[1 - blockIdx.x];
}
