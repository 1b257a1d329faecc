// cub's loads, stores, exchanges, sorts and what threads do with their neighbours' items. Kernels whose `out` is
// expected to be 0 count how often a thread's result differs from a plain loop's.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>

__device__ int item(int i) { return (i * 37 + 11) % 101 - 50; }

//! run block_exchanges(i32[1]=0) block 64
//! out = 0
__global__ void block_exchanges(int* out) {
  using BlockExchange = cub::BlockExchange<int, 64, 4>;
  __shared__ typename BlockExchange::TempStorage temp;
  int t = threadIdx.x;
  int blocked[4], striped[4], warped[4], back[4], ranks[4], to[4], spread[4];
  for (int i = 0; i < 4; ++i) blocked[i] = item(t * 4 + i);
  BlockExchange(temp).BlockedToStriped(blocked, striped);
  __syncthreads();
  BlockExchange(temp).BlockedToWarpStriped(blocked, warped);
  __syncthreads();
  for (int i = 0; i < 4; ++i) back[i] = striped[i];
  BlockExchange(temp).StripedToBlocked(back);
  __syncthreads();
  BlockExchange(temp).WarpStripedToBlocked(warped, to);
  __syncthreads();
  for (int i = 0; i < 4; ++i) ranks[i] = 255 - (t * 4 + i);
  BlockExchange(temp).ScatterToBlocked(blocked, spread, ranks);
  __syncthreads();
  BlockExchange(temp).ScatterToStriped(blocked, ranks);
  bool wrong = false;
  for (int i = 0; i < 4; ++i) {
    wrong = wrong || striped[i] != item(i * 64 + t);
    wrong = wrong || warped[i] != item(t / 32 * 128 + i * 32 + t % 32);
    wrong = wrong || back[i] != item(t * 4 + i) || to[i] != item(t * 4 + i);
    wrong = wrong || spread[i] != item(255 - (t * 4 + i)) || blocked[i] != item(255 - (i * 64 + t));
  }
  if (wrong) atomicAdd(out, 1);
}

//! run scatter_what_is_flagged(i32[16]) block 8
//! out = 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
__global__ void scatter_what_is_flagged(int* out) {
  using BlockExchange = cub::BlockExchange<int, 8, 2>;
  __shared__ BlockExchange::TempStorage temp;
  int t = threadIdx.x;
  int items[2] = {2 * t, 2 * t + 1};
  int ranks[2] = {(2 * t + 8) % 16, (2 * t + 9) % 16};
  BlockExchange(temp).ScatterToStripedGuarded(items, ranks);
  for (int i = 0; i < 2; ++i) out[i * 8 + t] = items[i];
}

//! run warp_exchanges(i32[1]=0) block 64
//! out = 0
__global__ void warp_exchanges(int* out) {
  using WarpExchange = cub::WarpExchange<int, 4, 16>;
  __shared__ WarpExchange::TempStorage temp[4];
  int t = threadIdx.x, warp = t / 16, lane = t % 16;
  int blocked[4], striped[4], back[4], ranks[4];
  for (int i = 0; i < 4; ++i) blocked[i] = item(t * 4 + i);
  WarpExchange(temp[warp]).BlockedToStriped(blocked, striped);
  __syncwarp();
  WarpExchange(temp[warp]).StripedToBlocked(striped, back);
  __syncwarp();
  for (int i = 0; i < 4; ++i) ranks[i] = 63 - (lane * 4 + i);
  WarpExchange(temp[warp]).ScatterToStriped(blocked, ranks);
  bool wrong = false;
  for (int i = 0; i < 4; ++i) {
    wrong = wrong || striped[i] != item(warp * 64 + i * 16 + lane) || back[i] != item(t * 4 + i);
    wrong = wrong || blocked[i] != item(warp * 64 + 63 - (i * 16 + lane));
  }
  if (wrong) atomicAdd(out, 1);
}

