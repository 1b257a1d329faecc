// cub's loads and stores of a tile: BlockLoad, BlockStore, WarpLoad, WarpStore and the functions below them.
// Items from `end` on are not accessed, or get the default.

namespace cub {

template <class T, int N, class Iterator>
__device__ void LoadDirectBlocked(int thread, Iterator in, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = in[thread * N + i];
}
template <class T, int N, class Iterator>
__device__ void LoadDirectBlocked(int thread, Iterator in, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < end) items[i] = in[thread * N + i];
  }
}
template <class T, class Default, int N, class Iterator>
__device__ void LoadDirectBlocked(int thread, Iterator in, T (&items)[N], int end, Default other) {
  for (int i = 0; i < N; ++i) items[i] = other;
  LoadDirectBlocked(thread, in, items, end);
}
template <class T, int N>
__device__ void LoadDirectBlockedVectorized(int thread, T* in, T (&items)[N]) {
  LoadDirectBlocked(thread, in, items);
}
template <int Threads, class T, int N, class Iterator>
__device__ void LoadDirectStriped(int thread, Iterator in, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = in[thread + i * Threads];
}
template <int Threads, class T, int N, class Iterator>
__device__ void LoadDirectStriped(int thread, Iterator in, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    if (thread + i * Threads < end) items[i] = in[thread + i * Threads];
  }
}
template <int Threads, class T, class Default, int N, class Iterator>
__device__ void LoadDirectStriped(int thread, Iterator in, T (&items)[N], int end, Default other) {
  for (int i = 0; i < N; ++i) items[i] = other;
  LoadDirectStriped<Threads>(thread, in, items, end);
}
// Groups of 32 threads, each striped separately.
template <class T, int N, class Iterator>
__device__ void LoadDirectWarpStriped(int thread, Iterator in, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = in[thread / 32 * 32 * N + i * 32 + thread % 32];
}
template <class T, int N, class Iterator>
__device__ void LoadDirectWarpStriped(int thread, Iterator in, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    int at = thread / 32 * 32 * N + i * 32 + thread % 32;
    if (at < end) items[i] = in[at];
  }
}
template <class T, class Default, int N, class Iterator>
__device__ void LoadDirectWarpStriped(int thread, Iterator in, T (&items)[N], int end, Default other) {
  for (int i = 0; i < N; ++i) items[i] = other;
  LoadDirectWarpStriped(thread, in, items, end);
}

template <class T, int N, class Iterator>
__device__ void StoreDirectBlocked(int thread, Iterator out, T (&items)[N]) {
  for (int i = 0; i < N; ++i) out[thread * N + i] = items[i];
}
template <class T, int N, class Iterator>
__device__ void StoreDirectBlocked(int thread, Iterator out, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < end) out[thread * N + i] = items[i];
  }
}
template <class T, int N>
__device__ void StoreDirectBlockedVectorized(int thread, T* out, T (&items)[N]) {
  StoreDirectBlocked(thread, out, items);
}
template <int Threads, class T, int N, class Iterator>
__device__ void StoreDirectStriped(int thread, Iterator out, T (&items)[N]) {
  for (int i = 0; i < N; ++i) out[thread + i * Threads] = items[i];
}
template <int Threads, class T, int N, class Iterator>
__device__ void StoreDirectStriped(int thread, Iterator out, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    if (thread + i * Threads < end) out[thread + i * Threads] = items[i];
  }
}
template <class T, int N, class Iterator>
__device__ void StoreDirectWarpStriped(int thread, Iterator out, T (&items)[N]) {
  for (int i = 0; i < N; ++i) out[thread / 32 * 32 * N + i * 32 + thread % 32] = items[i];
}
template <class T, int N, class Iterator>
__device__ void StoreDirectWarpStriped(int thread, Iterator out, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    int at = thread / 32 * 32 * N + i * 32 + thread % 32;
    if (at < end) out[at] = items[i];
  }
}

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

// Storage for a transposition of `Count` items, if there is one.
template <class T, int Count, bool IsUsed>
struct __tile_storage {
  T __items[Count];
};
template <class T, int Count>
struct __tile_storage<T, Count, false> {
  NullType __items;
};

