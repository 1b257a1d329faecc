#include "ring/words.hpp"

#include <chrono>

#if defined(__linux__)
#include <sched.h>
#endif

namespace quern::ring {
namespace {

constexpr std::uint32_t kLooks = 4000, kYields = 2000;

bool has_one_core() {
#if defined(__linux__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set) < 2;
#endif
  return std::thread::hardware_concurrency() < 2;
}

}  // namespace

std::uint32_t patient_looks() {
  static const std::uint32_t looks = has_one_core() ? 0 : kLooks;
  return looks;
}

void Patience::wait() {
  constexpr std::uint32_t kEagerLooks = 16;  // takes about as long as one check with a pause
  const std::uint32_t spins = patient_looks() * (is_eager_ ? kEagerLooks : 1);
  const std::uint32_t look = looks_++;
  if (look < spins) {
    if (!is_eager_) relax();
  } else if (look < spins + kYields) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace quern::ring
