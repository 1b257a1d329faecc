// Cooperation between threads. If a language has no warps of 32, threads exchange data through shared memory:
// every thread of the block takes part, so all of them must reach such a call.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    {"mma", R"(@fn $c quern_mma$suffix($a a, $b b, $c c) {
$body  return c;
}
)"},
    {"matrix_rows", R"(@fn $c quern_matrix_rows$suffix(const void* row) {
  $c c;
$body  return c;
}
)"},
    {"thread", R"(@fn @u32 quern_thread() {
  return @thread0 + @size0 * (@thread1 + @size1 * @thread2);
}
)"},
    {"lane", R"(@fn @u32 quern_lane() { return quern_thread() & 31u; }
)"},
    // The lanes of this thread's warp that exist.
    {"lanes", R"(@fn @u32 quern_lanes() {
  @u32 rest = @size0 * @size1 * @size2 - (quern_thread() & ~31u);
  return rest >= 32u ? 0xffffffffu : (1u << rest) - 1u;
}
)"},
    // The lane a shuffle reads from; the thread's own lane if that is outside of its segment.
    {"lane_index", R"(@fn @u32 quern_lane_index(@u32 by, @u32 width) {
  @u32 segment = (32u - width) & 31u;
  return (quern_lane() & segment) | (by & ~segment & 31u);
}
)"},
    {"lane_up", R"(@fn @u32 quern_lane_up(@u32 by, @u32 width) {
  @u32 lane = quern_lane();
  @u32 first = lane & (32u - width) & 31u;
  return lane - first >= (by & 31u) ? lane - (by & 31u) : lane;
}
)"},
    {"lane_down", R"(@fn @u32 quern_lane_down(@u32 by, @u32 width) {
  @u32 lane = quern_lane();
  @u32 last = lane | (31u & ~(32u - width));
  return lane + (by & 31u) <= last ? lane + (by & 31u) : lane;
}
)"},
    {"lane_xor", R"(@fn @u32 quern_lane_xor(@u32 by, @u32 width) {
  @u32 lane = quern_lane();
  @u32 last = lane | (31u & ~(32u - width));
  return (lane ^ (by & 31u)) <= last ? lane ^ (by & 31u) : lane;
}
)"},
    {"shuffle", R"(@fn @u64 quern_shuffle(@shared@u64* warp, @u64 value, @u32 from) {
  @u32 thread = quern_thread();
  warp[thread] = value;
  @barrier;
  @u64 got = warp[(thread & ~31u) + from];
  @barrier;
  return got;
}
)"},
    {"ballot", R"(@fn @u32 quern_ballot(@shared@u64* warp, @u32 mask, bool yes) {
  @u32 thread = quern_thread();
  warp[thread] = yes ? 1u : 0u;
  @barrier;
  @u32 lanes = mask & quern_lanes();
  @u32 votes = 0u;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) != 0u) votes = votes | (@(u32)(warp[(thread & ~31u) + i]) << i);
  }
  @barrier;
  return votes;
}
)"},
    {"vote_any",
     R"(@fn bool quern_vote_any(@shared@u64* warp, @u32 mask, bool yes) { return quern_ballot(warp, mask, yes) != 0u; }
)"},
    {"vote_all", R"(@fn bool quern_vote_all(@shared@u64* warp, @u32 mask, bool yes) {
  return quern_ballot(warp, mask, yes) == (mask & quern_lanes());
}
)"},
    {"match_any", R"(@fn @u32 quern_match_any(@shared@u64* warp, @u32 mask, @u64 value) {
  @u32 thread = quern_thread();
  warp[thread] = value;
  @barrier;
  @u32 lanes = mask & quern_lanes();
  @u32 same = 0u;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) != 0u && warp[(thread & ~31u) + i] == value) same = same | (1u << i);
  }
  @barrier;
  return same;
}
)"},
    {"match_all", R"(@fn @u32 quern_match_all(@shared@u64* warp, @u32 mask, @u64 value) {
  @u32 same = quern_match_any(warp, mask, value);
  return same == (mask & quern_lanes()) ? same : 0u;
}
)"},
    {"warp_reduce", R"(@fn @$0 quern_warp_reduce_$0$suffix(@shared@u64* warp, @u32 mask, @$0 value) {
  @u32 thread = quern_thread();
  warp[thread] = @(u64)(@(u32)(value));
  @barrier;
  @u32 lanes = mask & quern_lanes();
  bool first = true;
  @$0 a = value;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    if (((lanes >> i) & 1u) == 0u) continue;
    @$0 b = @($0)(@(u32)(warp[(thread & ~31u) + i]));
    a = first ? b : $combine;
    first = false;
  }
  @barrier;
  return a;
}
)"},
    {"warp_reduce/cuda", R"(@fn @$0 quern_warp_reduce_$0$suffix(@u32 mask, @$0 value) {
#if __CUDA_ARCH__ >= 800
  return $reduce(mask, value);
#else
  bool first = true;
  @$0 a = value;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    if (((mask >> i) & 1u) == 0u) continue;
    @$0 b = __shfl_sync(mask, value, (int)i, 32);
    a = first ? b : $combine;
    first = false;
  }
  return a;
