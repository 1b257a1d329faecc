// Matrix products. A block of 16 × 16 threads computes a square tile, a thread kEach × kEach elements of it. Steps of
// kDepth rows and columns are copied to shared memory in the type of the accumulator.

namespace quern_ops {

struct Matrix {
  long long first, batch, row, column;  // strides
  __device__ long long at(long long b, long long r, long long c) const {
    return first + b * batch + r * row + c * column;
  }
};

enum Activation { kNone, kRelu, kGelu, kSilu, kSigmoid, kTanh };

template <int kActivation, class A>
__device__ A activated(A x) {
  if constexpr (kActivation == kRelu) return x > 0 ? x : A(0);
  if constexpr (kActivation == kGelu) return A(0.5) * x * (A(1) + erf(x * A(0.70710678118654752440)));
  if constexpr (kActivation == kSilu) return x / (A(1) + exp(-x));
  if constexpr (kActivation == kSigmoid) return A(1) / (A(1) + exp(-x));
  if constexpr (kActivation == kTanh) return tanh(x);
  return x;
}

template <class T, class A, int kActivation, bool kHasBias, bool kHasBeta, int kEach, int kDepth>
__global__ void matmul(long long batches, long long m, long long n, long long k, Matrix a_layout, Matrix b_layout,
                       Matrix c_layout, Line bias_line, A alpha, A beta, const T* a, const T* b, T* c, const T* bias) {
  constexpr int kWidth = 16, kThreads = kWidth * kWidth, kTile = kEach * kWidth;
  __shared__ A a_tile[kDepth * kTile];  // [depth][row]
  __shared__ A b_tile[kDepth * kTile];  // [depth][column]
  const int thread = static_cast<int>(threadIdx.x);
  const int x = thread % kWidth, y = thread / kWidth;
  const long long tiles_n = (n + kTile - 1) / kTile, tiles_m = (m + kTile - 1) / kTile;
  const bool a_is_by_column = a_layout.row == 1, b_is_by_column = b_layout.row == 1;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const long long batch = w / (tiles_m * tiles_n), tile = w - batch * (tiles_m * tiles_n);
    const long long first_row = tile / tiles_n * kTile, first_column = tile % tiles_n * kTile;
    A sum[kEach][kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum[i][j] = A(0);
    }
    for (long long step = 0; step < k; step += kDepth) {
      for (int e = thread; e < kDepth * kTile; e += kThreads) {
        // Neighboring threads read neighboring elements.
        const int a_row = a_is_by_column ? e % kTile : e / kDepth, a_depth = a_is_by_column ? e / kTile : e % kDepth;
        const int b_column = b_is_by_column ? e / kDepth : e % kTile, b_depth = b_is_by_column ? e % kDepth : e / kTile;
        A from_a = A(0), from_b = A(0);
        if (first_row + a_row < m && step + a_depth < k)
          from_a = static_cast<A>(a[a_layout.at(batch, first_row + a_row, step + a_depth)]);
        if (first_column + b_column < n && step + b_depth < k)
          from_b = static_cast<A>(b[b_layout.at(batch, step + b_depth, first_column + b_column)]);
        a_tile[a_depth * kTile + a_row] = from_a;
        b_tile[b_depth * kTile + b_column] = from_b;
      }
      __syncthreads();
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        A left[kEach], right[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
          left[i] = a_tile[d * kTile + y + i * kWidth];
          right[i] = b_tile[d * kTile + x + i * kWidth];
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
#pragma unroll
          for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const long long row = first_row + y + i * kWidth, column = first_column + x + j * kWidth;
        if (row < m && column < n) {
          const long long at = c_layout.at(batch, row, column);
          A value = alpha * sum[i][j];
          if constexpr (kHasBeta) value += beta * static_cast<A>(c[at]);
          if constexpr (kHasBias) value += static_cast<A>(bias[bias_line[column]]);
          c[at] = static_cast<T>(activated<kActivation>(value));
        }
      }
    }
  }
}

}  // namespace quern_ops
