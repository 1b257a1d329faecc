// Binary search. NaN is larger than infinity, as in sort().

namespace quern_ops {

template <class T>
__device__ bool is_less(T a, T b) {
  if constexpr (std::is_integral_v<T>) return a < b;
  return a < b || (b != b && a == a);
}

// The number of elements of `sorted` that are less than the query, or with kIsUpper, not greater.
template <class T, class R, bool kIsUpper, int kAxes>
__global__ void search(long long n, Index<kAxes, 2> index, long long size, Line line, const T* sorted,
                       const T* queries, R* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    long long at[2];
    index.offsets(i, at);
    const T query = queries[at[0]];
    long long low = 0, high = size;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      const T v = sorted[line[middle]];
      const bool is_before = kIsUpper ? !is_less(query, v) : is_less(v, query);
      if (is_before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[at[1]] = static_cast<R>(low);
  }
}

}  // namespace quern_ops
