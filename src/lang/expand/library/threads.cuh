// Cooperation of threads through shared memory: every thread of the block takes part, so all of them must
// reach such a call.

__device__ unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// The lanes of this thread's warp that exist.
__device__ unsigned active_mask() {
  unsigned rest = blockDim.x * blockDim.y * blockDim.z - (linear_thread() & ~31u);
  return rest >= 32u ? 0xffffffffu : (1u << rest) - 1u;
}

// The word of another thread, or of all. Two barriers: all have written, all have read.
__device__ unsigned exchanged_u32(unsigned value, unsigned lane) {
  __shared__ unsigned words[1024];
  unsigned thread = linear_thread();
  words[thread] = value;
  __quern_barrier();
  unsigned got = words[(thread & ~31u) + lane];
  __quern_barrier();
  return got;
}

__device__ unsigned long long exchanged_u64(unsigned long long value, unsigned lane) {
  __shared__ unsigned long long long_words[1024];
  unsigned thread = linear_thread();
  long_words[thread] = value;
  __quern_barrier();
  unsigned long long got = long_words[(thread & ~31u) + lane];
  __quern_barrier();
  return got;
}

// The lane a shuffle reads from; the thread's own lane if that is outside of its segment.
__device__ unsigned lane_index(unsigned by, unsigned width) {
  unsigned segment = (32u - width) & 31u;
  return (linear_thread() & segment & 31u) | (by & ~segment & 31u);
}
__device__ unsigned lane_up(unsigned by, unsigned width) {
  unsigned lane = linear_thread() & 31u;
  unsigned first = lane & (32u - width) & 31u;
  return lane - first >= (by & 31u) ? lane - (by & 31u) : lane;
}
__device__ unsigned lane_down(unsigned by, unsigned width) {
  unsigned lane = linear_thread() & 31u;
  unsigned last = lane | (31u & ~(32u - width));
  return lane + (by & 31u) <= last ? lane + (by & 31u) : lane;
}
__device__ unsigned lane_xor(unsigned by, unsigned width) {
  unsigned lane = linear_thread() & 31u;
  unsigned last = lane | (31u & ~(32u - width));
  return (lane ^ (by & 31u)) <= last ? lane ^ (by & 31u) : lane;
}

// A lane that does not exist has no value; the thread's own value is used.
__device__ unsigned existing(unsigned lane) {
  return ((active_mask() >> lane) & 1u) != 0u ? lane : linear_thread() & 31u;
}

__device__ unsigned shuffle_index_u32(unsigned v, unsigned by, unsigned width) {
  return exchanged_u32(v, existing(lane_index(by, width)));
}
__device__ unsigned shuffle_up_u32(unsigned v, unsigned by, unsigned width) {
  return exchanged_u32(v, existing(lane_up(by, width)));
}
__device__ unsigned shuffle_down_u32(unsigned v, unsigned by, unsigned width) {
  return exchanged_u32(v, existing(lane_down(by, width)));
}
__device__ unsigned shuffle_xor_u32(unsigned v, unsigned by, unsigned width) {
  return exchanged_u32(v, existing(lane_xor(by, width)));
}
__device__ unsigned long long shuffle_index_u64(unsigned long long v, unsigned by, unsigned width) {
  return exchanged_u64(v, existing(lane_index(by, width)));
}
__device__ unsigned long long shuffle_up_u64(unsigned long long v, unsigned by, unsigned width) {
  return exchanged_u64(v, existing(lane_up(by, width)));
}
__device__ unsigned long long shuffle_down_u64(unsigned long long v, unsigned by, unsigned width) {
  return exchanged_u64(v, existing(lane_down(by, width)));
}
__device__ unsigned long long shuffle_xor_u64(unsigned long long v, unsigned by, unsigned width) {
  return exchanged_u64(v, existing(lane_xor(by, width)));
}

// One word for each warp, to which its lanes add their bit.
__device__ unsigned ballot(unsigned mask, bool yes) {
  __shared__ unsigned votes[32];
  unsigned thread = linear_thread();
  unsigned warp = thread >> 5;
  if ((thread & 31u) == 0u) votes[warp] = 0u;
  __quern_barrier();
  if (yes) __quern_atomic_or(&votes[warp], 1u << (thread & 31u), 0);
  __quern_barrier();
  unsigned all = votes[warp];
  __quern_barrier();
  return all & mask;
}
__device__ bool vote_any(unsigned mask, bool yes) { return ballot(mask, yes) != 0u; }
__device__ bool vote_all(unsigned mask, bool yes) { return ballot(mask, yes) == (mask & active_mask()); }