// Transpositions: adjacent threads access adjacent items in memory, and each gets its own from shared memory.
// Sync synchronizes the `Threads` threads.
template <int Threads, class Sync, class T, int N, class Iterator>
__device__ void __load_transposed(int thread, T* memory, Iterator in, T (&items)[N], int end) {
  for (int i = thread; i < Threads * N && i < end; i += Threads) memory[i] = in[i];
  Sync::sync();
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < end) items[i] = memory[thread * N + i];
  }
}
template <int Threads, class Sync, class T, int N, class Iterator>
__device__ void __store_transposed(int thread, T* memory, Iterator out, T (&items)[N], int end) {
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < end) memory[thread * N + i] = items[i];
  }
  Sync::sync();
  for (int i = thread; i < Threads * N && i < end; i += Threads) out[i] = memory[i];
}

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int = 0>
struct BlockLoad {
  using __Block = __block<X, Y, Z>;
  static constexpr bool kTransposes = Algorithm >= BLOCK_LOAD_TRANSPOSE;
  using TempStorage = __tile_storage<T, __Block::kThreads * N, kTransposes>;
  TempStorage& __storage;
  __device__ BlockLoad() : __storage(__own_storage<BlockLoad>()) {}
  __device__ explicit BlockLoad(TempStorage& storage) : __storage(storage) {}
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[N]) { Load(in, items, __Block::kThreads * N); }
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[N], int end) {
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<__Block::kThreads>(__Block::rank(), in, items, end);
    } else if constexpr (kTransposes) {
      __load_transposed<__Block::kThreads, __Block>(__Block::rank(), __storage.__items, in, items, end);
    } else {
      LoadDirectBlocked(__Block::rank(), in, items, end);
    }
  }
  template <class Iterator, class Default>
  __device__ void Load(Iterator in, T (&items)[N], int end, Default other) {
    for (int i = 0; i < N; ++i) items[i] = other;
    Load(in, items, end);
  }
};

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int = 0>
struct BlockStore {
  using __Block = __block<X, Y, Z>;
  static constexpr bool kTransposes = Algorithm >= BLOCK_STORE_TRANSPOSE;
  using TempStorage = __tile_storage<T, __Block::kThreads * N, kTransposes>;
  TempStorage& __storage;
  __device__ BlockStore() : __storage(__own_storage<BlockStore>()) {}
  __device__ explicit BlockStore(TempStorage& storage) : __storage(storage) {}
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[N]) { Store(out, items, __Block::kThreads * N); }
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[N], int end) {
    if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<__Block::kThreads>(__Block::rank(), out, items, end);
    } else if constexpr (kTransposes) {
      __store_transposed<__Block::kThreads, __Block>(__Block::rank(), __storage.__items, out, items, end);
    } else {
      StoreDirectBlocked(__Block::rank(), out, items, end);
    }
  }
};

template <class T, int N, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Threads = 32, int = 0>
struct WarpLoad {
  using TempStorage = __tile_storage<T, Threads * N, Algorithm == WARP_LOAD_TRANSPOSE>;
  TempStorage& __storage;
  __device__ explicit WarpLoad(TempStorage& storage) : __storage(storage) {}
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[N]) { Load(in, items, Threads * N); }
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[N], int end) {
    int rank = __lanes<Threads>::rank();
    if constexpr (Algorithm == WARP_LOAD_STRIPED) {
      LoadDirectStriped<Threads>(rank, in, items, end);
    } else if constexpr (Algorithm == WARP_LOAD_TRANSPOSE) {
      __load_transposed<Threads, __lanes_sync<Threads>>(rank, __storage.__items, in, items, end);
    } else {
      LoadDirectBlocked(rank, in, items, end);
    }
  }
  template <class Iterator, class Default>
  __device__ void Load(Iterator in, T (&items)[N], int end, Default other) {
    for (int i = 0; i < N; ++i) items[i] = other;
    Load(in, items, end);
  }
};
template <class T, int N, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32, int = 0>
struct WarpStore {
  using TempStorage = __tile_storage<T, Threads * N, Algorithm == WARP_STORE_TRANSPOSE>;
  TempStorage& __storage;
  __device__ explicit WarpStore(TempStorage& storage) : __storage(storage) {}
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[N]) { Store(out, items, Threads * N); }
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[N], int end) {
    int rank = __lanes<Threads>::rank();
    if constexpr (Algorithm == WARP_STORE_STRIPED) {
      StoreDirectStriped<Threads>(rank, out, items, end);
    } else if constexpr (Algorithm == WARP_STORE_TRANSPOSE) {
      __store_transposed<Threads, __lanes_sync<Threads>>(rank, __storage.__items, out, items, end);
    } else {
      StoreDirectBlocked(rank, out, items, end);
    }
  }
};
}  // namespace cub
