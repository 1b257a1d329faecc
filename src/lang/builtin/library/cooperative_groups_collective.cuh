// <cooperative_groups/reduce.h>, scan.h and memcpy_async.h.

namespace cooperative_groups {

template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

// All threads get the result. Operations must commute.
template <unsigned Size, class Parent, class T, class Op>
__device__ T reduce(const thread_block_tile<Size, Parent>& g, T v, Op op) {
  for (unsigned step = Size / 2; step > 0; step /= 2) v = op(v, g.shfl_xor(v, step));
  return v;
}
template <class T, class Op>
__device__ T reduce(const coalesced_group& g, T v, Op op) {
  unsigned size = g.size();
  unsigned rank = g.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    T other = g.shfl_down(v, step);
    if (rank + step < size) v = op(v, other);
  }
  return g.shfl(v, 0);
}

template <class Group, class T, class Op>
__device__ T inclusive_scan(const Group& g, T v, Op op) {
  unsigned size = g.size();
  unsigned rank = g.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    T other = g.shfl_up(v, step);
    if (rank >= step) v = op(other, v);
  }
  return v;
}
template <class Group, class T>
__device__ T inclusive_scan(const Group& g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class Group, class T, class Op>
__device__ T exclusive_scan(const Group& g, T v, Op op) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
__device__ T exclusive_scan(const Group& g, T v) { return exclusive_scan(g, v, plus<T>()); }

// Asynchronous copies: each thread copies its share, and waits for it before the group's barrier.
template <unsigned long Alignment>
struct aligned_size_t {
  unsigned long value;
  __device__ constexpr explicit aligned_size_t(unsigned long size) : value(size) {}
  __device__ constexpr operator unsigned long() const { return value; }
};
template <class Group, class T>
__device__ void memcpy_async(const Group& g, T* to, const T* from, unsigned long bytes) {
  if constexpr (std::is_void_v<T>) {
    memcpy_async(g, (char*)to, (const char*)from, bytes);
  } else {
    const unsigned long step = g.size();
    if (!__copy_beside<alignof(T)>(to, from, bytes, g.thread_rank(), step)) {
      for (unsigned long i = g.thread_rank(); i < bytes / sizeof(T); i += step) to[i] = from[i];
    }
    __commit_copies();
  }
}
template <class Group, class T, class ToLayout, class FromLayout>
__device__ void memcpy_async(const Group& g, T* to, const ToLayout& to_count, const T* from,
                             const FromLayout& from_count) {
  unsigned long count = (unsigned long)to_count < (unsigned long)from_count ? to_count : from_count;
  memcpy_async(g, to, from, count * sizeof(T));
}
template <class Group>
__device__ void wait(const Group& g) {
  __wait_for_copies(0);
  g.sync();
}
template <unsigned Stages, class Group>
__device__ void wait_prior(const Group& g) {
  __wait_for_copies(Stages);
  g.sync();
}

template <class Group, class F, class... Args>
__device__ void invoke_one(const Group& g, F f, Args... args) {
  if (g.thread_rank() == 0) f(args...);
}
template <class Group, class F, class... Args>
__device__ auto invoke_one_broadcast(const Group& g, F f, Args... args) {
  decltype(f(args...)) result = decltype(f(args...))();
  if (g.thread_rank() == 0) result = f(args...);
  return g.shfl(result, 0);
}
}  // namespace cooperative_groups

namespace cooperative_groups::experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::memcpy_async;
using cooperative_groups::reduce;
using cooperative_groups::this_thread_block;
using cooperative_groups::thread_block_tile;
using cooperative_groups::tiled_partition;
using cooperative_groups::wait;
}  // namespace cooperative_groups::experimental
