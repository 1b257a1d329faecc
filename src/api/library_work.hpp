// Work of another library, in the deleter of its receipt's pointer to the kernel, which is null.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "runtime/module.hpp"

namespace quern::detail {

struct LibraryWork {
  std::shared_ptr<runtime::Device> device;
  std::string name;
  void operator()(const runtime::Kernel* /*kernel*/) const {}  // there is none
};

inline std::shared_ptr<const runtime::Kernel> library_work(std::shared_ptr<runtime::Device> device,
                                                           std::string name) {
  return {static_cast<const runtime::Kernel*>(nullptr), LibraryWork{std::move(device), std::move(name)}};
}

// Null: the pointer is of a kernel, or empty.
inline const LibraryWork* library_work_of(const std::shared_ptr<const runtime::Kernel>& kernel) {
  return kernel != nullptr ? nullptr : std::get_deleter<LibraryWork>(kernel);
}

}  // namespace quern::detail
