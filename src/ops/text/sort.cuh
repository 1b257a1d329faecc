// Radix sort, 4 bits in each pass from the lowest on. A pass counts the digits of each tile, scans the counts,
// and moves each element to its position. Keys are handled as unsigned integers of the same size.

namespace quern_ops {

// counts[digit * tiles + tile]
template <class K, int kThreads, int kItems>
__global__ void sort_counts(unsigned n, unsigned tiles, int shift, Order<K> order, Line line, const K* keys,
                            unsigned* counts) {
  __shared__ unsigned count[16];
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (threadIdx.x < 16) count[threadIdx.x] = 0;
    __syncthreads();
    const unsigned begin = tile * (kThreads * kItems) + threadIdx.x;
    for (int k = 0; k < kItems; ++k) {
      const unsigned i = begin + k * kThreads;
      if (i < n && i >= begin) atomicAdd(&count[order.digit(keys[line[i]], shift)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * tiles + tile] = count[threadIdx.x];
    __syncthreads();
  }
}

// Moves elements. `starts`: the scanned counts. V: the type of the values; kHasValues is false without any.
template <class K, class V, bool kHasValues, int kThreads, int kItems>
__global__ void sort_move(unsigned n, unsigned tiles, int shift, Order<K> order, const unsigned* starts, Line line,
                          const K* keys, Line to_line, K* sorted_keys, Line value_line, const V* values,
                          Line to_value_line, V* sorted_values) {
  // The number of elements for each digit and thread, in the order (digit, thread). A word has two: the lower
  // half for digit d, the upper half for digit d + 8.
  __shared__ unsigned counters[8 * kThreads];
  __shared__ typename cub::BlockScan<unsigned, kThreads>::TempStorage storage;
  const unsigned thread = threadIdx.x;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int d = 0; d < 8; ++d) counters[d * kThreads + thread] = 0;
    // Adjacent elements belong to one thread: the order of equal digits is kept.
    const unsigned first = tile * (kThreads * kItems);
    const unsigned begin = thread * kItems;
    const unsigned end = n - first < kThreads * kItems ? n - first : kThreads * kItems;  // of the tile
    K key[kItems];
    unsigned digit[kItems], rank[kItems];
    for (int k = 0; k < kItems; ++k) {
      if (begin + k < end) {
        key[k] = keys[line[first + begin + k]];
        digit[k] = order.digit(key[k], shift);
        const unsigned at = (digit[k] & 7u) * kThreads + thread, half_shift = (digit[k] >> 3) * 16;
        rank[k] = (counters[at] >> half_shift) & 0xffffu;
        counters[at] += 1u << half_shift;
      }
    }
    __syncthreads();
    unsigned sum = 0, prefix, total;
    for (int j = 0; j < 8; ++j) sum += counters[thread * 8 + j];
    cub::BlockScan<unsigned, kThreads>(storage).ExclusiveSum(sum, prefix, total);
    prefix += total << 16;  // digits 8 to 15 come after digits 0 to 7
    for (int j = 0; j < 8; ++j) {
      const unsigned here = counters[thread * 8 + j];
      counters[thread * 8 + j] = prefix;
      prefix += here;
    }
    __syncthreads();
    for (int k = 0; k < kItems; ++k) {
      if (begin + k < end) {
        const unsigned row = (digit[k] & 7u) * kThreads, half_shift = (digit[k] >> 3) * 16;
        const unsigned before = ((counters[row + thread] >> half_shift) & 0xffffu) -
                                ((counters[row] >> half_shift) & 0xffffu) + rank[k];
        const unsigned to = starts[digit[k] * tiles + tile] + before;
        sorted_keys[to_line[to]] = key[k];
        if constexpr (kHasValues) sorted_values[to_value_line[to]] = values[value_line[first + begin + k]];
      }
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
