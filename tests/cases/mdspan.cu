// <cuda/std/mdspan>.
#include <cuda/std/mdspan>
#include <cuda/std/array>

namespace cs = cuda::std;

//! run mdspan_right(i32[24]=iota, i32[6]) block 1
//! out = 23 17 6 24 12 1
__global__ void mdspan_right(int* data, int* out) {
  cs::mdspan<int, cs::extents<int, 2, 3, 4>> m(data);
  out[0] = m(1, 2, 3);
  out[1] = m(1, 1, 1);
  out[2] = m(0, 1, 2);
  out[3] = m.size();
  out[4] = m.stride(0);
  out[5] = m.stride(2);
}

//! run mdspan_dynamic(i32[24]=iota, 4, 6, i32[6]) block 1
//! out = 20 6 4 24 6 2
__global__ void mdspan_dynamic(int* data, int rows, int columns, int* out) {
  cs::mdspan<int, cs::dextents<int, 2>> m(data, rows, columns);
  out[0] = m(3, 2);
  out[1] = m.extent(1);
  out[2] = m.extent(0);
  out[3] = m.mapping().required_span_size();
  out[4] = m.stride(0);
  out[5] = m.rank_dynamic();
}

//! run mdspan_left(i32[24]=iota, 4, i32[5]) block 1
//! out = 11 4 1 4 23
__global__ void mdspan_left(const int* data, int rows, int* out) {
  cs::mdspan<const int, cs::extents<unsigned, cs::dynamic_extent, 6>, cs::layout_left> m(data, rows);
  out[0] = m(3, 2);
  out[1] = m.stride(1);
  out[2] = m.rank_dynamic();
  out[3] = m.extent(0);
  out[4] = m(3, 5);
}

//! run mdspan_stride(i32[24]=iota, i32[5]) block 1
//! out = 17 13 0 1 8
__global__ void mdspan_stride(int* data, int* out) {
  using Extents = cs::extents<int, 2, 3>;
  cs::layout_stride::mapping<Extents> map(Extents(), cs::array<int, 2>{8, 2});
  cs::mdspan<int, Extents, cs::layout_stride> m(data, map);
  out[0] = m(1, 2) + m(0, 2) + 1;
  out[1] = m.mapping().required_span_size();
  out[2] = m.is_exhaustive();
  out[3] = m.is_strided();
  out[4] = m.stride(0);
}

//! run mdspan_arrays(i32[12]=iota, i32[4]) block 1
//! out = 7 5 3 12
__global__ void mdspan_arrays(int* data, int* out) {
  cs::mdspan m(data, 3, 4);
  out[0] = m[cs::array<int, 2>{1, 3}];
  cs::mdspan<int, cs::extents<int, 12>> flat(data);
  out[1] = flat[5];
  cs::mdspan<int, cs::dextents<long, 1>> line(data, 4);
  out[2] = line[3];
  out[3] = m.size();
}

//! run mdspan_converts(i32[12]=iota, i32[5]) block 1
//! out = 7 1 1 4 4
__device__ int corner(cs::mdspan<const int, cs::dextents<int, 2>, cs::layout_stride> m) { return m(1, 3); }
__global__ void mdspan_converts(int* data, int* out) {
  cs::mdspan<int, cs::extents<int, 3, 4>> m(data);
  out[0] = corner(m);
  cs::extents<int, 3, cs::dynamic_extent> a(4), b(3, 4);
  out[1] = a == b;
  out[2] = a == m.extents();
  out[3] = cs::dextents<int, 2>(cs::array<int, 2>{3, 4}).extent(1);
  out[4] = cs::extents<int, 3, 4>::static_extent(1);
}

struct Doubled {
  using offset_policy = Doubled;
  using element_type = int;
  using reference = int;
  using data_handle_type = const int*;
  __device__ constexpr int access(const int* p, size_t i) const { return 2 * p[i]; }
  __device__ constexpr const int* offset(const int* p, size_t i) const { return p + i; }
};
//! run mdspan_accessor(i32[12]=iota, i32[2]) block 1
//! out = 14 22
__global__ void mdspan_accessor(const int* data, int* out) {
  using Map = cs::layout_right::mapping<cs::extents<int, 3, 4>>;
  cs::mdspan<int, cs::extents<int, 3, 4>, cs::layout_right, Doubled> m(data, Map(), Doubled());
  out[0] = m(1, 3);
  out[1] = m(2, 3);
}

//! run mdspan_transpose(f32[64]=iota, f32[64]) block 8,8
//! out[0:4] = 0 8 16 24
//! out[60:64] = 39 47 55 63
__global__ void mdspan_transpose(const float* in, float* out) {
  cs::mdspan<const float, cs::extents<int, 8, 8>> a(in);
  cs::mdspan<float, cs::extents<int, 8, 8>> b(out);
  b(threadIdx.y, threadIdx.x) = a(threadIdx.x, threadIdx.y);
}

//! run mdspan_shared(i32[36]) block 6,6
//! out[0:4] = 0 0 0 0
//! out[32:36] = 10 15 20 25
__global__ void mdspan_shared(int* out) {
  __shared__ int tile[36];
  cs::mdspan<int, cs::extents<int, 6, 6>> m(tile);
  m(threadIdx.y, threadIdx.x) = threadIdx.x * threadIdx.y;
  __syncthreads();
  out[threadIdx.y * 6 + threadIdx.x] = m(threadIdx.x, threadIdx.y);
}

//! run mdspan_part(i32[60]=iota, i32[8]) block 1
//! out = 27 47 3 2 20 1 33 52
__global__ void mdspan_part(int* data, int* out) {
  cs::mdspan<int, cs::extents<int, 3, 4, 5>> m(data);
  auto plane = cs::submdspan(m, cs::full_extent, 1, cs::pair<int, int>{2, 4});
  out[0] = plane(1, 0);
  out[1] = plane(2, 0);
  out[2] = plane.extent(0);
  out[3] = plane.extent(1);
  out[4] = plane.stride(0);
  out[5] = plane.stride(1);
  auto column = cs::submdspan(plane, cs::full_extent, 1);
  out[6] = column(1) + column.rank() + 4;
  auto line = cs::submdspan(m, 2, cs::full_extent, 2);
  out[7] = line(2);
}
