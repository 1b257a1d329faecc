#include "ring/stamp.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "quern/ring/actor.hpp"

namespace quern::ring {
namespace {

constexpr std::uint32_t kLogicalBits = 12;
std::atomic<std::uint64_t> last{0};

}  // namespace

std::uint64_t wall_stamp() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return static_cast<std::uint64_t>(us) << kLogicalBits;
}

std::uint64_t next_stamp() {
  const std::uint64_t wall = wall_stamp();
  std::uint64_t before = last.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t next = std::max(before + 1, wall);
    if (last.compare_exchange_weak(before, next, std::memory_order_acq_rel)) return next;
  }
}

void merge_stamp(std::uint64_t seen) {
  std::uint64_t before = last.load(std::memory_order_relaxed);
  while (before < seen && !last.compare_exchange_weak(before, seen, std::memory_order_acq_rel)) {
  }
}

std::uint64_t stamp() { return next_stamp(); }

}  // namespace quern::ring
