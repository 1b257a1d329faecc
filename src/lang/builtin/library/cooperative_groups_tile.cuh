// Tiles: groups of a power of two of adjacent threads, of a size known at compile time. Up to 32 they are
// parts of a warp; larger ones have their own barrier and exchange values through shared memory.

namespace cooperative_groups {

template <unsigned Size, bool IsLarge = (Size > 32)>
struct __tile {
  static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "the size of a tile must be a power of two");
  unsigned __part, __parts;
  __device__ __tile(unsigned part, unsigned parts) : __part(part), __parts(parts) {}
  __device__ static unsigned __first() { return __quern_lane_id() & ~(Size - 1); }
  __device__ static unsigned __lanes() {
    if constexpr (Size == 32) {
      return 0xffffffffu;
    } else {
      return ((1u << Size) - 1) << __first();
    }
  }
  __device__ operator thread_group() const { return thread_group(__lanes()); }
  __device__ operator coalesced_group() const { return coalesced_group(__lanes(), __part, __parts); }
  __device__ static void sync() { __quern_warp_barrier(__lanes()); }
  __device__ static unsigned thread_rank() { return __quern_lane_id() & (Size - 1); }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned meta_group_rank() const { return __part; }
  __device__ unsigned meta_group_size() const { return __parts; }
  template <class T>
  __device__ T shfl(T v, int rank) const { return __shuffle<0>(__lanes(), v, rank, Size); }
  template <class T>
  __device__ T shfl_up(T v, unsigned d) const { return __shuffle<1>(__lanes(), v, d, Size); }
  template <class T>
  __device__ T shfl_down(T v, unsigned d) const { return __shuffle<2>(__lanes(), v, d, Size); }
  template <class T>
  __device__ T shfl_xor(T v, unsigned m) const { return __shuffle<3>(__lanes(), v, m, Size); }
  __device__ int any(int predicate) const { return __quern_vote_any(__lanes(), predicate != 0); }
  __device__ int all(int predicate) const { return __quern_vote_all(__lanes(), predicate != 0); }
  __device__ unsigned ballot(int predicate) const {
    return __quern_ballot(__lanes(), predicate != 0) >> __first();
  }
  template <class T>
  __device__ unsigned match_any(T v) const { return __match_any_sync(__lanes(), v) >> __first(); }
  template <class T>
  __device__ unsigned match_all(T v, int& all) const {
    return __match_all_sync(__lanes(), v, &all) >> __first();
  }
};

template <unsigned Size>
__device__ cuda::barrier<2>& __tile_barrier() {
  __shared__ cuda::barrier<2> barriers[1024 / Size];
  return barriers[__block_rank() / Size];
}
template <class T>
__device__ T* __tile_values() {
  __shared__ alignas(16) char bytes[1024 * sizeof(T)];
  return (T*)bytes + __block_rank();
}
template <unsigned Size>
struct __tile<Size, true> {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0,
                "the size of a tile must be a power of two up to 1024");
  unsigned __part, __parts;
  __device__ __tile(unsigned part, unsigned parts) : __part(part), __parts(parts) {}
  __device__ static void sync() { __tile_barrier<Size>().arrive_and_wait(); }
  __device__ static unsigned thread_rank() { return __block_rank() % Size; }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned meta_group_rank() const { return __part; }
  __device__ unsigned meta_group_size() const { return __parts; }
  template <class T>
  __device__ T shfl(T v, int rank) const {
    T* mine = __tile_values<T>();
    *mine = v;
    sync();
    T theirs = mine[int(unsigned(rank) % Size) - int(thread_rank())];
    sync();
    return theirs;
  }
  template <class T>
  __device__ T shfl_up(T v, unsigned d) const {
    return shfl(v, thread_rank() >= d ? thread_rank() - d : thread_rank());
  }
  template <class T>
  __device__ T shfl_down(T v, unsigned d) const {
    return shfl(v, thread_rank() + d < Size ? thread_rank() + d : thread_rank());
  }
  template <class T>
  __device__ T shfl_xor(T v, unsigned m) const { return shfl(v, thread_rank() ^ m); }
  __device__ int any(int predicate) const {
    int found = predicate != 0;
    for (unsigned step = Size / 2; step > 0; step /= 2) found |= shfl_xor(found, step);
    return found;
  }
  __device__ int all(int predicate) const { return !any(predicate == 0); }
};

template <unsigned Size, class Parent = void>
struct thread_block_tile : thread_block_tile<Size, void> {
  __device__ thread_block_tile(unsigned part, unsigned parts) : thread_block_tile<Size, void>(part, parts) {}
};
template <unsigned Size>
struct thread_block_tile<Size, void> : __tile<Size> {
  __device__ thread_block_tile(unsigned part, unsigned parts) : __tile<Size>(part, parts) {}
};

template <unsigned Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  if constexpr (Size > 32) {
    parent.sync();
    if (__block_rank() % Size == 0) {
      unsigned left = __block_size() - __block_rank();
      init(&__tile_barrier<Size>(), left < Size ? left : Size);
    }
    parent.sync();
  }
  unsigned rank = unsigned(parent.thread_rank());
  unsigned size = unsigned(parent.size());
  return thread_block_tile<Size, Parent>(rank / Size, (size + Size - 1) / Size);
}
template <unsigned Size>
__device__ coalesced_group tiled_partition(const coalesced_group& parent) {
  return tiled_partition(parent, Size);
}

// Partitions by a value of each thread of a warp.
__device__ unsigned __mask_of(const coalesced_group& g) { return g.__mask; }
template <unsigned Size, class Parent>
__device__ unsigned __mask_of(const thread_block_tile<Size, Parent>& g) { return g.__lanes(); }
template <class Group, class T>
__device__ coalesced_group labeled_partition(const Group& g, T label) {
  return coalesced_group(__match_any_sync(__mask_of(g), label));
}
template <class Group>
__device__ coalesced_group binary_partition(const Group& g, bool predicate) {
  unsigned yes = __quern_ballot(__mask_of(g), predicate);
  return coalesced_group(predicate ? yes : __mask_of(g) & ~yes, predicate ? 1 : 0, 2);
}

template <class Group> __device__ void sync(const Group& g) { g.sync(); }
template <class Group> __device__ auto thread_rank(const Group& g) { return g.thread_rank(); }
template <class Group> __device__ auto group_size(const Group& g) { return g.size(); }
template <class Group> __device__ auto size(const Group& g) { return g.size(); }
template <class Group> __device__ bool is_valid(const Group& g) { return g.is_valid(); }
}  // namespace cooperative_groups
