// cooperative_groups: blocks, tiles, coalesced threads, grids, collectives.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

//! run block_properties(u32[8]) grid 2,1,1 block 4,2,1
//! out = 8 7 3 1 1 4 2 1
__global__ void block_properties(unsigned* out) {
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() != 7 || block.group_index().x != 1) return;
  out[0] = block.size();
  out[1] = block.thread_rank();
  out[2] = block.thread_index().x;
  out[3] = block.thread_index().y;
  out[4] = block.group_index().x;
  out[5] = block.group_dim().x;
  out[6] = block.group_dim().y;
  out[7] = block.group_dim().z;
}

//! run block_barrier(i32[8]) block 8
//! out = 7 6 5 4 3 2 1 0
__global__ void block_barrier(int* out) {
  __shared__ int tile[8];
  auto block = cg::this_thread_block();
  tile[block.thread_rank()] = threadIdx.x;
  block.sync();
  out[threadIdx.x] = tile[7 - threadIdx.x];
  cg::sync(block);
}

//! run tile_ranks(u32[32], u32[32]) block 32
//! ranks = 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7
//! parts = 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3
__global__ void tile_ranks(unsigned* ranks, unsigned* parts) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  ranks[threadIdx.x] = tile.thread_rank();
  parts[threadIdx.x] = tile.meta_group_rank();
}

//! run tile_sizes(u32[7]) block 64
//! out = 1 2 4 8 16 32 2
__global__ void tile_sizes(unsigned* out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  if (threadIdx.x != 0) return;
  out[0] = cg::thread_block_tile<1>::size();
  out[1] = cg::tiled_partition<2>(block).size();
  out[2] = cg::tiled_partition<4>(block).num_threads();
  out[3] = cg::tiled_partition<8>(block).size();
  out[4] = cg::tiled_partition<16>(block).size();
  out[5] = warp.size();
  out[6] = warp.meta_group_size();
}

//! run tile_shuffles(i32[16], i32[16], i32[16], i32[16]) block 16
//! index = 2 2 2 2 6 6 6 6 10 10 10 10 14 14 14 14
//! up = 0 0 1 2 4 4 5 6 8 8 9 10 12 12 13 14
//! down = 1 2 3 3 5 6 7 7 9 10 11 11 13 14 15 15
//! crossed = 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12
__global__ void tile_shuffles(int* index, int* up, int* down, int* crossed) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int i = threadIdx.x;
  index[i] = tile.shfl(i, 2);
  up[i] = tile.shfl_up(i, 1);
  down[i] = tile.shfl_down(i, 1);
  crossed[i] = tile.shfl_xor(i, 3);
}

//! run tile_votes(u32[32], i32[4]) block 32
//! ballots = 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10
//! out = 1 0 1 0
__global__ void tile_votes(unsigned* ballots, int* out) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  ballots[threadIdx.x] = tile.ballot(threadIdx.x & 1);
  int any = tile.any(threadIdx.x == 5), all = tile.all(threadIdx.x >= 4);
  if (threadIdx.x == 4) {
    out[0] = any;
    out[3] = tile.size() == 8;
    out[2] = all;
  }
  if (threadIdx.x == 0) out[1] = any;
}

//! run tile_match(u32[16]) block 16
//! out = 19 19 236 236 19 236 236 236 19 19 236 236 19 236 236 236
__global__ void tile_match(unsigned* out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int r = tile.thread_rank();
  out[threadIdx.x] = tile.match_any(r == 0 || r == 1 || r == 4);
}

//! run nested_tiles(u32[32]) block 32
//! out[0:16] = 0 1 2 3 10 11 12 13 20 21 22 23 30 31 32 33
//! out[16:32] = 100 101 102 103 110 111 112 113 120 121 122 123 130 131 132 133
__global__ void nested_tiles(unsigned* out) {
  auto outer = cg::tiled_partition<16>(cg::this_thread_block());
  auto inner = cg::tiled_partition<4>(outer);
  out[threadIdx.x] = outer.meta_group_rank() * 100 + inner.meta_group_rank() * 10 + inner.thread_rank();
}

//! run coalesced_in_a_branch(u32[32]=99, u32[1]=0) block 32
//! ranks = 0 99 99 99 1 99 99 99 2 99 99 99 3 99 99 99 4 99 99 99 5 99 99 99 6 99 99 99 7 99 99 99
//! sizes = 64
__global__ void coalesced_in_a_branch(unsigned* ranks, unsigned* sizes) {
  if (threadIdx.x % 4 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    ranks[threadIdx.x] = active.thread_rank();
    atomicAdd(sizes, active.size());
  }
}

//! run coalesced_shuffles(i32[32]=-1, i32[32]=-1) block 32
//! first = -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1
//! next = -1 3 -1 5 -1 7 -1 9 -1 11 -1 13 -1 15 -1 17 -1 19 -1 21 -1 23 -1 25 -1 27 -1 29 -1 31 -1 31
__global__ void coalesced_shuffles(int* first, int* next) {
  if (threadIdx.x % 2 == 1) {
    auto odd = cg::coalesced_threads();
    first[threadIdx.x] = odd.shfl((int)threadIdx.x, 0);
    next[threadIdx.x] = odd.shfl_down((int)threadIdx.x, 1);
  }
}

