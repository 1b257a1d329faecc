#include "driver/support/persistent_kernels.hpp"

#include <utility>

namespace quern::driver {

PersistentKernels& PersistentKernels::of_process() {
  static auto* const kernels = new PersistentKernels;  // never destroyed: devices may outlive static objects
  return *kernels;
}

std::shared_ptr<void> PersistentKernels::add(std::function<void()> suspend, std::function<void()> resume) {
  const std::lock_guard lock(mutex_);
  const uint64_t number = next_++;
  if (away_ != 0) suspend();
  all_.emplace(number, PersistentKernel{std::move(suspend), std::move(resume)});
  ++count_;
  return {this, [number](void* self) {
            auto* const kernels = static_cast<PersistentKernels*>(self);
            const std::lock_guard guard(kernels->mutex_);
            kernels->all_.erase(number);
            --kernels->count_;
          }};
}

void PersistentKernels::suspend_all() {
  const std::lock_guard lock(mutex_);
  if (away_++ != 0) return;
  for (const auto& [number, kernel] : all_) kernel.suspend();
}

void PersistentKernels::resume_all() {
  const std::lock_guard lock(mutex_);
  if (--away_ != 0) return;
  for (const auto& [number, kernel] : all_) kernel.resume();
}

}  // namespace quern::driver