#endif
}
)"},
    {"match_all/cuda", R"(template <typename T>
@fn @u32 quern_match_all(@u32 mask, T value) {
  int all = 0;
  return __match_all_sync(mask, value, &all);
}
)"},
    // HIP's wavefronts have 32 or 64 threads: a warp is a whole one or half of one. Their threads run in
    // lockstep, so the mask of the participating threads is not needed; a device whose threads may diverge
    // (tests/hip) finds it by its name.
    {"shuffle/hip", R"(template <typename T>
@fn T quern_shuffle(@u32 mask, T value, int lane) { return __shfl(value, lane, 32); }
)"},
    {"active_mask", R"(@fn @u32 quern_active_mask() { return (@u32)(__ballot(1) >> (__lane_id() & 32u)); }
)"},
    {"ballot/hip",
     R"(@fn @u32 quern_ballot(@u32 mask, bool yes) { return mask & (@u32)(__ballot(yes) >> (__lane_id() & 32u)); }
)"},
    {"vote_any/hip", R"(@fn bool quern_vote_any(@u32 mask, bool yes) { return quern_ballot(mask, yes) != 0u; }
)"},
    {"vote_all/hip", R"(@fn bool quern_vote_all(@u32 mask, bool yes) {
  return quern_ballot(mask, !yes) == 0u;
}
)"},
    {"match_any/hip", R"(template <typename T>
@fn @u32 quern_match_any(@u32 mask, T value) {
  @u32 lanes = quern_ballot(mask, true);
  @u32 same = 0u;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    T other = __shfl(value, (int)i, 32);
    if (((lanes >> i) & 1u) != 0u && other == value) same = same | (1u << i);
  }
  return same;
}
)"},
    {"match_all/hip", R"(template <typename T>
@fn @u32 quern_match_all(@u32 mask, T value) {
  @u32 same = quern_match_any(mask, value);
  return same == quern_ballot(mask, true) ? same : 0u;
}
)"},
    {"warp_reduce/hip", R"(@fn @$0 quern_warp_reduce_$0$suffix(@u32 mask, @$0 value) {
  @u32 lanes = quern_ballot(mask, true);
  bool first = true;
  @$0 a = value;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    @$0 b = __shfl(value, (int)i, 32);
    if (((lanes >> i) & 1u) == 0u) continue;
    a = first ? b : $combine;
    first = false;
  }
  return a;
}
)"},
    {"warp_barrier/hip", R"(@fn void quern_warp_barrier() {
  __threadfence_block();
  __builtin_amdgcn_wave_barrier();
}
)"},
    {"barrier_count", R"(@fn @i32 quern_barrier_count(@shared@u32* count, bool yes) {
  if (quern_thread() == 0u) *count = 0u;
  @barrier;
  if (yes) @shared_add(count, 1u);
  @barrier;
  @i32 all = @(i32)(*count);
  @barrier;
  return all;
}
)"},
    {"dynamic_shared_size", R"(@fn @u32 quern_dynamic_shared_size() {
  @u32 bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
)"},
    // Cheaper than __threadfence(), which is sequentially consistent.
    {"fence", R"(#if __CUDA_ARCH__ >= 700
#define quern_fence(scope, plain) asm volatile("fence.acq_rel." scope ";" ::: "memory")
#else
#define quern_fence(scope, plain) plain
#endif
)"},
    {"global_timer", R"(@fn @u64 quern_global_timer() {
  @u64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
)"},
    // Between a barrier and a branch, for compilers with the defect branch-after-barrier.
    {"branch", R"(#ifdef QUERN_GUARD_BRANCHES
#define quern_branch() __asm__ volatile("")
#else
#define quern_branch()
#endif
)"},
    // The driver reports the clock rate.
    {"wall_timer", R"(#ifndef QUERN_WALL_KHZ
#define QUERN_WALL_KHZ 100000
#endif
@fn @u64 quern_wall_timer() {
  @u64 ticks = @(u64)(wall_clock64()), khz = QUERN_WALL_KHZ;
  return ticks / khz * 1000000u + ticks % khz * 1000000u / khz;
}
)"},
    // Reserves this many words in the report, or returns 0.
    {"report_begin", R"(@fn @u32 quern_report_begin(__global @u32* report, @u32 words) {
  @u32 at = atomic_add(report + 1, words);
  if (at + words <= report[2]) return at;
  atomic_sub(report + 1, words);
  atomic_inc(report + 3);
  return 0u;
}
)"},
    {"report_put", R"(@fn void quern_report_put(__global @u32* report, @u32 at, @u64 bits) {
  report[at] = @(u32)(bits);
  report[at + 1u] = @(u32)(bits >> 32);
}
)"},
    {"report_fail", R"(@fn void quern_report_fail(__global @u32* report, @u32 site) {
  if (atomic_cmpxchg(report, 0u, site + 1u) != 0u) return;
  report[4] = @thread0;
  report[5] = @thread1;
  report[6] = @thread2;
  report[7] = @block0;
  report[8] = @block1;
  report[9] = @block2;
}
)"},
    {"barrier_init", R"(@fn void quern_barrier_init(const void* p, @u32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((@u32)__cvta_generic_to_shared(p)), "r"(count) : "memory");
}
)"},
    // Before sm_90 several simultaneous arrivals may not complete a phase: the last one arrives separately.
    {"barrier_arrive", R"(@fn @u64 quern_barrier_arrive(const void* p, @u32 count) {
  @u32 at = (@u32)__cvta_generic_to_shared(p);
  @u64 token;
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(at), "r"(count) : "memory");
#else
  if (count > 1u)
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
                 : "=l"(token) : "r"(at), "r"(count - 1u) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
