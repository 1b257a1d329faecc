// <cuda/ptx>: PTX instructions as functions. Each is inline PTX: it is kept on NVIDIA devices, and translated
// or rejected elsewhere, as the instruction is.

// A tensor map, encoded by the host (quern::TensorMap).
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

namespace cuda::ptx {
struct sem_acq_rel_t {};
struct sem_acquire_t {};
struct sem_relaxed_t {};
struct sem_release_t {};
struct sem_sc_t {};
struct sem_weak_t {};
constexpr sem_acq_rel_t sem_acq_rel{};
constexpr sem_acquire_t sem_acquire{};
constexpr sem_relaxed_t sem_relaxed{};
constexpr sem_release_t sem_release{};
constexpr sem_sc_t sem_sc{};
constexpr sem_weak_t sem_weak{};
struct scope_cta_t {};
struct scope_cluster_t {};
struct scope_gpu_t {};
struct scope_sys_t {};
constexpr scope_cta_t scope_cta{};
constexpr scope_cluster_t scope_cluster{};
constexpr scope_gpu_t scope_gpu{};
constexpr scope_sys_t scope_sys{};
struct space_global_t {};
struct space_cluster_t {};
struct space_shared_t {};
constexpr space_global_t space_global{};
constexpr space_cluster_t space_cluster{};
constexpr space_shared_t space_shared{};
template <int N> using n32_t = std::integral_constant<unsigned, N>;
template <int N> constexpr n32_t<N> n32{};

__device__ unsigned __shared_at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Special registers.
__device__ unsigned get_sreg_tid_x() { return threadIdx.x; }
__device__ unsigned get_sreg_tid_y() { return threadIdx.y; }
__device__ unsigned get_sreg_tid_z() { return threadIdx.z; }
__device__ unsigned get_sreg_ntid_x() { return blockDim.x; }
__device__ unsigned get_sreg_ntid_y() { return blockDim.y; }
__device__ unsigned get_sreg_ntid_z() { return blockDim.z; }
__device__ unsigned get_sreg_ctaid_x() { return blockIdx.x; }
__device__ unsigned get_sreg_ctaid_y() { return blockIdx.y; }
__device__ unsigned get_sreg_ctaid_z() { return blockIdx.z; }
__device__ unsigned get_sreg_nctaid_x() { return gridDim.x; }
__device__ unsigned get_sreg_nctaid_y() { return gridDim.y; }
__device__ unsigned get_sreg_nctaid_z() { return gridDim.z; }
__device__ unsigned get_sreg_laneid() { return __quern_lane_id(); }
__device__ unsigned get_sreg_lanemask_eq() {
  unsigned x;
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(x));
  return x;
}
__device__ unsigned get_sreg_lanemask_le() {
  unsigned x;
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(x));
  return x;
}
__device__ unsigned get_sreg_lanemask_lt() {
  unsigned x;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(x));
  return x;
}
__device__ unsigned get_sreg_lanemask_ge() {
  unsigned x;
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(x));
  return x;
}
__device__ unsigned get_sreg_lanemask_gt() {
  unsigned x;
  asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(x));
  return x;
}
__device__ unsigned get_sreg_clock() {
  unsigned x;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(x));
  return x;
}
__device__ unsigned long get_sreg_clock64() {
  unsigned long x;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(x));
  return x;
}
__device__ unsigned long get_sreg_globaltimer() {
  unsigned long x;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(x));
  return x;
}

