// Gather and scatter of rows with `inner` elements. `rows`: of the side that the indices refer to.

namespace quern_ops {

template <class T, class I, int kAxes, bool kIsScatter>
__global__ void gather(long long work, long long inner, long long rows, Line line, const I* indices,
                       Index<kAxes, 2> index, long long stride, long long out_stride, const T* in, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < work; w += step) {
    const long long row = w / inner;
    const long long other = static_cast<long long>(indices[line[row]]);
    if (other >= 0 && other < rows) {
      long long at[2];
      index.offsets(w - row * inner, at);
      out[at[1] + (kIsScatter ? other : row) * out_stride] = in[at[0] + (kIsScatter ? row : other) * stride];
    }
  }
}

}  // namespace quern_ops
