// Keeps threads out of LLVM while the process exits: LLVM's global objects are destroyed then, and a thread
// that still compiles would crash.
#pragma once

#include "base/result.hpp"
#include "driver/cpu/api.hpp"

namespace quern::cpu {

// LLVM, for as long as the object exists. The exit of the process waits for it. Thread-safe.
class LlvmUse {
 public:
  // Loads LLVM if necessary. Fails when the process is exiting.
  static base::Result<LlvmUse> begin();
  LlvmUse(LlvmUse&& other) noexcept : api_(other.api_) { other.api_ = nullptr; }
  LlvmUse& operator=(LlvmUse&&) = delete;
  ~LlvmUse();

  const LlvmApi& api() const { return *api_; }

 private:
  explicit LlvmUse(const LlvmApi& api) : api_(&api) {}

  const LlvmApi* api_;
};

}  // namespace quern::cpu
