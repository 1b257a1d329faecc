// cub::WarpReduce, WarpScan, BlockReduce and BlockScan. Kernels whose `out` is expected to be 0 count how often a
// thread's result differs from a plain loop's.
#include <cub/cub.cuh>

__device__ int item(int i) { return (i * 37 + 11) % 101 - 50; }

// Does not commute: f(x) = a x + b, applied in sequence.
struct Affine {
  unsigned a, b;
  __device__ Affine() {}
  __device__ Affine(unsigned m, unsigned n) : a(m), b(n) {}
};
struct Then {
  __device__ Affine operator()(const Affine& f, const Affine& g) const {
    return Affine(g.a * f.a, g.a * f.b + g.b);
  }
};
__device__ Affine affine(int i) { return Affine(2 * i + 3, i + 1); }
__device__ bool differ(const Affine& f, const Affine& g) { return f.a != g.a || f.b != g.b; }

//! run warp_sum(i32[3]) block 96
//! out = 496 1520 2544
__global__ void warp_sum(int* out) {
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ typename WarpReduce::TempStorage temp[3];
  int warp = threadIdx.x / 32;
  int sum = WarpReduce(temp[warp]).Sum(threadIdx.x);
  if (threadIdx.x % 32 == 0) out[warp] = sum;
}

//! run warp_reduce_forms(i32[6]) block 32
//! out = 50 -50 10 7 36 31
__global__ void warp_reduce_forms(int* out) {
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ WarpReduce::TempStorage temp;
  int lane = threadIdx.x;
  int highest = WarpReduce(temp).Reduce(lane == 7 ? 50 : -lane, cub::Max());
  int lowest = WarpReduce(temp).Reduce(lane == 9 ? -50 : lane, cub::Min());
  int five = WarpReduce(temp).Sum(lane, 5);
  int seven = WarpReduce(temp).Reduce(lane, cub::Max(), 8);
  int nine = WarpReduce(temp).Reduce(lane, [](int a, int b) { return a + b; }, 9);
  int max = WarpReduce(temp).Max(lane);
  if (lane == 0) {
    out[0] = highest;
    out[1] = lowest;
    out[2] = five;
    out[3] = seven;
    out[4] = nine;
    out[5] = max;
  }
}

//! run logical_warps(i32[8]) block 64
//! out = 28 92 156 220 284 348 412 476
__global__ void logical_warps(int* out) {
  using WarpReduce = cub::WarpReduce<int, 8>;
  __shared__ WarpReduce::TempStorage temp[8];
  int sum = WarpReduce(temp[threadIdx.x / 8]).Sum(threadIdx.x);
  if (threadIdx.x % 8 == 0) out[threadIdx.x / 8] = sum;
}

// Heads at 0, 3, 10, 31; tails at 2, 9, 30 and, since the warp ends there, 31.
//! run segments(i32[32], i32[32]) block 32
//! heads[0:4] = 3 3 2 42
//! heads[10:12] = 420 410
//! heads[31:32] = 31
//! tails[0:4] = 3 3 2 42
//! tails[10:12] = 420 410
//! tails[31:32] = 31
__global__ void segments(int* heads, int* tails) {
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ WarpReduce::TempStorage temp;
  int lane = threadIdx.x;
  bool is_head = lane == 0 || lane == 3 || lane == 10 || lane == 31;
  bool is_tail = lane == 2 || lane == 9 || lane == 30;
  heads[lane] = WarpReduce(temp).HeadSegmentedSum(lane, is_head);
  tails[lane] = WarpReduce(temp).TailSegmentedReduce(lane, is_tail, cub::Sum());
}

//! run warp_scans(i32[32], i32[32], i32[32], i32[32]) block 32
//! inclusive[0:4] = 0 1 3 6
//! inclusive[31:32] = 496
//! exclusive[0:4] = 0 0 1 3
//! exclusive[31:32] = 465
//! most[0:6] = 5 5 5 5 5 5
//! most[31:32] = 30
//! rest = 496*16 17*16
__global__ void warp_scans(int* inclusive, int* exclusive, int* most, int* rest) {
  using WarpScan = cub::WarpScan<int>;
  __shared__ WarpScan::TempStorage temp;
  int lane = threadIdx.x;
  int total;
  WarpScan(temp).InclusiveSum(lane, inclusive[lane]);
  WarpScan(temp).ExclusiveSum(lane, exclusive[lane], total);
  WarpScan(temp).ExclusiveScan(lane, most[lane], 5, cub::Max());
  rest[lane] = lane < 16 ? total : WarpScan(temp).Broadcast(lane, 17);
}

