// Matrix products on processors, after matmul.cuh. A block of kLanes threads is a vector; a thread computes a column of
// kRows rows in registers. Larger products copy their operands into tiles first, which fit into caches.

namespace quern_ops {

// Elements that are neighbors in memory: those of a row, those of a column, or unknown.
enum Order { kByRow, kByColumn, kAnyOrder };

// The position of an element. A stride of 1 is a constant, so that threads access vectors.
template <int kOrder>
__device__ long long position(const Matrix& matrix, long long batch, long long row, long long column) {
  if constexpr (kOrder == kByRow) return matrix.first + batch * matrix.batch + row * matrix.row + column;
  if constexpr (kOrder == kByColumn) return matrix.first + batch * matrix.batch + row + column * matrix.column;
  return matrix.at(batch, row, column);
}

// A step of a tile that a block copies. Tiles have kTileRows rows or kLanes columns, and the depth kTileDepth.
struct LaneStep {
  long long batch, tile, step;
  __device__ LaneStep(long long block, long long tiles, long long steps)
      : batch(block / (tiles * steps)), tile(block / steps % tiles), step(block % steps) {}
};

// A block copies a tile of kTileRows rows and kTileDepth columns: [tile][step][row][depth], or [depth][row] for columns.
template <class T, class A, int kLanes, int kTileRows, int kTileDepth, int kOrder>
__global__ void pack_left(long long tiles, long long steps, long long m, long long k, Matrix layout, const T* a, A* out) {
  const LaneStep at(blockIdx.x, tiles, steps);
  const int lane = static_cast<int>(threadIdx.x);
  const long long first_row = at.tile * kTileRows, step = at.step * kTileDepth;
  const int rows = static_cast<int>(min(static_cast<long long>(kTileRows), m - first_row));
  const int depth = static_cast<int>(min(static_cast<long long>(kTileDepth), k - step));
  A* const tile = out + static_cast<long long>(blockIdx.x) * (kTileRows * kTileDepth);
  if constexpr (kOrder == kByColumn) {
    for (int d = 0; d < depth; ++d) {
      for (int r = lane; r < kTileRows; r += kLanes)
        tile[d * kTileRows + r] =
            r < rows ? static_cast<A>(a[position<kOrder>(layout, at.batch, first_row + r, step + d)]) : A(0);
    }
  } else {
    for (int r = 0; r < kTileRows; ++r) {
      for (int d = lane; d < depth; d += kLanes)
        tile[r * kTileDepth + d] =
            r < rows ? static_cast<A>(a[position<kOrder>(layout, at.batch, first_row + r, step + d)]) : A(0);
    }
  }
}

// A block copies kTileDepth rows of kLanes columns: [tile][step][depth][lane].
template <class T, class A, int kLanes, int kTileDepth, int kOrder>
__global__ void pack_right(long long tiles, long long steps, long long n, long long k, Matrix layout, const T* b, A* out) {
  const LaneStep at(blockIdx.x, tiles, steps);
  const int lane = static_cast<int>(threadIdx.x);
  const long long column = at.tile * kLanes + lane, step = at.step * kTileDepth;
  const int depth = static_cast<int>(min(static_cast<long long>(kTileDepth), k - step));
  A* const tile = out + static_cast<long long>(blockIdx.x) * (kTileDepth * kLanes);
  for (int d = 0; d < depth; ++d)
    tile[d * kLanes + lane] =
        column < n ? static_cast<A>(b[position<kOrder>(layout, at.batch, step + d, column)]) : A(0);
}

// The product of packed tiles. `left_batch` and `right_batch`: tiles of a batch, 0 if all have the same matrix.
template <class T, class A, class C, int kActivation, bool kHasBias, bool kHasBeta, int kLanes, int kRows, int kTileRows,
          int kTileDepth, bool kLeftIsByColumn, int kOrder>
__global__ void matmul_lanes(long long batches, long long m, long long n, long long k, long long left_batch,
                             long long right_batch, Matrix c_layout, Line bias_line, Scalar<A> alpha, Scalar<A> beta,
                             const A* left, const A* right, C* c, const C* bias) {
  constexpr int kRowStep = kLeftIsByColumn ? 1 : kTileDepth, kDepthStep = kLeftIsByColumn ? kTileRows : 1;
  __shared__ A sums[kTileRows * kLanes];  // [row][column]
  const int lane = static_cast<int>(threadIdx.x);
  const long long tiles_n = (n + kLanes - 1) / kLanes, tiles_m = (m + kTileRows - 1) / kTileRows;
  const long long steps = (k + kTileDepth - 1) / kTileDepth;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const long long batch = w / (tiles_m * tiles_n), tile = w - batch * (tiles_m * tiles_n);
    const long long tile_m = tile / tiles_n, tile_n = tile % tiles_n;
    const long long first_row = tile_m * kTileRows, column = tile_n * kLanes + lane;
    const int rows = static_cast<int>(min(static_cast<long long>(kTileRows), m - first_row));
    if (k == 0) {
      for (int r = 0; r < rows; ++r) sums[r * kLanes + lane] = A(0);
    }
    for (long long step = 0; step < steps; ++step) {
      const long long depth = min(static_cast<long long>(kTileDepth), k - step * kTileDepth);
      const A* const a_tile = left + ((batch * left_batch + tile_m) * steps + step) * (kTileRows * kTileDepth);
      const A* const b_tile = right + ((batch * right_batch + tile_n) * steps + step) * (kTileDepth * kLanes);
      for (int r = 0; r < rows; r += kRows) {
        const A* const a_rows = a_tile + r * kRowStep;
        A sum[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i) sum[i] = step == 0 ? A(0) : sums[(r + i) * kLanes + lane];
        for (long long d = 0; d < depth; ++d) {
          const A factor = b_tile[d * kLanes + lane];
#pragma unroll
          for (long long i = 0; i < kRows; ++i) sum[i] += a_rows[i * kRowStep + d * kDepthStep] * factor;
        }
#pragma unroll
        for (int i = 0; i < kRows; ++i) sums[(r + i) * kLanes + lane] = sum[i];
      }
    }
    if (column < n) {
      for (int r = 0; r < rows; ++r)
        store_finished<kActivation, kHasBias, kHasBeta>(sums[r * kLanes + lane], alpha, beta,
                                                       c + position<kOrder>(c_layout, batch, first_row + r, column),
                                                       bias, bias_line[column]);
    }
  }
}