__device__ unsigned match_any_u32(unsigned mask, unsigned value) {
  __shared__ unsigned words[1024];
  unsigned thread = linear_thread();
  words[thread] = value;
  __quern_barrier();
  unsigned lanes = mask & active_mask();
  unsigned same = 0u;
  for (unsigned i = 0u; i < 32u; ++i)
    if (((lanes >> i) & 1u) != 0u && words[(thread & ~31u) + i] == value) same |= 1u << i;
  __quern_barrier();
  return same;
}
__device__ unsigned match_any_u64(unsigned mask, unsigned long long value) {
  __shared__ unsigned long long long_words[1024];
  unsigned thread = linear_thread();
  long_words[thread] = value;
  __quern_barrier();
  unsigned lanes = mask & active_mask();
  unsigned same = 0u;
  for (unsigned i = 0u; i < 32u; ++i)
    if (((lanes >> i) & 1u) != 0u && long_words[(thread & ~31u) + i] == value) same |= 1u << i;
  __quern_barrier();
  return same;
}
__device__ unsigned match_all_u32(unsigned mask, unsigned value) {
  unsigned same = match_any_u32(mask, value);
  return same == (mask & active_mask()) ? same : 0u;
}
__device__ unsigned match_all_u64(unsigned mask, unsigned long long value) {
  unsigned same = match_any_u64(mask, value);
  return same == (mask & active_mask()) ? same : 0u;
}

template <typename T, typename Combine>
__device__ T reduced(unsigned mask, T value, Combine combine) {
  __shared__ unsigned words[1024];
  unsigned thread = linear_thread();
  words[thread] = (unsigned)value;
  __quern_barrier();
  unsigned lanes = mask & active_mask();
  bool first = true;
  T a = value;
  for (unsigned i = 0u; i < 32u; ++i) {
    if (((lanes >> i) & 1u) == 0u) continue;
    T b = (T)words[(thread & ~31u) + i];
    a = first ? b : combine(a, b);
    first = false;
  }
  __quern_barrier();
  return a;
}
__device__ unsigned reduce_add_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return a + b; });
}
__device__ int reduce_add_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return a + b; });
}
__device__ unsigned reduce_min_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
__device__ int reduce_min_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return b < a ? b : a; });
}
__device__ unsigned reduce_max_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
__device__ int reduce_max_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return a < b ? b : a; });
}
__device__ unsigned reduce_and_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return a & b; });
}
__device__ int reduce_and_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return a & b; });
}
__device__ unsigned reduce_or_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return a | b; });
}
__device__ int reduce_or_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return a | b; });
}
__device__ unsigned reduce_xor_u32(unsigned mask, unsigned v) {
  return reduced(mask, v, [](unsigned a, unsigned b) { return a ^ b; });
}
__device__ int reduce_xor_i32(unsigned mask, int v) {
  return reduced(mask, v, [](int a, int b) { return a ^ b; });
}

// The same if the threads of a warp can exchange natively: with index shuffles of the whole warp and ballots.
// Absent lanes are not read.
__device__ unsigned warp_shuffle_index_u32(unsigned v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_index(by, width)), 32);
}
__device__ unsigned warp_shuffle_up_u32(unsigned v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_up(by, width)), 32);
}
__device__ unsigned warp_shuffle_down_u32(unsigned v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_down(by, width)), 32);
}
__device__ unsigned warp_shuffle_xor_u32(unsigned v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_xor(by, width)), 32);
}
__device__ unsigned long long warp_shuffle_index_u64(unsigned long long v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_index(by, width)), 32);
}
__device__ unsigned long long warp_shuffle_up_u64(unsigned long long v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_up(by, width)), 32);
}
__device__ unsigned long long warp_shuffle_down_u64(unsigned long long v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_down(by, width)), 32);
}
__device__ unsigned long long warp_shuffle_xor_u64(unsigned long long v, unsigned by, unsigned width) {
  return __quern_shuffle_index(0xffffffffu, v, existing(lane_xor(by, width)), 32);
}
__device__ bool warp_vote_any(unsigned mask, bool yes) { return __quern_ballot(mask, yes) != 0u; }
__device__ bool warp_vote_all(unsigned mask, bool yes) { return __quern_ballot(mask, !yes) == 0u; }