__device__ int aggregated_increment(int* counter) {
  cg::coalesced_group g = cg::coalesced_threads();
  int first = 0;
  if (g.thread_rank() == 0) first = atomicAdd(counter, (int)g.size());
  return g.shfl(first, 0) + g.thread_rank();
}
//! run aggregated_atomics(i32[64]=iota, i32[1]=0, i32[22]=0) block 64
//! counter = 22
//! taken = 1*22
__global__ void aggregated_atomics(const int* in, int* counter, int* taken) {
  if (in[threadIdx.x] % 3 == 0) taken[aggregated_increment(counter)] += 1;
}

//! run grid_properties(u64[4]) grid 3 block 4
//! out = 12 11 3 2
__global__ void grid_properties(unsigned long long* out) {
  cg::grid_group grid = cg::this_grid();
  if (grid.thread_rank() != 11) return;
  out[0] = grid.size();
  out[1] = grid.thread_rank();
  out[2] = grid.num_blocks();
  out[3] = grid.block_rank();
}

//! run grid_stride(i32[10]=iota, i32[10]) grid 2 block 3
//! out = 0 2 4 6 8 10 12 14 16 18
__global__ void grid_stride(const int* in, int* out) {
  auto grid = cg::this_grid();
  for (unsigned i = grid.thread_rank(); i < 10; i += grid.size()) out[i] = in[i] * 2;
}

//! run two_phases(i32[6]=0, i32[1]) grid 3 block 2
//! sum = 15
__global__ void two_phases(int* scratch, int* sum) {
  auto grid = cg::this_grid();
  scratch[grid.thread_rank()] = grid.thread_rank();
  cg::sync(grid);
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (int i = 0; i < 6; ++i) total += scratch[i];
    *sum = total;
  }
}

//! run reductions_of_tiles(i32[32], i32[32], i32[32]) block 32
//! sums[0:16] = 28 28 28 28 28 28 28 28 92 92 92 92 92 92 92 92
//! sums[16:32] = 156 156 156 156 156 156 156 156 220 220 220 220 220 220 220 220
//! least = 0 0 0 0 0 0 0 0 8 8 8 8 8 8 8 8 16 16 16 16 16 16 16 16 24 24 24 24 24 24 24 24
//! most = 7 7 7 7 7 7 7 7 15 15 15 15 15 15 15 15 23 23 23 23 23 23 23 23 31 31 31 31 31 31 31 31
__global__ void reductions_of_tiles(int* sums, int* least, int* most) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = threadIdx.x;
  sums[v] = cg::reduce(tile, v, cg::plus<int>());
  least[v] = cg::reduce(tile, v, cg::less<int>());
  most[v] = cg::reduce(tile, v, cg::greater<int>());
}

//! run reduction_with_a_lambda(f32[32]) block 32
//! out = 31.5*32
__global__ void reduction_with_a_lambda(float* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float v = threadIdx.x + 0.5f;
  out[threadIdx.x] = cg::reduce(warp, v, [](float a, float b) { return a > b ? a : b; });
}

//! run bit_reductions(u32[3]) block 32
//! out = 0 31 0
__global__ void bit_reductions(unsigned* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned a = cg::reduce(warp, threadIdx.x, cg::bit_and<unsigned>());
  unsigned o = cg::reduce(warp, threadIdx.x, cg::bit_or<unsigned>());
  unsigned x = cg::reduce(warp, threadIdx.x, cg::bit_xor<unsigned>());
  if (warp.thread_rank() == 0) {
    out[0] = a;
    out[1] = o;
    out[2] = x;
  }
}

//! run reduction_of_coalesced(i32[32]=0) block 32
//! out[0:16] = 10 10 10 10 10 486 486 486 486 486 486 486 486 486 486 486
//! out[16:32] = 486 486 486 486 486 486 486 486 486 486 486 486 486 486 486 486
__global__ void reduction_of_coalesced(int* out) {
  if (threadIdx.x < 5) {
    auto g = cg::coalesced_threads();
    out[threadIdx.x] = cg::reduce(g, (int)threadIdx.x, cg::plus<int>());
  } else {
    auto g = cg::coalesced_threads();
    out[threadIdx.x] = cg::reduce(g, (int)threadIdx.x, cg::plus<int>());
  }
}

//! run scans(i32[16], i32[16]) block 16
//! inclusive = 0 1 3 6 10 15 21 28 8 17 27 38 50 63 77 92
//! exclusive = 0 0 1 3 6 10 15 21 0 8 17 27 38 50 63 77
__global__ void scans(int* inclusive, int* exclusive) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = threadIdx.x;
  inclusive[v] = cg::inclusive_scan(tile, v, cg::plus<int>());
  exclusive[v] = cg::exclusive_scan(tile, v);
}

