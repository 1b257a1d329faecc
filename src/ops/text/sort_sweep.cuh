// Radix sort with one pass over memory for each digit of 8 bits, from the lowest on. sort_bins() counts all digits of
// all keys, sort_starts() scans these counts, and each sort_sweep() moves the elements by one digit. Its blocks take
// tiles in order from a counter; the numbers of equal digits in earlier tiles come from what their blocks have
// published (decoupled look-back). This needs devices on which a block that has started makes progress while others
// wait for it. Keys are handled as unsigned integers of the same size.

namespace quern_ops {

constexpr int kSweepDigits = 256;

// kIsReal: as Order, else a sign and a direction are one exclusive or.
template <bool kIsReal, class K>
__device__ unsigned sweep_digit(const Order<K>& order, K key, int shift) {
  if constexpr (kIsReal) return static_cast<unsigned>(order.rank(key) >> shift) & 255u;
  return (static_cast<unsigned>(key >> shift) ^ static_cast<unsigned>((order.sign ^ order.flip) >> shift)) & 255u;
}

// Adds to bins[pass * 256 + digit]. kIsPacked: the keys are contiguous and aligned.
template <class K, bool kIsReal, bool kIsPacked, int kThreads>
__global__ void __launch_bounds__(kThreads)
    sort_bins(unsigned n, Order<K> order, Line line, const K* keys, unsigned* bins) {
  constexpr int kPasses = static_cast<int>(sizeof(K)), kPack = 16 / kPasses, kPacks = 4;
  constexpr unsigned kTile = kThreads * kPack * kPacks;
  __shared__ unsigned count[kPasses * kSweepDigits];
  for (int i = static_cast<int>(threadIdx.x); i < kPasses * kSweepDigits; i += kThreads) count[i] = 0;
  __syncthreads();
  const auto add = [&](K key) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      atomicAdd(&count[pass * kSweepDigits + sweep_digit<kIsReal>(order, key, 8 * pass)], 1u);
  };
  for (unsigned long long begin = blockIdx.x * static_cast<unsigned long long>(kTile); begin < n;
       begin += gridDim.x * static_cast<unsigned long long>(kTile)) {
    if (kIsPacked && begin + kTile <= n) {
      Pack<K, kPack> pack[kPacks];
#pragma unroll
      for (int p = 0; p < kPacks; ++p)
        pack[p].load(keys + line.first + (begin + (p * kThreads + threadIdx.x) * kPack));
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
#pragma unroll
        for (int k = 0; k < kPack; ++k) add(pack[p].get(k));
      }
    } else {
      const unsigned long long end = begin + kTile < n ? begin + kTile : n;
      for (unsigned long long i = begin + threadIdx.x; i < end; i += kThreads)
        add(keys[line[static_cast<long long>(i)]]);
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kPasses * kSweepDigits; i += kThreads) {
    if (count[i] != 0) atomicAdd(&bins[i], count[i]);
  }
}

// Replaces the counts of each pass with the positions of the first elements. A block for each pass.
template <int kThreads>
__global__ void sort_starts(unsigned* bins) {
  static_assert(kThreads == kSweepDigits);
  __shared__ typename cub::BlockScan<unsigned, kThreads>::TempStorage storage;
  unsigned* const bin = &bins[blockIdx.x * kSweepDigits + threadIdx.x];
  unsigned start;
  cub::BlockScan<unsigned, kThreads>(storage).ExclusiveSum(*bin, start);
  *bin = start;
}

// The lanes with the same digit. `masks`: one for each digit, of this warp, 0 before and after.
template <bool kInMemory>
__device__ unsigned lanes_of_digit(unsigned digit, unsigned* masks) {
  unsigned lanes = 0xffffffffu;
  if constexpr (kInMemory) {
    const unsigned lane = threadIdx.x % 32;
    atomicOr(&masks[digit], 1u << lane);
    __syncwarp();
    lanes = masks[digit];
    __syncwarp();
    if (lanes >> lane == 1) masks[digit] = 0;
  } else {
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const bool is_set = (digit & 1u << bit) != 0;
      const unsigned set = __ballot_sync(0xffffffffu, is_set);
      lanes &= is_set ? set : ~set;
    }
  }
  return lanes;
}

