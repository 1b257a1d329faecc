// Mistakes with thread block clusters.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//! run no_such_block(i32[2]) grid 2 block 1
//! report out of bounds @
__global__ void __cluster_dims__(2) no_such_block(int* out) {
  __shared__ int mine;
  mine = 1;
  cg::this_cluster().sync();
  out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&mine, 2);  //@
  cg::this_cluster().sync();
}

//! run block_has_ended(i32[1]) grid 2 block 1
//! report out of bounds @
__global__ void __cluster_dims__(2) block_has_ended(int* out) {
  __shared__ int mine;
  mine = 1;
  cg::this_cluster().sync();
  if (blockIdx.x == 1) return;
  out[0] = *cg::this_cluster().map_shared_rank(&mine, 1);  //@
}