//! run binary_partition(u32[32], u32[32]) block 32
//! sizes = 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21 21 11 21
//! ranks = 0 0 1 1 2 3 2 4 5 3 6 7 4 8 9 5 10 11 6 12 13 7 14 15 8 16 17 9 18 19 10 20
__global__ void binary_partition(unsigned* sizes, unsigned* ranks) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(warp, threadIdx.x % 3 == 0);
  sizes[threadIdx.x] = part.size();
  ranks[threadIdx.x] = part.thread_rank();
}

//! run labeled_partition(u32[32], u32[32]) block 32
//! sizes = 7 7 6 6 6 7 7 6 6 6 7 7 6 6 6 7 7 6 6 6 7 7 6 6 6 7 7 6 6 6 7 7
//! ranks = 0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4 5 5 5 5 5 6 6
__global__ void labeled_partition(unsigned* sizes, unsigned* ranks) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::labeled_partition(warp, (int)threadIdx.x % 5);
  sizes[threadIdx.x] = part.size();
  ranks[threadIdx.x] = part.thread_rank();
}

__device__ int sum_of(const cg::thread_group& g, int* scratch, int v) {
  int rank = g.thread_rank();
  for (int d = g.size() / 2; d > 0; d /= 2) {
    scratch[rank] = v;
    g.sync();
    if (rank < d) v += scratch[rank + d];
    g.sync();
  }
  return v;
}
//! run any_group(i32[3]) block 64
//! out = 2016 28 92
__global__ void any_group(int* out) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  int all = sum_of(block, scratch, threadIdx.x);
  cg::thread_group tile = cg::tiled_partition(block, 8);
  block.sync();
  int part = sum_of(tile, scratch + threadIdx.x / 8 * 8, threadIdx.x);
  if (threadIdx.x == 0) {
    out[0] = all;
    out[1] = part;
  }
  if (threadIdx.x == 8) out[2] = part;
}

//! run group_copy(i32[20]=iota, i32[20]) block 8
//! out = 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
__global__ void group_copy(const int* in, int* out) {
  __shared__ int tile[20];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(int) * 20);
  cg::wait(block);
  for (int i = block.thread_rank(); i < 20; i += block.size()) out[i] = tile[19 - i];
}

template <int N>
__device__ int tile_sum(cg::thread_block_tile<N> tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  return v;
}
//! run tile_as_template_parameter(i32[3]) block 32
//! out = 496 120 1
__global__ void tile_as_template_parameter(int* out) {
  auto block = cg::this_thread_block();
  int all = tile_sum<32>(cg::tiled_partition<32>(block), threadIdx.x);
  int part = tile_sum<16>(cg::tiled_partition<16>(block), threadIdx.x);
  int pair = tile_sum<2>(cg::tiled_partition<2>(block), threadIdx.x);
  if (threadIdx.x == 0) {
    out[0] = all;
    out[1] = part;
    out[2] = pair;
  }
}


template <class T, class Tag = void> struct Boxed { T value; };
template <class T> __device__ T unboxed(Boxed<T> b) { return b.value; }
//! run default_argument_in_a_deduced_parameter(i32[1])
//! out = 3
__global__ void default_argument_in_a_deduced_parameter(int* out) {
  Boxed<int> b{3};
  out[0] = unboxed(b);
}

//! run tiles_of_two_warps(i32[128]) block 128
//! out[0:4] = 2016 2016 2016 2016
//! out[124:128] = 6112 6112 6112 6112
//! run tiles_of_two_warps(i32[128]) block 128 seed 9
//! out[62:66] = 2016 2016 6112 6112
__global__ void tiles_of_two_warps(int* out) {
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
}

//! run large_tiles_work_apart(i32[8]) block 256
//! out = 2 64 63 127 1 0 496 1
__global__ void large_tiles_work_apart(int* out) {
  auto block = cg::this_thread_block();
  cg::thread_block_tile<128, cg::thread_block> tile = cg::tiled_partition<128>(block);
  __shared__ int value[2];
  if (tile.meta_group_rank() == 1) {
    // Only these threads synchronize here.
    if (tile.thread_rank() == 64) value[1] = tile.thread_rank();
    tile.sync();
    int seen = value[1];
    int from = tile.shfl(int(tile.thread_rank()), 63);
    int scanned = cg::inclusive_scan(tile, 1);
    int any = tile.any(tile.thread_rank() == 127), all = tile.all(tile.thread_rank() != 5);
    if (tile.thread_rank() == 126) {
      out[0] = tile.meta_group_size();
      out[1] = seen;
      out[2] = from;
      out[3] = scanned;
      out[4] = any;
      out[5] = all;
    }
  }
  auto small = cg::tiled_partition<32>(tile);
  int sum = cg::reduce(small, int(small.thread_rank()), cg::plus<int>());
  if (threadIdx.x == 200) {
    out[6] = sum;
    out[7] = small.meta_group_rank() - 1;
  }
}
