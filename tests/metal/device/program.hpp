// Metal text as a program of this machine: clang compiles it as C++ with a small library
// (include/metal_stdlib). Libraries with the same text share it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "metal/device/fibers.hpp"

namespace quern::test_metal {

class Program {
 public:
  Program() = default;
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  struct Kernel {
    ThreadFunction function = nullptr;
    uint32_t max_threads = 0;  // of an attribute; 0: none
  };
  static base::Result<std::shared_ptr<const Program>> make(const std::string& text, bool is_fast);

  const Kernel* find(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found != kernels_.end() ? &found->second : nullptr;
  }
  bool synchronizes() const { return synchronizes_; }
  const std::string& identity() const { return identity_; }  // hash of the text and its options

 private:
  void* library_ = nullptr;
  std::map<std::string, Kernel> kernels_;
  bool synchronizes_ = false;
  std::string identity_;
};

}  // namespace quern::test_metal