//! run warp_scan_keeps_order(i32[1]=0) block 64
//! out = 0
__global__ void warp_scan_keeps_order(int* out) {
  using WarpScan = cub::WarpScan<Affine, 16>;
  __shared__ WarpScan::TempStorage temp[4];
  int first = threadIdx.x / 16 * 16;
  Affine inclusive, exclusive, total;
  WarpScan(temp[threadIdx.x / 16]).InclusiveScan(affine(threadIdx.x), inclusive, Then(), total);
  WarpScan(temp[threadIdx.x / 16]).ExclusiveScan(affine(threadIdx.x), exclusive, Affine(5, 6), Then());
  Affine sum = affine(first), before(5, 6), all = affine(first);
  for (int i = first + 1; i <= threadIdx.x; ++i) sum = Then()(sum, affine(i));
  for (int i = first; i < threadIdx.x; ++i) before = Then()(before, affine(i));
  for (int i = first + 1; i < first + 16; ++i) all = Then()(all, affine(i));
  if (differ(sum, inclusive) || differ(before, exclusive) || differ(all, total)) atomicAdd(out, 1);
}

template <int Threads, cub::BlockReduceAlgorithm Algorithm>
__device__ int block_sum(int v) {
  typedef cub::BlockReduce<int, Threads, Algorithm> BlockReduce;
  __shared__ typename BlockReduce::TempStorage temp_storage;
  return BlockReduce(temp_storage).Sum(v);
}
//! run block_sums(i32[3]) block 128
//! out = 8128 8128 8128
__global__ void block_sums(int* out) {
  int a = block_sum<128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(threadIdx.x);
  int b = block_sum<128, cub::BLOCK_REDUCE_RAKING>(threadIdx.x);
  int c = block_sum<128, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(threadIdx.x);
  if (threadIdx.x == 0) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
  }
}

// A partial last warp, items in arrays, and a number of valid threads.
//! run block_reduce_forms(f32[5]) block 40
//! out = 780 49 3160 190 1176
__global__ void block_reduce_forms(float* out) {
  using BlockReduce = cub::BlockReduce<float, 40>;
  __shared__ BlockReduce::TempStorage temp;
  BlockReduce reduce(temp);
  float x = threadIdx.x;
  float sum = reduce.Sum(x);
  __syncthreads();
  float most = reduce.Reduce(threadIdx.x == 33 ? 49.0f : x, cub::Max());
  __syncthreads();
  float items[2] = {2 * x, 2 * x + 1};
  float pairs = reduce.Sum(items);
  __syncthreads();
  float twenty = reduce.Sum(x, 20);
  __syncthreads();
  float weighted = reduce.Reduce(threadIdx.x < 37 ? x + 15 : 1000.0f, cub::Sum(), 37);
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = most;
    out[2] = pairs;
    out[3] = twenty;
    out[4] = weighted - 45;
  }
}

//! run block_of_three_dimensions(i32[2]) block 8,4,3
//! out = 4560 95
__global__ void block_of_three_dimensions(int* out) {
  using BlockReduce = cub::BlockReduce<int, 8, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 4, 3>;
  __shared__ union {
    typename BlockReduce::TempStorage reduce;
    typename cub::BlockScan<int, 8, cub::BLOCK_SCAN_RAKING, 4, 3>::TempStorage scan;
  } temp;
  int linear = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
  int sum = BlockReduce(temp.reduce).Sum(linear);
  if (linear == 0) out[0] = sum;
  __syncthreads();
  int before;
  cub::BlockScan<int, 8, cub::BLOCK_SCAN_RAKING, 4, 3>(temp.scan).ExclusiveSum(1, before);
  if (linear == 95) out[1] = before;
}

