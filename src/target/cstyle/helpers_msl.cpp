// Operations that Metal lacks or spells differently: compare-and-swap without spurious failures, 64-bit
// functions, reports, and warps as SIMD-groups of 32.
#include "target/cstyle/helpers.hpp"

namespace quern::target::cstyle {

namespace {

constexpr HelperText kHelpers[] = {
    {"popc64/msl",
     R"(@fn @u32 quern_popc64(@u64 x) { return popcount(@(u32)(x)) + popcount(@(u32)(x >> 32)); }
)"},
    {"clz64/msl", R"(@fn @u32 quern_clz64(@u64 x) {
  @u32 high = @(u32)(x >> 32);
  return high != 0u ? clz(high) : 32u + clz(@(u32)(x));
}
)"},
    {"mulhi64/msl", R"(@fn @u64 quern_mulhi64(@u64 a, @u64 b) {
  @u64 al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
  @u64 low = al * bl, cross = ah * bl + (low >> 32), rest = al * bh + (cross & 0xffffffffu);
  return ah * bh + (cross >> 32) + (rest >> 32);
}
@fn @i64 quern_mulhi64(@i64 a, @i64 b) {
  @u64 high = quern_mulhi64(@(u64)(a), @(u64)(b));
  if (a < 0) high = high - @(u64)(b);
  if (b < 0) high = high - @(u64)(a);
  return @(i64)(high);
}
)"},
    // Metal's compare-and-swap may fail spuriously.
    {"cas32/msl", R"(@fn @u32 quern_cas32(volatile @global@u32* p, @u32 expected, @u32 desired) {
  @u32 seen = expected;
  while (!atomic_compare_exchange_weak_explicit((volatile @global@atomic_word*)p, &seen, desired, memory_order_relaxed,
                                                memory_order_relaxed)) {
    if (seen != expected) return seen;
  }
  return expected;
}
@fn @u32 quern_cas32(volatile threadgroup @u32* p, @u32 expected, @u32 desired) {
  @u32 seen = expected;
  while (!atomic_compare_exchange_weak_explicit((volatile threadgroup atomic_uint*)p, &seen, desired,
                                                memory_order_relaxed, memory_order_relaxed)) {
    if (seen != expected) return seen;
  }
  return expected;
}
)"},
    {"atomic/msl", R"(@fn @$0 quern_atomic_$0_$1$suffix(volatile $space@$1* p, @$0 v) {
  @$1 old = atomic_load_explicit((volatile $space@atomic_word*)p, memory_order_relaxed);
  for (;;) {
    @$0 a = $from(old);
    @$1 seen = $cas(p, old, $to($value));
    if (seen == old) return a;
    old = seen;
  }
}
)"},
    {"report_begin/msl", R"(@fn @u32 quern_report_begin(@global@u32* report, @u32 words) {
  @u32 at = atomic_fetch_add_explicit((@global@atomic_word*)(report + 1), words, memory_order_relaxed);
  if (at + words <= report[2]) return at;
  atomic_fetch_sub_explicit((@global@atomic_word*)(report + 1), words, memory_order_relaxed);
  atomic_fetch_add_explicit((@global@atomic_word*)(report + 3), 1u, memory_order_relaxed);
  return 0u;
}
)"},
    {"report_put/msl", R"(@fn void quern_report_put(@global@u32* report, @u32 at, @u64 bits) {
  report[at] = @(u32)(bits);
  report[at + 1u] = @(u32)(bits >> 32);
}
)"},
    {"report_fail/msl",
     R"(@fn void quern_report_fail(@global@u32* report, @u32 site, uint3 thread_id, uint3 block_id) {
  if (quern_cas32(report, 0u, site + 1u) != 0u) return;
  report[4] = thread_id.x;
  report[5] = thread_id.y;
  report[6] = thread_id.z;
  report[7] = block_id.x;
  report[8] = block_id.y;
  report[9] = block_id.z;
}
)"},
    // Matrices as tiles of 8x8, which the threads of a SIMD-group hold together.
    {"matrix/msl", R"(template <typename T, int Rows, int Columns>
struct quern_matrix {
  simdgroup_matrix<T, 8, 8> tile[Rows / 8 * (Columns / 8)];
};
)"},
    {"matrix_fill/msl", R"(template <typename T, int Rows, int Columns>
@fn void quern_matrix_fill(thread quern_matrix<T, Rows, Columns>& to, T value) {
  for (int i = 0; i < Rows / 8 * (Columns / 8); ++i) to.tile[i] = make_filled_simdgroup_matrix<T, 8, 8>(value);
}
)"},
    {"matrix_load/msl", R"(template <typename T, int Rows, int Columns, typename Pointer>
@fn void quern_matrix_load(thread quern_matrix<T, Rows, Columns>& to, Pointer from, @u32 line, bool by_column) {
  for (int r = 0; r < Rows / 8; ++r) {
    for (int c = 0; c < Columns / 8; ++c) {
      const @u32 at = by_column ? @(u32)(c * 8) * line + @(u32)(r * 8) : @(u32)(r * 8) * line + @(u32)(c * 8);
      simdgroup_load(to.tile[r * (Columns / 8) + c], from + at, @(u64)(line), ulong2(0ul), by_column);
    }
  }
}
)"},
    {"matrix_store/msl", R"(template <typename T, int Rows, int Columns, typename Pointer>
@fn void quern_matrix_store(Pointer to, thread quern_matrix<T, Rows, Columns>& from, @u32 line, bool by_column) {
  for (int r = 0; r < Rows / 8; ++r) {
    for (int c = 0; c < Columns / 8; ++c) {
      const @u32 at = by_column ? @(u32)(c * 8) * line + @(u32)(r * 8) : @(u32)(r * 8) * line + @(u32)(c * 8);
      simdgroup_store(from.tile[r * (Columns / 8) + c], to + at, @(u64)(line), ulong2(0ul), by_column);
    }
  }
}
)"},
    {"matrix_multiply/msl", R"(template <typename D, typename T, int M, int N, int K>
@fn void quern_matrix_multiply(thread quern_matrix<D, M, N>& d, thread quern_matrix<T, M, K>& a,
                               thread quern_matrix<T, K, N>& b, thread quern_matrix<D, M, N>& c) {
  for (int m = 0; m < M / 8; ++m) {
    for (int n = 0; n < N / 8; ++n) {
      simdgroup_matrix<D, 8, 8> sum = c.tile[m * (N / 8) + n];
      for (int k = 0; k < K / 8; ++k)
        simdgroup_multiply_accumulate(sum, a.tile[m * (K / 8) + k], b.tile[k * (N / 8) + n], sum);
      d.tile[m * (N / 8) + n] = sum;
    }
  }
}
)"},
    // A warp is a SIMD-group.
    {"lane_index/msl", R"(@fn @u32 quern_lane_index(@u32 lane, @u32 by, @u32 width) {
  @u32 segment = (32u - width) & 31u;
  return (lane & segment) | (by & ~segment & 31u);
}
)"},
    {"lane_up/msl", R"(@fn @u32 quern_lane_up(@u32 lane, @u32 by, @u32 width) {
  @u32 first = lane & (32u - width) & 31u;
  return lane - first >= (by & 31u) ? lane - (by & 31u) : lane;
}
)"},
    {"lane_down/msl", R"(@fn @u32 quern_lane_down(@u32 lane, @u32 by, @u32 width) {
  @u32 last = lane | (31u & ~(32u - width));
  return lane + (by & 31u) <= last ? lane + (by & 31u) : lane;
}
)"},
    {"lane_xor/msl", R"(@fn @u32 quern_lane_xor(@u32 lane, @u32 by, @u32 width) {
  @u32 last = lane | (31u & ~(32u - width));
  return (lane ^ (by & 31u)) <= last ? lane ^ (by & 31u) : lane;
}
)"},
    {"active_mask/msl",
     R"(@fn @u32 quern_active_mask() { return @(u32)(simd_vote::vote_t)simd_active_threads_mask(); }
)"},
    {"shuffle/msl",
     R"(@fn @$0 quern_shuffle_$0(@$0 value, @u32 from) { return simd_shuffle(value, @(u16)(from)); }
)"},
    {"shuffle_u64/msl", R"(@fn @u64 quern_shuffle_u64(@u64 value, @u32 from) {
  @u32 low = quern_shuffle_u32(@(u32)(value), from);
  @u32 high = quern_shuffle_u32(@(u32)(value >> 32), from);
  return (@(u64)(high) << 32) | @(u64)(low);
}
)"},
    {"ballot/msl",
     R"(@fn @u32 quern_ballot(@u32 mask, bool yes) { return mask & @(u32)(simd_vote::vote_t)simd_ballot(yes); }
)"},
    {"vote_any/msl", R"(@fn bool quern_vote_any(@u32 mask, bool yes) { return quern_ballot(mask, yes) != 0u; }
)"},
    {"vote_all/msl", R"(@fn bool quern_vote_all(@u32 mask, bool yes) {
  return quern_ballot(mask, yes) == (mask & quern_active_mask());
}
)"},
    {"match_any/msl", R"(@fn @u32 quern_match_any_$0(@u32 mask, @$0 value) {
  @u32 lanes = mask & quern_active_mask();
  @u32 same = 0u;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    @$0 other = quern_shuffle_$0(value, i);
    if (((lanes >> i) & 1u) != 0u && other == value) same = same | (1u << i);
  }
  return same;
}
)"},
    {"match_all/msl", R"(@fn @u32 quern_match_all_$0(@u32 mask, @$0 value) {
  @u32 same = quern_match_any_$0(mask, value);
  return same == (mask & quern_active_mask()) ? same : 0u;
}
)"},
    {"warp_reduce/msl", R"(@fn @$0 quern_warp_reduce_$0$suffix(@u32 mask, @$0 value) {
  @u32 lanes = mask & quern_active_mask();
  bool first = true;
  @$0 a = value;
  for (@u32 i = 0u; i < 32u; i = i + 1u) {
    @$0 b = quern_shuffle_$0(value, i);
    if (((lanes >> i) & 1u) == 0u) continue;
    a = first ? b : $combine;
    first = false;
  }
  return a;
}
)"},
};

}  // namespace

std::span<const HelperText> msl_helpers() { return kHelpers; }

}  // namespace quern::target::cstyle
