// Operations of a block's threads on their neighbors' items: cub::BlockShuffle, BlockDiscontinuity,
// BlockAdjacentDifference; and BlockHistogram.

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int = 0>
struct BlockShuffle {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    T __items[__Block::kThreads];
  };
  TempStorage& __storage;
  __device__ BlockShuffle() : __storage(__own_storage<BlockShuffle>()) {}
  __device__ explicit BlockShuffle(TempStorage& storage) : __storage(storage) {}
  // Threads without such a neighbor keep their value.
  __device__ void Offset(T in, T& out, int distance = 1) {
    int from = __Block::rank() + distance;
    __write(in);
    if (from >= 0 && from < __Block::kThreads) out = __storage.__items[from];
  }
  __device__ void Rotate(T in, T& out, unsigned distance = 1) {
    int from = __Block::rank() + int(distance);
    __write(in);
    out = __storage.__items[from >= __Block::kThreads ? from - __Block::kThreads : from];
  }
  template <int N>
  __device__ void Up(T (&in)[N], T (&out)[N]) {
    __write(in[N - 1]);
    for (int i = N - 1; i > 0; --i) out[i] = in[i - 1];
    if (__Block::rank() > 0) out[0] = __storage.__items[__Block::rank() - 1];
  }
  template <int N>
  __device__ void Up(T (&in)[N], T (&out)[N], T& last) {
    Up(in, out);
    last = __storage.__items[__Block::kThreads - 1];
  }
  template <int N>
  __device__ void Down(T (&in)[N], T (&out)[N]) {
    __write(in[0]);
    for (int i = 0; i < N - 1; ++i) out[i] = in[i + 1];
    if (__Block::rank() < __Block::kThreads - 1) out[N - 1] = __storage.__items[__Block::rank() + 1];
  }
  template <int N>
  __device__ void Down(T (&in)[N], T (&out)[N], T& first) {
    Down(in, out);
    first = __storage.__items[0];
  }
  __device__ void __write(const T& v) {
    __storage.__items[__Block::rank()] = v;
    __Block::sync();
  }
};

// Some operations also take the index of the second item.
template <class Op, class T>
__device__ auto __apply_at(Op& op, const T& a, const T& b, int at) {
  if constexpr (requires { op(a, b, at); }) {
    return op(a, b, at);
  } else {
    return op(a, b);
  }
}

