// Uses the templates of the library for <algorithm>, <numeric>, <mdspan>, <semaphore> and other parts of libcu++.
#include <cuda/annotated_ptr>
#include <cuda/functional>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda_fp4.h>
#include <cuda_fp6.h>

#include <algorithm>
#include <mdspan>
#include <numeric>

__global__ void use_algorithms(int* a, int* b) {
  auto is_odd = [](int x) { return x % 2 != 0; };
  auto less = [](int x, int y) { return x < y; };
  auto add = [](int x, int y) { return x + y; };
  std::sort(a, a + 9);
  std::sort(a, a + 9, less);
  std::reverse(a, a + 9);
  std::copy_n(a, 9, b);
  std::generate(b, b + 9, [] { return 3; });
  std::iota(b, b + 9, 0);
  std::for_each(a, a + 9, [](int& x) { ++x; });
  std::transform(a, a + 9, b, [](int x) { return -x; });
  std::transform(a, a + 9, b, b, add);
  std::inclusive_scan(a, a + 9, b);
  std::inclusive_scan(a, a + 9, b, add);
  std::exclusive_scan(a, a + 9, b, 0);
  std::exclusive_scan(a, a + 9, b, 0, add);
  std::partial_sum(a, a + 9, b);
  int sum = *std::find(a, a + 9, 3) + *std::find_if(a, a + 9, is_odd) + std::count(a, a + 9, 3);
  sum += std::count_if(a, a + 9, is_odd) + std::any_of(a, a + 9, is_odd) + std::none_of(a, a + 9, is_odd);
  sum += std::all_of(a, a + 9, is_odd) + std::equal(a, a + 9, b) + std::binary_search(a, a + 9, 3);
  sum += *std::min_element(a, a + 9) + *std::min_element(a, a + 9, less);
  sum += *std::max_element(a, a + 9) + *std::max_element(a, a + 9, less);
  sum += std::is_sorted(a, a + 9) + std::is_sorted(a, a + 9, less);
  sum += std::accumulate(a, a + 9, 0, add) + std::reduce(a, a + 9, 0) + std::reduce(a, a + 9, 0, add);
  sum += std::inner_product(a, a + 9, b, 0) + std::transform_reduce(a, a + 9, 0, add, [](int x) { return x; });
  int* at = a;
  std::advance(at, 3);
  sum += std::distance(a, at) + *std::next(at) + *std::prev(at) + std::lcm(sum, 12) + std::byteswap(sum);
  sum += std::cmp_equal(sum, 1u) + std::cmp_not_equal(sum, 1u) + std::cmp_less(sum, 1u) + std::cmp_greater(sum, 1u);
  sum += std::cmp_less_equal(sum, 1u) + std::cmp_greater_equal(sum, 1u);
  enum class E { one = 1 };
  b[0] = sum + std::to_underlying(E::one);
}

template <class View>
__device__ int use_view(View v) {
  int sum = v(1, 2) + v[std::array<int, 2>{1, 0}] + v.extent(0) + v.stride(1) + v.size() + v.empty();
  sum += v.is_exhaustive() + v.is_unique() + v.is_strided() + v.mapping().required_span_size() + v.rank();
  return sum + v.rank_dynamic() + *v.data_handle() + v.static_extent(0) + (v.extents() == v.mapping().extents());
}
__global__ void use_mdspan(int* a) {
  using Fixed = std::extents<int, 3, 4>;
  int sum = use_view(std::mdspan<int, Fixed>(a)) + use_view(std::mdspan<int, Fixed, std::layout_left>(a));
  std::layout_right::mapping<Fixed> right;
  std::layout_stride::mapping<Fixed> strided(right);
  std::mdspan<int, Fixed, std::layout_stride> s(a, strided);
  std::mdspan<int, std::dims<2>> d(a, 3, 4);
  sum += use_view(s) + use_view(d) + s.mapping().strides()[1] + std::dextents<int, 1>(3).extent(0);
  std::default_accessor<int> plain;
  sum += plain.access(plain.offset(a, 2), 1) + use_view(std::submdspan(d, std::full_extent, std::pair<int, int>(1, 4)));
  std::full_extent_t all;
  a[0] = sum + std::submdspan(d, 1, all)[2];
}

