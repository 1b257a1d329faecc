// Merge sort: tiles are sorted in shared memory, then passes merge neighboring runs. F is less(a, b). Each thread
// has kItems adjacent elements of a tile. Values follow their keys: a tile's places say where each key came from.
// A wrong comparison function gives a wrong order, and no access out of bounds.

namespace quern_ops {

// The positions of shared memory.
struct Here {
  __device__ int operator[](int i) const { return i; }
};

// The number of the first `diagonal` merged elements that come from run a; of equal elements, those of a are first.
// Runs are given by their first element and number of elements.
template <class F, class I, class L, class K>
__device__ I merge_path(const K* keys, L line, I a, I a_count, I b, I b_count, I diagonal) {
  I low = diagonal > b_count ? diagonal - b_count : 0;
  I high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const I middle = low + (high - low) / 2;
    const bool is_later = static_cast<bool>(F{}(keys[line[b + diagonal - 1 - middle]], keys[line[a + middle]]));
    if (is_later) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// A tile in shared memory: keys and, with values, their places.
template <class K, bool kHasValues, class F, int kThreads, int kItems>
struct MergeTile {
  static constexpr int kTile = kThreads * kItems;
  K key[kTile];
  unsigned place[kHasValues ? kTile : 1];
};

template <class K, int kItems>
struct MergeItems {
  K key[kItems];
  unsigned place[kItems];
};

// Merges runs of the tile from `begin` on: a has `a_count` elements, and b follows it. Each thread gets its elements
// after the first `diagonal`.
template <class F, class Tile, class K, int kItems, bool kHasValues>
__device__ void merge_items(const Tile& tile, int begin, int a_count, int b_count, int diagonal,
                            MergeItems<K, kItems>& items) {
  int a = merge_path<F>(tile.key, Here(), begin, a_count, begin + a_count, b_count, diagonal);
  int b = begin + a_count + diagonal - a;
  a += begin;
  const int a_end = begin + a_count, b_end = a_end + b_count;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool has_a = a < a_end, has_b = b < b_end;
    if (has_a || has_b) {
      bool takes_b = has_b;
      if (has_a && has_b) takes_b = static_cast<bool>(F{}(tile.key[b], tile.key[a]));
      const int from = takes_b ? b : a;
      items.key[k] = tile.key[from];
      if constexpr (kHasValues) items.place[k] = tile.place[from];
      if (takes_b) {
        ++b;
      } else {
        ++a;
      }
    }
  }
}
template <class Tile, class K, int kItems, bool kHasValues>
__device__ void put_items(Tile& tile, const MergeItems<K, kItems>& items, int begin, int count) {
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    if (begin + k < count) {
      tile.key[begin + k] = items.key[k];
      if constexpr (kHasValues) tile.place[begin + k] = items.place[k];
    }
  }
}

// Sorts each tile. The source may be the destination.
template <class K, class V, bool kHasValues, class F, int kThreads, int kItems>
__global__ void merge_sort_tiles(long long n, long long tiles, Line line, const K* keys, Line to_line, K* sorted_keys,
                                 Line value_line, const V* values, Line to_value_line, V* sorted_values) {
  using Tile = MergeTile<K, kHasValues, F, kThreads, kItems>;
  __shared__ Tile tile;
  const int thread = static_cast<int>(threadIdx.x), begin = thread * kItems;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    const long long first = t * Tile::kTile;
    const int count = n - first < Tile::kTile ? static_cast<int>(n - first) : Tile::kTile;
    for (int i = thread; i < count; i += kThreads) tile.key[i] = keys[line[first + i]];
    __syncthreads();
    MergeItems<K, kItems> items;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      items.key[k] = tile.key[begin + k < count ? begin + k : 0];
      items.place[k] = static_cast<unsigned>(begin + k);
    }