// What a tile publishes for each digit: a number in C, unsigned or unsigned long long, whose upper two bits are a
// status: 0: nothing yet, 1: the number in the tile, 2: the number in this and all earlier tiles.
template <class C>
struct Published {
  static constexpr int kShift = 8 * sizeof(C) - 2;
  static constexpr C kMask = (static_cast<C>(1) << kShift) - 1, kInTile = static_cast<C>(1) << kShift,
                     kUpToTile = static_cast<C>(2) << kShift;

  // The number in the tiles before `tile`. `counts`: of one digit, in steps of kSweepDigits.
  __device__ static unsigned before(const volatile C* counts, unsigned tile) {
    constexpr unsigned kAhead = 4;  // tiles that are read at once
    C sum = 0;
    unsigned at = tile;  // the tiles from here on are counted
    while (at > 0) {
      C seen[kAhead];
#pragma unroll
      for (unsigned k = 0; k < kAhead; ++k) {
        seen[k] = kUpToTile;
        if (at > k) seen[k] = counts[static_cast<unsigned long long>(at - 1 - k) * kSweepDigits];
      }
      bool goes_on = true;
#pragma unroll
      for (unsigned k = 0; k < kAhead; ++k) {
        goes_on = goes_on && seen[k] != 0;
        if (goes_on) {
          sum += seen[k] & kMask;
          --at;
          if (seen[k] >= kUpToTile) {
            at = 0;
            goes_on = false;
          }
        }
      }
    }
    return static_cast<unsigned>(sum);
  }
};