template <cub::BlockLoadAlgorithm How, cub::BlockStoreAlgorithm Back>
__device__ void load_and_store(const int* in, int* out, int count) {
  using Load = cub::BlockLoad<int, 32, 3, How>;
  using Store = cub::BlockStore<int, 32, 3, Back>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } temp;
  int items[3];
  Load(temp.load).Load(in, items, count, -1);
  __syncthreads();
  for (int i = 0; i < 3; ++i) items[i] = items[i] * 2 + 1;
  Store(temp.store).Store(out, items, count);
  __syncthreads();
}
//! run loads_and_stores(i32[96]=iota, i32[480]=-7) block 32
//! out[0:3] = 1 3 5
//! out[88:91] = 177 179 -7
//! out[96:99] = 1 3 5
//! out[184:187] = 177 179 -7
//! out[192:195] = 1 3 5
//! out[280:283] = 177 179 -7
//! out[288:291] = 1 3 5
//! out[376:379] = 177 179 -7
//! out[384:387] = 1 3 5
//! out[472:475] = 177 179 -7
__global__ void loads_and_stores(const int* in, int* out) {
  load_and_store<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(in, out, 90);
  load_and_store<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(in, out + 96, 90);
  load_and_store<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(in, out + 192, 90);
  load_and_store<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(in, out + 288, 90);
  load_and_store<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_DIRECT>(in, out + 384, 90);
}

//! run whole_tiles(i32[128]=iota, i32[128]) block 64
//! out[0:4] = 1 0 3 2
//! out[124:128] = 125 124 127 126
__global__ void whole_tiles(int* in, int* out) {
  using Load = cub::BlockLoad<int, 64, 2, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 2, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ Load::TempStorage load;
  __shared__ Store::TempStorage store;
  int items[2];
  Load(load).Load(in, items);
  cub::Swap(items[0], items[1]);
  Store(store).Store(out, items);
}

//! run direct_functions(i32[64]=iota, i32[64]=-1, i32[64]=-1, i32[64]=-1) block 32
//! blocked[0:3] = 0 1 2
//! blocked[63:64] = 63
//! striped[0:3] = 0 1 2
//! striped[49:51] = 49 -1
//! warped = 9*64
__global__ void direct_functions(int* in, int* blocked, int* striped, int* warped) {
  int items[2];
  cub::LoadDirectStriped<32>(threadIdx.x, in, items);
  cub::StoreDirectStriped<32>(threadIdx.x, blocked, items);
  cub::LoadDirectBlocked(threadIdx.x, in, items, 50, 9);
  cub::StoreDirectBlocked(threadIdx.x, striped, items, 50);
  cub::LoadDirectWarpStriped(threadIdx.x, cub::ConstantInputIterator<int>(9), items);
  cub::StoreDirectWarpStriped(threadIdx.x, warped, items);
}

template <class Key, int Threads, int Items, class Make, class Less>
__device__ void check_sort(int* out, Make make, Less less) {
  using Sort = cub::BlockRadixSort<Key, Threads, Items, int>;
  __shared__ typename Sort::TempStorage temp;
  __shared__ Key sorted[Threads * Items];
  __shared__ int places[Threads * Items];
  int t = threadIdx.x;
  Key keys[Items];
  int values[Items];
  for (int i = 0; i < Items; ++i) {
    keys[i] = make(t * Items + i);
    values[i] = t * Items + i;
  }
  // By counting the items that go before: stable.
  for (int i = 0; i < Items; ++i) {
    int before = 0;
    for (int k = 0; k < Threads * Items; ++k) {
      Key other = make(k);
      if (less(other, keys[i]) || (!less(keys[i], other) && k < t * Items + i)) ++before;
    }
    sorted[before] = keys[i];
    places[before] = t * Items + i;
  }
  __syncthreads();
  Sort(temp).Sort(keys, values);
  bool wrong = false;
  for (int i = 0; i < Items; ++i) {
    wrong = wrong || keys[i] != sorted[t * Items + i] || values[i] != places[t * Items + i];
  }
  if (wrong) atomicAdd(out, 1);
}
//! run radix_sort_of_ints(i32[1]=0) block 64
//! out = 0
__global__ void radix_sort_of_ints(int* out) {
  check_sort<int, 64, 3>(out, [](int i) { return item(i) * 1000003; }, [](int a, int b) { return a < b; });
}
//! run radix_sort_of_floats(i32[1]=0) block 40
//! out = 0
__global__ void radix_sort_of_floats(int* out) {
  check_sort<float, 40, 2>(
      out, [](int i) { return i == 7 ? -0.0f : i == 9 ? 0.0f : item(i) * 0.37f; },
      [](float a, float b) { return a < b; });
}
//! run radix_sort_of_small_and_large_keys(i32[2]=0) block 32
//! out = 0 0
__global__ void radix_sort_of_small_and_large_keys(int* out) {
  check_sort<unsigned char, 32, 2>(
      out, [](int i) { return (unsigned char)(i * 77); },
      [](unsigned char a, unsigned char b) { return a < b; });
  check_sort<long long, 32, 2>(
      out + 1, [](int i) { return item(i) * 1234567890123ll; }, [](long long a, long long b) { return a < b; });
}

