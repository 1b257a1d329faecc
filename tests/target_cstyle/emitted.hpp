// Kernels as text, for the tests of the C-like targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace quern::test {

// The text of all kernels of a CUDA program, without the details of helper functions.
base::Result<driver::Code> emit(std::string_view program, const target::Options& options);

target::Options options_for(driver::CodeKind kind);

// A single kernel of tests/cases: its text, or the reason why there is none.
struct EmittedKernel {
  std::string name;   // "atomics.cu:histogram"
  std::string entry;  // in the text
  std::string text;
  std::string refused;
};

// All kernels of a file that can be expressed, in one text.
struct EmittedFile {
  std::string name;
  std::string text;
  std::vector<EmittedKernel> kernels;
};
std::vector<EmittedFile> emit_cases(const target::Options& options);

}  // namespace quern::test
