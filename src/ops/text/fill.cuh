// Sets elements.

namespace quern_ops {

// Contiguous elements in packs of kPack; elements after the last pack follow as single ones.
template <int kPack, class T>
__global__ void fill(long long n, T* out, T value) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  long long first = thread;
  if constexpr (kPack > 1) {
    Pack<T, kPack> pack;
#pragma unroll
    for (int k = 0; k < kPack; ++k) pack.of[k] = value;
    for (long long i = thread; i < n / kPack; i += step) reinterpret_cast<Pack<T, kPack>*>(out)[i] = pack;
    first = n / kPack * kPack + thread;
  }
  for (long long i = first; i < n; i += step) out[i] = value;
}

template <int kAxes, class T>
__global__ void fill_strided(long long n, Index<kAxes, 1> index, T* out, T value) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step) {
    long long at[1];
    offsets_of(index, i, at);
    out[at[0]] = value;
  }
}

}  // namespace quern_ops
