// Reductions of segments: segment s has the elements from offsets[s] on, before offsets[s + 1].

namespace quern_ops {

template <class A, class F>
struct Joined {
  __device__ A operator()(A a, A b) const { return static_cast<A>(F{}(a, b)); }
};

// kWidth: the number of threads of a segment, which is 1, a warp, or the block.
template <class T, class A, class R, class F, class I, int kWidth, int kThreads>
__global__ void segmented_reduce(long long segments, long long n, Line line, Line offset_line, Line out_line,
                                 const T* in, const I* offsets, R* out, A identity) {
  constexpr int kSegments = kThreads / kWidth;  // of a block
  __shared__ typename cub::BlockReduce<A, kThreads>::TempStorage storage;
  const Joined<A, F> join{};
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  const long long step = static_cast<long long>(gridDim.x) * kSegments;
  // All threads of a block make the same number of rounds.
  for (long long first = static_cast<long long>(blockIdx.x) * kSegments; first < segments; first += step) {
    const long long segment = first + static_cast<int>(threadIdx.x) / kWidth;
    long long begin = 0, end = 0;
    if (segment < segments) {
      begin = static_cast<long long>(offsets[offset_line[segment]]);
      end = static_cast<long long>(offsets[offset_line[segment + 1]]);
      begin = begin < 0 ? 0 : begin;
      end = end > n ? n : end;
    }
    A total = identity;
    for (long long i = begin + lane; i < end; i += kWidth) total = join(total, static_cast<A>(in[line[i]]));
    if constexpr (kWidth == kThreads) {
      total = cub::BlockReduce<A, kThreads>(storage).Reduce(total, join);
      __syncthreads();
    } else if constexpr (kWidth > 1) {
#pragma unroll
      for (int distance = kWidth / 2; distance > 0; distance /= 2)
        total = join(total, __shfl_down_sync(0xffffffffu, total, distance));
    }
    if (lane == 0 && segment < segments) out[out_line[segment]] = static_cast<R>(total);
  }
}

}  // namespace quern_ops