// Barriers in shared memory.
__device__ void mbarrier_init(unsigned long* bar, const unsigned& count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(__shared_at(bar)), "r"(count) : "memory");
}
__device__ void mbarrier_inval(unsigned long* bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(__shared_at(bar)) : "memory");
}
__device__ unsigned long mbarrier_arrive(unsigned long* bar) {
  unsigned long state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(__shared_at(bar)) : "memory");
  return state;
}
__device__ unsigned long mbarrier_arrive(unsigned long* bar, const unsigned& count) {
  unsigned long state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(__shared_at(bar)), "r"(count)
               : "memory");
  return state;
}
template <class Scope>
__device__ unsigned long mbarrier_arrive(sem_release_t, Scope, space_shared_t, unsigned long* bar) {
  return mbarrier_arrive(bar);
}
template <class Scope>
__device__ unsigned long mbarrier_arrive(sem_release_t, Scope, space_shared_t, unsigned long* bar,
                                         const unsigned& count) {
  return mbarrier_arrive(bar, count);
}
__device__ void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, unsigned long* bar) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 "
               "_, [%0];" ::"r"(__shared_at(bar)) : "memory");
}
__device__ unsigned long mbarrier_arrive_expect_tx(sem_release_t, scope_cta_t, space_shared_t,
                                                   unsigned long* bar, const unsigned& bytes) {
  unsigned long state;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(__shared_at(bar)), "r"(bytes)
               : "memory");
  return state;
}
__device__ void mbarrier_expect_tx(sem_relaxed_t, scope_cta_t, space_shared_t, unsigned long* bar,
                                   const unsigned& bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(__shared_at(bar)), "r"(bytes)
               : "memory");
}
__device__ unsigned long mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_shared_t,
                                                   unsigned long* bar, const unsigned& bytes) {
  unsigned long state;
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(__shared_at(bar)), "r"(bytes)
               : "memory");
  return state;
}
__device__ void mbarrier_expect_tx(sem_relaxed_t, scope_cluster_t, space_shared_t, unsigned long* bar,
                                   const unsigned& bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 "
               "[%0], %1;" ::"r"(__shared_at(bar)), "r"(bytes)
               : "memory");
}
__device__ void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t, unsigned long* bar,
                                          const unsigned& bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 "
               "_, [%0], %1;" ::"r"(__shared_at(bar)),
               "r"(bytes)
               : "memory");
}
__device__ bool mbarrier_test_wait(unsigned long* bar, const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_test_wait(sem_acquire_t, scope_cta_t, unsigned long* bar,
                                   const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_test_wait(sem_acquire_t, scope_cluster_t, unsigned long* bar,
                                   const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.acquire.cluster.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_test_wait_parity(unsigned long* bar, const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_test_wait_parity(sem_acquire_t, scope_cta_t, unsigned long* bar,
                                          const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_test_wait_parity(sem_acquire_t, scope_cluster_t, unsigned long* bar,
                                          const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait(unsigned long* bar, const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait(sem_acquire_t, scope_cta_t, unsigned long* bar,
                                  const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait(sem_acquire_t, scope_cluster_t, unsigned long* bar,
                                  const unsigned long& state) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.acquire.cluster.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait_parity(unsigned long* bar, const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait_parity(sem_acquire_t, scope_cta_t, unsigned long* bar,
                                         const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}
__device__ bool mbarrier_try_wait_parity(sem_acquire_t, scope_cluster_t, unsigned long* bar,
                                         const unsigned& parity) {
  unsigned is_over;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
               "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(is_over)
               : "r"(__shared_at(bar)), "r"(parity)
               : "memory");
  return is_over != 0;
}

// Fences.
__device__ void fence(sem_sc_t, scope_cta_t) { asm volatile("fence.sc.cta;" ::: "memory"); }
__device__ void fence(sem_sc_t, scope_cluster_t) { asm volatile("fence.sc.cluster;" ::: "memory"); }
__device__ void fence(sem_sc_t, scope_gpu_t) { asm volatile("fence.sc.gpu;" ::: "memory"); }
__device__ void fence(sem_sc_t, scope_sys_t) { asm volatile("fence.sc.sys;" ::: "memory"); }
__device__ void fence(sem_acq_rel_t, scope_cta_t) { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__device__ void fence(sem_acq_rel_t, scope_cluster_t) { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
__device__ void fence(sem_acq_rel_t, scope_gpu_t) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ void fence(sem_acq_rel_t, scope_sys_t) { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
__device__ void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void fence_proxy_alias() { asm volatile("fence.proxy.alias;" ::: "memory"); }
__device__ void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
__device__ void fence_proxy_async(space_shared_t) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void fence_proxy_async(space_cluster_t) {
  asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
}

// Asynchronous copies.
__device__ void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from,
                              const unsigned& bytes, unsigned long* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(
                   __shared_at(to)),
               "l"(from), "r"(bytes), "r"(__shared_at(bar))
               : "memory");
}
__device__ void cp_async_bulk(space_shared_t, space_global_t, void* to, const void* from,
                              const unsigned& bytes, unsigned long* bar) {
  cp_async_bulk(space_cluster_t{}, space_global_t{}, to, from, bytes, bar);
}
__device__ void cp_async_bulk(space_cluster_t, space_shared_t, void* to, const void* from,
                              const unsigned& bytes, unsigned long* bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(
                   __shared_at(to)),
               "r"(__shared_at(from)), "r"(bytes), "r"(__shared_at(bar))
               : "memory");
}
__device__ void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from,
                              const unsigned& bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group "
               "[%0], [%1], %2;" ::"l"(to), "r"(__shared_at(from)),
               "r"(bytes)
               : "memory");
}
__device__ void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <class N>
__device__ void cp_async_bulk_wait_group(N) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N::value) : "memory");
}
template <class N>
__device__ void cp_async_bulk_wait_group_read(N) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N::value) : "memory");
}
__device__ void cp_async_mbarrier_arrive_noinc(unsigned long* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(__shared_at(bar)) : "memory");
}
template <int N>
__device__ void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map,
                                     const int (&at)[N], unsigned long* bar) {
  static_assert(N >= 1 && N <= 5, "a tensor map has 1 to 5 dimensions");
  if constexpr (N == 1) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3}], [%2];" ::"r"(__shared_at(to)),
                 "l"(map), "r"(__shared_at(bar)), "r"(at[0])
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(__shared_at(to)),
                 "l"(map), "r"(__shared_at(bar)), "r"(at[0]), "r"(at[1])
                 : "memory");
  } else if constexpr (N == 3) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(__shared_at(to)),
                 "l"(map), "r"(__shared_at(bar)), "r"(at[0]), "r"(at[1]), "r"(at[2])
                 : "memory");
  } else if constexpr (N == 4) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(__shared_at(to)),
                 "l"(map), "r"(__shared_at(bar)), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
                 : "memory");
  } else if constexpr (N == 5) {
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(__shared_at(to)),
                 "l"(map), "r"(__shared_at(bar)), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
                 : "memory");
  }
}
template <int N>
__device__ void cp_async_bulk_tensor(space_shared_t, space_global_t, void* to, const void* map,
                                     const int (&at)[N], unsigned long* bar) {
  cp_async_bulk_tensor(space_cluster_t{}, space_global_t{}, to, map, at, bar);
}
template <int N>
__device__ void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int (&at)[N],
                                     const void* from) {
  static_assert(N >= 1 && N <= 5, "a tensor map has 1 to 5 dimensions");
  if constexpr (N == 1) {
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2}], [%1];" ::"l"(map),
                 "r"(__shared_at(from)), "r"(at[0])
                 : "memory");
  } else if constexpr (N == 2) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(__shared_at(from)), "r"(at[0]), "r"(at[1])
                 : "memory");
  } else if constexpr (N == 3) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(__shared_at(from)), "r"(at[0]), "r"(at[1]), "r"(at[2])
                 : "memory");
  } else if constexpr (N == 4) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
                 "r"(__shared_at(from)), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
                 : "memory");
  } else if constexpr (N == 5) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group "
                 "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
                 "r"(__shared_at(from)), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
                 : "memory");
  }
}

// Clusters, warps.
__device__ void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ void barrier_cluster_arrive(sem_release_t) {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ void barrier_cluster_arrive(sem_relaxed_t) {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ void barrier_cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ void barrier_cluster_wait(sem_acquire_t) {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ unsigned getctarank(space_cluster_t, const void* at) {
  unsigned rank;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(__shared_at(at)));
  return rank;
}
__device__ bool elect_sync(const unsigned& mask) {
  unsigned is_leader;
  asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_leader) : "r"(mask));
  return is_leader != 0;
}
__device__ void trap() { __trap(); }
}  // namespace cuda::ptx
