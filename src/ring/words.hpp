// Words that host and device, or several threads, access concurrently.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace quern::ring {

inline std::uint64_t look(const std::uint64_t* at) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(at)).load(std::memory_order_acquire);
}
inline std::uint64_t look_relaxed(const std::uint64_t* at) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(at)).load(std::memory_order_relaxed);
}
inline void put(std::uint64_t* at, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*at).store(value, std::memory_order_release);
}
inline void put_relaxed(std::uint64_t* at, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*at).store(value, std::memory_order_relaxed);
}

// How often threads of this process may poll before they yield: not at all on one core.
std::uint32_t patient_looks();

inline void relax() {
#if defined(__aarch64__)
  asm volatile("yield");
#elif defined(__x86_64__)
  asm volatile("pause");
#endif
}

// Waits in a loop: first spinning, then yielding, then sleeping.
class Patience {
 public:
  // `is_eager`: the awaited data arrives over a bus, and no other thread on this core has to produce it.
  explicit Patience(bool is_eager = false) : is_eager_(is_eager) {}
  void wait();

 private:
  bool is_eager_;
  std::uint32_t looks_ = 0;
};

}  // namespace quern::ring
