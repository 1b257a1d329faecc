// Matrix products of floats (NVIDIA devices of compute capability 8.0 or later), after index.cuh, matmul.cuh and
// async_copy.cuh. A block computes a tile of kRows × kColumns elements, a warp kWarpRows × 64, a thread kWarpRows / 4 × 8.
// Steps of kDepth are copied to shared memory asynchronously: [depth][line], so that a thread reads 4 lines together. While
// it multiplies a column of a with a row of b, it loads the next ones.

namespace quern_ops {

template <int kCount, int kStep>
__device__ void load_lines(float* to, const float* from) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const float4 lines = *reinterpret_cast<const float4*>(from + i / 4 * kStep);
    to[i] = lines.x;
    to[i + 1] = lines.y;
    to[i + 2] = lines.z;
    to[i + 3] = lines.w;
  }
}

template <int kActivation, bool kHasBias, bool kHasBeta, int kRows, int kColumns, int kWarpRows, int kDepth, int kStages,
          bool kAIsByColumn, bool kBIsByColumn, int kAVector, int kBVector>
__global__ void __launch_bounds__(kRows / kWarpRows * (kColumns / 64) * 32)
    matmul_f32(long long batches, long long m, long long n, long long k, Matrix a_layout, Matrix b_layout, Matrix c_layout,
               Line bias_line, float alpha, float beta, const float* a, const float* b, float* c, const float* bias) {
  constexpr int kWarpsN = kColumns / 64, kThreads = kRows / kWarpRows * kWarpsN * 32;
  constexpr int kEachM = kWarpRows / 4, kEachN = 8, kStepM = 4 * 4, kStepN = 8 * 4;  // 4 × 8 threads of a warp
  using Left = AsyncCopy<float, kThreads, kRows, kDepth, kAIsByColumn ? kAVector : 1, !kAIsByColumn, true>;
  using Right = AsyncCopy<float, kThreads, kColumns, kDepth, kBIsByColumn ? 1 : kBVector, kBIsByColumn, true>;
  extern __shared__ __align__(16) float floats_memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  // Lanes 0 and 1 have different rows, lanes 0 and 2 different columns: the hardware reads pieces of two lanes once.
  const int thread_row = warp / kWarpsN * kWarpRows + ((lane & 1) | lane >> 4 << 1) * 4,
            thread_column = warp % kWarpsN * 64 + ((lane >> 1 & 1) | (lane >> 2 & 3) << 1) * 4;
  const long long tiles_n = (n + kColumns - 1) / kColumns, tiles_m = (m + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < batches * tiles_m * tiles_n; w += gridDim.x) {
    const TilePlace tile(w, tiles_m, tiles_n, kRows, kColumns);
    float sum[kEachM][kEachN];
#pragma unroll
    for (int i = 0; i < kEachM; ++i) {
#pragma unroll
      for (int j = 0; j < kEachN; ++j) sum[i][j] = 0;
    }
    AsyncSteps<float, Left, Right, kDepth, kStages> steps(
        floats_memory, Left(a + a_layout.at(tile.batch, tile.row, 0), a_layout.row, a_layout.column, m - tile.row),
        Right(b + b_layout.at(tile.batch, 0, tile.column), b_layout.column, b_layout.row, n - tile.column), k);
    float of_a[2][kEachM], of_b[2][kEachN];
    const auto load = [&](int which, int stage, int depth) {
      load_lines<kEachM, kStepM>(of_a[which], steps.left_step(stage) + Left::place(thread_row, depth));
      load_lines<kEachN, kStepN>(of_b[which], steps.right_step(stage) + Right::place(thread_column, depth));
    };
    steps.wait();
    load(0, 0, 0);
    while (steps.rest > 0) {
      const int next = steps.next_stage();
      steps.begin_next();
#pragma unroll
      for (int d = 0; d < kDepth; ++d) {
        if (d + 1 < kDepth) {
          load((d + 1) % 2, steps.stage, d + 1);
        } else {
          steps.wait();
          load(0, next, 0);
        }
        // Two neighbors share an operand, also at the ends of columns: fewer accesses to the registers' banks.
#pragma unroll
        for (int j = 0; j < kEachN; ++j) {
#pragma unroll
          for (int r = 0; r < kEachM; ++r) {
            const int i = j % 2 == 0 ? r : kEachM - 1 - r;
            sum[i][j] = fmaf(of_a[d % 2][i], of_b[d % 2][j], sum[i][j]);
          }
        }
      }
      steps.end_step(next);
    }
    wait_for_copies<0>();
    const long long row = tile.row + thread_row, column = tile.column + thread_column,
                    first = c_layout.at(tile.batch, row, column);
#pragma unroll
    for (int i = 0; i < kEachM; ++i) {
#pragma unroll
      for (int j = 0; j < kEachN; ++j) {
        const int down = i / 4 * kStepM + i % 4, right = j / 4 * kStepN + j % 4;
        if (row + down < m && column + right < n)
          store_finished<kActivation, kHasBias, kHasBeta>(sum[i][j], alpha, beta, c + (first + down * c_layout.row + right * c_layout.column),
                                                          bias, bias_line[column + right]);
      }
    }
  }
}

}  // namespace quern_ops