//! run radix_sort_forms(i32[64], i32[64], i32[64], i32[64]) block 32
//! down[0:3] = 63 62 61
//! down[63:64] = 0
//! striped[0:3] = 0 1 2
//! striped[63:64] = 63
//! bits[0:4] = 0 8 16 24
//! bits[63:64] = 63
//! values[0:2] = 19 38
__global__ void radix_sort_forms(int* down, int* striped, int* bits, int* values) {
  using Sort = cub::BlockRadixSort<int, 32, 2>;
  using PairSort = cub::BlockRadixSort<unsigned, 32, 2, int>;
  __shared__ union {
    Sort::TempStorage sort;
    PairSort::TempStorage pairs;
  } temp;
  int t = threadIdx.x;
  int keys[2] = {(2 * t * 37) % 64, ((2 * t + 1) * 37) % 64};
  int again[2] = {keys[0], keys[1]}, lower[2] = {2 * t, 2 * t + 1};
  unsigned unsigned_keys[2] = {unsigned(keys[0]), unsigned(keys[1])};
  int indices[2] = {2 * t, 2 * t + 1};
  Sort(temp.sort).SortDescending(keys);
  __syncthreads();
  Sort(temp.sort).SortBlockedToStriped(again);
  __syncthreads();
  Sort(temp.sort).Sort(lower, 0, 3);
  __syncthreads();
  PairSort(temp.pairs).SortDescendingBlockedToStriped(unsigned_keys, indices);
  for (int i = 0; i < 2; ++i) {
    down[2 * t + i] = keys[i];
    striped[i * 32 + t] = again[i];
    bits[2 * t + i] = lower[i];
    values[i * 32 + t] = indices[i];
  }
}

struct Record {
  int major, minor;
};
struct ByMajor {
  __device__ bool operator()(const Record& a, const Record& b) const { return a.major < b.major; }
};
//! run merge_sorts(i32[2]=0, i32[32]) block 48
//! out = 0 0
//! few[0:6] = -46 -43 -39 -36 -29 -26
//! few[8:11] = -9 -2 1
__global__ void merge_sorts(int* out, int* few) {
  using Sort = cub::BlockMergeSort<Record, 48, 3>;
  using WarpSort = cub::WarpMergeSort<int, 2, 16, int>;
  __shared__ Sort::TempStorage temp;
  __shared__ WarpSort::TempStorage own[3];
  __shared__ Record all[144];
  int t = threadIdx.x;
  Record records[3];
  for (int i = 0; i < 3; ++i) records[i] = {item(t * 3 + i) / 10, t * 3 + i};
  Sort(temp).StableSort(records, ByMajor());
  for (int i = 0; i < 3; ++i) all[t * 3 + i] = records[i];
  __syncthreads();
  for (int i = t * 3; i < t * 3 + 3 && i + 1 < 144; ++i) {
    bool right = all[i].major < all[i + 1].major ||
                 (all[i].major == all[i + 1].major && all[i].minor < all[i + 1].minor);
    if (!right || all[i].major != item(all[i].minor) / 10) atomicAdd(out, 1);
  }
  int keys[2] = {item(t * 2), item(t * 2 + 1)}, values[2] = {t * 2, t * 2 + 1};
  WarpSort(own[t / 16]).Sort(keys, values, [](int a, int b) { return a < b; }, 20, 1000);
  if (keys[0] > keys[1] || (keys[1] < 1000 && item(values[1]) != keys[1])) atomicAdd(out + 1, 1);
  if (t < 16) {
    few[2 * t] = keys[0];
    few[2 * t + 1] = keys[1];
  }
}