// The product of few rows, without copies: b is read once for every kRows rows.
template <class T, class A, class C, int kActivation, bool kHasBias, bool kHasBeta, int kLanes, int kRows, int kBOrder,
          int kOrder>
__global__ void matmul_few_rows(long long batches, long long m, long long n, long long k, Matrix a_layout,
                                Matrix b_layout, Matrix c_layout, Line bias_line, Scalar<A> alpha, Scalar<A> beta,
                                const T* a, const T* b, C* c, const C* bias) {
  const long long tiles_n = (n + kLanes - 1) / kLanes, groups = (m + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < batches * groups * tiles_n; w += gridDim.x) {
    const long long batch = w / (groups * tiles_n), tile = w - batch * (groups * tiles_n);
    const long long row = tile / tiles_n * kRows, column = tile % tiles_n * kLanes + threadIdx.x;
    if (column >= n) continue;
    A sum[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i) sum[i] = A(0);
    for (long long d = 0; d < k; ++d) {
      const A factor = static_cast<A>(b[position<kBOrder>(b_layout, batch, d, column)]);
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        sum[i] += static_cast<A>(a[a_layout.at(batch, min(row + i, m - 1), d)]) * factor;
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (row + i < m)
        store_finished<kActivation, kHasBias, kHasBeta>(sum[i], alpha, beta,
                                                       c + position<kOrder>(c_layout, batch, row + i, column),
                                                       bias, bias_line[column]);
    }
  }
}

}  // namespace quern_ops
