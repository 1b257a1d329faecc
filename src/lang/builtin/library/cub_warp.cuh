// cub::WarpReduce and WarpScan. A logical warp is a group of up to 32 consecutive lanes: lanes 0 to N-1, N to
// 2N-1 and so on. Values go between lanes by shuffles, in the order of the lanes, so that operations need not
// commute.

namespace cub {

template <int Threads>
struct __lanes {
  static_assert(Threads >= 1 && Threads <= 32, "a logical warp must have 1 to 32 threads");
  __device__ static int first() { return Threads == 32 ? 0 : int(__quern_lane_id()) / Threads * Threads; }
  __device__ static int rank() { return int(__quern_lane_id()) - first(); }
  __device__ static unsigned mask() {
    if constexpr (Threads == 32) {
      return 0xffffffffu;
    } else {
      return ((1u << Threads) - 1) << first();
    }
  }
};

template <class T, class Op>
__device__ T __scan_lanes(unsigned mask, int rank, int count, T v, Op& op) {
  int lane = int(__quern_lane_id());
  for (int step = 1; step < count; step *= 2) {
    T other = __from_lane(mask, v, lane - (rank >= step ? step : 0));
    if (rank >= step) v = op(other, v);
  }
  return v;
}

template <class T, int Threads = 32, int = 0>
struct WarpReduce {
  struct TempStorage {
    NullType __none;
  };
  __device__ explicit WarpReduce(TempStorage&) {}
  template <class Op>
  __device__ T Reduce(T v, Op op) { return __reduce(v, op, Threads); }
  template <class Op>
  __device__ T Reduce(T v, Op op, int valid) { return __reduce(v, op, valid < Threads ? valid : Threads); }
  template <int N, class Op>
  __device__ T Reduce(T (&v)[N], Op op) { return __reduce(ThreadReduce(v, op), op, Threads); }
  __device__ T Sum(T v) { return Reduce(v, cub::Sum()); }
  __device__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  template <int N>
  __device__ T Sum(T (&v)[N]) { return Reduce(v, cub::Sum()); }
  __device__ T Max(T v) { return Reduce(v, cub::Max()); }
  __device__ T Max(T v, int valid) { return Reduce(v, cub::Max(), valid); }
  __device__ T Min(T v) { return Reduce(v, cub::Min()); }
  __device__ T Min(T v, int valid) { return Reduce(v, cub::Min(), valid); }
  template <class Flag>
  __device__ T HeadSegmentedSum(T v, Flag head) { return HeadSegmentedReduce(v, head, cub::Sum()); }
  template <class Flag>
  __device__ T TailSegmentedSum(T v, Flag tail) { return TailSegmentedReduce(v, tail, cub::Sum()); }
  // The first lane of each segment gets its result.
  template <class Flag, class Op>
  __device__ T HeadSegmentedReduce(T v, Flag head, Op op) {
    return __segment(v, op, __flags(head) >> 1);
  }
  template <class Flag, class Op>
  __device__ T TailSegmentedReduce(T v, Flag tail, Op op) { return __segment(v, op, __flags(tail)); }

  template <class Op>
  __device__ T __reduce(T v, Op& op, int count) {
    using Lanes = __lanes<Threads>;
    int rank = Lanes::rank();
    int lane = int(__quern_lane_id());
    for (int step = 1; step < Threads; step *= 2) {
      bool has = rank + step < count;
      T other = __from_lane(Lanes::mask(), v, lane + (has ? step : 0));
      if (has) v = op(v, other);
    }
    return v;
  }
  template <class Flag>
  __device__ unsigned __flags(Flag flag) {
    return (__quern_ballot(__lanes<Threads>::mask(), flag ? true : false) & __lanes<Threads>::mask()) >>
           __lanes<Threads>::first();
  }
  // `ends` has the bits of the ranks at which segments end.
  template <class Op>
  __device__ T __segment(T v, Op op, unsigned ends) {
    int rank = __lanes<Threads>::rank();
    unsigned later = (ends | 1u << (Threads - 1)) >> rank;
    return __reduce(v, op, rank + __quern_ctz(later) + 1);
  }
};

template <class T, int Threads = 32, int = 0>
struct WarpScan {
  struct TempStorage {
    NullType __none;
  };
  __device__ explicit WarpScan(TempStorage&) {}
  __device__ void InclusiveSum(T in, T& out) { out = __inclusive(in, cub::Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& total) { InclusiveScan(in, out, cub::Sum(), total); }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& total) { ExclusiveScan(in, out, T(), cub::Sum(), total); }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) { out = __inclusive(in, op); }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& total) {
    out = __inclusive(in, op);
    total = __last(out);
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, T initial, Op op) { out = op(initial, __inclusive(in, op)); }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, T initial, Op op, T& total) {
    T sum = __inclusive(in, op);
    total = __last(sum);
    out = op(initial, sum);
  }
  // Without an initial value rank 0 gets none.
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, Op op) { out = __before(__inclusive(in, op)); }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op) {
    T before = __before(__inclusive(in, op));
    out = __lanes<Threads>::rank() == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, Op op, T& total) {
    T sum = __inclusive(in, op);
    total = __last(sum);
    out = __before(sum);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op, T& total) {
    T sum = __inclusive(in, op);
    total = __last(sum);
    T before = __before(sum);
    out = __lanes<Threads>::rank() == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ void Scan(T in, T& inclusive, T& exclusive, Op op) {
    inclusive = __inclusive(in, op);
    exclusive = __before(inclusive);
  }
  template <class Op>
  __device__ void Scan(T in, T& inclusive, T& exclusive, T initial, Op op) {
    T sum = __inclusive(in, op);
    T before = __before(sum);
    inclusive = op(initial, sum);
    exclusive = __lanes<Threads>::rank() == 0 ? initial : op(initial, before);
  }
  __device__ T Broadcast(T v, unsigned rank) {
    return __from_lane(__lanes<Threads>::mask(), v, __lanes<Threads>::first() + int(rank));
  }

  template <class Op>
  __device__ T __inclusive(T v, Op op) {
    return __scan_lanes(__lanes<Threads>::mask(), __lanes<Threads>::rank(), Threads, v, op);
  }
  __device__ T __last(T v) { return Broadcast(v, Threads - 1); }
  __device__ T __before(T v) {
    int rank = __lanes<Threads>::rank();
    return Broadcast(v, rank == 0 ? 0 : rank - 1);
  }
};
}  // namespace cub