#pragma unroll
    for (int round = 0; round < kItems; ++round) {
#pragma unroll
      for (int k = round % 2; k + 1 < kItems; k += 2) {
        if (begin + k + 1 < count && static_cast<bool>(F{}(items.key[k + 1], items.key[k]))) {
          const K key = items.key[k];
          const unsigned place = items.place[k];
          items.key[k] = items.key[k + 1];
          items.place[k] = items.place[k + 1];
          items.key[k + 1] = key;
          items.place[k + 1] = place;
        }
      }
    }
    __syncthreads();
    put_items<Tile, K, kItems, kHasValues>(tile, items, begin, count);
    __syncthreads();
    for (int width = kItems; width < count; width *= 2) {
      const int start = begin / (2 * width) * (2 * width), rest = count > start ? count - start : 0;
      const int a_count = rest < width ? rest : width, b_count = rest < 2 * width ? rest - a_count : width;
      const int diagonal = begin - start < rest ? begin - start : rest;
      merge_items<F, Tile, K, kItems, kHasValues>(tile, start, a_count, b_count, diagonal, items);
      __syncthreads();
      put_items<Tile, K, kItems, kHasValues>(tile, items, begin, count);
      __syncthreads();
    }
    V value[kItems];
    if constexpr (kHasValues) {
      for (int k = 0; k < kItems; ++k) {
        const int i = thread + k * kThreads;
        if (i < count) value[k] = values[value_line[first + tile.place[i]]];
      }
      __syncthreads();  // all values are read
    }
    for (int k = 0; k < kItems; ++k) {
      const int i = thread + k * kThreads;
      if (i < count) {
        sorted_keys[to_line[first + i]] = tile.key[i];
        if constexpr (kHasValues) sorted_values[to_value_line[first + i]] = value[k];
      }
    }
    __syncthreads();
  }
}

// Merges neighboring runs of `width` elements, a multiple of the tile.
template <class K, class V, bool kHasValues, class F, int kThreads, int kItems>
__global__ void merge_sort_runs(long long n, long long tiles, long long width, Line line, const K* keys, Line to_line,
                                K* sorted_keys, Line value_line, const V* values, Line to_value_line,
                                V* sorted_values) {
  using Tile = MergeTile<K, kHasValues, F, kThreads, kItems>;
  __shared__ Tile tile;
  __shared__ long long split[2];
  const int thread = static_cast<int>(threadIdx.x), begin = thread * kItems;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    const long long first = t * Tile::kTile;
    const int count = n - first < Tile::kTile ? static_cast<int>(n - first) : Tile::kTile;
    const long long start = first / (2 * width) * (2 * width), rest = n - start;
    const long long a_all = rest < width ? rest : width, b_all = rest < 2 * width ? rest - a_all : width;
    if (thread < 2) {
      const long long diagonal = first - start + (thread == 0 ? 0 : count);
      split[thread] = merge_path<F>(keys, line, start, a_all, start + a_all, b_all, diagonal);
    }
    __syncthreads();
    const long long a = split[0], b = first - start - a;
    const long long taken = split[1] - a;
    const int a_count = taken < 0 ? 0 : taken > count ? count : static_cast<int>(taken);
    const long long a_first = start + a, b_first = start + a_all + b - a_count;  // of tile element 0
    for (int i = thread; i < count; i += kThreads) {
      tile.key[i] = keys[line[(i < a_count ? a_first : b_first) + i]];
      if constexpr (kHasValues) tile.place[i] = static_cast<unsigned>(i);
    }
    __syncthreads();
    MergeItems<K, kItems> items;
    merge_items<F, Tile, K, kItems, kHasValues>(tile, 0, a_count, count - a_count, begin < count ? begin : count,
                                                items);
    __syncthreads();
    put_items<Tile, K, kItems, kHasValues>(tile, items, begin, count);
    __syncthreads();
    for (int i = thread; i < count; i += kThreads) {
      sorted_keys[to_line[first + i]] = tile.key[i];
      if constexpr (kHasValues) {
        const int place = static_cast<int>(tile.place[i]);
        sorted_values[to_value_line[first + i]] =
            values[value_line[(place < a_count ? a_first : b_first) + place]];
      }
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