// Threads of a block own digits, and each warp has kItems rows of 32 adjacent elements of the tile. V: the type of the
// values; kHasValues is false without any. kIsContiguous: all operands, from their first element on.
template <class K, class V, bool kHasValues, bool kIsReal, bool kIsContiguous, class C, int kThreads, int kItems, int kResident>
__global__ void __launch_bounds__(kThreads, kResident)
    sort_sweep(unsigned n, int shift, Order<K> order, const unsigned* starts, unsigned* ticket, C* published, Line line,
               const K* keys, Line to_line, K* sorted_keys, Line value_line, const V* values, Line to_value_line,
               V* sorted_values) {
  constexpr bool kMasksInMemory = sizeof(K) <= 4;
  constexpr int kWarps = kThreads / 32, kTile = kThreads * kItems;
  constexpr int kRankBytes = kWarps * kSweepDigits * 8, kElement = sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V),
                kBytes = kTile * kElement > kRankBytes ? kTile * kElement : kRankBytes;
  static_assert(kThreads >= kSweepDigits);
  __shared__ typename cub::BlockScan<unsigned, kThreads>::TempStorage storage;
  __shared__ unsigned starts_of_tile[kSweepDigits];  // less the positions in the tile
  __shared__ unsigned tile_taken;
  __shared__ unsigned long long memory[(kBytes + 7) / 8];
  unsigned* const counts = reinterpret_cast<unsigned*>(memory);  // [warp][digit]
  unsigned* const masks = counts + kWarps * kSweepDigits;        // lanes with the digit, [warp][digit]
  K* const moved_keys = reinterpret_cast<K*>(memory);
  V* const moved_values = reinterpret_cast<V*>(memory);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  unsigned* const counts_of_warp = counts + warp * kSweepDigits;
  unsigned* const masks_of_warp = masks + warp * kSweepDigits;
  const bool has_digit = thread < kSweepDigits;

  if (thread == 0) tile_taken = atomicAdd(ticket, 1u);
  for (int i = thread; i < 2 * kWarps * kSweepDigits; i += kThreads) counts[i] = 0;
  __syncthreads();
  const unsigned tile = tile_taken;
  const unsigned long long first = static_cast<unsigned long long>(tile) * kTile;
  const int count = n - first < kTile ? static_cast<int>(n - first) : kTile;
  const int begin = warp * (32 * kItems) + lane;
  const auto from = [&](const Line& l, int i) {
    return kIsContiguous ? static_cast<long long>(first) + i : l[static_cast<long long>(first) + i];
  };

  // Elements after the last one have the last digit, and come after all others.
  const bool is_full = count == kTile;
  const auto digit_of = [&](int k, K key) {
    return kIsReal && begin + 32 * k >= count ? 255u : sweep_digit<kIsReal>(order, key, shift);
  };
  K key[kItems];
  if (is_full) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) key[k] = keys[from(line, begin + 32 * k)];
  } else {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      key[k] = static_cast<K>(~(order.sign ^ order.flip));
      if (begin + 32 * k < count) key[k] = keys[from(line, begin + 32 * k)];
    }
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) atomicAdd(&counts_of_warp[digit_of(k, key[k])], 1u);
  __syncthreads();

  // The counts become the positions before the first elements of each warp and digit in the sorted tile.
  unsigned in_tile = 0, start;
  if (has_digit) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) in_tile += counts[w * kSweepDigits + thread];
    const C status = tile == 0 ? Published<C>::kUpToTile : Published<C>::kInTile;
    const_cast<volatile C*>(published)[static_cast<unsigned long long>(tile) * kSweepDigits + thread] =
        status | in_tile;
  }
  cub::BlockScan<unsigned, kThreads>(storage).ExclusiveSum(in_tile, start);
  if (has_digit) {
    unsigned next = start - 1;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const unsigned here = counts[w * kSweepDigits + thread];
      counts[w * kSweepDigits + thread] = next;
      next += here;
    }
  }
  __syncthreads();

  // The position of each element: those of a warp with the same digit are counted by the last of these lanes, whose
  // number among them is their count. For wide keys, the memory that they take leaves more time for votes.
  const unsigned lanes_up_to_this = 0xffffffffu >> (31 - lane);
  unsigned position[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const unsigned digit = digit_of(k, key[k]), lanes = lanes_of_digit<kMasksInMemory>(digit, masks_of_warp),
                   number = static_cast<unsigned>(__popc(lanes & lanes_up_to_this));
    unsigned last = 0;
    if (lanes <= lanes_up_to_this) last = atomicAdd(&counts_of_warp[digit], number);
    __syncwarp();
    position[k] = __shfl_sync(0xffffffffu, last, 31 - __clz(lanes)) + number;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; ++k) moved_keys[position[k]] = key[k];
  if (has_digit) {
    volatile C* const mine = published + thread;
    const unsigned before = Published<C>::before(mine, tile);
    if (tile != 0)
      mine[static_cast<unsigned long long>(tile) * kSweepDigits] =
          Published<C>::kUpToTile | (static_cast<C>(before) + in_tile);
    starts_of_tile[thread] = starts[thread] + before - start;
  }
  __syncthreads();
  unsigned digits[(kItems + 3) / 4] = {};  // four in a word
  const auto write_key = [&](int k) {
    const int i = thread + k * kThreads;
    const K moved = moved_keys[i];
    const unsigned digit = sweep_digit<kIsReal>(order, moved, shift),
                   to = starts_of_tile[digit] + static_cast<unsigned>(i);
    sorted_keys[kIsContiguous ? to : to_line[to]] = moved;
    if constexpr (kHasValues) digits[k / 4] |= digit << 8 * (k % 4);
  };
  if (is_full) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) write_key(k);
  } else {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (thread + k * kThreads < count) write_key(k);
    }
  }
  if constexpr (kHasValues) {
    const auto write_value = [&](int k) {
      const int i = thread + k * kThreads;
      const unsigned to = starts_of_tile[digits[k / 4] >> 8 * (k % 4) & 255u] + static_cast<unsigned>(i);
      sorted_values[kIsContiguous ? to : to_value_line[to]] = moved_values[i];
    };
    V value[kItems];
    if (is_full) {
#pragma unroll
      for (int k = 0; k < kItems; ++k) value[k] = values[from(value_line, begin + 32 * k)];
    } else {
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        value[k] = V();
        if (begin + 32 * k < count) value[k] = values[from(value_line, begin + 32 * k)];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) moved_values[position[k]] = value[k];
    __syncthreads();
    if (is_full) {
#pragma unroll
      for (int k = 0; k < kItems; ++k) write_value(k);
    } else {
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        if (thread + k * kThreads < count) write_value(k);
      }
    }
  }
}

}  // namespace quern_ops
