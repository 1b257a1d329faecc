// Sets elements.

namespace quern_ops {

template <class T, int R>
__global__ void fill(long long n, Index<R, 1> index, T* out, T value) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    long long at[1];
    index.offsets(i, at);
    out[at[0]] = value;
  }
}

}  // namespace quern_ops
