#include "base/fork.hpp"

#include <atomic>

#include <pthread.h>

namespace quern::base {

namespace {

std::atomic<uint32_t> generation{0};

}  // namespace

uint32_t fork_generation() {
  static const int kInstalled =
      ::pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  (void)kInstalled;
  return generation.load(std::memory_order_relaxed);
}

}  // namespace quern::base
