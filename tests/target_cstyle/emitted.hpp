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

// The files that are emitted: all, or every third one from the given number on. The thirds are for variants
// of a target that also emits all files.
enum class Files { all = -1, first_third = 0, second_third = 1, last_third = 2 };
std::vector<EmittedFile> emit_cases(const target::Options& options, Files files = Files::all);

}  // namespace quern::test
