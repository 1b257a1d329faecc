// Incorrect uses of matrix fragments.
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

//! run part_of_a_warp(f16[256]=1, f32[256]) block 32
//! report warp @
__global__ void part_of_a_warp(const half* a, float* out) {
  A fa;
  B fb;
  C fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(fc, 0.0f);
  if (threadIdx.x < 16) wmma::mma_sync(fc, fa, fb, fc);  //@
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

//! run no_barrier_between(f32[256]) block 32
//! report race @
__global__ void no_barrier_between(float* out) {
  __shared__ alignas(32) float tile[256];
  C fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);  //@
  wmma::load_matrix_sync(fc, tile, 16, wmma::mem_col_major);
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

//! run not_aligned(f16[300]=1, f32[256]) block 32
//! report misaligned @
__global__ void not_aligned(const half* a, float* out) {
  A fa;
  wmma::load_matrix_sync(fa, a + 1, 16);  //@
  out[threadIdx.x] = fa.x[0];
}

//! run beyond_the_end(f16[255]=1, f32[256]) block 32
//! report out of bounds @
__global__ void beyond_the_end(const half* a, float* out) {
  A fa;
  wmma::load_matrix_sync(fa, a, 16);  //@
  float sum = 0;
  for (int i = 0; i < fa.num_elements; ++i) sum += __half2float(fa.x[i]);
  out[threadIdx.x] = sum;
}
