// Scans of rows. A row is cut into tiles: the tiles are reduced, these sums are scanned, and each tile is
// scanned with the sum of the tiles before it. Work item w is tile w % tiles of row w / tiles.

namespace quern_ops {

// The sum of each tile: sums[w].
template <class T, class A, class F, int kAxes, int kThreads, int kItems>
__global__ void scan_sums(long long work, long long tiles, long long length, Index<kAxes, 2> rows, long long stride,
                          const T* in, A* sums, A identity) {
  __shared__ typename cub::BlockReduce<A, kThreads>::TempStorage storage;
  const F combine{};
  for (long long w = blockIdx.x; w < work; w += gridDim.x) {
    const long long row = w / tiles;
    const long long begin = (w - row * tiles) * kThreads * kItems + static_cast<long long>(threadIdx.x) * kItems;
    long long at[2];
    rows.offsets(row, at);
    A total = identity;
    // Adjacent elements belong to one thread: the function need not be commutative.
    for (int k = 0; k < kItems; ++k) {
      if (begin + k < length) total = combine(total, static_cast<A>(in[at[0] + (begin + k) * stride]));
    }
    total = cub::BlockReduce<A, kThreads>(storage).Reduce(total, combine);
    if (threadIdx.x == 0) sums[w] = total;
    __syncthreads();
  }
}

template <class T, class A, class R, class F, int kAxes, int kThreads, int kItems, bool kExclusive, bool kHasSums>
__global__ void scan_tiles(long long work, long long tiles, long long length, Index<kAxes, 2> rows, long long stride,
                           long long out_stride, const T* in, R* out, const A* sums, A identity) {
  __shared__ typename cub::BlockScan<A, kThreads>::TempStorage storage;
  const F combine{};
  for (long long w = blockIdx.x; w < work; w += gridDim.x) {
    const long long row = w / tiles;
    const long long begin = (w - row * tiles) * kThreads * kItems + static_cast<long long>(threadIdx.x) * kItems;
    long long at[2];
    rows.offsets(row, at);
    A values[kItems];
    A total = identity;
    for (int k = 0; k < kItems; ++k) {
      values[k] = identity;
      if (begin + k < length) values[k] = static_cast<A>(in[at[0] + (begin + k) * stride]);
      total = combine(total, values[k]);
    }
    A prefix;
    cub::BlockScan<A, kThreads>(storage).ExclusiveScan(total, prefix, identity, combine);
    if constexpr (kHasSums) prefix = combine(sums[w], prefix);
    for (int k = 0; k < kItems; ++k) {
      const A next = combine(prefix, values[k]);
      if (begin + k < length) out[at[1] + (begin + k) * out_stride] = static_cast<R>(kExclusive ? prefix : next);
      prefix = next;
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
