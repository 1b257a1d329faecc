// Emitted Metal text as a program of this machine: compiled as C++ with a small library (metal_host/), it
// runs without Metal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace quern::test {

class MetalProgram {
 public:
  using Launch = void (*)(void* const* buffers, const unsigned* grid, const unsigned* block, void* shared);
  ~MetalProgram();

  // Whether a compiler is available.
  static bool has_compiler();
  // One kernel each: a Metal text and the name of its kernel.
  struct Kernel {
    std::string text, entry;
  };
  static base::Result<std::unique_ptr<MetalProgram>> make(const std::vector<Kernel>& kernels);
  Launch launch(size_t kernel) const { return launches_[kernel]; }

 private:
  void* library_ = nullptr;
  std::string file_;
  std::vector<Launch> launches_;
};

}  // namespace quern::test
