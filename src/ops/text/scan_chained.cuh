// Scans in one pass over memory. A row of one tile is scanned by one block. Otherwise blocks take tiles in order from a counter, and combine the sums that the blocks of
// earlier tiles have published (decoupled look-back). This needs devices on which a block that has started makes
// progress while others wait for it.
//
// 32 tiles of a row are a group. A tile waits for the sums of the earlier tiles of its group, and for the sums of
// earlier groups back to one with a known prefix. Prefixes of groups are combined from left to right, so that the
// order of all combinations is fixed: floating-point results do not depend on timing.

namespace quern_ops {

constexpr unsigned kCellSum = 1, kCellPrefix = 2;

// What a tile or group publishes, in device memory that is initially 0. A value of at most 4 bytes shares a word with
// its status, a larger one is written before the status.
template <class A>
struct Cell {
  static constexpr bool kIsWord = sizeof(A) <= 4;
  static constexpr int kWords = kIsWord ? 1 : 3;

  __device__ static void publish(volatile unsigned long long* cell, unsigned status, A value) {
    if constexpr (kIsWord) {
      *cell = static_cast<unsigned long long>(status) << 32 | bits_in_word(value);
    } else {
      cell[status] = std::bit_cast<unsigned long long>(value);
      __threadfence();
      *cell = status;
    }
  }
  // The status: 0 if nothing is published yet.
  __device__ static unsigned read(const volatile unsigned long long* cell, A& value) {
    const unsigned long long word = *cell;
    if constexpr (kIsWord) {
      value = value_in_word<A>(static_cast<unsigned>(word));
      return static_cast<unsigned>(word >> 32);
    } else {
      if (word == 0) return 0;
      __threadfence();
      value = std::bit_cast<A>(cell[word]);
      return static_cast<unsigned>(word);
    }
  }
};

template <class A>
__device__ A from_lane(A v, int lane) {
  return static_cast<A>(__shfl_sync(0xffffffffu, v, lane));
}

// The combination of all groups before `group`. One warp.
template <class A, class F>
__device__ A prefix_of_group(const volatile unsigned long long* groups, int group, A identity, F combine) {
  const int lane = static_cast<int>(threadIdx.x), at = group - 32 + lane;
  A value = identity;
  unsigned prefixes, missing;
  do {
    const unsigned status = at < 0 ? kCellPrefix : Cell<A>::read(groups + at * Cell<A>::kWords, value);
    prefixes = __ballot_sync(0xffffffffu, status == kCellPrefix);
    missing = __ballot_sync(0xffffffffu, status == 0);
  } while (prefixes == 0 || missing > prefixes);  // a group after the last known prefix has not published its sum
  const int first = 31 - __clz(prefixes);
  A prefix = from_lane(value, first);
  for (int i = first + 1; i < 32; ++i) prefix = combine(prefix, from_lane(value, i));
  return prefix;
}

// Publishes the sum of a tile, and returns the combination of all tiles before it. The last tile of a group finds the
// prefix of the next group; the other tiles only wait for that of their group. The first warp of the block.
template <class A, class F>
__device__ A look_back(volatile unsigned long long* cells, volatile unsigned long long* groups, unsigned tile,
                       A sum, A identity, F combine) {
  constexpr int kWords = Cell<A>::kWords;
  const int lane = static_cast<int>(threadIdx.x), group = static_cast<int>(tile / 32),
            rank = static_cast<int>(tile % 32);
  const bool is_last = rank == 31;
  if (lane == 0) Cell<A>::publish(cells + tile * kWords, kCellSum, sum);
  A before = identity, prefix = identity;
  bool waits = lane < rank, waits_for_prefix = lane == 0 && group > 0 && !is_last;
  do {
    if (waits) waits = Cell<A>::read(cells + (group * 32 + lane) * kWords, before) == 0;
    if (waits_for_prefix) waits_for_prefix = Cell<A>::read(groups + (group - 1) * kWords, prefix) != kCellPrefix;
  } while (__any_sync(0xffffffffu, waits || waits_for_prefix));
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const A other = from_lane(before, (lane + step) & 31);
    if (lane + step < 32) before = combine(before, other);
  }
  before = from_lane(before, 0);
  if (is_last) {
    const A group_sum = combine(before, sum);
    if (lane == 0) Cell<A>::publish(groups + group * kWords, kCellSum, group_sum);
    prefix = prefix_of_group(groups, group, identity, combine);
    if (lane == 0) Cell<A>::publish(groups + group * kWords, kCellPrefix, combine(prefix, group_sum));
  } else {
    prefix = from_lane(prefix, 0);
  }
  return combine(prefix, before);
}

// A tile of a row: each warp has adjacent elements, in rows of packs of its lanes.
constexpr int kScanPack = 4;
template <class A, int kThreads, int kItems>
struct ScanTile {
  static constexpr int kRows = kItems / kScanPack;
  A value[kRows][kScanPack];  // the inclusive scan of each pack
  A before[kRows];            // the elements of the warp before the pack

