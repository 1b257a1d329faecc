#include "driver/cpu/past_caches.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace quern::cpu {
namespace {

uint64_t number(const Flow& flow, uint32_t param) {
  uint64_t value = 0;
  std::memcpy(&value, flow.arguments + flow.layout.offsets[param],
              std::min<size_t>(sizeof(value), flow.kernel.params[param]->type->size));
  return value;
}

// Threads, or what they count up to together: a loop over the grid has few threads for many numbers.
uint64_t rounds(const Flow& flow, const llvm::Outflow::Written& w) {
  if (w.bound == llvm::Outflow::kNone) return flow.threads;
  const ir::Type* type = flow.kernel.params[w.bound]->type;
  const uint64_t bound = number(flow, w.bound);
  const bool is_negative = type->is_signed() && (bound >> (8 * type->size - 1) & 1) != 0;
  return is_negative ? flow.threads : std::max(flow.threads, bound);
}

// Another parameter leads into what is written through this one: it may be read after all.
bool is_shared(const Flow& flow, uint32_t param, uint64_t bytes) {
  const uint64_t begin = number(flow, param);
  for (const ir::Param* p : flow.kernel.params) {
    if (p->index == param || !p->type->is_ptr()) continue;
    const uint64_t other = number(flow, p->index);
    if (other - begin < bytes || begin - other < bytes) return true;
  }
  return false;
}

}  // namespace

// From three tenths of the last cache on no kernel behind it takes longer by more than a thirtieth, and what
// copies takes a third less (bench_chain). What reads nothing leaves more of the cache to what it writes.
bool goes_past_caches(const Flow& flow, uint64_t last_cache) {
  uint64_t written = 0, most = 0;
  for (const auto& w : flow.outflow.written) {
    most = std::max(most, rounds(flow, w));
    written += rounds(flow, w) * w.bytes;
  }
  const uint64_t touched = written + most * flow.outflow.read;
  if (last_cache == 0 || 10 * written < 3 * last_cache || 20 * touched < 9 * last_cache) return false;
  return std::ranges::none_of(flow.outflow.written, [&](const auto& w) {
    return is_shared(flow, w.param, rounds(flow, w) * w.bytes);
  });
}

void end_stores_past_caches() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

}  // namespace quern::cpu
