// The first k elements of rows in the order of their ranks, sorted. A block works on a part of a row: it finds the rank
// of element k by digits of 8 bits, collects the elements up to it, and sorts them. Parts of one row are candidates of
// a second launch.

namespace quern_ops {

// The elements of a part.
template <class K>
struct Part {
  const K* in;
  long long stride;
  int count;
  Order<K> order;
  __device__ K rank(int i) const { return order.rank(in[i * stride]); }
};

template <class K, int kThreads, int kMost>
struct TopK {
  using Rank = std::conditional_t<sizeof(K) == 8, unsigned long long, unsigned>;  // whole words of shared memory
  Rank rank[kMost];
  int position[kMost];
  unsigned digit, before;  // the digit of element k, and the number of elements with lower digits
  typename cub::BlockScan<unsigned, kThreads>::TempStorage scan;

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }

  // The rank of element k. `k`: its number among the elements of this rank, on return. k is at least 1. `count`: 256
  // words of shared memory. They are not a member: WebGPU has atomic and other variables.
  __device__ K select(const Part<K>& part, unsigned* count, int& k) {
    K found = 0;
    for (int shift = static_cast<int>(sizeof(K)) * 8 - 8; shift >= 0; shift -= 8) {
      for (int d = thread(); d < 256; d += kThreads) count[d] = 0;
      __syncthreads();
      for (int i = thread(); i < part.count; i += kThreads) {
        const K r = part.rank(i);
        // The upper digits are found; a shift by all bits is not defined.
        if (static_cast<K>((r ^ found) >> shift) < 256) atomicAdd(&count[static_cast<unsigned>(r >> shift) & 255u], 1u);
      }
      __syncthreads();
      const unsigned own = thread() < 256 ? count[thread()] : 0;
      unsigned lower;
      cub::BlockScan<unsigned, kThreads>(scan).ExclusiveSum(own, lower);
      const unsigned wanted = static_cast<unsigned>(k);
      if (lower < wanted && wanted <= lower + own) {
        digit = threadIdx.x;
        before = lower;
      }
      __syncthreads();
      found = static_cast<K>(found | static_cast<K>(static_cast<K>(digit) << shift));
      k -= static_cast<int>(before);
      __syncthreads();
    }
    return found;
  }

  // Puts the elements of lower rank than `last` in front, then the first `equal` elements of that rank.
  template <int kItems>
  __device__ void collect(const Part<K>& part, K last, int lower, int equal) {
    unsigned lower_found = 0, equal_found = 0;
    for (int first = 0; first < part.count; first += kThreads * kItems) {
      const int begin = first + thread() * kItems;
      K r[kItems];
      unsigned found = 0, before_this, all;  // the upper half: elements of equal rank
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        r[i] = begin + i < part.count ? part.rank(begin + i) : static_cast<K>(~static_cast<K>(0));
        if (begin + i < part.count) found += r[i] < last ? 1u : r[i] == last ? 0x10000u : 0u;
      }
      cub::BlockScan<unsigned, kThreads>(scan).ExclusiveSum(found, before_this, all);
      unsigned lower_at = lower_found + (before_this & 0xffffu), equal_at = equal_found + (before_this >> 16);
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        if (begin + i < part.count) {
          if (r[i] < last) {
            put(static_cast<int>(lower_at++), r[i], begin + i);
          } else if (r[i] == last) {
            if (equal_at < static_cast<unsigned>(equal)) put(lower + static_cast<int>(equal_at), r[i], begin + i);
            ++equal_at;
          }
        }
      }
      lower_found += all & 0xffffu;
      equal_found += all >> 16;
      __syncthreads();
    }
  }
  __device__ void put(int at, Rank r, int i) {
    rank[at] = r;
    position[at] = i;
  }

  // Sorts `size` elements, a power of two, by rank and position.
  __device__ void sort(int size) {
    for (int width = 2; width <= size; width *= 2) {
      for (int distance = width / 2; distance > 0; distance /= 2) {
        for (int pair = thread(); pair < size / 2; pair += kThreads) {
          const int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
          const Rank a = rank[low], b = rank[high];
          const int i = position[low], j = position[high];
          const bool is_later = a != b ? a > b : i > j;
          if (is_later == ((low & width) == 0)) {
            put(low, b, j);
            put(high, a, i);
          }
        }
        __syncthreads();
      }
    }
  }
};

// Work item w is part w % parts of row w / parts. kHasPositions: the elements are candidates, whose positions in the
// row of the input are `positions`.
template <class K, class R, int kAxes, bool kHasPositions, int kThreads, int kMost>
__global__ void top_k(long long work, int parts, long long length, int k, Order<K> order, Index<kAxes, 3> rows,
                      long long stride, long long value_stride, long long index_stride, const K* in,
                      const long long* positions, K* values, R* indices) {
  __shared__ TopK<K, kThreads, kMost> top;
  __shared__ unsigned digits[256];
  for (long long w = blockIdx.x; w < work; w += gridDim.x) {
    const long long row = w / parts;
    const int p = static_cast<int>(w - row * parts);
    const long long first = length * p / parts;
    long long at[3];
    rows.offsets(row, at);
    const Part<K> part{in + (at[0] + first * stride), stride, static_cast<int>(length * (p + 1) / parts - first), order};
    int count = part.count;
    if (count <= kMost) {
      for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) top.put(i, part.rank(i), i);
    } else {
      int equal = k;
      const K last = top.select(part, digits, equal);
      top.template collect<4>(part, last, k - equal, equal);
      count = k;
    }
    int size = 1;
    while (size < count) size *= 2;
    for (int i = count + static_cast<int>(threadIdx.x); i < size; i += kThreads)
      top.put(i, static_cast<K>(~static_cast<K>(0)), 0x7fffffff);
    __syncthreads();
    top.sort(size);
    for (int i = static_cast<int>(threadIdx.x); i < k; i += kThreads) {
      const int position = top.position[i];
      const long long to = static_cast<long long>(p) * k + i;
      values[at[1] + to * value_stride] = part.in[position * stride];
      long long index = first + position;
      if constexpr (kHasPositions) index = positions[row * length + index];
      indices[at[2] + to * index_stride] = static_cast<R>(index);
    }
    __syncthreads();
  }
}

// The positions of a row, for rows that are sorted as a whole.
__global__ void top_k_positions(long long n, long long* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) out[i] = i;
}

}  // namespace quern_ops