template <typename T>
__device__ T warp_value(T value, unsigned lanes, unsigned i) {
  unsigned from = ((lanes >> i) & 1u) != 0u ? i : linear_thread() & 31u;
  return __quern_shuffle_index(0xffffffffu, value, from, 32);
}
template <typename T>
__device__ unsigned warp_matching(unsigned mask, T value) {
  unsigned active = __quern_active_mask();
  unsigned same = 0u;
  for (unsigned i = 0u; i < 32u; ++i)
    if (warp_value(value, active, i) == value) same |= 1u << i;
  return same & mask & active;
}
__device__ unsigned warp_match_any_u32(unsigned mask, unsigned value) { return warp_matching(mask, value); }
__device__ unsigned warp_match_any_u64(unsigned mask, unsigned long long value) {
  return warp_matching(mask, value);
}
template <typename T>
__device__ unsigned warp_matching_all(unsigned mask, T value) {
  unsigned lanes = mask & __quern_active_mask();
  return warp_matching(mask, value) == lanes ? lanes : 0u;
}
__device__ unsigned warp_match_all_u32(unsigned mask, unsigned value) { return warp_matching_all(mask, value); }
__device__ unsigned warp_match_all_u64(unsigned mask, unsigned long long value) {
  return warp_matching_all(mask, value);
}

template <typename T, typename Combine>
__device__ T warp_reduced(unsigned mask, T value, Combine combine) {
  unsigned active = __quern_active_mask();
  unsigned lanes = mask & active;
  bool first = true;
  T a = value;
  for (unsigned i = 0u; i < 32u; ++i) {
    T b = warp_value(value, active, i);
    if (((lanes >> i) & 1u) == 0u) continue;
    a = first ? b : combine(a, b);
    first = false;
  }
  return a;
}
__device__ unsigned warp_reduce_add_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return a + b; });
}
__device__ int warp_reduce_add_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return a + b; });
}
__device__ unsigned warp_reduce_min_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
__device__ int warp_reduce_min_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return b < a ? b : a; });
}
__device__ unsigned warp_reduce_max_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
__device__ int warp_reduce_max_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return a < b ? b : a; });
}
__device__ unsigned warp_reduce_and_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return a & b; });
}
__device__ int warp_reduce_and_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return a & b; });
}
__device__ unsigned warp_reduce_or_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return a | b; });
}
__device__ int warp_reduce_or_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return a | b; });
}
__device__ unsigned warp_reduce_xor_u32(unsigned mask, unsigned v) {
  return warp_reduced(mask, v, [](unsigned a, unsigned b) { return a ^ b; });
}
__device__ int warp_reduce_xor_i32(unsigned mask, int v) {
  return warp_reduced(mask, v, [](int a, int b) { return a ^ b; });
}

__device__ int barrier_count(bool yes) {
  __shared__ unsigned count;
  if (linear_thread() == 0u) count = 0u;
  __quern_barrier();
  if (yes) __quern_atomic_add(&count, 1u, 0);
  __quern_barrier();
  unsigned all = count;
  __quern_barrier();
  return (int)all;
}
__device__ bool barrier_and(bool yes) { return barrier_count(!yes) == 0; }
__device__ bool barrier_or(bool yes) { return barrier_count(yes) != 0; }

// The report that the host reads: see driver/interface/report.hpp. Reserves this many words, or returns 0.
__device__ unsigned report_begin(unsigned long long report, unsigned words, unsigned site) {
  unsigned* to = (unsigned*)report;
  unsigned at = __quern_atomic_add(to + 1, words, 1);
  if (at + words > to[2]) {
    __quern_atomic_add(to + 1, 0u - words, 1);  // so that it does not wrap around
    __quern_atomic_add(to + 3, 1u, 1);
    return 0u;
  }
  to[at] = site;
  return at;
}
__device__ void report_put(unsigned long long report, unsigned at, unsigned index, unsigned long long bits) {
  if (at == 0u) return;
  unsigned* to = (unsigned*)report;
  to[at + index] = (unsigned)bits;
  to[at + index + 1u] = (unsigned)(bits >> 32);
}
__device__ void report_fail(unsigned long long report, unsigned site) {
  unsigned* to = (unsigned*)report;
  if (__quern_atomic_cas(to, 0u, site + 1u, 1) != 0u) return;
  to[4] = threadIdx.x;
  to[5] = threadIdx.y;
  to[6] = threadIdx.z;
  to[7] = blockIdx.x;
  to[8] = blockIdx.y;
  to[9] = blockIdx.z;
}
