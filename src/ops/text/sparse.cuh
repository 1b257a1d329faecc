// Products of sparse matrices with vectors and matrices.

namespace quern_ops {

// Rows in compressed form, or of equal length (`offsets` is not read).
struct SparseRows {
  long long rows, columns;
  long long width;               // elements of a row of equal length
  Line offsets;
  long long index_first, index_row, index_step;
  long long value_first, value_row, value_step;
};
struct DenseMatrix {
  long long first, row, column;
  __device__ long long at(long long r, long long c) const { return first + r * row + c * column; }
};

// Calls visit(column, value) for the elements lane, lane + width, … of a row.
template <class A, class T, class I, bool kIsCompressed, class Visit>
__device__ void for_each_element(const SparseRows& a, long long row, int lane, int width, const I* offsets,
                                 const I* indices, const T* values, const Visit& visit) {
  long long begin = 0, end = a.width, index = a.index_first, value = a.value_first;
  if constexpr (kIsCompressed) {
    begin = static_cast<long long>(offsets[a.offsets[row]]);
    end = static_cast<long long>(offsets[a.offsets[row + 1]]);
  } else {
    index += row * a.index_row;
    value += row * a.value_row;
  }
  for (long long k = begin + lane; k < end; k += width) {
    const long long column = static_cast<long long>(indices[index + k * a.index_step]);
    if (column >= 0 && column < a.columns) visit(column, static_cast<A>(values[value + k * a.value_step]));
  }
}

// kWidth threads for each row.
template <class T, class A, class I, bool kIsCompressed, int kWidth, bool kHasBeta>
__global__ void spmv(SparseRows a, Line x_line, Line y_line, A alpha, A beta, const I* offsets, const I* indices,
                     const T* values, const T* x, T* y) {
  constexpr int kThreads = 256, kRows = kThreads / kWidth;
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  for (long long first = static_cast<long long>(blockIdx.x) * kRows; first < a.rows;
       first += static_cast<long long>(gridDim.x) * kRows) {
    const long long row = first + static_cast<int>(threadIdx.x) / kWidth;
    A sum = A(0);
    if (row < a.rows) {
      for_each_element<A, T, I, kIsCompressed>(a, row, lane, kWidth, offsets, indices, values,
                                               [&](long long column, A value) {
                                                 sum += value * static_cast<A>(x[x_line[column]]);
                                               });
    }
#pragma unroll
    for (int distance = kWidth / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0 && row < a.rows) {
      A result = alpha * sum;
      if constexpr (kHasBeta) result += beta * static_cast<A>(y[y_line[row]]);
      y[y_line[row]] = static_cast<T>(result);
    }
  }
}

// A thread for each element of the result.
template <class T, class A, class I, bool kIsCompressed, bool kHasBeta>
__global__ void spmm(SparseRows a, long long count, DenseMatrix b_layout, DenseMatrix c_layout, A alpha, A beta,
                     const I* offsets, const I* indices, const T* values, const T* b, T* c) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < a.rows * count; w += step) {
    const long long row = divided(w, count), column = w - row * count;
    A sum = A(0);
    for_each_element<A, T, I, kIsCompressed>(a, row, 0, 1, offsets, indices, values, [&](long long k, A value) {
      sum += value * static_cast<A>(b[b_layout.at(k, column)]);
    });
    const long long at = c_layout.at(row, column);
    A result = alpha * sum;
    if constexpr (kHasBeta) result += beta * static_cast<A>(c[at]);
    c[at] = static_cast<T>(result);
  }
}

}  // namespace quern_ops
