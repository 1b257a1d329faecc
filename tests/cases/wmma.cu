// Matrix fragments (nvcuda::wmma): types, shapes, layouts, fragments in arrays and functions. All numbers are
// small integers, so that sums are exact whatever their order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

__device__ int left(int row, int k) { return (row * 3 + k * 5) % 7; }
__device__ int right(int k, int column) { return (k * 2 + column * 3) % 5; }
__device__ int added(int row, int column) { return (row + column * 2) % 9 - 4; }

// One warp multiplies matrices in shared memory, and checks each element of the result. The rows of a and b
// are longer than necessary.
//! run product<__half, float, 16, 16, 16, true, true, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<double, double, 8, 8, 4, true, true, false>(i32[2]=0) block 32
//! out = 0 64
//! run product<__half, float, 16, 16, 16, true, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<double, double, 8, 8, 4, true, false, true>(i32[2]=0) block 32
//! out = 0 64
//! run product<wmma::precision::tf32, float, 16, 16, 8, true, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<__half, float, 16, 16, 16, false, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<double, double, 8, 8, 4, false, true, true>(i32[2]=0) block 32
//! out = 0 64
//! run product<__half, float, 16, 16, 16, false, false, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<double, double, 8, 8, 4, false, false, false>(i32[2]=0) block 32
//! out = 0 64
//! run product<wmma::precision::tf32, float, 16, 16, 8, false, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<__half, float, 32, 8, 16, true, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<__half, float, 8, 32, 16, false, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<__half, __half, 16, 16, 16, true, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<__half, __half, 8, 32, 16, false, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<__nv_bfloat16, float, 16, 16, 16, false, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<__nv_bfloat16, float, 32, 8, 16, true, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<signed char, int, 16, 16, 16, true, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<signed char, int, 32, 8, 16, true, true, false>(i32[2]=0) block 32
//! out = 0 256
//! run product<signed char, int, 8, 32, 16, false, false, true>(i32[2]=0) block 32
//! out = 0 256
//! run product<unsigned char, int, 16, 16, 16, false, true, false>(i32[2]=0) block 32
//! out = 0 256
template <class T, class Sum, int M, int N, int K, bool RowsA, bool RowsB, bool RowsC>
__global__ void product(int* out) {
  using S = typename Stored<T>::type;
  constexpr int kPad = 32 / sizeof(S);
  constexpr int kLineA = (RowsA ? K : M) + kPad, kLineB = (RowsB ? N : K) + kPad, kLineC = RowsC ? N : M;
  __shared__ alignas(32) S a[(RowsA ? M : K) * kLineA];
  __shared__ alignas(32) S b[(RowsB ? K : N) * kLineB];
  __shared__ alignas(32) Sum c[M * N];
  int lane = threadIdx.x;
  for (int i = lane; i < M * K; i += 32) a[RowsA ? i / K * kLineA + i % K : i % K * kLineA + i / K] = left(i / K, i % K);
  for (int i = lane; i < K * N; i += 32) b[RowsB ? i / N * kLineB + i % N : i % N * kLineB + i / N] = right(i / N, i % N);
  for (int i = lane; i < M * N; i += 32) c[RowsC ? i : i % N * M + i / N] = added(i / N, i % N);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, std::conditional_t<RowsA, wmma::row_major, wmma::col_major>> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, std::conditional_t<RowsB, wmma::row_major, wmma::col_major>> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fc;
  constexpr wmma::layout_t layout = RowsC ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::load_matrix_sync(fa, a, kLineA);
  wmma::load_matrix_sync(fb, b, kLineB);
  wmma::load_matrix_sync(fc, c, kLineC, layout);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, kLineC, layout);
  __syncwarp();
  for (int i = lane; i < M * N; i += 32) {
    int row = i / N, column = i % N, wanted = added(row, column);
    for (int k = 0; k < K; ++k) wanted += left(row, k) * right(k, column);
    bool is_right = (int)c[RowsC ? i : column * M + row] == wanted;
    atomicAdd(&out[is_right ? 1 : 0], 1);
  }
}

