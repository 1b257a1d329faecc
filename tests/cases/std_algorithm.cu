// <algorithm>, <numeric> and <semaphore> of cuda::std; cuda::annotated_ptr.
#include <cuda/annotated_ptr>
#include <cuda/functional>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cuda/std/bit>
#include <cuda/std/numeric>
#include <cuda/std/utility>
#include <algorithm>
#include <numeric>
#include <semaphore>

//! run algorithms(i32[14]) block 1
//! out = 3 1 2 1 0 1 5 0 1 2 3 4 7 1
__global__ void algorithms(int* out) {
  int a[6] = {4, 2, 7, 2, 1, 3};
  out[0] = std::find(a, a + 6, 9) - a - 3;
  out[1] = std::find_if(a, a + 6, [](int x) { return x < 4; }) - a;
  out[2] = std::count(a, a + 6, 2);
  out[3] = std::any_of(a, a + 6, [](int x) { return x == 7; });
  out[4] = std::all_of(a, a + 6, [](int x) { return x > 1; });
  out[5] = std::none_of(a, a + 6, [](int x) { return x > 7; });
  out[6] = std::count_if(a, a + 6, [](int x) { return x > 1; });
  out[7] = std::is_sorted(a, a + 6);
  std::sort(a, a + 6);
  out[8] = a[0];
  out[9] = a[2];
  out[10] = a[3];
  out[11] = a[4];
  out[12] = *std::max_element(a, a + 6);
  out[13] = std::binary_search(a, a + 6, 7);
}

//! run more_algorithms(i32[16]) block 1
//! out = 9 7 6 5 4 3 2 1 0 -1 0 2 1 42 3 1
__global__ void more_algorithms(int* out) {
  int a[10];
  std::iota(a, a + 10, -1);
  std::swap(a[9], a[0]);
  a[9] = -1;
  a[0] = 9;
  std::reverse(a + 1, a + 9);
  std::copy_n(a, 10, out);
  int b[3] = {1, 1, 2}, c[3];
  std::transform(b, b + 3, c, [](int x) { return x - 1; });
  out[10] = c[0];
  std::transform(b, b + 3, c, c, [](int x, int y) { return x * y; });
  out[11] = c[2];
  out[12] = std::equal(b, b + 2, b + 1) ? 0 : 1;
  std::for_each(b, b + 3, [&](int x) { c[0] += x * 10; });
  out[13] = c[0] + 2;
  out[14] = std::distance(b, std::next(b, 3));
  out[15] = *std::prev(std::min_element(b, b + 3) + 1);
}

//! run numeric(i32[14]) block 1
//! out = 10 24 32 30 1 3 6 10 5 6 8 11 12 4
__global__ void numeric(int* out) {
  const int a[4] = {1, 2, 3, 4};
  out[0] = cuda::std::reduce(a, a + 4, 0);
  out[1] = cuda::std::accumulate(a, a + 4, 1, cuda::std::multiplies<int>());
  out[2] = cuda::std::inner_product(a, a + 4, a, 2);
  out[3] = cuda::std::transform_reduce(a, a + 4, 0, cuda::std::plus<int>(), [](int x) { return x * x; });
  cuda::std::inclusive_scan(a, a + 4, out + 4);
  cuda::std::exclusive_scan(a, a + 4, out + 8, 5);
  out[12] = cuda::std::lcm(4, 6);
  out[13] = cuda::std::gcd(8, 12u);
}

//! run utilities(i32[10]) block 1
//! out = 1 0 0 1 1 287454020 13330 3 8 4
enum class Color : unsigned char { red = 3 };
__global__ void utilities(int* out) {
  out[0] = cuda::std::cmp_less(-1, 1u);
  out[1] = cuda::std::cmp_equal(-1, ~0u);
  out[2] = cuda::std::cmp_greater(-1, 1u);
  out[3] = cuda::std::cmp_not_equal(~0u, -1);
  out[4] = cuda::std::cmp_less_equal(2u, 2);
  out[5] = cuda::std::byteswap(0x44332211);
  out[6] = cuda::std::byteswap((unsigned short)0x1234);
  out[7] = cuda::std::to_underlying(Color::red);
  auto twice = cuda::proclaim_return_type<int>([](int x) { return 2 * x; });
  out[8] = twice(4);
  int values[3] = {3, 4, 5};
  cuda::annotated_ptr<int, cuda::access_property::persisting> p(values);
  out[9] = p[1];
}

// One thread of each warp: at most two at a time hold the semaphore.
//! run semaphore_limits(i32[2]=0) block 256
//! out = 0 8
__global__ void semaphore_limits(int* out) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> free;
  __shared__ int inside;
  if (threadIdx.x == 0) {
    new (&free) cuda::counting_semaphore<cuda::thread_scope_block, 4>(2);
    inside = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    free.acquire();
    if (atomicAdd(&inside, 1) >= 2) atomicAdd(out, 1);
    atomicAdd(out + 1, 1);
    atomicSub(&inside, 1);
    free.release();
  }
}

//! run semaphore_try(i32[6]) block 1
//! out = 1 1 0 1 1 0
__global__ void semaphore_try(int* out) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 8> s;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> b;
  init(&s, 2);
  init(&b, 1);
  out[0] = s.try_acquire();
  out[1] = s.try_acquire();
  out[2] = s.try_acquire();
  s.release(1);
  out[3] = s.try_acquire();
  out[4] = b.try_acquire();
  out[5] = b.try_acquire();
}

// A value is handed from one warp to another and back.
//! run semaphore_hands_over(i32[4]) block 64
//! out = 1 11 21 31
__global__ void semaphore_hands_over(int* out) {
  __shared__ cuda::std::binary_semaphore there, back;
  __shared__ int value;
  if (threadIdx.x == 0) {
    new (&there) cuda::std::binary_semaphore(0);
    new (&back) cuda::std::binary_semaphore(0);
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x == 0) {
      value = i * 10;
      there.release();
      back.acquire();
      out[i] = value;
    }
    if (threadIdx.x == 32) {
      there.acquire();
      value += 1;
      back.release();
    }
  }
}

//! run std_barrier(i32[32]) block 32
//! out[0:3] = 31 30 29
__global__ void std_barrier(int* out) {
  __shared__ cuda::std::barrier<> bar;
  __shared__ int values[32];
  if (threadIdx.x == 0) init(&bar, 32);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  bar.arrive_and_wait();
  out[threadIdx.x] = values[31 - threadIdx.x];
}