template <class T, int X, int Y = 1, int Z = 1, int = 0>
struct BlockDiscontinuity {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    T __firsts[__Block::kThreads];
    T __lasts[__Block::kThreads];
  };
  TempStorage& __storage;
  __device__ BlockDiscontinuity() : __storage(__own_storage<BlockDiscontinuity>()) {}
  __device__ explicit BlockDiscontinuity(TempStorage& storage) : __storage(storage) {}
  template <int N, class Flag, class Op>
  __device__ void FlagHeads(Flag (&heads)[N], T (&in)[N], Op op) {
    __write(in);
    __heads(heads, in, op);
    if (__Block::rank() == 0) heads[0] = Flag(1);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagHeads(Flag (&heads)[N], T (&in)[N], Op op, T before) {
    __write(in);
    __heads(heads, in, op);
    if (__Block::rank() == 0) heads[0] = Flag(__apply_at(op, before, in[0], 0));
  }
  template <int N, class Flag, class Op>
  __device__ void FlagTails(Flag (&tails)[N], T (&in)[N], Op op) {
    __write(in);
    __tails(tails, in, op);
    if (__Block::rank() == __Block::kThreads - 1) tails[N - 1] = Flag(1);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagTails(Flag (&tails)[N], T (&in)[N], Op op, T after) {
    __write(in);
    __tails(tails, in, op);
    __tail(tails, in, op, after);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagHeadsAndTails(Flag (&heads)[N], Flag (&tails)[N], T (&in)[N], Op op) {
    FlagHeads(heads, in, op);
    __tails(tails, in, op);
    if (__Block::rank() == __Block::kThreads - 1) tails[N - 1] = Flag(1);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagHeadsAndTails(Flag (&heads)[N], Flag (&tails)[N], T after, T (&in)[N], Op op) {
    FlagHeads(heads, in, op);
    __tails(tails, in, op);
    __tail(tails, in, op, after);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagHeadsAndTails(Flag (&heads)[N], T before, Flag (&tails)[N], T (&in)[N], Op op) {
    FlagHeads(heads, in, op, before);
    __tails(tails, in, op);
    if (__Block::rank() == __Block::kThreads - 1) tails[N - 1] = Flag(1);
  }
  template <int N, class Flag, class Op>
  __device__ void FlagHeadsAndTails(Flag (&heads)[N], T before, Flag (&tails)[N], T after, T (&in)[N],
                                    Op op) {
    FlagHeads(heads, in, op, before);
    __tails(tails, in, op);
    __tail(tails, in, op, after);
  }

  template <int N>
  __device__ void __write(T (&in)[N]) {
    __storage.__firsts[__Block::rank()] = in[0];
    __storage.__lasts[__Block::rank()] = in[N - 1];
    __Block::sync();
  }
  template <int N, class Flag, class Op>
  __device__ void __heads(Flag (&heads)[N], T (&in)[N], Op& op) {
    int thread = __Block::rank();
    if (thread > 0) heads[0] = Flag(__apply_at(op, __storage.__lasts[thread - 1], in[0], thread * N));
    for (int i = 1; i < N; ++i) heads[i] = Flag(__apply_at(op, in[i - 1], in[i], thread * N + i));
  }
  template <int N, class Flag, class Op>
  __device__ void __tails(Flag (&tails)[N], T (&in)[N], Op& op) {
    int thread = __Block::rank();
    for (int i = 0; i < N - 1; ++i) tails[i] = Flag(__apply_at(op, in[i], in[i + 1], thread * N + i + 1));
    if (thread < __Block::kThreads - 1) {
      tails[N - 1] = Flag(__apply_at(op, in[N - 1], __storage.__firsts[thread + 1], thread * N + N));
    }
  }
  template <int N, class Flag, class Op>
  __device__ void __tail(Flag (&tails)[N], T (&in)[N], Op& op, const T& after) {
    if (__Block::rank() == __Block::kThreads - 1) {
      tails[N - 1] = Flag(__apply_at(op, in[N - 1], after, __Block::kThreads * N));
    }
  }
};

// The first (last) item of the block has no neighbor and is copied, unless one is given; so are items from
// `valid` on.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
struct BlockAdjacentDifference {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    T __items[__Block::kThreads];
  };
  TempStorage& __storage;
  __device__ BlockAdjacentDifference() : __storage(__own_storage<BlockAdjacentDifference>()) {}
  __device__ explicit BlockAdjacentDifference(TempStorage& storage) : __storage(storage) {}
  template <int N, class Out, class Op>
  __device__ void SubtractLeft(T (&in)[N], Out (&out)[N], Op op) {
    __left(in, out, op, __Block::kThreads * N);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractLeft(T (&in)[N], Out (&out)[N], Op op, T before) {
    T first = in[0];
    __left(in, out, op, __Block::kThreads * N);
    if (__Block::rank() == 0) out[0] = op(first, before);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractLeftPartialTile(T (&in)[N], Out (&out)[N], Op op, int valid) {
    __left(in, out, op, valid);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractLeftPartialTile(T (&in)[N], Out (&out)[N], Op op, int valid, T before) {
    T first = in[0];
    __left(in, out, op, valid);
    if (__Block::rank() == 0 && valid > 0) out[0] = op(first, before);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractRight(T (&in)[N], Out (&out)[N], Op op) {
    __right(in, out, op, __Block::kThreads * N);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractRight(T (&in)[N], Out (&out)[N], Op op, T after) {
    T last = in[N - 1];
    __right(in, out, op, __Block::kThreads * N);
    if (__Block::rank() == __Block::kThreads - 1) out[N - 1] = op(last, after);
  }
  template <int N, class Out, class Op>
  __device__ void SubtractRightPartialTile(T (&in)[N], Out (&out)[N], Op op, int valid) {
    __right(in, out, op, valid);
  }

  template <int N, class Out, class Op>
  __device__ void __left(T (&in)[N], Out (&out)[N], Op& op, int valid) {
    int thread = __Block::rank();
    __storage.__items[thread] = in[N - 1];
    __Block::sync();
    for (int i = N - 1; i > 0; --i) {
      if (thread * N + i < valid) {
        out[i] = op(in[i], in[i - 1]);
      } else {
        out[i] = in[i];
      }
    }
    if (thread > 0 && thread * N < valid) {
      out[0] = op(in[0], __storage.__items[thread - 1]);
    } else {
      out[0] = in[0];
    }
  }
  template <int N, class Out, class Op>
  __device__ void __right(T (&in)[N], Out (&out)[N], Op& op, int valid) {
    int thread = __Block::rank();
    __storage.__items[thread] = in[0];
    __Block::sync();
    for (int i = 0; i < N - 1; ++i) {
      if (thread * N + i + 1 < valid) {
        out[i] = op(in[i], in[i + 1]);
      } else {
        out[i] = in[i];
      }
    }
    if (thread * N + N < valid) {
      out[N - 1] = op(in[N - 1], __storage.__items[thread + 1]);
    } else {
      out[N - 1] = in[N - 1];
    }
  }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
// The histogram is in memory that the block shares.
template <class T, int X, int N, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1,
          int = 0>
struct BlockHistogram {
  using __Block = __block<X, Y, Z>;
  struct TempStorage {
    NullType __none;
  };
  __device__ BlockHistogram() {}
  __device__ explicit BlockHistogram(TempStorage&) {}
  template <class Counter>
  __device__ void InitHistogram(Counter (&histogram)[Bins]) {
    for (int i = __Block::rank(); i < Bins; i += __Block::kThreads) histogram[i] = Counter(0);
  }
  template <class Counter>
  __device__ void Composite(T (&items)[N], Counter (&histogram)[Bins]) {
    static_assert(std::is_arithmetic_v<Counter> && sizeof(Counter) >= 4,
                  "counters of cub::BlockHistogram must have 32 or 64 bits, because they are atomic");
    for (int i = 0; i < N; ++i) {
      if constexpr (std::is_same_v<Counter, long> || std::is_same_v<Counter, long long>) {
        atomicAdd((unsigned long long*)&histogram[items[i]], 1ull);
      } else {
        atomicAdd(&histogram[items[i]], Counter(1));
      }
    }
  }
  template <class Counter>
  __device__ void Histogram(T (&items)[N], Counter (&histogram)[Bins]) {
    InitHistogram(histogram);
    __Block::sync();
    Composite(items, histogram);
  }
};
}  // namespace cub