#endif
  return token;
}
)"},
    {"barrier_drop", R"(@fn @u64 quern_barrier_drop(const void* p) {
  @u64 token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(token) : "r"((@u32)__cvta_generic_to_shared(p)) : "memory");
  return token;
}
)"},
    {"barrier_passed", R"(@fn bool quern_barrier_passed(const void* p, @u64 token) {
  @u32 yes;
  asm volatile(
      "{\n .reg .pred yes;\n"
#if __CUDA_ARCH__ >= 900
      " mbarrier.try_wait.shared.b64 yes, [%1], %2;\n"
#else
      " mbarrier.test_wait.shared.b64 yes, [%1], %2;\n"
#endif
      " selp.u32 %0, 1, 0, yes;\n}"
      : "=r"(yes) : "r"((@u32)__cvta_generic_to_shared(p)), "l"(token) : "memory");
  return yes != 0u;
}
)"},
    {"barrier_parity", R"(@fn bool quern_barrier_parity(const void* p, @u32 parity) {
  @u32 yes;
  asm volatile(
      "{\n .reg .pred yes;\n"
#if __CUDA_ARCH__ >= 900
      " mbarrier.try_wait.parity.shared.b64 yes, [%1], %2;\n"
#else
      " mbarrier.test_wait.parity.shared.b64 yes, [%1], %2;\n"
#endif
      " selp.u32 %0, 1, 0, yes;\n}"
      : "=r"(yes) : "r"((@u32)__cvta_generic_to_shared(p)), "r"(parity) : "memory");
  return yes != 0u;
}
)"},
    {"async_copy_4", R"(@fn void quern_async_copy_4(const void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)) : "memory");
}
)"},
    {"async_copy_4_part", R"(@fn void quern_async_copy_4_part(const void* to, const void* from, @u32 read) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(read) : "memory");
}
)"},
    {"async_copy_8", R"(@fn void quern_async_copy_8(const void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)) : "memory");
}
)"},
    {"async_copy_8_part", R"(@fn void quern_async_copy_8_part(const void* to, const void* from, @u32 read) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(read) : "memory");
}
)"},
    {"async_copy_16", R"(@fn void quern_async_copy_16(const void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)) : "memory");
}
)"},
    {"async_copy_16_part", R"(@fn void quern_async_copy_16_part(const void* to, const void* from, @u32 read) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((@u32)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(read) : "memory");
}
)"},
    {"async_arrive", R"(@fn void quern_async_arrive(const void* p) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((@u32)__cvta_generic_to_shared(p)) : "memory");
}
)"},
    {"cluster_barrier", R"(@fn void quern_cluster_barrier() {
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
)"},
    {"map_shared", R"(@fn unsigned char* quern_map_shared(const void* p, @u32 rank) {
  unsigned char* out;
  asm("mapa.u64 %0, %1, %2;" : "=l"(out) : "l"(p), "r"(rank));
  return out;
}
)"},
    {"cluster_dim_x", R"(@fn @u32 quern_cluster_dim_x() {
  @u32 n;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
  return n;
}
)"},
    {"cluster_dim_y", R"(@fn @u32 quern_cluster_dim_y() {
  @u32 n;
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(n));
  return n;
}
)"},
    {"cluster_dim_z", R"(@fn @u32 quern_cluster_dim_z() {
  @u32 n;
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(n));
  return n;
}
)"},
    {"grid_barrier", R"(#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
// A word of the launch, which the driver set to zero.
@fn @u32* quern_grid_word() {
  @u32 high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (@u32*)((unsigned long long)high << 32 | low) + 1;
}
@fn @u32 quern_grid_arrive(@u32* word, @u32 add) {
  @u32 before;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(add) : "memory");
  return before;
}
@fn @u32 quern_grid_look(@u32* word) {
  @u32 now;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
  return now;
}
#else
__device__ @u32 quern_grid_arrived = 0;
@fn @u32* quern_grid_word() { return &quern_grid_arrived; }
@fn @u32 quern_grid_arrive(@u32* word, @u32 add) {
  __threadfence();
  return atomicAdd(word, add);
}
@fn @u32 quern_grid_look(@u32* word) {
  @u32 now = *(volatile @u32*)word;
  __threadfence();
  return now;
}
#endif
// The highest bit flips when all blocks have arrived.
@fn void quern_grid_barrier() {
  __syncthreads();
  if (quern_thread() == 0u) {
    @u32 others = gridDim.x * gridDim.y * gridDim.z - 1u;
    bool is_first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0u;
    @u32* word = quern_grid_word();
    @u32 before = quern_grid_arrive(word, is_first ? 0x80000000u - others : 1u);
    while (((before ^ quern_grid_look(word)) & 0x80000000u) == 0u) {
    }
  }
  __syncthreads();
}
)"},
};

}  // namespace

std::span<const HelperText> thread_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
