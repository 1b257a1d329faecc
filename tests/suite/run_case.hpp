// Runs one case of tests/cases on one device, through the runtime that every program uses.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "lang/ir/ir.hpp"
#include "runtime/device.hpp"
#include "support/case_file.hpp"

namespace quern::test {

struct Outcome {
  enum class Kind : uint8_t { kPassed, kRefused, kFailed };
  Kind kind = Kind::kPassed;
  std::string reason;  // why it was rejected, or what is wrong
  double seconds = 0;  // of the launch
  bool lost = false;   // the device cannot be used any more
};

// Compares the bytes of a buffer with the expected values.
base::Result<> compare_bytes(const Expectation& e, const ir::Type& element, std::span<const std::byte> bytes);

// Programs stay loaded from case to case, one per file.
class CaseRunner {
 public:
  explicit CaseRunner(std::shared_ptr<runtime::Device> device);
  ~CaseRunner();
  Outcome run(const Case& test, uint32_t repeat = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quern::test