// Instances that the file itself launches are compiled even without a run line.
void launch_products(int* out) {
  product<__half, float, 16, 16, 16, true, true, true><<<1, 32>>>(out);
  product<double, double, 8, 8, 4, true, true, false><<<1, 32>>>(out);
  product<__half, float, 16, 16, 16, true, false, true><<<1, 32>>>(out);
  product<double, double, 8, 8, 4, true, false, true><<<1, 32>>>(out);
  product<wmma::precision::tf32, float, 16, 16, 8, true, false, true><<<1, 32>>>(out);
  product<__half, float, 16, 16, 16, false, true, false><<<1, 32>>>(out);
  product<double, double, 8, 8, 4, false, true, true><<<1, 32>>>(out);
  product<__half, float, 16, 16, 16, false, false, false><<<1, 32>>>(out);
  product<double, double, 8, 8, 4, false, false, false><<<1, 32>>>(out);
  product<wmma::precision::tf32, float, 16, 16, 8, false, true, false><<<1, 32>>>(out);
  product<__half, float, 32, 8, 16, true, false, true><<<1, 32>>>(out);
  product<__half, float, 8, 32, 16, false, true, false><<<1, 32>>>(out);
  product<__half, __half, 16, 16, 16, true, false, true><<<1, 32>>>(out);
  product<__half, __half, 8, 32, 16, false, false, true><<<1, 32>>>(out);
  product<__nv_bfloat16, float, 16, 16, 16, false, true, false><<<1, 32>>>(out);
  product<__nv_bfloat16, float, 32, 8, 16, true, true, false><<<1, 32>>>(out);
  product<signed char, int, 16, 16, 16, true, false, true><<<1, 32>>>(out);
  product<signed char, int, 32, 8, 16, true, true, false><<<1, 32>>>(out);
  product<signed char, int, 8, 32, 16, false, false, true><<<1, 32>>>(out);
  product<unsigned char, int, 16, 16, 16, false, true, false><<<1, 32>>>(out);
}

//! run from_global(f16[256]=iota, f16[256]=1, f32[256]) block 32
//! out[0:48] = 120*16 376*16 632*16
//! out[240:256] = 3960*16
__global__ void from_global(const __half* a, const __half* b, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

// The usual way to multiply large matrices: a block of several warps, tiles in shared memory, fragments in
// arrays, and alpha * a * b + beta * c at the end.
template <class Fragment>
__device__ void load_tile(Fragment& to, const half* tile, int line) {
  wmma::load_matrix_sync(to, tile, line);
}

//! run tiled(f16[4096]=2, f16[4096]=0.5, f32[4096]=iota, f32[4096], 64, 2, 0.5) grid 2,2 block 64
//! out[0:4] = 128 128.5 129 129.5
//! out[63:66] = 159.5 160 160.5
//! out[4094:4096] = 2175 2175.5
__global__ void tiled(const half* a, const half* b, const float* c, float* out, int size, float alpha, float beta) {
  constexpr int kTile = 32, kLine = kTile + 8;
  __shared__ alignas(32) half tile_a[kTile * kLine], tile_b[kTile * kLine];
  int warp = threadIdx.x / 32;
  int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) wmma::fill_fragment(sums[i], 0.0f);
  for (int k = 0; k < size; k += kTile) {
    for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) {
      tile_a[i / kTile * kLine + i % kTile] = a[(row + i / kTile) * size + k + i % kTile];
      tile_b[i / kTile * kLine + i % kTile] = b[(k + i / kTile) * size + column + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kTile; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      load_tile(fa, tile_a + warp * 16 * kLine + step, kLine);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        load_tile(fb, tile_b + step * kLine + i * 16, kLine);
        wmma::mma_sync(sums[i], fa, fb, sums[i]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    int at = (row + warp * 16) * size + column + i * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> before;
    wmma::load_matrix_sync(before, c + at, size, wmma::mem_row_major);
    for (int e = 0; e < before.num_elements; ++e) before.x[e] = alpha * sums[i].x[e] + beta * before.x[e];
    wmma::store_matrix_sync(out + at, before, size, wmma::mem_row_major);
  }
}

//! run saturating(i8[256]=127, i8[256]=127, i32[256]=2147400000, i32[512]) block 32
//! out[0:2] = 2147483647 2147483647
//! out[256:258] = -2147309232 -2147309232
__global__ void saturating(const signed char* a, const signed char* b, const int* c, int* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc, fd;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc, true);
  wmma::store_matrix_sync(out, fd, 16, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(out + 256, fd, 16, wmma::mem_row_major);
}

//! run mixed_sums(f16[256]=3, f16[256], f32[256]) block 32
//! rounded[0:3] = 145 145 145
//! exact[0:3] = 289 289 289
__global__ void mixed_sums(const half* a, half* rounded, float* exact) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> wide;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> narrow;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(wide, 1.0f);
  wmma::mma_sync(narrow, fa, fb, wide);
  wmma::store_matrix_sync(rounded, narrow, 16, wmma::mem_row_major);
  wmma::mma_sync(wide, fa, fb, narrow);
  wmma::store_matrix_sync(exact, wide, 16, wmma::mem_row_major);
}

//! run limited(f16[256]=240, f16[256], f16[256]) block 32
//! most[0:3] = 65504*3
//! beyond[0:3] = inf*3
__global__ void limited(const half* a, half* most, half* beyond) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(fc, __float2half(0.0f));
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(most, fc, 16, wmma::mem_row_major);
  wmma::fill_fragment(fc, __float2half(0.0f));
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(beyond, fc, 16, wmma::mem_row_major);
}

