// Reductions. A policy P defines the types In, Accumulator and Out, load(), combine() and store().

namespace quern_ops {

// The values of elements, combined by F.
template <class T, class A, class R, class F>
struct Values {
  using In = T;
  using Accumulator = A;
  using Out = R;
  __device__ static A load(const T* in, long long) { return static_cast<A>(*in); }
  __device__ static A combine(A a, A b) { return static_cast<A>(F{}(a, b)); }
  __device__ static R store(A total) { return static_cast<R>(total); }
};

// The position of the smallest (kSmallest) or largest element. A negative position: no element yet.
template <class A>
struct Best {
  A value;
  long long position;
};
template <class T, class A, class R, bool kSmallest>
struct Positions {
  using In = T;
  using Accumulator = Best<A>;
  using Out = R;
  __device__ static Best<A> load(const T* in, long long i) { return Best<A>{static_cast<A>(*in), i}; }
  __device__ static bool precedes(const Best<A>& a, const Best<A>& b) {
    if (a.position < 0 || b.position < 0) return b.position < 0;
    const bool a_is_number = a.value == a.value, b_is_number = b.value == b.value;
    if (a_is_number != b_is_number) return a_is_number;
    if (a_is_number && a.value != b.value) return kSmallest ? a.value < b.value : a.value > b.value;
    return a.position < b.position;
  }
  __device__ static Best<A> combine(const Best<A>& a, const Best<A>& b) {
    const bool is_first = precedes(a, b);
    return Best<A>{is_first ? a.value : b.value, is_first ? a.position : b.position};
  }
  __device__ static R store(const Best<A>& best) { return static_cast<R>(best.position); }
};

// The first of two passes: stores accumulators. The second one: loads them.
template <class P>
struct First : P {
  using Out = typename P::Accumulator;
  __device__ static Out store(const Out& total) { return total; }
};
template <class P>
struct Second : P {
  using In = typename P::Accumulator;
  __device__ static In load(const In* in, long long) { return *in; }
};

template <class P>
struct Combiner {
  using A = typename P::Accumulator;
  __device__ A operator()(const A& a, const A& b) const { return P::combine(a, b); }
};

// A part of a contiguous array for each block; one result for each block. A thread combines kPack adjacent elements at
// a time, which are one access to memory if kIsPacked: the order does not depend on it.
template <class P, int kThreads, int kItems, int kPack, bool kIsPacked>
__global__ void reduce_parts(long long n, const typename P::In* in, typename P::Out* out,
                             typename P::Accumulator identity) {
  using A = typename P::Accumulator;
  using T = typename P::In;
  __shared__ typename cub::BlockReduce<A, kThreads>::TempStorage storage;
  constexpr long long kTile = static_cast<long long>(kThreads) * kItems;
  constexpr int kPacks = kItems / kPack;
  A total = identity;
  const long long step = kTile * gridDim.x;
  for (long long tile = kTile * blockIdx.x; tile < n; tile += step) {
    if (tile + kTile <= n) {
      const long long first = tile + static_cast<long long>(threadIdx.x) * kPack;
      if constexpr (kIsPacked) {
        Pack<T, kPack> pack[kPacks];
#pragma unroll
        for (int p = 0; p < kPacks; ++p) pack[p].load(in + (first + p * (kThreads * kPack)));
#pragma unroll
        for (int p = 0; p < kPacks; ++p) {
#pragma unroll
          for (int k = 0; k < kPack; ++k) {
            const T element = pack[p].get(k);
            total = P::combine(total, P::load(&element, first + p * (kThreads * kPack) + k));
          }
        }
      } else {
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
          const long long i = first + k / kPack * (kThreads * kPack) + k % kPack;
          total = P::combine(total, P::load(in + i, i));
        }
      }
    } else {
      for (long long i = tile + threadIdx.x; i < n; i += kThreads) total = P::combine(total, P::load(in + i, i));
    }
  }
  total = cub::BlockReduce<A, kThreads>(storage).Reduce(total, Combiner<P>());
  if (threadIdx.x == 0) out[blockIdx.x] = P::store(total);
}

// One result for each block: `count` elements along the reduced axes.
template <class P, int kKept, int kReduced, int kThreads>
__global__ void reduce_block(long long results, long long count, Index<kKept, 2> kept, Index<kReduced, 1> reduced,
                             const typename P::In* in, typename P::Out* out, typename P::Accumulator identity) {
  using A = typename P::Accumulator;
  __shared__ typename cub::BlockReduce<A, kThreads>::TempStorage storage;
  for (long long r = blockIdx.x; r < results; r += gridDim.x) {
    long long at[2], offset[1];
    kept.offsets(r, at);
    A total = identity;
    for (long long i = threadIdx.x; i < count; i += kThreads) {
      reduced.offsets(i, offset);
      total = P::combine(total, P::load(in + (at[0] + offset[0]), i));
    }
    total = cub::BlockReduce<A, kThreads>(storage).Reduce(total, Combiner<P>());
    if (threadIdx.x == 0) out[at[1]] = P::store(total);
    __syncthreads();
  }
}

// One result for each thread.
template <class P, int kKept, int kReduced>
__global__ void reduce_thread(long long results, long long count, Index<kKept, 2> kept, Index<kReduced, 1> reduced,
                              const typename P::In* in, typename P::Out* out, typename P::Accumulator identity) {
  using A = typename P::Accumulator;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long r = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; r < results; r += step) {
    long long at[2], offset[1];
    kept.offsets(r, at);
    A total = identity;
    for (long long i = 0; i < count; ++i) {
      reduced.offsets(i, offset);
      total = P::combine(total, P::load(in + (at[0] + offset[0]), i));
    }
    out[at[1]] = P::store(total);
  }
}

}  // namespace quern_ops
