// Matrix products of doubles with tensor cores (compute capability 9.0), after index.cuh, matmul.cuh and async_copy.cuh. A
// block of 2 × kColumns / 32 warps computes a tile of kRows × kColumns elements, a warp kRows / 2 × 32. Steps of kF64Depth
// are copied to shared memory asynchronously. While a warp multiplies 8 columns of a with 8 rows of b, it loads the next
// ones.

namespace quern_ops {

constexpr int kF64Depth = 16, kF64Part = 8;

__device__ void multiply_f64(double* d, const double* a, const double* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// The elements of a thread in parts of the operands.
template <class Left, class Right, int kTilesM, int kTilesN>
struct PartF64 {
  double a[kTilesM][4], b[kTilesN][2];
  __device__ void load(const double* left, const double* right, int row, int column, int depth) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) b[j][e] = right[Right::place(column + j * 8 + lane / 4, depth + lane % 4 + e * 4)];
    }
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        a[i][e] = left[Left::place(row + i * 16 + lane / 4 + e % 2 * 8, depth + lane % 4 + e / 2 * 4)];
    }
  }
};

template <int kActivation, bool kHasBias, bool kHasBeta, int kRows, int kColumns, int kStages, bool kAIsByColumn,
          bool kBIsByColumn, int kAVector, int kBVector>
__global__ void __launch_bounds__(kColumns * 2)
    matmul_f64(long long batches, long long m, long long n, long long k, Matrix a_layout, Matrix b_layout, Matrix c_layout,
               Line bias_line, double alpha, double beta, const double* a, const double* b, double* c, const double* bias) {
  constexpr int kThreads = kColumns * 2, kTilesM = kRows / 2 / 16, kTilesN = 32 / 8;  // tiles of a warp
  using Left = AsyncCopy<double, kThreads, kRows, kF64Depth, kAVector, !kAIsByColumn, kAIsByColumn>;
  using Right = AsyncCopy<double, kThreads, kColumns, kF64Depth, kBVector, kBIsByColumn, !kBIsByColumn>;
  extern __shared__ __align__(16) double doubles_memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / (kColumns / 32) * (kRows / 2), warp_column = warp % (kColumns / 32) * 32;
  const long long tiles_n = (n + kColumns - 1) / kColumns, tiles_m = (m + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const TilePlace tile(w, tiles_m, tiles_n, kRows, kColumns);
    double sum[kTilesM][kTilesN][4];
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] = 0;
      }
    }
    AsyncSteps<double, Left, Right, kF64Depth, kStages> steps(
        doubles_memory, Left(a + a_layout.at(tile.batch, tile.row, 0), a_layout.row, a_layout.column, m - tile.row),
        Right(b + b_layout.at(tile.batch, 0, tile.column), b_layout.column, b_layout.row, n - tile.column), k);
    PartF64<Left, Right, kTilesM, kTilesN> parts[2];
    const auto load = [&](int part, int stage, int depth) {
      parts[part].load(steps.left_step(stage), steps.right_step(stage), warp_row, warp_column, depth);
    };
    steps.wait();
    load(0, 0, 0);
    while (steps.rest > 0) {
      const int next = steps.next_stage();
      steps.begin_next();
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        if (part == 0) {
          load(1, steps.stage, kF64Part);
        } else {
          steps.wait();
          load(0, next, 0);
        }
#pragma unroll
        for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
          for (int j = 0; j < kTilesN; ++j) multiply_f64(sum[i][j], parts[part].a[i], parts[part].b[j]);
        }
      }
      steps.end_step(next);
    }
    wait_for_copies<0>();
    const long long row = tile.row + warp_row + lane / 4, column = tile.column + warp_column + lane % 4 * 2,
                    first = c_layout.at(tile.batch, row, column);
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int down = i * 16 + e / 2 * 8, right = j * 8 + e % 2;
          if (row + down < m && column + right < n)
            store_finished<kActivation, kHasBias, kHasBeta>(sum[i][j][e], alpha, beta,
                                                            c + (first + down * c_layout.row + right * c_layout.column), bias,
                                                            bias_line[column + right]);
        }
      }
    }
  }
}

}  // namespace quern_ops
