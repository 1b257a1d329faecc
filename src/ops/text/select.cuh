// Selections: the elements of each tile that are kept are counted, the counts are scanned, and the elements
// are moved. P::keeps says which elements are kept.

namespace quern_ops {

template <class F>
struct Where {
  template <class T>
  __device__ static bool keeps(const T* in, Line line, long long i) {
    return static_cast<bool>(F{}(in[line[i]]));
  }
};
struct FirstOfRun {
  template <class T>
  __device__ static bool keeps(const T* in, Line line, long long i) {
    return i == 0 || in[line[i]] != in[line[i - 1]];
  }
};

// counts[tile], and 0 at the end
template <class T, class P, int kThreads, int kItems>
__global__ void select_counts(long long n, long long tiles, Line line, const T* in, long long* counts) {
  __shared__ typename cub::BlockReduce<int, kThreads>::TempStorage storage;
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const long long begin = tile * (kThreads * kItems) + threadIdx.x;
    int kept = 0;
    for (int k = 0; k < kItems; ++k) {
      const long long i = begin + k * kThreads;
      if (i < n && P::keeps(in, line, i)) ++kept;
    }
    kept = cub::BlockReduce<int, kThreads>(storage).Sum(kept);
    if (threadIdx.x == 0) counts[tile] = kept;
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) counts[tiles] = 0;
}

template <class T, class P, bool kIsPartition, int kThreads, int kItems>
__global__ void select_move(long long n, long long tiles, Line line, Line out_line, const T* in,
                            const long long* starts, T* out, long long* count) {
  __shared__ typename cub::BlockScan<int, kThreads>::TempStorage storage;
  const long long total = starts[tiles];
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    // Adjacent elements belong to one thread: they keep their order.
    const long long begin = tile * (kThreads * kItems) + static_cast<long long>(threadIdx.x) * kItems;
    unsigned kept = 0;
    int number = 0, before;
    for (int k = 0; k < kItems; ++k) {
      if (begin + k < n && P::keeps(in, line, begin + k)) {
        kept |= 1u << k;
        ++number;
      }
    }
    cub::BlockScan<int, kThreads>(storage).ExclusiveSum(number, before);
    long long to = starts[tile] + before;
    for (int k = 0; k < kItems; ++k) {
      if (begin + k < n) {
        if ((kept >> k & 1u) != 0) {
          out[out_line[to]] = in[line[begin + k]];
          ++to;
        } else if (kIsPartition) {
          out[out_line[total + (begin + k - to)]] = in[line[begin + k]];
        }
      }
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = total;
}

}  // namespace quern_ops
