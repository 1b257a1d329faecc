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

// The number of threads, or the total count of their loops: a grid-stride loop has few threads.
uint64_t rounds(const Flow& flow, const llvm::Outflow::Written& w) {
  if (w.bound == llvm::Outflow::kNone) return flow.threads;
  const ir::Type* type = flow.kernel.params[w.bound]->type;
  const uint64_t bound = number(flow, w.bound);
  const bool is_negative = type->is_signed() && (bound >> (8 * type->size - 1) & 1) != 0;
  return is_negative ? flow.threads : std::max(flow.threads, bound);
}

// Another parameter points into the memory written through this one, so it may be read.
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

// Thresholds: later kernels lose little, and copying kernels gain much (bench_chain, docs/decisions.md). Few
// workers do not saturate the cache's bandwidth; many would have to fetch from memory what the cache holds. A
// kernel that reads nothing leaves more of the cache to its writes.
bool goes_past_caches(const Flow& flow, uint64_t last_cache, uint32_t workers) {
  constexpr uint32_t kFew = 4;
  const double least_written = workers <= kFew ? 0.3 : 0.65, least_touched = workers <= kFew ? 0.45 : 1.5;
  uint64_t written = 0, most = 0;
  for (const auto& w : flow.outflow.written) {
    most = std::max(most, rounds(flow, w));
    written += rounds(flow, w) * w.bytes;
  }
  const uint64_t touched = written + most * flow.outflow.read;
  const auto cache = static_cast<double>(last_cache);
  if (last_cache == 0 || static_cast<double>(written) < least_written * cache ||
      static_cast<double>(touched) < least_touched * cache)
    return false;
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