//! run flags(i32[24], i32[24], i32[24]) block 8
//! heads = 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0
//! tails = 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 0
//! given = 0 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0
__global__ void flags(int* heads, int* tails, int* given) {
  using BlockDiscontinuity = cub::BlockDiscontinuity<int, 8>;
  __shared__ BlockDiscontinuity::TempStorage temp;
  int t = threadIdx.x;
  int items[3], head[3], tail[3], other[3];
  for (int i = 0; i < 3; ++i) items[i] = (t * 3 + i) / 4;
  BlockDiscontinuity(temp).FlagHeads(head, items, cub::Inequality());
  __syncthreads();
  BlockDiscontinuity(temp).FlagTails(tail, items, cub::Inequality(), 5);
  __syncthreads();
  BlockDiscontinuity(temp).FlagHeads(other, items, cub::Inequality(), 0);
  for (int i = 0; i < 3; ++i) {
    heads[t * 3 + i] = head[i];
    tails[t * 3 + i] = tail[i];
    given[t * 3 + i] = other[i];
  }
}

//! run differences(i32[16], i32[16], i32[16]) block 8
//! left = 0 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29
//! right = -1 -3 -5 -7 -9 -11 -13 -15 -17 -19 -21 -23 -25 -27 -29 -31
//! partial = -5 1 3 5 7 9 11 13 15 17 19 121 144 169 196 225
__global__ void differences(int* left, int* right, int* partial) {
  using Difference = cub::BlockAdjacentDifference<int, 8>;
  __shared__ Difference::TempStorage temp;
  int t = threadIdx.x;
  auto minus = [](const int& a, const int& b) { return a - b; };
  int squares[2] = {4 * t * t, (2 * t + 1) * (2 * t + 1)}, out[2];
  Difference(temp).SubtractLeft(squares, out, minus);
  left[2 * t] = out[0];
  left[2 * t + 1] = out[1];
  __syncthreads();
  Difference(temp).SubtractRight(squares, out, minus, 256);
  right[2 * t] = out[0];
  right[2 * t + 1] = out[1];
  __syncthreads();
  Difference(temp).SubtractLeftPartialTile(squares, squares, minus, 11, 5);
  partial[2 * t] = squares[0];
  partial[2 * t + 1] = squares[1];
}

//! run shuffles(i32[8], i32[8], i32[16], i32[16], i32[2]) block 8
//! offset = 2 3 4 5 6 7 -1 -1
//! rotated = 3 4 5 6 7 0 1 2
//! up = -1 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
//! down = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -1
//! ends = 15 0
__global__ void shuffles(int* offset, int* rotated, int* up, int* down, int* ends) {
  using BlockShuffle = cub::BlockShuffle<int, 8>;
  __shared__ BlockShuffle::TempStorage temp;
  int t = threadIdx.x, got = -1, last, first;
  BlockShuffle(temp).Offset(t, got, 2);
  offset[t] = got;
  __syncthreads();
  BlockShuffle(temp).Rotate(t, rotated[t], 3);
  __syncthreads();
  int items[2] = {2 * t, 2 * t + 1}, before[2] = {-1, -1}, after[2] = {-1, -1};
  BlockShuffle(temp).Up(items, before, last);
  __syncthreads();
  BlockShuffle(temp).Down(items, after, first);
  for (int i = 0; i < 2; ++i) {
    up[2 * t + i] = before[i];
    down[2 * t + i] = after[i];
  }
  if (t == 3) {
    ends[0] = last;
    ends[1] = first;
  }
}

//! run histograms(u32[5]) block 64
//! out = 52 51 51 51 51
__global__ void histograms(unsigned* out) {
  using BlockHistogram = cub::BlockHistogram<unsigned char, 64, 4, 5>;
  __shared__ BlockHistogram::TempStorage temp;
  __shared__ unsigned bins[5];
  unsigned char items[4];
  for (int i = 0; i < 4; ++i) items[i] = (threadIdx.x * 4 + i) % 5;
  BlockHistogram(temp).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 5) out[threadIdx.x] = bins[threadIdx.x];
}

//! run keys_as_bits(u32[4], f32[1]) block 1
//! bits = 2147483653 2147483643 3212836864 1082130431
//! back = -2.5
__global__ void keys_as_bits(unsigned* bits, float* back) {
  bits[0] = cub::Traits<int>::TwiddleIn(5u);
  bits[1] = cub::Traits<int>::TwiddleIn(unsigned(-5));
  bits[2] = cub::Traits<float>::TwiddleIn(__float_as_uint(1.0f));
  bits[3] = cub::Traits<float>::TwiddleIn(__float_as_uint(-1.0f));
  *back = __uint_as_float(cub::Traits<float>::TwiddleOut(cub::Traits<float>::TwiddleIn(__float_as_uint(-2.5f))));
}