// Only 19 bits are used; ties round away from zero.
//! run to_tf32(f32[5]) block 1
//! out = 1.0009766 1.0009766 1 -1.0009766 0.25
__global__ void to_tf32(float* out) {
  out[0] = wmma::__float_to_tf32(1.0009765625f);
  out[1] = wmma::__float_to_tf32(1.00048828125f);
  out[2] = wmma::__float_to_tf32(1.000488f);
  out[3] = wmma::__float_to_tf32(-1.00048828125f);
  out[4] = wmma::__float_to_tf32(0.25f);
}

//! run tf32_rounded(f32[128], f32[128]=2, f32[256]) block 32
//! out[0:2] = 16.015625*2
//! out[254:256] = 16.015625*2
__global__ void tf32_rounded(float* a, const float* b, float* out) {
  for (int i = threadIdx.x; i < 128; i += 32) a[i] = 1.0004883f;
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (float& v : fb.x) v = wmma::__float_to_tf32(v);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

// Fragments are ordinary objects: copied, in structs, returned, and selected at run time.
struct Pair {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> first, second;
};

__device__ wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> all_of(float value) {
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> out;
  wmma::fill_fragment(out, value);
  return out;
}

__device__ void multiply(Pair& sums, const wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>& a) {
  wmma::mma_sync(sums.first, a, all_of(1.0f), sums.first);
  wmma::mma_sync(sums.second, a, all_of(2.0f), sums.first);
}

//! run as_objects(f16[256]=1, f32[256], 1) block 32
//! out[0:4] = 53*4
__global__ void as_objects(const half* a, float* out, int which) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::load_matrix_sync(fa, a, 16);
  Pair sums;
  wmma::fill_fragment(sums.first, 5.0f);
  multiply(sums, fa);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> chosen[2];
  chosen[0] = sums.first;
  chosen[1] = sums.second;
  wmma::store_matrix_sync(out, chosen[which], 16, wmma::mem_row_major);
}

// The maximum of each row, as in attention: through shared memory, since the mapping of elements to threads
// is unspecified.
//! run row_maximum(f16[256]=iota, f32[16]) block 32
//! out = 15 31 47 63 79 95 111 127 143 159 175 191 207 223 239 255
__global__ void row_maximum(const half* a, float* out) {
  __shared__ alignas(32) float tile[16 * 16];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> identity;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  __shared__ alignas(32) half unit[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) unit[i] = i / 16 == i % 16 ? 1 : 0;
  __syncwarp();
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(identity, unit, 16);
  wmma::fill_fragment(fc, 0);
  wmma::mma_sync(fc, fa, identity, fc);
  wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);
  __syncwarp();
  if (threadIdx.x < 16) {
    float most = tile[threadIdx.x * 16];
    for (int i = 1; i < 16; ++i) most = fmaxf(most, tile[threadIdx.x * 16 + i]);
    out[threadIdx.x] = most;
  }
}

// Warps diverge from each other, each as a whole.
//! run some_warps(f16[256]=1, f32[768]=0) block 96
//! out[0:2] = 0*2
//! out[256:258] = 16*2
//! out[512:514] = 32*2
__global__ void some_warps(const half* a, float* out) {
  int warp = threadIdx.x / 32;
  if (warp == 0) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < warp; ++i) wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out + warp * 256, fc, 16, wmma::mem_row_major);
}
