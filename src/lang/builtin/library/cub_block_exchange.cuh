// cub::BlockExchange and WarpExchange: rearranges the items of the threads of a block (or logical warp).
// Blocked: thread t has items t*N to t*N+N-1. Striped: item i of thread t is number i*threads+t.

namespace cub {

// Through memory for `Threads` threads with `Items` each; Sync synchronizes them.
template <class T, int Threads, int Items, class Sync>
struct __exchange {
  __device__ static int __blocked(int thread, int i) { return thread * Items + i; }
  __device__ static int __striped(int thread, int i) { return i * Threads + thread; }
  // Groups of 32 threads, each striped separately; the last may be shorter.
  __device__ static int __warp_striped(int thread, int i) {
    int first = thread / 32 * 32;
    int lanes = Threads - first < 32 ? Threads - first : 32;
    return first * Items + i * lanes + (thread - first);
  }
  template <class Out>
  __device__ static void blocked_to_striped(T* memory, int thread, T (&in)[Items], Out (&out)[Items]) {
    for (int i = 0; i < Items; ++i) memory[__blocked(thread, i)] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__striped(thread, i)];
  }
  template <class Out>
  __device__ static void striped_to_blocked(T* memory, int thread, T (&in)[Items], Out (&out)[Items]) {
    for (int i = 0; i < Items; ++i) memory[__striped(thread, i)] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__blocked(thread, i)];
  }
  template <class Out>
  __device__ static void blocked_to_warp_striped(T* memory, int thread, T (&in)[Items], Out (&out)[Items]) {
    for (int i = 0; i < Items; ++i) memory[__blocked(thread, i)] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__warp_striped(thread, i)];
  }
  template <class Out>
  __device__ static void warp_striped_to_blocked(T* memory, int thread, T (&in)[Items], Out (&out)[Items]) {
    for (int i = 0; i < Items; ++i) memory[__warp_striped(thread, i)] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__blocked(thread, i)];
  }
  template <class Out, class Rank>
  __device__ static void scatter_to_blocked(T* memory, int thread, T (&in)[Items], Out (&out)[Items],
                                            Rank (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) memory[ranks[i]] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__blocked(thread, i)];
  }
  template <class Out, class Rank>
  __device__ static void scatter_to_striped(T* memory, int thread, T (&in)[Items], Out (&out)[Items],
                                            Rank (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) memory[ranks[i]] = in[i];
    Sync::sync();
    for (int i = 0; i < Items; ++i) out[i] = memory[__striped(thread, i)];
  }
};

template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
struct BlockExchange {
  using __Block = __block<X, Y, Z>;
  using __Exchange = __exchange<T, __Block::kThreads, Items, __Block>;
  struct TempStorage {
    T __items[__Block::kThreads * Items];
  };
  TempStorage& __storage;
  __device__ BlockExchange() : __storage(__own_storage<BlockExchange>()) {}
  __device__ explicit BlockExchange(TempStorage& storage) : __storage(storage) {}

  template <class Out>
  __device__ void StripedToBlocked(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::striped_to_blocked(__storage.__items, __Block::rank(), in, out);
  }
  __device__ void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
  template <class Out>
  __device__ void BlockedToStriped(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::blocked_to_striped(__storage.__items, __Block::rank(), in, out);
  }
  __device__ void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
  template <class Out>
  __device__ void WarpStripedToBlocked(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::warp_striped_to_blocked(__storage.__items, __Block::rank(), in, out);
  }
  __device__ void WarpStripedToBlocked(T (&items)[Items]) { WarpStripedToBlocked(items, items); }
  template <class Out>
  __device__ void BlockedToWarpStriped(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::blocked_to_warp_striped(__storage.__items, __Block::rank(), in, out);
  }
  __device__ void BlockedToWarpStriped(T (&items)[Items]) { BlockedToWarpStriped(items, items); }
  template <class Out, class Rank>
  __device__ void ScatterToBlocked(T (&in)[Items], Out (&out)[Items], Rank (&ranks)[Items]) {
    __Exchange::scatter_to_blocked(__storage.__items, __Block::rank(), in, out, ranks);
  }
  template <class Rank>
  __device__ void ScatterToBlocked(T (&items)[Items], Rank (&ranks)[Items]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class Out, class Rank>
  __device__ void ScatterToStriped(T (&in)[Items], Out (&out)[Items], Rank (&ranks)[Items]) {
    __Exchange::scatter_to_striped(__storage.__items, __Block::rank(), in, out, ranks);
  }
  template <class Rank>
  __device__ void ScatterToStriped(T (&items)[Items], Rank (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }
  // Items with a negative rank, or without a flag, are dropped; positions that are not written hold any
  // value.
  template <class Out, class Rank>
  __device__ void ScatterToStripedGuarded(T (&in)[Items], Out (&out)[Items], Rank (&ranks)[Items]) {
    bool valid[Items];
    for (int i = 0; i < Items; ++i) valid[i] = ranks[i] >= 0;
    ScatterToStripedFlagged(in, out, ranks, valid);
  }
  template <class Rank>
  __device__ void ScatterToStripedGuarded(T (&items)[Items], Rank (&ranks)[Items]) {
    ScatterToStripedGuarded(items, items, ranks);
  }
  template <class Out, class Rank, class Flag>
  __device__ void ScatterToStripedFlagged(T (&in)[Items], Out (&out)[Items], Rank (&ranks)[Items],
                                          Flag (&valid)[Items]) {
    for (int i = 0; i < Items; ++i) {
      if (valid[i]) __storage.__items[ranks[i]] = in[i];
    }
    __Block::sync();
    for (int i = 0; i < Items; ++i) out[i] = __storage.__items[__Exchange::__striped(__Block::rank(), i)];
  }
  template <class Rank, class Flag>
  __device__ void ScatterToStripedFlagged(T (&items)[Items], Rank (&ranks)[Items], Flag (&valid)[Items]) {
    ScatterToStripedFlagged(items, items, ranks, valid);
  }
};

template <int Threads>
struct __lanes_sync {
  __device__ static void sync() { __quern_warp_barrier(__lanes<Threads>::mask()); }
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int Items, int Threads = 32, int = 0>
struct WarpExchange {
  using __Exchange = __exchange<T, Threads, Items, __lanes_sync<Threads>>;
  struct TempStorage {
    T __items[Threads * Items];
  };
  TempStorage& __storage;
  __device__ explicit WarpExchange(TempStorage& storage) : __storage(storage) {}
  template <class Out>
  __device__ void BlockedToStriped(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::blocked_to_striped(__storage.__items, __lanes<Threads>::rank(), in, out);
  }
  template <class Out>
  __device__ void StripedToBlocked(T (&in)[Items], Out (&out)[Items]) {
    __Exchange::striped_to_blocked(__storage.__items, __lanes<Threads>::rank(), in, out);
  }
  template <class Out, class Rank>
  __device__ void ScatterToStriped(T (&in)[Items], Out (&out)[Items], Rank (&ranks)[Items]) {
    __Exchange::scatter_to_striped(__storage.__items, __lanes<Threads>::rank(), in, out, ranks);
  }
  template <class Rank>
  __device__ void ScatterToStriped(T (&items)[Items], Rank (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }
};
}  // namespace cub