//! run storage_of_its_own(i32[2]) block 64
//! out = 64 63
__global__ void storage_of_its_own(int* out) {
  int sum = cub::BlockReduce<int, 64>().Sum(1);
  int before;
  cub::BlockScan<int, 64>().ExclusiveSum(1, before);
  if (threadIdx.x == 0) out[0] = sum;
  if (threadIdx.x == 63) out[1] = before;
}

//! run where_the_highest_is(i32[1], f32[1]) block 64
//! key = 19
//! value = 7.5
__global__ void where_the_highest_is(int* key, float* value) {
  using Pair = cub::KeyValuePair<int, float>;
  using BlockReduce = cub::BlockReduce<Pair, 64>;
  __shared__ typename BlockReduce::TempStorage temp;
  cub::ArgMax highest;
  Pair mine;
  mine.key = threadIdx.x;
  mine.value = threadIdx.x == 19 || threadIdx.x == 40 ? 7.5f : threadIdx.x * 0.1f;
  const Pair result = BlockReduce(temp).Reduce(mine, highest);
  if (threadIdx.x == 0) {
    *key = result.key;
    *value = result.value;
  }
}

//! run block_reduce_keeps_order(i32[1]=0) block 100
//! out = 0
__global__ void block_reduce_keeps_order(int* out) {
  using BlockReduce = cub::BlockReduce<Affine, 100>;
  __shared__ BlockReduce::TempStorage temp;
  Affine got = BlockReduce(temp).Reduce(affine(threadIdx.x), Then());
  __syncthreads();
  Affine part = BlockReduce(temp).Reduce(affine(threadIdx.x), Then(), 71);
  Affine sum = affine(0), first = affine(0);
  for (int i = 1; i < 100; ++i) sum = Then()(sum, affine(i));
  for (int i = 1; i < 71; ++i) first = Then()(first, affine(i));
  if (threadIdx.x == 0 && (differ(got, sum) || differ(part, first))) atomicAdd(out, 1);
}

//! run block_scans(i32[96], i32[96], i32[96], i32[1]) block 96
//! inclusive[0:3] = 0 1 3
//! inclusive[63:65] = 2016 2080
//! inclusive[95:96] = 4560
//! exclusive[0:3] = 0 0 1
//! exclusive[63:65] = 1953 2016
//! exclusive[95:96] = 4465
//! most[0:4] = 10 10 10 10
//! most[12:14] = 11 12
//! most[95:96] = 94
//! total = 4560
__global__ void block_scans(int* inclusive, int* exclusive, int* most, int* total) {
  using BlockScan = cub::BlockScan<int, 96>;
  __shared__ BlockScan::TempStorage temp;
  int t = threadIdx.x, sum;
  BlockScan(temp).InclusiveSum(t, inclusive[t]);
  __syncthreads();
  BlockScan(temp).ExclusiveSum(t, exclusive[t], sum);
  __syncthreads();
  BlockScan(temp).ExclusiveScan(t, most[t], 10, cub::Max());
  if (t == 50) *total = sum;
}

