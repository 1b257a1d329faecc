// Thread block clusters: ranks, the cluster barrier, and the shared memory of other blocks.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//! run ranks(i32[24]) grid 4,2 block 1
//! out = 0 4 0 1 4 1 0 4 0 1 4 1 2 4 2 3 4 3 2 4 2 3 4 3
__global__ void __cluster_dims__(2, 2) ranks(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * 3] = cluster.block_rank();
  out[block * 3 + 1] = cluster.num_blocks();
  out[block * 3 + 2] = cluster.block_index().y * 2 + cluster.block_index().x;
}

//! run sizes(i32[5]) grid 4 block 8
//! out = 2 1 16 11 16
__global__ void __cluster_dims__(2, 1, 1) sizes(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (blockIdx.x == 1 && threadIdx.x == 3) {
    out[0] = cluster.dim_blocks().x;
    out[1] = cluster.dim_blocks().y;
    out[2] = cluster.num_threads();
    out[3] = cluster.thread_rank();
    out[4] = cluster.dim_threads().x;
  }
}

//! run neighbours(i32[16]) grid 4 block 4
//! out = 10 11 12 13 0 1 2 3 30 31 32 33 20 21 22 23
__global__ void __cluster_dims__(2) neighbours(int* out) {
  __shared__ int mine[4];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = blockIdx.x * 10 + threadIdx.x;
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[blockIdx.x * 4 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

//! run histogram(i32[64]=iota, i32[8]) grid 4 block 16
//! bins = 8*8
__global__ void __cluster_dims__(4) histogram(const int* data, int* bins) {
  __shared__ int part[2];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 2) part[threadIdx.x] = 0;
  cluster.sync();
  int bin = data[blockIdx.x * 16 + threadIdx.x] % 8;
  atomicAdd(cluster.map_shared_rank(part, bin / 2) + bin % 2, 1);
  cluster.sync();
  if (threadIdx.x < 2) bins[cluster.block_rank() * 2 + threadIdx.x] = part[threadIdx.x];
}

//! run through_global(i32[8]=0, i32[8]) grid 4 block 2
//! out = 3 3 3 3 7 7 7 7
__global__ void __cluster_dims__(2) through_global(int* scratch, int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 2 + threadIdx.x;
  if (threadIdx.x == 0) scratch[blockIdx.x] = blockIdx.x + 1;
  cluster.sync();
  int first = blockIdx.x / 2 * 2;
  out[i] = scratch[first] + scratch[first + 1];
}

//! run dynamic_memory(i32[4]) grid 2 block 2 shared 8
//! out = 100 101 0 1
__global__ void __cluster_dims__(2) dynamic_memory(int* out) {
  extern __shared__ int words[];
  cg::cluster_group cluster = cg::this_cluster();
  words[threadIdx.x] = cluster.block_rank() * 100 + threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 2 + threadIdx.x] = cluster.map_shared_rank(words, 1 - cluster.block_rank())[threadIdx.x];
  cluster.sync();
}

// Without a specified size it is a cluster of one block.
//! run alone(i32[2]) grid 2 block 1
//! out = 1 1
__global__ void alone(int* out) {
  cg::this_cluster().sync();
  out[blockIdx.x] = cg::this_cluster().num_blocks();
}
