#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) { wmma::fragment<wmma::matrix_a, 16, 8, 16, half, wmma::row_major> f; wmma::load_matrix_sync(f, a, 16); }
//! 3:95: the shape of a fragment must be 16x16x16, 32x8x16 or 8x32x16, of tf32 16x16x8, of double 8x8x4
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::mma_sync(fc, fa, fb, fc);
}
//! 7:9: the fragments of mma_sync must have the same shape
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::mma_sync(fc, fa, fb, fc);
}
//! 7:9: the fragments a and b of mma_sync must have the same element type
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::mma_sync(fc, fa, fb, fc);
}
//! 7:9: mma_sync sums __half in __half or float, __nv_bfloat16 and tf32 in float, 8-bit integers in int, double in double
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> fa;
  a[0] = fa.x[0];
}
//! 4:96: fragments of elements of fewer than 8 bits are not supported
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(float* a) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, a, 16);
}
//! 5:9: load_matrix_sync of an accumulator needs mem_row_major or mem_col_major
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(float* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::load_matrix_sync(fa, a, 16);
}
//! 5:30: 'load_matrix_sync' expects 'const __half*' for parameter 'from' (2nd), got 'float*'
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(float* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, float, wmma::row_major> fa;
  wmma::fill_fragment(fa, 0.0f);
}
//! 4:70: a fragment of matrix_a or matrix_b must have elements of __half, __nv_bfloat16, precision::tf32, signed char, unsigned char or double
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half> fa;
  wmma::load_matrix_sync(fa, a, 16);
}
//! 4:52: a fragment of matrix_a or matrix_b must be row_major or col_major
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::store_matrix_sync(a, fa, 16, wmma::mem_row_major);
}
//! 5:9: no matching function for call to 'store_matrix_sync': its parameter 2 does not match 'nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major>'
//---
#include <mma.h>
using namespace nvcuda;
__global__ void k(half* a) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, unsigned> fa;
  wmma::fill_fragment(fa, 0);
}
//! 4:59: a fragment of accumulator must have elements of float, __half, int or double
