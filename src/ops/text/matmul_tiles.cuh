// Matrix products, after index.cuh, pieces.cuh and matmul.cuh. A block of 16 × 16 threads computes a tile of kRows ×
// kColumns elements. Steps of depth are copied to shared memory, in the type of the accumulator, while the step before
// is multiplied.

namespace quern_ops {

constexpr int kTileThreads = 256, kTileWidth = 16;

// Copies steps of kLines rows of a, or columns of b, to shared memory: [depth][line]. A thread copies pieces of kVector
// elements along the contiguous axis.
template <class T, class A, int kLines, int kDepth, int kVector, bool kDepthIsInner>
struct TileCopy {
  static constexpr int kPitch = kLines + (kDepthIsInner ? 4 : 0);  // fewer bank conflicts
  static constexpr int kSize = kDepth * kPitch;
  static constexpr int kPerLine = (kDepthIsInner ? kDepth : kLines) / kVector, kPieces = kLines * kDepth / kVector;
  static constexpr int kEach = (kPieces + kTileThreads - 1) / kTileThreads, kStep = kTileThreads / kPerLine;

  A values[kEach * kVector];
  long long at, piece_step, depth_step;  // positions in memory
  int line, depth;                       // of the first piece
  int lines;                             // that exist

  __device__ TileCopy(long long start, long long line_stride, long long depth_stride, long long lines_left) {
    const int thread = static_cast<int>(threadIdx.x), inner = thread % kPerLine * kVector, outer = thread / kPerLine;
    line = kDepthIsInner ? outer : inner;
    depth = kDepthIsInner ? inner : outer;
    lines = static_cast<int>(min(lines_left, static_cast<long long>(kLines)));
    at = start + line * line_stride + depth * depth_stride;
    piece_step = kStep * (kDepthIsInner ? line_stride : depth_stride);
    depth_step = kDepth * depth_stride;
  }
  // Reads the next step, of which `depth_left` rows or columns exist.
  __device__ void read(const T* from, long long depth_left) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int l = kDepthIsInner ? line + i * kStep : line, d = kDepthIsInner ? depth : depth + i * kStep;
#pragma unroll
      for (int e = 0; e < kVector; ++e) values[i * kVector + e] = A(0);
      if (l < lines && d < depth_left && l < kLines && d < kDepth)
        load_piece<T, kVector>(from + (at + i * piece_step), values + i * kVector);
    }
    at += depth_step;
  }
  __device__ void write(A* tile) const {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int l = kDepthIsInner ? line + i * kStep : line, d = kDepthIsInner ? depth : depth + i * kStep;
      if (l < kLines && d < kDepth) {
#pragma unroll
        for (int e = 0; e < kVector; ++e)
          tile[(kDepthIsInner ? d + e : d) * kPitch + (kDepthIsInner ? l : l + e)] = values[i * kVector + e];
      }
    }
  }
};

// A thread's rows (columns) of a tile: groups of neighbors, so that it reads them from shared memory together.
template <int kEach>
__device__ int place_of(int thread, int i) {
  constexpr int kGroup = kEach < 4 ? kEach : 4;
  return i / kGroup * (kTileWidth * kGroup) + thread * kGroup + i % kGroup;
}

template <class T, class A, class C, int kActivation, bool kHasBias, bool kHasBeta, int kRows, int kColumns, int kDepth, int kResident,
          bool kAIsByColumn, bool kBIsByColumn, int kAVector, int kBVector>
__global__ void __launch_bounds__(kTileThreads, kResident)
    matmul_tiles(long long batches, long long m, long long n, long long k, Matrix a_layout, Matrix b_layout, Matrix c_layout,
                 Line bias_line, Scalar<A> alpha, Scalar<A> beta, const T* a, const T* b, C* c, const C* bias) {
  constexpr int kEachM = kRows / kTileWidth, kEachN = kColumns / kTileWidth;
  using Left = TileCopy<T, A, kRows, kDepth, kAVector, !kAIsByColumn>;
  using Right = TileCopy<T, A, kColumns, kDepth, kBVector, kBIsByColumn>;
  __shared__ __align__(16) A a_tiles[2 * Left::kSize];
  __shared__ __align__(16) A b_tiles[2 * Right::kSize];
  // 32 neighboring threads compute 4 × 8 parts, which need fewer different elements of the tiles than 2 × 16.
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, part = thread / 32;
  const int x = part % 2 * 8 + lane % 8, y = part / 2 * 4 + lane / 8;
  const long long tiles_n = (n + kColumns - 1) / kColumns, tiles_m = (m + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const long long batch = w / (tiles_m * tiles_n), tile = w - batch * (tiles_m * tiles_n);
    // Neighboring blocks compute bands of 8 rows of tiles, which share more in the cache than whole rows.
    const long long band = tile / (8 * tiles_n) * 8, rows = min(8ll, tiles_m - band), in_band = tile - band * tiles_n;
    const long long first_row = (band + in_band % rows) * kRows, first_column = in_band / rows * kColumns;
    A sum[kEachM][kEachN];
#pragma unroll
    for (int i = 0; i < kEachM; ++i) {
#pragma unroll
      for (int j = 0; j < kEachN; ++j) sum[i][j] = A(0);
    }
    Left left(a_layout.at(batch, first_row, 0), a_layout.row, a_layout.column, m - first_row);
    Right right(b_layout.at(batch, 0, first_column), b_layout.column, b_layout.row, n - first_column);
    if (k > 0) {
      left.read(a, k);
      right.read(b, k);
      left.write(a_tiles);
      right.write(b_tiles);
    }
    __syncthreads();
    int current = 0;
    for (long long step = 0; step < k; step += kDepth) {
      const long long rest = k - step - kDepth;
      if (rest > 0) {
        left.read(a, rest);
        right.read(b, rest);
      }
      const A* const a_tile = a_tiles + current * Left::kSize;
      const A* const b_tile = b_tiles + current * Right::kSize;
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        A of_a[kEachM], of_b[kEachN];
#pragma unroll
        for (int i = 0; i < kEachM; ++i) of_a[i] = a_tile[d * Left::kPitch + place_of<kEachM>(y, i)];
#pragma unroll
        for (int j = 0; j < kEachN; ++j) of_b[j] = b_tile[d * Right::kPitch + place_of<kEachN>(x, j)];
#pragma unroll
        for (int i = 0; i < kEachM; ++i) {
#pragma unroll
          for (int j = 0; j < kEachN; ++j) sum[i][j] += of_a[i] * of_b[j];
        }
      }
      current ^= 1;
      if (rest > 0) {
        left.write(a_tiles + current * Left::kSize);
        right.write(b_tiles + current * Right::kSize);
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kEachM; ++i) {
#pragma unroll
      for (int j = 0; j < kEachN; ++j) {
        const long long row = first_row + place_of<kEachM>(y, i), column = first_column + place_of<kEachN>(x, j);
        if (row < m && column < n)
          store_finished<kActivation, kHasBias, kHasBeta>(sum[i][j], alpha, beta, c + c_layout.at(batch, row, column),
                                                          bias, bias_line[column]);
      }
    }
  }
}

}  // namespace quern_ops
