// The number of kernels that a launch ran, in the deleter of its receipt's pointer to the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/module.hpp"

namespace quern::detail {

struct ChildLaunches {
  std::shared_ptr<const runtime::Kernel> kernel;
  uint64_t count = 0;
  void operator()(const runtime::Kernel* /*kernel*/) const {}  // `kernel` owns it
};

// The kernel, with the number of its last launch's launches if it launches kernels.
inline std::shared_ptr<const runtime::Kernel> with_child_launches(
    std::shared_ptr<const runtime::Kernel> kernel) {
  if (!kernel->launches_kernels()) return kernel;
  const runtime::Kernel* const plain = kernel.get();
  const uint64_t count = kernel->child_launches();
  return {plain, ChildLaunches{std::move(kernel), count}};
}

inline uint64_t child_launches(const std::shared_ptr<const runtime::Kernel>& kernel) {
  const auto* const found = std::get_deleter<ChildLaunches>(kernel);
  return found != nullptr ? found->count : 0;
}

}  // namespace quern::detail
