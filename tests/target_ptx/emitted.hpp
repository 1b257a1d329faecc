// Kernels as PTX, and the assembler that validates them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace quern::test {

target::Options ptx_options(const std::string& architecture = "");

// All kernels of a CUDA program as one text.
base::Result<driver::Code> emit_ptx(std::string_view program, const target::Options& options = ptx_options());
// Only its text; a failed emission fails the test.
std::string ptx_of(std::string_view program, const target::Options& options = ptx_options());

// The files of tests/cases, all kernels of each as one text.
struct EmittedFile {
  std::string name;
  std::string text;
  std::vector<std::string> refused;  // the reasons for missing kernels
  size_t kernels = 0;                // kernels that it has
};
std::vector<EmittedFile> emit_cases_as_ptx(const target::Options& options);

}  // namespace quern::test