template <int Threads>
__device__ void check_order(int* out) {
  using BlockScan = cub::BlockScan<Affine, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename BlockScan::TempStorage temp;
  int t = threadIdx.x;
  Affine items[3] = {affine(3 * t), affine(3 * t + 1), affine(3 * t + 2)};
  Affine inclusive[3], exclusive[3], total;
  BlockScan(temp).InclusiveScan(items, inclusive, Then(), total);
  __syncthreads();
  BlockScan(temp).ExclusiveScan(items, exclusive, Affine(7, 9), Then());
  __syncthreads();
  Affine single, none;
  BlockScan(temp).InclusiveScan(items[0], single, Then());
  __syncthreads();
  BlockScan(temp).ExclusiveScan(items[0], none, Then());
  Affine before(7, 9), sum = affine(0), all = affine(0), singles = affine(0), fewer = affine(0);
  for (int i = 0; i < 3 * t; ++i) before = Then()(before, affine(i));
  for (int i = 1; i <= 3 * t; ++i) sum = Then()(sum, affine(i));
  for (int i = 1; i < 3 * Threads; ++i) all = Then()(all, affine(i));
  for (int i = 1; i <= t; ++i) singles = Then()(singles, affine(3 * i));
  for (int i = 1; i < t; ++i) fewer = Then()(fewer, affine(3 * i));
  bool wrong = differ(all, total) || differ(singles, single) || (t > 0 && differ(fewer, none));
  for (int i = 0; i < 3; ++i) {
    wrong = wrong || differ(exclusive[i], before) || differ(inclusive[i], sum);
    before = Then()(before, items[i]);
    if (i < 2) sum = Then()(sum, items[i + 1]);
  }
  if (wrong) atomicAdd(out, 1);
}
//! run block_scan_keeps_order(i32[1]=0) block 128
//! out = 0
__global__ void block_scan_keeps_order(int* out) { check_order<128>(out); }
//! run block_scan_of_a_partial_warp(i32[1]=0) block 45
//! out = 0
__global__ void block_scan_of_a_partial_warp(int* out) { check_order<45>(out); }
//! run block_scan_of_a_small_block(i32[1]=0) block 12
//! out = 0
__global__ void block_scan_of_a_small_block(int* out) { check_order<12>(out); }

// Carries the prefix from tile to tile.
struct Running {
  int total;
  __device__ Running(int first) : total(first) {}
  __device__ int operator()(int tile) {
    int before = total;
    total += tile;
    return before;
  }
};
//! run scan_of_many_tiles(i32[512], i32[512]) block 64
//! exclusive[0:3] = 100 60 58
//! exclusive[511:512] = 117
//! inclusive[511:512] = 98
//! inclusive[0:2] = 60 58
__global__ void scan_of_many_tiles(int* exclusive, int* inclusive) {
  using BlockScan = cub::BlockScan<int, 64>;
  __shared__ BlockScan::TempStorage temp;
  Running prefix(100), again(100);
  for (int tile = 0; tile < 4; ++tile) {
    int at = tile * 128 + threadIdx.x * 2;
    int items[2], sums[2];
    for (int i = 0; i < 2; ++i) items[i] = at + i == 0 ? -40 : item(at + i);
    BlockScan(temp).ExclusiveSum(items, sums, prefix);
    __syncthreads();
    for (int i = 0; i < 2; ++i) exclusive[at + i] = sums[i];
    BlockScan(temp).InclusiveSum(items, sums, again);
    __syncthreads();
    for (int i = 0; i < 2; ++i) inclusive[at + i] = sums[i];
  }
}

// A block smaller than its type says; only the existing threads count.
//! run block_with_fewer_threads(f32[2]) block 64
//! out = 2016 63
__global__ void block_with_fewer_threads(float* out) {
  using BlockReduce = cub::BlockReduce<float, 1024>;
  __shared__ typename BlockReduce::TempStorage temp;
  float sum = BlockReduce(temp).Sum(threadIdx.x, blockDim.x);
  __syncthreads();
  float most = BlockReduce(temp).Reduce(threadIdx.x, cub::Max{}, blockDim.x);
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = most;
  }
}

//! run storage_in_dynamic_memory(i32[96]) block 96 shared 1024
//! out[0:3] = 1 2 3
//! out[94:96] = 95 96
__global__ void storage_in_dynamic_memory(int* out) {
  extern __shared__ char bytes[];
  using BlockScan = cub::BlockScan<int, 96>;
  auto& temp = reinterpret_cast<typename BlockScan::TempStorage&>(bytes);
  BlockScan(temp).InclusiveSum(1, out[threadIdx.x]);
}

//! run functors_of_cuda(i32[3]) block 32
//! out = 31 0 496
__global__ void functors_of_cuda(int* out) {
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ WarpReduce::TempStorage temp;
  int x = threadIdx.x;
  int most = WarpReduce(temp).Reduce(x, cuda::maximum<>{});
  int least = WarpReduce(temp).Reduce(x, cuda::minimum<>{});
  int sum = WarpReduce(temp).Reduce(x, cuda::std::plus<>{});
  if (x == 0) {
    out[0] = most;
    out[1] = least;
    out[2] = sum;
  }
}
