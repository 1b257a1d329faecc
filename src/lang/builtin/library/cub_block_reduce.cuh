// cub::BlockReduce: a tree in each warp, then thread 0 combines the warps in order. Thread 0 has the result.

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

// The threads of a block of known dimensions: the current thread, and the existing lanes of its warp.
template <int X, int Y, int Z>
struct __block {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kWarps = (kThreads + 31) / 32;
  __device__ static int rank() {
    if constexpr (Y == 1 && Z == 1) {
      return int(threadIdx.x);
    } else {
      return RowMajorTid(X, Y, Z);
    }
  }
  __device__ static int lanes() {
    if constexpr (kThreads % 32 == 0) {
      return 32;
    } else {
      int left = kThreads - rank() / 32 * 32;
      return left < 32 ? left : 32;
    }
  }
  __device__ static unsigned mask() {
    if constexpr (kThreads % 32 == 0) {
      return 0xffffffffu;
    } else {
      return 0xffffffffu >> (32 - lanes());
    }
  }
  __device__ static void sync() {
    if constexpr (kWarps > 1) {
      __syncthreads();
    } else {
      __quern_warp_barrier(mask());
    }
  }
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
struct BlockReduce {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    T __warps[__Block::kWarps];
  };
  TempStorage& __storage;
  __device__ BlockReduce() : __storage(__own_storage<BlockReduce>()) {}
  __device__ explicit BlockReduce(TempStorage& storage) : __storage(storage) {}
  template <class Op>
  __device__ T Reduce(T v, Op op) { return __reduce(v, op, __Block::kThreads); }
  template <int N, class Op>
  __device__ T Reduce(T (&v)[N], Op op) { return __reduce(ThreadReduce(v, op), op, __Block::kThreads); }
  template <class Op>
  __device__ T Reduce(T v, Op op, int valid) { return __reduce(v, op, valid); }
  __device__ T Sum(T v) { return Reduce(v, cub::Sum()); }
  template <int N>
  __device__ T Sum(T (&v)[N]) { return Reduce(v, cub::Sum()); }
  __device__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }

  template <class Op>
  __device__ T __reduce(T v, Op op, int valid) {
    int thread = __Block::rank();
    int rank = thread % 32;
    int count = valid - (thread - rank);
    int lane = int(__quern_lane_id());
    for (int step = 1; step < 32 && step < __Block::kThreads; step *= 2) {
      bool has = rank + step < count && rank + step < __Block::lanes();
      T other = __from_lane(__Block::mask(), v, lane + (has ? step : 0));
      if (has) v = op(v, other);
    }
    if constexpr (__Block::kWarps > 1) {
      if (rank == 0) __storage.__warps[thread / 32] = v;
      __syncthreads();
      if (thread == 0) {
        for (int i = 1; i < __Block::kWarps; ++i) {
          if (i * 32 < valid) v = op(v, __storage.__warps[i]);
        }
      }
    }
    return v;
  }
};
}  // namespace cub
