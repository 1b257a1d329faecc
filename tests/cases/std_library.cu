// Names of std as device code spells them: cuda::std.
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

__device__ float total(cuda::std::span<const float> values) {
  float sum = 0;
  for (float v : values) sum += v;
  return sum;
}
//! run spans(f32[6]=iota, f32[5])
//! out = 15 5 3 9 8
__global__ void spans(float* in, float* out) {
  cuda::std::span<float> all(in, 6);
  out[0] = total(all);
  out[1] = all.back();
  out[2] = all.first(3).size();
  out[3] = total(all.last(2));
  float local[3] = {1, 2, 3};
  cuda::std::array<float, 2> pair = {4, 5};
  out[4] = total(local) + total(pair) - all.subspan(1, 4).size_bytes() + 9;
}

__device__ cuda::std::optional<int> half_of(int n) {
  if (n % 2 != 0) return cuda::std::nullopt;
  return n / 2;
}
//! run optionals(i32[4])
//! out = 4 1 -1 7
__global__ void optionals(int* out) {
  auto even = half_of(8);
  out[0] = *even;
  out[1] = even.has_value() && bool(even);
  out[2] = half_of(7).value_or(-1);
  even = 7;
  out[3] = even ? even.value() : 0;
  even.reset();
  if (even) out[3] = 0;
}

//! run tuples(f32[4])
//! out = 1 2.5 3 6
__global__ void tuples(float* out) {
  cuda::std::tuple<int, float> t = cuda::std::make_tuple(1, 2.5f);
  out[0] = cuda::std::get<0>(t);
  out[1] = cuda::std::get<1>(t);
  auto [a, b] = cuda::std::make_pair(3.0f, 2);
  out[2] = a;
  cuda::std::complex<float> z(1, 2);
  out[3] = (z * z).real() + 9 + cuda::std::min(b, 5) - 2 + cuda::std::is_same_v<int, int> - 1;
}

//! run limits(i32[2])
//! out = 2147483647 24
__global__ void limits(int* out) {
  out[0] = cuda::std::numeric_limits<int>::max();
  out[1] = cuda::std::numeric_limits<float>::digits;
}

//! run atomic_references(i32[1]=0) block 64
//! out = 64
__global__ void atomic_references(int* out) {
  cuda::std::atomic_ref<int> n(*out);
  n.fetch_add(1, cuda::std::memory_order_relaxed);
}

//! run whole_parts(i32[4])
//! out = 3 12 8 9
__global__ void whole_parts(int* out) {
  out[0] = cuda::ceil_div(10, 4);
  out[1] = cuda::round_up(10, 4);
  out[2] = cuda::round_down(10, 4);
  out[3] = cuda::maximum<int>()(2, 7) + cuda::minimum<int>()(2, 7);
}
