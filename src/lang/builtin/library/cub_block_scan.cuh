// cub::BlockScan: a scan in each warp; then every thread combines the warps before its own, in order.

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
struct BlockScan {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    T __warps[__Block::kWarps];
    T __prefix;
  };
  TempStorage& __storage;
  __device__ BlockScan() : __storage(__own_storage<BlockScan>()) {}
  __device__ explicit BlockScan(TempStorage& storage) : __storage(storage) {}

  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& total) { ExclusiveScan(in, out, T(), cub::Sum(), total); }
  template <class Callback>
  __device__ void ExclusiveSum(T in, T& out, Callback& prefix) { ExclusiveScan(in, out, cub::Sum(), prefix); }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T(), cub::Sum()); }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T& total) {
    ExclusiveScan(in, out, T(), cub::Sum(), total);
  }
  template <int N, class Callback>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], Callback& prefix) {
    ExclusiveScan(in, out, cub::Sum(), prefix);
  }

  // Without an initial value thread 0's first item gets none.
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, Op op) {
    T total;
    ExclusiveScan(in, out, op, total);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, Op op, T& total) {
    T before;
    __scan(in, before, op, total);
    out = before;
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op, T& total) {
    T before;
    __scan(in, before, op, total);
    out = __Block::rank() == 0 ? initial : op(initial, before);
  }
  template <class Op, class Callback>
  __device__ void ExclusiveScan(T in, T& out, Op op, Callback& prefix) {
    T before, total;
    __scan(in, before, op, total);
    T first = __ask(prefix, total);
    out = __Block::rank() == 0 ? first : op(first, before);
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], Op op) {
    T total;
    ExclusiveScan(in, out, op, total);
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, T& total) {
    T before;
    __scan(ThreadReduce(in, op), before, op, total);
    if (__Block::rank() == 0) {
      T sum = in[0];
      for (int i = 1; i < N; ++i) {
        T next = in[i];
        out[i] = sum;
        sum = op(sum, next);
      }
    } else {
      __fill_exclusive(in, out, op, before);
    }
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op, T& total) {
    T before;
    __scan(ThreadReduce(in, op), before, op, total);
    __fill_exclusive(in, out, op, __Block::rank() == 0 ? initial : op(initial, before));
  }
  template <int N, class Op, class Callback>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, Callback& prefix) {
    T before, total;
    __scan(ThreadReduce(in, op), before, op, total);
    T first = __ask(prefix, total);
    __fill_exclusive(in, out, op, __Block::rank() == 0 ? first : op(first, before));
  }

  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& total) { InclusiveScan(in, out, cub::Sum(), total); }
  template <class Callback>
  __device__ void InclusiveSum(T in, T& out, Callback& prefix) { InclusiveScan(in, out, cub::Sum(), prefix); }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, cub::Sum()); }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T& total) {
    InclusiveScan(in, out, cub::Sum(), total);
  }
  template <int N, class Callback>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N], Callback& prefix) {
    InclusiveScan(in, out, cub::Sum(), prefix);
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& total) {
    T before;
    out = __scan(in, before, op, total);
  }
  template <class Op, class Callback>
  __device__ void InclusiveScan(T in, T& out, Op op, Callback& prefix) {
    T before, total;
    T sum = __scan(in, before, op, total);
    T first = __ask(prefix, total);
    out = op(first, sum);
  }
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T& total) {
    T before;
    __scan(ThreadReduce(in, op), before, op, total);
    __fill_inclusive(in, out, op, __Block::rank() == 0 ? in[0] : op(before, in[0]));
  }
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op) {
    T total;
    InclusiveScan(in, out, initial, op, total);
  }
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op, T& total) {
    T before;
    __scan(ThreadReduce(in, op), before, op, total);
    __fill_inclusive(in, out, op, op(__Block::rank() == 0 ? initial : op(initial, before), in[0]));
  }
  template <int N, class Op, class Callback>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, Callback& prefix) {
    T before, total;
    __scan(ThreadReduce(in, op), before, op, total);
    T first = __ask(prefix, total);
    __fill_inclusive(in, out, op, op(__Block::rank() == 0 ? first : op(first, before), in[0]));
  }

  // The inclusive sum of the thread; `before` is the sum of those before it (in thread 0: any value).
  template <class Op>
  __device__ T __scan(T v, T& before, Op op, T& total) {
    int thread = __Block::rank();
    int rank = thread % 32;
    int warp = thread / 32;
    int lane = int(__quern_lane_id());
    v = __scan_lanes(__Block::mask(), rank, __Block::kThreads < 32 ? __Block::kThreads : 32, v, op);
    before = __from_lane(__Block::mask(), v, lane - (rank == 0 ? 0 : 1));
    if constexpr (__Block::kWarps == 1) {
      total = __from_lane(__Block::mask(), v, lane - rank + __Block::kThreads - 1);
    } else {
      if (rank == __Block::lanes() - 1) __storage.__warps[warp] = v;
      __syncthreads();
      T sum = __storage.__warps[0];
      T first = sum;
      for (int i = 1; i < __Block::kWarps; ++i) {
        if (i == warp) first = sum;
        sum = op(sum, __storage.__warps[i]);
      }
      total = sum;
      if (warp > 0) {
        v = op(first, v);
        before = rank == 0 ? first : op(first, before);
      }
    }
    return v;
  }
  // The prefix of the block: the first warp calls the functor, and thread 0's result is used.
  template <class Callback>
  __device__ T __ask(Callback& prefix, T total) {
    int thread = __Block::rank();
    if (thread < 32) {
      T answer = prefix(total);
      if (thread == 0) __storage.__prefix = answer;
    }
    __Block::sync();
    return __storage.__prefix;
  }
  template <int N, class Op>
  __device__ static void __fill_exclusive(T (&in)[N], T (&out)[N], Op& op, T sum) {
    for (int i = 0; i < N; ++i) {
      T next = in[i];
      out[i] = sum;
      if (i + 1 < N) sum = op(sum, next);
    }
  }
  template <int N, class Op>
  __device__ static void __fill_inclusive(T (&in)[N], T (&out)[N], Op& op, T sum) {
    out[0] = sum;
    for (int i = 1; i < N; ++i) {
      sum = op(sum, in[i]);
      out[i] = sum;
    }
  }
};
}  // namespace cub