  // Element k of a pack's position in the tile.
  __device__ static int at(int row, int k) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return static_cast<int>(warp * (32 * kItems) + lane * kScanPack) + row * (32 * kScanPack) + k;
  }
  // Pointers to the tile; `count` elements are in the row.
  template <bool kIsPacked, class T>
  __device__ void load(const T* in, long long stride, long long count, A identity) {
    if (kIsPacked && count >= kThreads * kItems) {
      Pack<T, kScanPack> pack[kRows];
#pragma unroll
      for (int row = 0; row < kRows; ++row) pack[row].load(in + at(row, 0));
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
#pragma unroll
        for (int k = 0; k < kScanPack; ++k) value[row][k] = static_cast<A>(pack[row].get(k));
      }
    } else {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
#pragma unroll
        for (int k = 0; k < kScanPack; ++k) {
          value[row][k] = identity;
          if (at(row, k) < count) value[row][k] = static_cast<A>(in[at(row, k) * stride]);
        }
      }
    }
  }
  // The sum of the warp's elements.
  template <class F>
  __device__ A scan(A identity, F combine) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    A sum[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
#pragma unroll
      for (int k = 1; k < kScanPack; ++k) value[row][k] = combine(value[row][k - 1], value[row][k]);
      sum[row] = value[row][kScanPack - 1];
    }
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const A other = from_lane(sum[row], (lane - step) & 31);
        if (lane >= step) sum[row] = combine(other, sum[row]);
      }
    }
    A total = identity;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const A earlier = from_lane(sum[row], (lane - 1) & 31);
      before[row] = total;
      if (lane > 0) before[row] = combine(total, earlier);
      total = combine(total, from_lane(sum[row], 31));
    }
    return total;
  }
  template <bool kIsPacked, bool kExclusive, class R, class F>
  __device__ void store(R* out, long long stride, long long count, A prefix, F combine) const {
    if (kIsPacked && count >= kThreads * kItems) {
      R* const packs = out + at(0, 0);
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const A first = combine(prefix, before[row]);
        Pack<R, kScanPack> pack;
#pragma unroll
        for (int k = 0; k < kScanPack; ++k) pack.set(k, result<kExclusive, R>(row, k, first, combine));
        pack.store(packs + row * (32 * kScanPack));
      }
    } else {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const A first = combine(prefix, before[row]);
#pragma unroll
        for (int k = 0; k < kScanPack; ++k) {
          if (at(row, k) < count) out[at(row, k) * stride] = result<kExclusive, R>(row, k, first, combine);
        }
      }
    }
  }
  // Of an element, if `first` is the combination of all elements before the pack.
  template <bool kExclusive, class R, class F>
  __device__ R result(int row, int k, A first, F combine) const {
    if constexpr (!kExclusive) return static_cast<R>(combine(first, value[row][k]));
    return static_cast<R>(k == 0 ? first : combine(first, value[row][k > 0 ? k - 1 : 0]));
  }
};

// `state`: a counter of tiles, the cells of the tiles of each row, and those of the groups of each row; 0 at the
// start. kIsPacked: both lines are contiguous and aligned. Unless kIsChained, each row has one tile, and no state.
template <class T, class A, class R, class F, int kAxes, int kThreads, int kItems, bool kExclusive, bool kIsPacked,
          bool kIsChained>
__global__ void __launch_bounds__(kThreads)
    scan_chained(int tiles, int all_tiles, long long length, Index<kAxes, 2> rows, long long stride,
                 long long out_stride, const T* in, R* out, unsigned long long* state, A identity) {
  constexpr int kTile = kThreads * kItems, kWarps = kThreads / 32;
  __shared__ unsigned ticket;
  __shared__ A sums[kWarps];
  __shared__ A tile_prefix;
  const F combine{};
  const int warp = static_cast<int>(threadIdx.x / 32);
  unsigned row = blockIdx.x, tile = 0;
  if constexpr (kIsChained) {
    if (threadIdx.x == 0) ticket = static_cast<unsigned>(atomicAdd(state, 1ull));
    __syncthreads();
    row = 0;
    tile = ticket;
    if (tiles != all_tiles) {
      row = tile / static_cast<unsigned>(tiles);
      tile -= row * static_cast<unsigned>(tiles);
    }
  }
  const long long begin = static_cast<long long>(tile) * kTile, count = length - begin;
  long long at[2];
  rows.offsets(row, at);
  ScanTile<A, kThreads, kItems> items;
  items.template load<kIsPacked>(in + (at[0] + begin * stride), stride, count, identity);
  const A sum = items.scan(identity, combine);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
  __syncthreads();
  A before = identity, total = sums[0];
#pragma unroll
  for (int i = 1; i < kWarps; ++i) {
    if (warp == i) before = total;
    total = combine(total, sums[i]);
  }
  if constexpr (kIsChained) {
    if (warp == 0) {
      const int groups = (tiles + 31) / 32;
      constexpr int kWords = Cell<A>::kWords;
      unsigned long long* const cells = state + 1;
      const A prefix = look_back(cells + static_cast<long long>(row) * tiles * kWords,
                                 cells + (all_tiles + static_cast<long long>(row) * groups) * kWords, tile, total,
                                 identity, combine);
      if (threadIdx.x == 0) tile_prefix = prefix;
    }
    __syncthreads();
    before = combine(tile_prefix, before);
  }
  items.template store<kIsPacked, kExclusive>(out + (at[1] + begin * out_stride), out_stride, count,
                                              before, combine);
}

}  // namespace quern_ops