__global__ void use_semaphores(int* a) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> limited;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one;
  __shared__ std::counting_semaphore<4> four;
  __shared__ std::binary_semaphore mutex;
  __shared__ std::barrier<> bar;
  __shared__ std::latch gate;
  init(&limited, 3);
  init(&one, 1);
  init(&bar, 1);
  init(&gate, 1);
  limited.acquire();
  limited.release();
  gate.count_down();
  bar.arrive_and_wait();
  a[0] = one.try_acquire() + four.try_acquire() + mutex.try_acquire() + int(limited.max());
}

__global__ void use_pointers_and_floats(int* a, float* f) {
  cuda::annotated_ptr<int, cuda::access_property> p(a, cuda::access_property(cuda::access_property::streaming{}, 0.5f));
  cuda::apply_access_property(a, 64, cuda::access_property::persisting{});
  cuda::discard_memory(a + 32, 128);
  auto next = cuda::proclaim_return_type<int>([](int x) { return x + 1; });
  *p = next(cuda::associate_access_property(a, cuda::access_property::normal{})[1]) + p[2] + *p.get() + bool(p);
  const cudaRoundMode modes[4] = {cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf};
  __nv_fp4x4_storage_t x = __nv_fp4x4_e2m1(float4{1, 2, 3, 4}).__x;
  __nv_fp6x4_storage_t y = __nv_fp6x4_e3m2(double4{1, 2, 3, 4}).__x;
  f[0] = float(__nv_fp4_e2m1(modes[a[0]])) + float(__nv_fp6_e2m3(3.0)) + x + y;
}

template <class Kind, class Value>
__device__ int is_kind(Value) { return std::is_same_v<Kind, Value>; }
__global__ void use_tensor_map(const __grid_constant__ CUtensorMap map) {
  using namespace cuda::ptx;
  __shared__ alignas(128) float tile[64];
  __shared__ uint64_t bar;
  const int at[2] = {0, 1};
  cp_async_bulk_tensor(space_cluster, space_global, tile, &map, at, &bar);
}
__global__ void use_ptx(const void* map, float* out) {
  using namespace cuda::ptx;
  __shared__ alignas(128) float tile[64];
  __shared__ uint64_t bar;
  const int a[1] = {0}, b[2] = {0, 1}, c[3] = {0, 1, 2}, d[4] = {0, 1, 2, 3}, e[5] = {0, 1, 2, 3, 4};
  cp_async_bulk_tensor(space_cluster, space_global, tile, map, a, &bar);
  cp_async_bulk_tensor(space_shared, space_global, tile, map, b, &bar);
  cp_async_bulk_tensor(space_cluster, space_global, tile, map, c, &bar);
  cp_async_bulk_tensor(space_cluster, space_global, tile, map, d, &bar);
  cp_async_bulk_tensor(space_cluster, space_global, tile, map, e, &bar);
  cp_async_bulk_tensor(space_global, space_shared, map, a, tile);
  cp_async_bulk_tensor(space_global, space_shared, map, b, tile);
  cp_async_bulk_tensor(space_global, space_shared, map, c, tile);
  cp_async_bulk_tensor(space_global, space_shared, map, d, tile);
  cp_async_bulk_tensor(space_global, space_shared, map, e, tile);
  cp_async_bulk_wait_group(n32_t<0>());
  cp_async_bulk_wait_group_read(n32<1>);
  mbarrier_arrive(sem_release, scope_cluster, space_shared, &bar);
  mbarrier_arrive(sem_release, scope_cta, space_shared, &bar, 2);
  int sum = is_kind<sem_acq_rel_t>(sem_acq_rel) + is_kind<sem_acquire_t>(sem_acquire);
  sum += is_kind<sem_relaxed_t>(sem_relaxed) + is_kind<sem_release_t>(sem_release) + is_kind<sem_sc_t>(sem_sc);
  sum += is_kind<sem_weak_t>(sem_weak) + is_kind<scope_cta_t>(scope_cta) + is_kind<scope_cluster_t>(scope_cluster);
  sum += is_kind<scope_gpu_t>(scope_gpu) + is_kind<scope_sys_t>(scope_sys) + is_kind<space_global_t>(space_global);
  out[0] = sum + is_kind<space_cluster_t>(space_cluster) + is_kind<space_shared_t>(space_shared);
}
