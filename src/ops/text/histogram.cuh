// Histograms with bins of equal width, and with bins between edges. B is the type of the bounds.

namespace quern_ops {

template <class B>
__device__ unsigned bin_of(B v, B lower, B upper, unsigned bins) {
  if constexpr (std::is_integral_v<B>) {
    const unsigned long long at = static_cast<unsigned long long>(v) - static_cast<unsigned long long>(lower);
    const unsigned long long width =
        static_cast<unsigned long long>(upper) - static_cast<unsigned long long>(lower);
    return static_cast<unsigned>(at * bins / width);
  } else {
    const unsigned bin = static_cast<unsigned>((v - lower) / (upper - lower) * static_cast<B>(bins));
    return bin < bins ? bin : bins - 1;  // rounded up to `upper`
  }
}

// kShared: the number of bins that fit into shared memory, 0 if there are too many.
template <class T, class B, int kAxes, int kShared>
__global__ void histogram(long long n, Index<kAxes, 1> index, const T* in, unsigned bins, B lower, B upper, Line line,
                          unsigned* counts) {
  __shared__ unsigned own[kShared > 0 ? kShared : 1];
  if constexpr (kShared > 0) {
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    __syncthreads();
  }
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    long long at[1];
    index.offsets(i, at);
    const B v = static_cast<B>(in[at[0]]);
    if (v >= lower && v < upper) {
      const unsigned bin = bin_of(v, lower, upper, bins);
      if constexpr (kShared > 0) {
        atomicAdd(&own[bin], 1u);
      } else {
        atomicAdd(&counts[line[bin]], 1u);
      }
    }
  }
  if constexpr (kShared > 0) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) {
      if (own[b] != 0) atomicAdd(&counts[line[b]], own[b]);
    }
  }
}

// Bin b has the elements from edge b on, below edge b + 1. kShared: the number of bins that fit into shared memory,
// 0 if there are too many.
template <class T, int kAxes, int kShared>
__global__ void histogram_edges(long long n, Index<kAxes, 1> index, const T* in, unsigned bins, Line edge_line,
                                const T* edges, Line line, unsigned* counts) {
  __shared__ unsigned own[kShared > 0 ? kShared : 1];
  __shared__ T own_edges[kShared > 0 ? kShared + 1 : 1];
  if constexpr (kShared > 0) {
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    for (unsigned b = threadIdx.x; b <= bins; b += blockDim.x) own_edges[b] = edges[edge_line[b]];
    __syncthreads();
  }
  const auto edge = [&](unsigned b) {
    if constexpr (kShared > 0) return own_edges[b];
    return edges[edge_line[b]];
  };
  const T lower = edge(0), upper = edge(bins);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    long long at[1];
    index.offsets(i, at);
    const T v = in[at[0]];
    if (v >= lower && v < upper) {
      unsigned low = 0, high = bins;  // edge(low) <= v < edge(high)
      while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (v >= edge(middle)) {
          low = middle;
        } else {
          high = middle;
        }
      }
      if constexpr (kShared > 0) {
        atomicAdd(&own[low], 1u);
      } else {
        atomicAdd(&counts[line[low]], 1u);
      }
    }
  }
  if constexpr (kShared > 0) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) {
      if (own[b] != 0) atomicAdd(&counts[line[b]], own[b]);
    }
  }
}

}  // namespace quern_ops
