// Copies between tensors that are contiguous along different axes, after index.cuh. A block copies squares through
// shared memory, so that neighboring threads read and write neighboring elements.

namespace quern_ops {

// An axis of both tensors.
struct CopiedAxis {
  long long extent, in, out;  // strides
};

// `index`: of the R other axes. `in` is contiguous along `p`, `out` along `q`.
template <class From, class To, int R>
__global__ void transpose(long long others, Index<R, 2> index, CopiedAxis p, CopiedAxis q, const From* in, To* out) {
  constexpr int kSide = 32, kLines = 8;
  __shared__ To square[kSide * (kSide + 1)];
  const int x = static_cast<int>(threadIdx.x) % kSide, y = static_cast<int>(threadIdx.x) / kSide;
  const long long squares_p = (p.extent + kSide - 1) / kSide, squares = squares_p * ((q.extent + kSide - 1) / kSide);
  for (long long w = blockIdx.x; w < others * squares; w += gridDim.x) {
    const long long other = w / squares, place = w - other * squares;
    const long long first_q = place / squares_p * kSide, first_p = place % squares_p * kSide;
    long long at[2];
    index.offsets(other, at);
#pragma unroll
    for (int i = 0; i < kSide; i += kLines) {
      const long long of_p = first_p + x, of_q = first_q + y + i;
      if (of_p < p.extent && of_q < q.extent)
        square[(y + i) * (kSide + 1) + x] = static_cast<To>(in[at[0] + of_p * p.in + of_q * q.in]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSide; i += kLines) {
      const long long of_p = first_p + y + i, of_q = first_q + x;
      if (of_p < p.extent && of_q < q.extent)
        out[at[1] + of_p * p.out + of_q * q.out] = square[x * (kSide + 1) + y + i];
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
