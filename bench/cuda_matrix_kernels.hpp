// Kernels of bench_cuda that use matrix units, as a CUDA programmer would write them.
#pragma once

namespace quern::bench {

// c = a * b of n x n, n a multiple of 128, by blocks of 256 threads: each computes 128 x 128 of c, each of
// its eight warps 32 x 64.
inline constexpr const char* kMatrixKernels = R"(
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(256) gemm_half(int n, const half* a, const half* b, float* c) {
  constexpr int kTile = 128, kDepth = 32, kLineA = kDepth + 8, kLineB = kTile + 8;
  __shared__ __align__(32) half as[kTile * kLineA];
  __shared__ __align__(32) half bs[kDepth * kLineB];
  int warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 64;
  a += (size_t)blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  for (int k = 0; k < n; k += kDepth) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int at = threadIdx.x + i * 256;
      *(uint4*)(as + at / 4 * kLineA + at % 4 * 8) = *(const uint4*)(a + (size_t)(at / 4) * n + k + at % 4 * 8);
      *(uint4*)(bs + at / 16 * kLineB + at % 16 * 8) = *(const uint4*)(b + (size_t)(k + at / 16) * n + at % 16 * 8);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kDepth; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[4];
#pragma unroll
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], as + (row + i * 16) * kLineA + step, kLineA);
#pragma unroll
      for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(fb[j], bs + step * kLineB + column + j * 16, kLineB);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
    __syncthreads();
  }
  c += (size_t)(blockIdx.y * kTile + row) * n + blockIdx.x * kTile + column;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(c + (size_t)i * 16 * n + j * 16, sums[i][j], n, wmma::mem_row_major);
}
)";

}  // namespace quern::bench
