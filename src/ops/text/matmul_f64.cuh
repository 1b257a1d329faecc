// Matrix products of doubles with tensor cores (compute capability 9.0), after index.cuh and matmul.cuh. A block of 8
// warps computes a tile of kRows × kColumns elements, a warp kRows / 2 × kColumns / 4. kStages steps of kStepDepth are
// copied to shared memory asynchronously.

namespace quern_ops {

constexpr int kF64Threads = 256, kStepDepth = 16;

// Copies kLines rows of a, or columns of b: [line][depth] if depth is contiguous in memory, else [depth][line]. The
// padding avoids bank conflicts when a warp reads 8 lines at 4 depths.
template <int kLines, int kVector, bool kDepthIsInner>
struct AsyncCopy {
  static constexpr int kPitch = (kDepthIsInner ? kStepDepth : kLines) + 4;
  static constexpr int kSize = (kDepthIsInner ? kLines : kStepDepth) * kPitch;
  static constexpr int kPerLine = (kDepthIsInner ? kStepDepth : kLines) / kVector;
  static constexpr int kEach = kLines * kStepDepth / kVector / kF64Threads, kStep = kF64Threads / kPerLine;

  long long at, piece_step, depth_step;
  int line, depth, lines;

  __device__ AsyncCopy(long long start, long long line_stride, long long depth_stride, long long lines_left) {
    const int thread = static_cast<int>(threadIdx.x), inner = thread % kPerLine * kVector, outer = thread / kPerLine;
    line = kDepthIsInner ? outer : inner;
    depth = kDepthIsInner ? inner : outer;
    lines = static_cast<int>(min(lines_left, static_cast<long long>(kLines)));
    at = start + line * line_stride + depth * depth_stride;
    piece_step = kStep * (kDepthIsInner ? line_stride : depth_stride);
    depth_step = kStepDepth * depth_stride;
  }
  __device__ static int place(int l, int d) { return kDepthIsInner ? l * kPitch + d : d * kPitch + l; }
  // Begins to copy the next step, of which `depth_left` rows or columns exist; the others become 0.
  __device__ void copy(const double* from, double* to, long long depth_left) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int l = kDepthIsInner ? line + i * kStep : line, d = kDepthIsInner ? depth : depth + i * kStep;
      const bool exists = l < lines && d < depth_left;
      const double* const source = exists ? from + (at + i * piece_step) : from;
      const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to + place(l, d)));
      if constexpr (kVector == 2) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(exists ? 16 : 0) : "memory");
      } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(target), "l"(source), "r"(exists ? 8 : 0) : "memory");
      }
    }
    at += depth_step;
  }
};

__device__ void multiply_f64(double* d, const double* a, const double* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]),
        "d"(b[3]));
}

template <int kActivation, bool kHasBias, bool kHasBeta, int kRows, int kColumns, int kStages, bool kAIsByColumn,
          bool kBIsByColumn, int kAVector, int kBVector>
__global__ void __launch_bounds__(kF64Threads)
    matmul_f64(long long batches, long long m, long long n, long long k, Matrix a_layout, Matrix b_layout, Matrix c_layout,
               Line bias_line, double alpha, double beta, const double* a, const double* b, double* c, const double* bias) {
  using Left = AsyncCopy<kRows, kAVector, !kAIsByColumn>;
  using Right = AsyncCopy<kColumns, kBVector, kBIsByColumn>;
  constexpr int kTilesM = kRows / 2 / 16, kTilesN = kColumns / 4 / 8;  // of a warp
  extern __shared__ __align__(16) double steps_memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 4 * (kRows / 2), warp_column = warp % 4 * (kColumns / 4);
  const long long tiles_n = (n + kColumns - 1) / kColumns, tiles_m = (m + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const long long batch = w / (tiles_m * tiles_n), tile = w - batch * (tiles_m * tiles_n);
    const long long band = tile / (8 * tiles_n) * 8, rows = min(8ll, tiles_m - band), in_band = tile - band * tiles_n;
    const long long first_row = (band + in_band % rows) * kRows, first_column = in_band / rows * kColumns;
    double sum[kTilesM][kTilesN][4];
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] = 0;
      }
    }
    Left left(a_layout.at(batch, first_row, 0), a_layout.row, a_layout.column, m - first_row);
    Right right(b_layout.at(batch, 0, first_column), b_layout.column, b_layout.row, n - first_column);
    const auto copy = [&](int stage, long long depth) {
      double* const to = steps_memory + stage * (Left::kSize + Right::kSize);
      if (depth < k) {
        left.copy(a, to, k - depth);
        right.copy(b, to + Left::kSize, k - depth);
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) copy(s, static_cast<long long>(s) * kStepDepth);
    int stage = 0;
    for (long long depth = 0; depth < k; depth += kStepDepth) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncthreads();
      copy(stage == 0 ? kStages - 1 : stage - 1, depth + (kStages - 1) * kStepDepth);
      const double* const a_tile = steps_memory + stage * (Left::kSize + Right::kSize);
      const double* const b_tile = a_tile + Left::kSize;
      double of_b[kTilesN][4];
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
          of_b[j][e] = b_tile[Right::place(warp_column + j * 8 + lane / 4, lane % 4 + e * 4)];
      }
#pragma unroll
      for (int i = 0; i < kTilesM; ++i) {
        double of_a[8];
#pragma unroll
        for (int e = 0; e < 8; ++e)
          of_a[e] = a_tile[Left::place(warp_row + i * 16 + lane / 4 + e % 2 * 8, lane % 4 + e / 2 * 4)];
#pragma unroll
        for (int j = 0; j < kTilesN; ++j) multiply_f64(sum[i][j], of_a, of_b[j]);
      }
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const long long row = first_row + warp_row + i * 16 + lane / 4 + e / 2 * 8;
          const long long column = first_column + warp_column + j * 8 + lane % 4 * 2 + e % 2;
          if (row < m && column < n)
            store_finished<kActivation, kHasBias, kHasBeta>(sum[i][j][e], alpha, beta, c + c_layout.at(batch, row, column),
                                                            bias, bias_line[column]);
        }
      }
    }
  }
}

}  // namespace quern_ops
